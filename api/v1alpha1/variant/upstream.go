// SPDX-License-Identifier: Apache-2.0

package variant

import "fmt"

// Candidate is what Resolve needs to know of a package revision.
//
// +kubebuilder:object:generate=false
type Candidate struct {
	// Repo, Package and Workspace are those of the package revision.
	Repo, Package, Workspace string
	// Number is the revision's number: 0 for a draft, BranchNumber for what is on the main branch.
	Number int
	// Published tells whether the content of the revision is final: its lifecycle is Published or DeletionProposed.
	Published bool
	// Labels are those of the PackageRevision.
	Labels map[string]string
}

// Resolve returns the position of the package revision that the upstream means among the candidates, or -1 if it is not
// among them. It is the only place of this rule:
//
//   - The revision with the workspace named. Where no revision of the package has that workspace, or none is named, the
//
// revision decides. Porch's controllers, too, take a set's upstream by either. The main branch beside a workspace does
//
//	  not count: Porch's controllers write -1 there by themselves.
//	- A number is that revision.
//	- latest is the newest published revision; another tag T is the newest one of those that have the label
//	  tag.config.porch.kpt.dev/T: "true".
//	- The main branch, which no revision and no workspace means, too, is the newest published revision, for Porch puts
//	  each one that is published on the branch. Only of a package without any it is the branch itself.
func (u *Upstream) Resolve(candidates []Candidate) int {
	if u.WorkspaceName != "" {
		for i := range candidates {
			if c := &candidates[i]; u.names(c) && c.Workspace == u.WorkspaceName {
				return i
			}
		}
		if u.Revision.IsZero() || u.Revision.Branch() {
			return -1
		}
	}
	number, fixed := u.Revision.Number()
	tag, floating := u.Revision.Tag()
	switch {
	case floating:
		return u.newest(candidates, tag)
	case fixed && number > 0:
		return u.numbered(candidates, number)
	}
	if i := u.newest(candidates, TagLatest); i >= 0 {
		return i
	}
	return u.numbered(candidates, BranchNumber)
}

// Remedy says what to do if there is no package revision that the upstream asks for, by the path of its field and the
// branch of its Repository. Newer Porch may not list what is on the branch, and derives no package from it.
func (u *Upstream) Remedy(path, branch string) string {
	if (u.WorkspaceName == "" || u.WorkspaceName == branch) && (u.Revision.IsZero() || u.Revision.Branch()) {
		return "publish the upstream, and name its revision in " + path + ", as not every version of Porch derives a " +
			"package from the branch"
	}
	return "publish it, or correct " + path
}

// names tells whether a package revision is of the upstream's package.
func (u *Upstream) names(c *Candidate) bool { return c.Repo == u.Repo && c.Package == u.Package }

// newest returns the newest published revision that a tag may stand for.
func (u *Upstream) newest(candidates []Candidate, tag string) int {
	found, newest := -1, 0
	for i := range candidates {
		c := &candidates[i]
		tagged := tag == TagLatest || c.Labels[TagLabelPrefix+tag] == "true"
		if u.names(c) && c.Published && c.Number > newest && tagged {
			found, newest = i, c.Number
		}
	}
	return found
}

func (u *Upstream) numbered(candidates []Candidate, number int) int {
	for i := range candidates {
		if c := &candidates[i]; u.names(c) && c.Number == number {
			return i
		}
	}
	return -1
}

// Describe says which package revision the upstream asks for, for messages: "PackageRevision of blueprints/web with
// workspace v3 or revision 3".
func (u *Upstream) Describe() string {
	name := "PackageRevision of " + u.Repo + "/" + u.Package
	asked := ""
	tag, floating := u.Revision.Tag()
	switch {
	case u.Revision.IsZero(), u.Revision.Branch() && u.WorkspaceName != "":
	case u.Revision.Branch():
		asked = "on the main branch"
	case floating && tag == TagLatest:
		asked = "that is published"
	case floating:
		asked = fmt.Sprintf("that is published and has the label %s%s: %q", TagLabelPrefix, tag, "true")
	default:
		asked = "with revision " + u.Revision.String()
	}
	switch {
	case u.WorkspaceName == "" && asked == "":
		return name + " on the main branch"
	case u.WorkspaceName == "":
		return name + " " + asked
	case asked == "":
		return name + " with workspace " + u.WorkspaceName
	default:
		return name + " with workspace " + u.WorkspaceName + ", nor one " + asked
	}
}
