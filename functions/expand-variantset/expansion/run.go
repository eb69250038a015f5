// SPDX-License-Identifier: Apache-2.0

package expansion

import (
	"maps"
	"path"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/functions/internal/node"
	"github.com/package-variants/package-variants/functions/krm"
	"sigs.k8s.io/kustomize/kyaml/kio/kioutil"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Directory is where the variants' files go, in the package that the function runs on: a directory for each namespace.
const Directory = "packagevariants"

// Run is the function: the PackageVariantSet in the config is expanded over the items. Variants that the set made
// before and still wants are updated in place, whatever their name. Variants that it no longer wants are removed; if a
// selector selects nothing, only if the set allows it.
func Run(config *yaml.RNode, items []*yaml.RNode) (krm.Output, error) {
	r, err := decode(config)
	if err != nil {
		return krm.Output{}, err
	}
	c, err := read(items, r)
	if err != nil {
		return krm.Output{}, err
	}
	if err := c.lostUpstream(r); err != nil {
		return krm.Output{}, krm.Wrap(config, err)
	}
	expanded, err := Expand(r.set, r.path, &c.snapshot)
	if err != nil {
		return krm.Output{}, krm.Wrap(config, err)
	}
	guarded := len(expanded.Empty) > 0 && !r.set.Spec.AllowEmpty
	spared := Spare(failing(expanded.Excluded), c.made(), guarded)
	become, err := match(items, c.variants, expanded.Variants, spared)
	if err != nil {
		return krm.Output{}, err
	}
	notices := slices.Concat(c.empty(expanded.Empty, r.set), c.exclusions(config, r.set, expanded.Excluded))
	for _, note := range expanded.OfThemselves {
		notices.Infof("%s", note)
	}
	for _, warning := range expanded.Warnings {
		notices.Warningf("%s", warning)
	}
	notices = append(notices, c.rivals(items, r.set, expanded.Variants)...)
	doomed, undecided := c.unwanted(become, spared)
	if len(undecided) > 0 {
		notices.Warningf("PackageVariantSet %q: %s", r.set.Name, r.whyKept(names(undecided), expanded.Empty))
	}
	if tooMany := TooManyDeletions(&r.set.Spec, r.path, len(c.made()), names(doomed)); tooMany != "" {
		notices.Warningf("%s", tooMany)
		return krm.Output{Items: items, Results: notices}, nil
	}
	out, err := apply(items, doomed, expanded.Variants, become)
	if err != nil {
		return krm.Output{}, err
	}
	return krm.Output{Items: out, Results: append(notices, removed(items, doomed)...)}, nil
}

// lostUpstream is LostUpstream for the variants among the items.
func (c *content) lostUpstream(r request) error {
	there := map[PackageName]bool{}
	for i := range c.snapshot.PackageRevisions {
		if pr := &c.snapshot.PackageRevisions[i]; pr.IsNumbered() {
			there[PackageName{pr.Repo, pr.Package}] = true
		}
	}
	var made []Made
	for i := range c.variants {
		if e := &c.variants[i]; e.owned {
			made = append(made, Made{Name: e.name, Upstream: e.upstream})
		}
	}
	_, err := LostUpstream(r.set, r.path, made, func(name PackageName) bool { return there[name] })
	return err
}

// index returns the first variant of the set for each downstream, and all variants by their names.
func index(have []existing) (byDownstream map[variant.Downstream]*existing, byName map[string]*existing) {
	byDownstream, byName = map[variant.Downstream]*existing{}, map[string]*existing{}
	for i := range have {
		e := &have[i]
		byName[e.name] = e
		if e.owned && byDownstream[e.downstream] == nil {
			byDownstream[e.downstream] = e
		}
	}
	return byDownstream, byName
}

// match returns which existing variant becomes each of the wanted ones, nil for none: the first of the set's for the
// same downstream, whatever its name, or else the one of the same name, unless it is a failing target's.
func match(items []*yaml.RNode, have []existing, want []v1alpha1.PackageVariant, spared Spared) ([]*existing, error) {
	byDownstream, byName := index(have)
	become, used := make([]*existing, len(want)), map[*existing]bool{}
	for i := range want {
		become[i] = byDownstream[*want[i].Spec.Downstream]
		used[become[i]] = true
	}
	for i := range want {
		pv := &want[i]
		named := byName[pv.Name]
		if become[i] != nil || named == nil {
			continue
		}
		if !named.owned && named.downstream == *pv.Spec.Downstream {
			return nil, krm.Errorf(items[named.item], "metadata.labels",
				"do not mark this PackageVariant as the set's, although it has the name and the downstream of the variant of "+
					"this set for %s/%s: set the label %s: %q, or rename it", named.downstream.Repo, named.downstream.Package,
				v1alpha2.OwnerLabel, pv.Labels[v1alpha2.OwnerLabel])
		}
		if !named.owned || used[named] || spared.Of(named.downstream) {
			return nil, krm.Errorf(items[named.item], "metadata.name",
				"is the name that the variant of this set for %s/%s is to have, but this PackageVariant is for %s/%s: rename it",
				pv.Spec.Downstream.Repo, pv.Spec.Downstream.Package, named.downstream.Repo, named.downstream.Package)
		}
		become[i] = named
	}
	return become, nil
}

// apply returns the items without the doomed variants, and with those that are wanted.
func apply(items []*yaml.RNode, doomed []*existing, want []v1alpha1.PackageVariant,
	become []*existing) ([]*yaml.RNode, error) {
	out := slices.Clone(items)
	for _, e := range doomed {
		out[e.item] = nil
	}
	var created []*v1alpha1.PackageVariant
	for i := range want {
		e := become[i]
		if e == nil {
			created = append(created, &want[i])
			continue
		}
		n, err := update(items[e.item], &want[i])
		if err != nil {
			return nil, err
		}
		out[e.item] = n
	}
	out = slices.DeleteFunc(out, func(n *yaml.RNode) bool { return n == nil })
	return appendNew(out, created)
}

// appendNew appends new variants to the items. It is an error if another item is in the same file.
func appendNew(items []*yaml.RNode, created []*v1alpha1.PackageVariant) ([]*yaml.RNode, error) {
	occupied := rootFiles(items)
	for _, pv := range created {
		file := path.Join(Directory, pv.Namespace, pv.Name+".yaml")
		if other := occupied[file]; other != nil {
			return nil, krm.Errorf(other, "",
				"stands where the variant of this set for %s/%s is to be written: move it to another file",
				pv.Spec.Downstream.Repo, pv.Spec.Downstream.Package)
		}
		n, err := newItem(pv, file)
		if err != nil {
			return nil, err
		}
		items = append(items, n)
	}
	return items, nil
}

// rootFiles returns an item of each file of the package that the function runs on. In a render, where the paths of
// items are relative to their own package, those of subpackages do not count; the root's package path is the shortest.
func rootFiles(items []*yaml.RNode) map[string]*yaml.RNode {
	files, root := map[string]*yaml.RNode{}, ""
	for _, item := range items {
		switch id := krm.Identify(item); {
		case id.File == "":
		case len(files) == 0 || len(id.Package) < len(root):
			files, root = map[string]*yaml.RNode{path.Clean(id.File): item}, id.Package
		case id.Package == root:
			files[path.Clean(id.File)] = item
		}
	}
	return files
}

// update returns a variant's item with the spec and the wave wanted; what the user wrote around them stays, and
// spec.suspend, which is for people to set and to clear.
func update(item *yaml.RNode, pv *v1alpha1.PackageVariant) (*yaml.RNode, error) {
	spec, err := node.FromValue(pv.Spec)
	if err != nil {
		return nil, err
	}
	if suspend := node.Get(item.YNode(), "spec", "suspend"); suspend != nil {
		spec.Content = append(spec.Content, node.String("suspend"), suspend)
	}
	edited, err := krm.Edit(item, func(e *node.Editor) error {
		if err := setWave(e, item.YNode(), pv.Annotations); err != nil {
			return err
		}
		field, err := e.Top("spec")
		if err != nil {
			return err
		}
		return field.Set(spec)
	})
	if err != nil {
		return nil, err
	}
	return edited, krm.CheckEdited(item, edited)
}

// manifest is a PackageVariant as it is written to a file: without status.
type manifest struct {
	APIVersion string       `json:"apiVersion"`
	Kind       string       `json:"kind"`
	Metadata   manifestMeta `json:"metadata"`
	Spec       variant.Spec `json:"spec"`
}

type manifestMeta struct {
	Name        string            `json:"name"`
	Namespace   string            `json:"namespace,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

func newItem(pv *v1alpha1.PackageVariant, file string) (*yaml.RNode, error) {
	annotations := map[string]string{kioutil.PathAnnotation: file, kioutil.IndexAnnotation: "0"}
	maps.Copy(annotations, pv.Annotations)
	n, err := node.FromValue(manifest{
		APIVersion: pv.APIVersion, Kind: pv.Kind, Spec: pv.Spec,
		Metadata: manifestMeta{Name: pv.Name, Namespace: pv.Namespace, Labels: pv.Labels, Annotations: annotations},
	})
	return yaml.NewRNode(n), err
}
