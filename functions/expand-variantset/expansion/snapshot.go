// SPDX-License-Identifier: Apache-2.0

package expansion

import (
	"strconv"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
)

// Object is what expressions see of an object in the cluster.
type Object struct {
	Name, Namespace     string
	Labels, Annotations map[string]string
}

// variable fills m, or a new map if m is nil, with the object as the value of a variable, and returns it. Labels and
// annotations are there even if empty, so that a missing key gives an error that names the key.
func (o *Object) variable(m map[string]any) map[string]any {
	if m == nil {
		m = make(map[string]any, 4)
	}
	m["name"], m["namespace"], m["labels"], m["annotations"] = o.Name, o.Namespace, orEmpty(o.Labels), orEmpty(o.Annotations)
	return m
}

func orEmpty(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}

// PackageRevision is what the expansion needs to know of a Porch PackageRevision.
type PackageRevision struct {
	Object
	Repo, Package, WorkspaceName string
	// Revision is the revision as Porch writes it: 3, or v3 before Porch 1.4; empty for a draft.
	Revision  string
	Published bool
}

// number returns the revision's number, and false if it has none.
func (r *PackageRevision) number() (int, bool) {
	n, err := strconv.Atoi(strings.TrimPrefix(r.Revision, "v"))
	return n, err == nil && n != 0
}

// GroupKind names a kind of objects, with its API version.
type GroupKind struct {
	APIVersion, Kind string
}

// Snapshot is the state of the cluster, in the set's namespace, over which a set is expanded.
type Snapshot struct {
	PackageRevisions []PackageRevision
	Repositories     []Object
	// Objects are those that object selectors choose from, by kind.
	Objects map[GroupKind][]Object
}

// FindUpstream returns the package revision that the upstream means, or nil if there is none: that of the given
// workspace, else of the given number, else the newest published one, for the tag "latest", or the newest published
// one that is labelled with the tag (section "The API" of the design).
func FindUpstream(u *variant.Upstream, revisions []PackageRevision) *PackageRevision {
	var found *PackageRevision
	newest := 0
	want, fixed := u.Revision.Number()
	tag, _ := u.Revision.Tag()
	for i := range revisions {
		r := &revisions[i]
		if r.Repo != u.Repo || r.Package != u.Package {
			continue
		}
		n, numbered := r.number()
		switch {
		case u.WorkspaceName != "":
			if r.WorkspaceName == u.WorkspaceName {
				return r
			}
		case fixed:
			if numbered && n == want {
				return r
			}
		case r.Published && n > newest && r.hasTag(tag):
			found, newest = r, n
		}
	}
	return found
}

// hasTag reports whether a floating tag may stand for the revision.
func (r *PackageRevision) hasTag(tag string) bool {
	return tag == variant.TagLatest || r.Labels[variant.TagLabelPrefix+tag] == "true"
}
