// SPDX-License-Identifier: Apache-2.0

package functionrunner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
	"sigs.k8s.io/yaml"
)

// TestExpand checks that a set expands with each runtime to what expansion.Expand makes of it, or fails with its
// message.
func TestExpand(t *testing.T) {
	t.Parallel()
	site := func(name string, labels ...string) expansion.Object {
		o := expansion.Object{Name: name, Namespace: "fleet", Labels: map[string]string{},
			Annotations: map[string]string{"note": "a: b\n# c", "on": "yes"}}
		for _, label := range labels {
			o.Labels[label] = "on"
		}
		return o
	}
	kind := func(apiVersion, kind string) expansion.GroupKind {
		return expansion.GroupKind{APIVersion: apiVersion, Kind: kind}
	}
	snapshot := &expansion.Snapshot{
		PackageRevisions: []expansion.PackageRevision{
			{Object: site("blueprints.web.v1"), Repo: "blueprints", Package: "web", WorkspaceName: "v1", Revision: "1",
				Published: true},
			{Object: site("blueprints.web.v2"), Repo: "blueprints", Package: "web", WorkspaceName: "v2", Revision: "2",
				Published: true},
			{Object: site("blueprints.web.v3"), Repo: "blueprints", Package: "web", WorkspaceName: "v3"},
		},
		Repositories: []expansion.Object{site("edge-1", "prod"), site("edge-2", "prod", "eu"), site("edge-3")},
	}
	snapshot.PackageRevisions[1].Labels["tag.config.porch.kpt.dev/stable"] = "true"
	made := site(expansion.Name("web", "edge-1", "web-a"), "site") // the set has made it, for another PackageVariant
	made.Labels[v1alpha2.OwnerLabel] = "1-2"
	snapshot.Objects = map[expansion.GroupKind][]expansion.Object{
		kind("v1", "ConfigMap"):                                 {site("a", "site"), site("b", "site"), site("c")},
		kind("config.porch.kpt.dev/v1alpha1", "Repository"):     snapshot.Repositories,
		kind("porch.kpt.dev/v1alpha1", "PackageRevision"):       {snapshot.PackageRevisions[0].Object, site("db-v1", "site")},
		kind("config.porch.kpt.dev/v1alpha1", "PackageVariant"): {site("web-a", "site"), made},
	}
	for name, c := range map[string]struct{ upstream, targets, more, err string }{
		"repositories": {targets: "[{repositories: [{name: edge-1, packageNames: [a, b]}, {name: edge-3}]}]"},
		"selected, with all of a template": {targets: "[{repositorySelector: {matchLabels: {prod: 'on'}}, template: " +
			"{labels: {a: 'yes'}, annotations: {b: 'no'}, adoptionPolicy: adoptExisting, deletionPolicy: orphan, " +
			"packageContext: {data: {a: '1'}, removeKeys: [b], dataExprs: [{key: note, valueExpr: " +
			"\"repository.annotations['note']\"}]}, " +
			"pipeline: {mutators: [{image: 'i:v1', name: m, configMap: {k: 'on'}}]}, injectors: [{kind: ConfigMap, nameExpr: " +
			"repository.name}]}}]"},
		"some select nothing": {targets: "[{repositorySelector: {matchLabels: {eu: 'on'}}}, {repositorySelector: " +
			"{matchLabels: {us: 'on'}}}]"},
		"nothing at all": {targets: "[{repositorySelector: {matchLabels: {us: 'on'}}}]"},
		"objects": {targets: "[{objectSelector: {apiVersion: v1, kind: ConfigMap, matchLabels: {site: " +
			"'on'}}, template: {downstream: {repo: edge-1, packageExpr: 'target.name.replace(''.'', ''-'')'}}}]"},
		"Repositories as objects": {targets: "[{objectSelector: {apiVersion: config.porch.kpt.dev/v1alpha1, kind: " +
			"Repository, matchLabels: {prod: 'on'}}, template: {downstream: {repoExpr: target.name}}}]"},
		"PackageRevisions as objects": {targets: "[{objectSelector: {apiVersion: porch.kpt.dev/v1alpha1, kind: " +
			"PackageRevision, matchLabels: {site: 'on'}}, template: {downstream: {repo: edge-1, packageExpr: " +
			"'target.name.replace(''.'', ''-'')'}}}]"},
		"PackageVariants as objects": {targets: "[{objectSelector: {apiVersion: config.porch.kpt.dev/v1alpha1, kind: " +
			"PackageVariant, matchLabels: {site: 'on'}}, template: {downstream: {repo: edge-1, packageExpr: " +
			"'target.name.replace(''.'', ''-'')'}}}]"},
		"by a tag": {upstream: "{repo: blueprints, package: web, revision: stable}",
			targets: "[{repositories: [{name: edge-1}], template: {packageContext: {dataExprs: [{key: up, valueExpr: " +
				"upstream.name}]}}}]"},
		"of a draft": {upstream: "{repo: blueprints, package: web, workspaceName: v3}",
			targets: "[{repositories: [{name: edge-1}], template: {packageContext: {dataExprs: [{key: up, valueExpr: " +
				"upstream.name}]}}}]"},
		"in waves": {targets: "[{repositories: [{name: edge-1, packageNames: [a, b]}, {name: edge-3}]}, {objectSelector: " +
			"{apiVersion: v1, kind: ConfigMap}, template: {downstream: {repo: edge-2, packageExpr: target.name}}}]",
			more: ", rollout: {waves: [{name: first, selector: {matchLabels: {prod: 'on'}}}, {name: 'yes', selector: " +
				"{matchLabels: {site: 'on'}}}]}"},
		"some excluded": {targets: "[{repositories: [{name: edge-1}, {name: edge-2}, {name: edge-9}], template: {labelExprs: " +
			"[{key: region, valueExpr: repository.labels.eu}, {key: x, valueExpr: 'repoDefault == ''edge-2'' ? ''a b'' : '''' '}, " +
			"{keyExpr: 'repoDefault == ''edge-2'' ? ''c d'' : ''e'''}]}}, {repositories: [{name: edge-3}], template: {downstream: " +
			"{packageExpr: target.none}}}, {repositories: [{name: edge-3, packageNames: [a, b]}]}, {repositorySelector: " +
			"{matchLabels: {us: 'on'}}}]", more: ", errorPolicy: Continue"},
		"all excluded": {targets: "[{repositories: [{name: edge-8}, {name: edge-9}]}]", more: ", errorPolicy: Continue"},
		"wanted twice, which excludes none": {targets: "[{repositories: [{name: edge-9}]}, {repositories: [{name: edge-9}]}]",
			more: ", errorPolicy: Continue",
			err: `spec.targets[1]: wants package "web" in repository "edge-9" for target edge-9/web, which spec.targets[0] ` +
				`(for edge-9/web) wants already: give each target a package of its own, by packageNames or packageExpr`},
		"no upstream": {upstream: "{repo: blueprints, package: db, revision: latest}",
			targets: "[{repositories: [{name: edge-1}]}]",
			err: `spec.upstream: there is no PackageRevision of blueprints/db that is published in namespace "fleet": ` +
				`correct the upstream, or add the PackageRevision to the snapshot`},
		"no Repository": {targets: "[{repositories: [{name: edge-9}]}]",
			err: `spec.targets[0]: wants a package in repository "edge-9" for target edge-9/web, but there is no such ` +
				`Repository in namespace "fleet": register it, or correct the target`},
		"wanted twice": {targets: "[{repositories: [{name: edge-1}]}, {repositories: [{name: edge-1}]}]",
			err: `spec.targets[1]: wants package "web" in repository "edge-1" for target edge-1/web, which spec.targets[0] ` +
				`(for edge-1/web) wants already: give each target a package of its own, by packageNames or packageExpr`},
		"two expressions that do not compile": {targets: "[{repositories: [{name: edge-1}], template: {labelExprs: [{key: " +
			"a, valueExpr: nothing}, {key: b, valueExpr: '1'}]}}]",
			err: "in this process"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set := &v1alpha2.PackageVariantSet{}
			upstream := cmp.Or(c.upstream, "{repo: blueprints, package: web, revision: latest}")
			text := "metadata: {name: web, namespace: fleet, uid: 1-2, labels: {a: b}}\nspec: {upstream: " + upstream +
				", targets: " + c.targets + c.more + "}\nstatus: {desired: 3}\n"
			if err := yaml.UnmarshalStrict([]byte(text), set); err != nil {
				t.Fatal(err)
			}
			want, wantErr := expansion.Expand(set, "spec", snapshot)
			if (c.err != "") != (wantErr != nil) || c.err != "in this process" && c.err != "" && wantErr.Error() != c.err {
				t.Errorf("got error %v, want %s", wantErr, c.err)
			}
			for _, runtime := range []mutate.Runtime{mutate.Builtin{}, start(t, nil)} {
				got, err := mutate.Expand(t.Context(), runtime, set, snapshot)
				if diff := gocmp.Diff(fmt.Sprint(wantErr), fmt.Sprint(err)); diff != "" {
					t.Errorf("%T: error (-want +got):\n%s", runtime, diff)
				}
				byName := cmpopts.SortSlices(func(a, b v1alpha1.PackageVariant) bool { return a.Name < b.Name })
				if diff := gocmp.Diff(expected(want), got, cmpopts.EquateEmpty(), byName); diff != "" {
					t.Errorf("%T: (-want +got):\n%s", runtime, diff)
				}
				if _, said := errors.AsType[*expansion.FieldError](err); err != nil && !said {
					t.Errorf("%T: the error is a %T", runtime, err)
				}
			}
		})
	}
}

// expected returns the expansion of a set named web as mutate.Expand is to return it.
func expected(e *expansion.Expansion) *mutate.Expansion {
	if e == nil {
		return nil
	}
	out := &mutate.Expansion{Variants: e.Variants}
	for _, none := range e.Empty {
		out.Notes, out.Empty = append(out.Notes, none.Message), append(out.Empty, none.Path)
	}
	for _, x := range e.Excluded {
		excluded := mutate.Excluded{Downstream: x.Downstream, Target: x.Target,
			Message: strings.ReplaceAll(x.Err.Error(), "\n", "; ")}
		if d := x.Downstream; d.Repo != "" {
			excluded.Name = expansion.Name("web", d.Repo, d.Package)
		}
		out.Excluded = append(out.Excluded, excluded)
	}
	return out
}

// TestExpandFails checks that an output without variants that can be read is refused, and is no error of the set.
func TestExpandFails(t *testing.T) {
	t.Parallel()
	for output, want := range map[string]string{
		"kind: ResourceList\nitems:\n- {kind: PackageVariant, metadata: {name: a}, spec: {upstreams: " +
			"{}}}\n": `the output of expand-variantset has a PackageVariant that cannot be read (json: ` +
			`unknown field "upstreams"); nothing of it is used: name images of these functions by --function-registry and ` +
			`--function-version`,
		"kind: List\n": `the output of example.com/fn/expand-variantset:v1 is no ResourceList: ` +
			`its kind is "List"; nothing of it is used: name images of these functions by --function-registry and ` +
			`--function-version`,
	} {
		runtime := start(t, func(context.Context, []byte) ([]byte, error) { return []byte(output), nil })
		_, err := mutate.Expand(t.Context(), runtime, &v1alpha2.PackageVariantSet{}, &expansion.Snapshot{})
		if _, said := errors.AsType[*expansion.FieldError](err); said {
			t.Errorf("%v is said to be of the set", err)
		}
		if diff := gocmp.Diff(want, fmt.Sprint(err)); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
}

// TestExpandResults checks which results are notes, which report exclusions, and that all others are neither.
func TestExpandResults(t *testing.T) {
	t.Parallel()
	const output = `kind: ResourceList
items: []
results:
- message: spec.targets[0].repositorySelector selects none of 3 Repository objects
  severity: info
  tags: {config.porch.kpt.dev/selector: 'spec.targets[0].repositorySelector'}
- {message: "spec.targets[1] makes a variant of itself", severity: info}
- message: 'PackageVariantSet "web": 2 variants that no other target wants are kept (a, b)'
  severity: warning
  resourceRef: {apiVersion: config.porch.kpt.dev/v1alpha1, kind: PackageVariant, name: a}
- {message: comments were put elsewhere, severity: warning, tags: {other: edge/web}}
- message: 'PackageVariantSet "web": spec.a: fails; this target is left out; this target is left out, and so on'
  severity: warning
  resourceRef: {apiVersion: config.porch.kpt.dev/v1alpha1, kind: PackageVariant, name: b}
  tags: {config.porch.kpt.dev/target: 'edge/web of spec.upstreams[1]', config.porch.kpt.dev/downstream: edge/a/b}
- message: 'PackageVariantSet "web": spec.b: fails'
  severity: warning
  resourceRef: {apiVersion: config.porch.kpt.dev/v1alpha2, kind: PackageVariantSet, name: web}
  tags: {config.porch.kpt.dev/target: edge/web}
`
	runtime := start(t, func(context.Context, []byte) ([]byte, error) { return []byte(output), nil })
	set := &v1alpha2.PackageVariantSet{}
	set.Name = "web"
	got, err := mutate.Expand(t.Context(), runtime, set, &expansion.Snapshot{})
	want := &mutate.Expansion{
		Notes: []string{"spec.targets[0].repositorySelector selects none of 3 Repository objects",
			"spec.targets[1] makes a variant of itself"},
		Empty: []string{"spec.targets[0].repositorySelector"},
		Excluded: []mutate.Excluded{
			{Name: "b", Downstream: variant.Downstream{Repo: "edge", Package: "a/b"}, Target: "edge/web of spec.upstreams[1]",
				Message: "spec.a: fails; this target is left out"},
			{Target: "edge/web", Message: "spec.b: fails"},
		},
	}
	if diff := gocmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || err != nil {
		t.Errorf("error %v; -want +got:\n%s", err, diff)
	}
}
