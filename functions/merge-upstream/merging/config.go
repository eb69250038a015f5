// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"maps"
	"strings"

	"github.com/package-variants/package-variants/functions/internal/fnconfig"
	"github.com/package-variants/package-variants/functions/krm"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Kind is the kind of the function's config, of API version fn.kpt.dev/v1alpha1.
const Kind = "MergeUpstream"

// Config is the function's config (section "merge-upstream" of the design).
type Config struct {
	fnconfig.TypeMeta `json:",inline"`
	Metadata          fnconfig.Metadata `json:"metadata,omitempty"`

	// Original is the upstream that the package was made from, Updated the one that it is to follow.
	Original Revision `json:"original,omitempty"`
	Updated  Revision `json:"updated,omitempty"`
	// OnConflict says what becomes of values that both sides changed.
	OnConflict string `json:"onConflict,omitempty"`
	// Upstream and UpstreamLock are written into the root Kptfile.
	Upstream     *Upstream     `json:"upstream,omitempty"`
	UpstreamLock *UpstreamLock `json:"upstreamLock,omitempty"`
}

// Revision is a version of the upstream: its files, or the name of a PackageRevisionResources among the items, or such
// an object itself.
type Revision struct {
	Name      string            `json:"name,omitempty"`
	Resources map[string]string `json:"resources,omitempty"`

	packageRevisionResources `json:",inline"`
}

// packageRevisionFiles is the spec of a PackageRevisionResources.
type packageRevisionFiles struct {
	PackageName    any               `json:"packageName,omitempty"`
	WorkspaceName  any               `json:"workspaceName,omitempty"`
	Revision       any               `json:"revision,omitempty"`
	RepositoryName any               `json:"repository,omitempty"`
	Resources      map[string]string `json:"resources,omitempty"`
}

// packageRevisionResources is a PackageRevisionResources, as kubectl get -o yaml shows it.
type packageRevisionResources struct {
	fnconfig.TypeMeta `json:",inline"`
	Metadata          fnconfig.Metadata    `json:"metadata,omitempty"`
	Spec              packageRevisionFiles `json:"spec,omitempty"`
	Status            any                  `json:"status,omitempty"`
}

const (
	filesKind  = "PackageRevisionResources"
	filesGroup = "porch.kpt.dev"
)

const example = `{apiVersion: fn.kpt.dev/v1alpha1, kind: MergeUpstream, metadata: {name: merge}, original: {name: ` +
	`blueprints.web.v1}, updated: {name: blueprints.web.v2}}`

// decode reads the config. Revisions that are given by name alone are looked up among the items.
func decode(config *yaml.RNode, items []*yaml.RNode) (Config, error) {
	var c Config
	err := fnconfig.Decode(config, example, fnconfig.Form{APIVersion: fnconfig.APIVersion, Kind: Kind,
		Decode: func(n *yaml.RNode) error {
			return fnconfig.Strict(n, &c)
		}})
	if err != nil {
		return c, err
	}
	if err := OnConflict(c.OnConflict).validate(); err != nil {
		return c, krm.Errorf(config, "onConflict", "%s", err)
	}
	for _, e := range []struct {
		field   string
		missing bool
		want    string
	}{
		{"upstream.git", c.Upstream != nil && c.Upstream.Git == nil, "repo, directory and ref"},
		{"upstreamLock.git", c.UpstreamLock != nil && c.UpstreamLock.Git == nil, "repo, directory, ref and commit"},
	} {
		if e.missing {
			return c, krm.Errorf(config, e.field, "is missing: give it %s of the updated revision", e.want)
		}
	}
	if err := c.Original.resolve(config, "original", items); err != nil {
		return c, err
	}
	return c, c.Updated.resolve(config, "updated", items)
}

// resolve finds the files of a revision, in either form.
func (r *Revision) resolve(config *yaml.RNode, field string, items []*yaml.RNode) error {
	if r.Name == "" {
		r.Name = r.Metadata.Name
	}
	if len(r.Resources) == 0 {
		r.Resources = r.Spec.Resources
	}
	if len(r.Resources) > 0 {
		return nil
	}
	if r.Name == "" {
		return krm.Errorf(config, field,
			"is missing: give it resources, the files of that revision by path, or the name of a %s that is saved in the "+
				"package's directory", filesKind)
	}
	names, err := r.saved(items)
	if err != nil || len(r.Resources) > 0 {
		return err
	}
	if len(names) == 0 {
		return krm.Errorf(config, field+".resources",
			"is missing, and no %s is saved in the package's directory: "+
				"save one there by kubectl get packagerevisionresources %s -o yaml", filesKind, r.Name)
	}
	return krm.Errorf(config, field+".name", "is %q, but those saved in the package's directory are %s", r.Name,
		strings.Join(names, ", "))
}

// saved takes the files of the revision from the one among the items that has its name. It returns the names of all.
func (r *Revision) saved(items []*yaml.RNode) (names []string, err error) {
	var found *yaml.RNode
	for _, item := range items {
		if !isFiles(item) {
			continue
		}
		if names = append(names, item.GetName()); item.GetName() != r.Name {
			continue
		}
		var saved packageRevisionResources
		if err := fnconfig.Strict(item, &saved); err != nil {
			return nil, err
		}
		switch {
		case len(saved.Spec.Resources) == 0:
			return nil, krm.Errorf(item, "spec.resources", "is empty: a revision without files cannot be merged")
		case found != nil && !maps.Equal(saved.Spec.Resources, r.Resources):
			return nil, krm.Errorf(item, "spec.resources",
				"are not those of the one of the same name in %s: remove the one that is not meant", krm.Identify(found).File)
		case found == nil:
			found, r.Resources = item, saved.Spec.Resources
		}
	}
	return names, nil
}

// isFiles reports whether an item is a PackageRevisionResources, which is no part of the package.
func isFiles(item *yaml.RNode) bool {
	id := krm.Identify(item)
	return id.Kind == filesKind && id.Group() == filesGroup
}
