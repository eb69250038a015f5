// SPDX-License-Identifier: Apache-2.0

package expansion

import (
	"maps"
	"strconv"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
)

// Object is what expressions see of an object in the cluster.
type Object struct {
	Name, Namespace     string
	Labels, Annotations map[string]string
}

// LastApplied is the annotation in which kubectl repeats a whole object. Expressions do not see it, because they must
// see neither the spec of an object nor, if it is a Secret, its data.
const LastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// visible returns the annotations that expressions see.
func visible(annotations map[string]string) map[string]string {
	if _, has := annotations[LastApplied]; !has {
		return orEmpty(annotations)
	}
	seen := maps.Clone(annotations)
	delete(seen, LastApplied)
	return seen
}

// variable fills m, or a new map if m is nil, with the object as the value of a variable, and returns it. Labels and
// annotations are there even if empty, so that a missing key gives an error that names the key.
func (o *Object) variable(m map[string]any) map[string]any {
	if m == nil {
		m = make(map[string]any, 4)
	}
	m["name"], m["namespace"], m["labels"], m["annotations"] = o.Name, o.Namespace, orEmpty(o.Labels),
		visible(o.Annotations)
	return m
}

func orEmpty(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}

// PackageRevision is what the expansion needs from a Porch PackageRevision.
type PackageRevision struct {
	Object
	Repo, Package, WorkspaceName string
	// Revision is the revision as Porch writes it: 3, or v3 before Porch 1.4; empty for a draft.
	Revision  string
	Published bool
}

// number returns the revision's number, and 0 if it has none.
func (r *PackageRevision) number() int {
	n, err := strconv.Atoi(strings.TrimPrefix(r.Revision, "v"))
	if err != nil {
		return 0
	}
	return n
}

// IsNumbered reports whether the revision is published and is not the state of a branch.
func (r *PackageRevision) IsNumbered() bool { return r.Published && r.number() > 0 }

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

// FindUpstream returns the package revision that the upstream means, or nil if there is none. The rule is the API's.
func FindUpstream(u *variant.Upstream, revisions []PackageRevision) *PackageRevision {
	candidates := make([]variant.Candidate, len(revisions))
	for i := range revisions {
		r := &revisions[i]
		candidates[i] = variant.Candidate{Repo: r.Repo, Package: r.Package, Workspace: r.WorkspaceName,
			Published: r.Published, Labels: r.Labels}
		candidates[i].Number = r.number()
	}
	if i := u.Resolve(candidates); i >= 0 {
		return &revisions[i]
	}
	return nil
}
