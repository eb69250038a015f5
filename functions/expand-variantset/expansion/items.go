// SPDX-License-Identifier: Apache-2.0

package expansion

import (
	"maps"
	"slices"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/functions/internal/node"
	"github.com/package-variants/package-variants/functions/krm"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// content is what the expansion of one set reads from the items of a ResourceList.
type content struct {
	snapshot Snapshot
	// variants are the PackageVariants in the set's namespace, by position among the items.
	variants []existing
	// elsewhere counts the objects that are left out only because of their namespace.
	elsewhere int
}

// existing is a PackageVariant among the items.
type existing struct {
	item       int
	name       string
	upstream   PackageName
	downstream variant.Downstream
	owned      bool // by the set
}

// read sorts the config's objects and the items into what the expansion needs. Objects in another namespace than the
// set's are ignored. A duplicate object is an error.
func read(items []*yaml.RNode, r request) (*content, error) {
	c, set := &content{snapshot: Snapshot{Objects: map[GroupKind][]Object{}}}, r.set
	selected := selectedKinds(set)
	seen := map[objectKey]*yaml.RNode{}
	for i, item := range slices.Concat(r.resources, items) {
		i -= len(r.resources)
		id := krm.Identify(item)
		role, key := roleOf(id), GroupKind{APIVersion: id.APIVersion, Kind: id.Kind}
		if role == noRole && !selected[key] {
			continue
		}
		if id.Namespace != "" && id.Namespace != set.Namespace {
			c.elsewhere++
			continue
		}
		if first := seen[objectKey{key, id.Name}]; first != nil {
			return nil, krm.Errorf(item, "", "stands twice in the snapshot, the first is %s: remove one of the two",
				krm.Identify(first).Place())
		}
		seen[objectKey{key, id.Name}] = item
		n := item.YNode()
		switch role {
		case variantRole:
			if i < 0 || node.Get(n, "spec") == nil {
				break // the config is not edited, and an object without a spec is there only to be selected
			}
			c.variants = append(c.variants, existingVariant(i, id, n, OwnerOf(set)))
		case revisionRole:
			c.snapshot.PackageRevisions = append(c.snapshot.PackageRevisions, revision(id, n))
		case repositoryRole:
			c.snapshot.Repositories = append(c.snapshot.Repositories, object(id, n))
		}
		if selected[key] {
			c.snapshot.Objects[key] = append(c.snapshot.Objects[key], object(id, n))
		}
	}
	return c, nil
}

// objectKey identifies an object in the set's namespace.
type objectKey struct {
	kind GroupKind
	name string
}

// role is how the expansion uses an item, in addition to selecting it.
type role int

const (
	noRole role = iota
	variantRole
	revisionRole
	repositoryRole
)

func roleOf(id krm.Identity) role {
	switch {
	case id.Kind == repositoryKind.Kind && id.APIVersion == repositoryKind.APIVersion:
		return repositoryRole
	case id.Kind == variant.Kind && id.Group() == variant.GroupName:
		return variantRole
	case id.Kind == "PackageRevision" && id.Group() == "porch.kpt.dev":
		return revisionRole
	default:
		return noRole
	}
}

// selectedKinds returns the kinds that the set's object selectors choose from.
func selectedKinds(set *v1alpha2.PackageVariantSet) map[GroupKind]bool {
	kinds := map[GroupKind]bool{}
	for _, t := range set.Spec.Targets {
		if t.ObjectSelector != nil {
			kinds[GroupKind{APIVersion: t.ObjectSelector.APIVersion, Kind: t.ObjectSelector.Kind}] = true
		}
	}
	return kinds
}

func existingVariant(item int, id krm.Identity, n *yaml.Node, owner string) existing {
	return existing{
		item: item, name: id.Name,
		upstream: MadeFrom(&variant.Upstream{
			Repo:     node.GetString(n, "spec", "upstream", "repo"),
			Package:  node.GetString(n, "spec", "upstream", "package"),
			Revision: variant.Revision{Str: node.GetString(n, "spec", "upstream", "revision")},
		}),
		downstream: variant.Downstream{
			Repo:    node.GetString(n, "spec", "downstream", "repo"),
			Package: node.GetString(n, "spec", "downstream", "package"),
		},
		owned: node.GetString(n, "metadata", "labels", v1alpha2.OwnerLabel) == owner,
	}
}

func object(id krm.Identity, n *yaml.Node) Object {
	return Object{
		Name: id.Name, Namespace: id.Namespace,
		Labels:      stringMap(node.Get(n, "metadata", "labels")),
		Annotations: annotations(n),
	}
}

// annotations returns an object's annotations without those that kpt sets only during a run.
func annotations(n *yaml.Node) map[string]string {
	all := stringMap(node.Get(n, "metadata", "annotations"))
	maps.DeleteFunc(all, func(key, _ string) bool { return krm.IsInternalAnnotation(key) })
	return all
}

func stringMap(n *yaml.Node) map[string]string {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	out := make(map[string]string, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		out[n.Content[i].Value] = node.Resolve(n.Content[i+1]).Value
	}
	return out
}

// publishedLifecycles are those of revisions whose content is final, as Porch sees it. A proposal to delete one may be
// rejected.
var publishedLifecycles = []string{"Published", "DeletionProposed"}

func revision(id krm.Identity, n *yaml.Node) PackageRevision {
	return PackageRevision{
		Object:        object(id, n),
		Repo:          node.GetString(n, "spec", "repository"),
		Package:       node.GetString(n, "spec", "packageName"),
		WorkspaceName: node.GetString(n, "spec", "workspaceName"),
		Revision:      node.GetString(n, "spec", "revision"),
		Published:     slices.Contains(publishedLifecycles, node.GetString(n, "spec", "lifecycle")),
	}
}
