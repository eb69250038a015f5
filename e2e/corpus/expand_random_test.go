// SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/e2e/internal/tree"
)

// fleet makes PackageVariantSets, snapshots of clusters, and changes of both. Some Repositories have no region, which
// expressions ask for.
type fleet struct {
	versioned
	sites int
}

// repositories returns the Repositories of a cluster.
func (f *fleet) repositories() string {
	var all []string
	for i := range f.sites {
		labels := "    env: " + f.pick("prod", "prod", "edge") + "\n"
		if !f.one(4) {
			labels += "    region: " + f.pick("north", "'007'", "\"yes\"") + "\n"
		}
		all = append(all, fmt.Sprintf("apiVersion: config.porch.kpt.dev/v1alpha1\nkind: Repository\nmetadata:\n"+
			"  name: site-%d\n  namespace: default\n  labels:\n%s  annotations:\n    note: %s\n", i, labels,
			f.pick("日本語", "''", "'5'", "a#b")))
	}
	f.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return strings.Join(all, "---\n")
}

// revisions are of the upstreams.
func revisions() string {
	var all []string
	for _, pkg := range []string{"web", "db"} {
		all = append(all, fmt.Sprintf("apiVersion: porch.kpt.dev/v1alpha1\nkind: PackageRevision\nmetadata:\n"+
			"  name: blueprints.%s.v1\n  namespace: default\nspec:\n  repository: blueprints\n  packageName: %s\n"+
			"  workspaceName: v1\n  revision: 1\n  lifecycle: Published\n", pkg, pkg))
	}
	return strings.Join(all, "---\n")
}

// files returns a package with the snapshot of a cluster, a variant that nobody's set made, and other resources.
func (f *fleet) files() tree.Tree {
	foreign := "# theirs\napiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata: # of a person\n" +
		"  name: theirs\n  namespace: default\nspec:\n  downstream: {repo: site-0, package: theirs}\n" +
		"  upstream: {repo: blueprints, package: web, revision: 1} # by hand\n"
	return tree.Tree{
		"Kptfile":            "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: " + f.name + "\n",
		"cluster/repos.yaml": f.repositories(), "cluster/revisions.yaml": revisions(), "theirs.yaml": foreign,
		"ü/others.yaml": f.file().text(),
	}
}

// set returns a PackageVariantSet, whose targets make different packages.
func (f *fleet) set() map[string]any {
	upstream := map[string]any{"repo": "blueprints", "package": f.pick("web", "web", "db"), "revision": 1}
	spec := map[string]any{"upstream": upstream}
	if !f.one(6) {
		spec["errorPolicy"] = "Continue"
	}
	switch f.IntN(4) {
	case 0:
		spec["maxDeletions"] = f.IntN(3)
	case 1:
		spec["maxDeletions"] = f.pick("0%", "30%", "50%", "100%")
	}
	if f.one(3) {
		spec["allowEmpty"] = true
	}
	var targets []any
	for i := range 1 + f.IntN(3) {
		targets = append(targets, f.target(i))
	}
	spec["targets"] = targets
	return map[string]any{"apiVersion": "config.porch.kpt.dev/v1alpha2", "kind": "PackageVariantSet", "spec": spec,
		"metadata": map[string]any{"name": f.name, "namespace": "default"}}
}

func (f *fleet) target(i int) map[string]any {
	downstream := map[string]any{"package": fmt.Sprintf("web-%d", i)}
	if f.one(2) {
		downstream = map[string]any{"packageExpr": fmt.Sprintf("packageDefault + '-%d'", i)}
	}
	if f.one(5) {
		downstream = map[string]any{"packageExpr": fmt.Sprintf("repository.labels['region'] + '-%d'", i)}
	}
	template := map[string]any{"downstream": downstream}
	data := map[string]any{"a": f.pick("", "日本語", "two\nlines\n", "# no comment", "1e3")}
	exprs := []any{map[string]any{"key": "site", "valueExpr": "repoDefault + ' ☃'"}}
	for _, part := range []map[string]any{
		{"labelExprs": []any{map[string]any{"key": "region", "valueExpr": "repository.labels['region']"}}},
		{"labels": map[string]any{"number": "5", "word": "yes"}},
		{"packageContext": map[string]any{"data": data}},
		{"packageContext": map[string]any{"dataExprs": exprs}},
		{"approvalPolicy": "Automatic"},
		{"pipeline": map[string]any{"mutators": []any{map[string]any{"image": "set:v1", "name": "set",
			"configMap": map[string]any{"a": f.pick("5", "", "é")}}}}},
		{"injectors": []any{map[string]any{"kind": "ConfigMap", "nameExpr": "target.name"}}},
	} {
		if f.one(3) {
			maps.Copy(template, part)
		}
	}
	target := map[string]any{"template": template}
	switch f.IntN(3) {
	case 0:
		var all []any
		for _, site := range f.Perm(f.sites)[:1+f.IntN(f.sites)] {
			all = append(all, map[string]any{"name": fmt.Sprintf("site-%d", site)})
		}
		target["repositories"] = all
	case 1:
		target["repositorySelector"] = map[string]any{"matchLabels": map[string]any{"env": f.pick("prod", "edge", "none")}}
	default:
		target["objectSelector"] = map[string]any{"apiVersion": "config.porch.kpt.dev/v1alpha1", "kind": "Repository",
			"matchExpressions": []any{map[string]any{"key": "env", "operator": "Exists"}}}
		downstream["repoExpr"] = "target.name"
	}
	return target
}

// edited returns the package with another snapshot and with what people do with the variants.
func (f *fleet) edited(files tree.Tree) tree.Tree {
	out := maps.Clone(files)
	if f.one(2) {
		out["cluster/repos.yaml"] = f.repositories()
	}
	for _, name := range slices.Sorted(maps.Keys(out)) {
		if !strings.HasPrefix(name, "packagevariants/") {
			continue
		}
		switch text := out[name]; f.IntN(7) {
		case 3:
			out[name] = strings.Replace(text, "    package: web-", "    package: other-", 1)
		case 0:
			out[name] = "# mine\n" + strings.Replace(text, "spec:\n", "spec:\n  suspend: true # for now\n", 1)
		case 1:
			out["moved/"+strings.TrimPrefix(name, "packagevariants/")] = text
			delete(out, name)
		case 2:
			out["several.yaml"] += "---\n" + text
			delete(out, name)
		}
	}
	return out
}
