// SPDX-License-Identifier: Apache-2.0

package variant

import "testing"

// parsed returns the Revision that a manifest has as a string or, for "-1" and "", as a number or not at all.
func parsed(t *testing.T, s string) Revision {
	t.Helper()
	switch s {
	case "":
		return Revision{}
	case "-1":
		return RevisionNumber(-1)
	}
	r, err := ParseRevision(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestResolve(t *testing.T) {
	t.Parallel()
	revision := func(repo, pkg, workspace string, number int, published bool, tags ...string) Candidate {
		labels := map[string]string{}
		for _, tag := range tags {
			labels[TagLabelPrefix+tag] = "true"
		}
		return Candidate{Repo: repo, Package: pkg, Workspace: workspace, Number: number, Published: published, Labels: labels}
	}
	all := []Candidate{
		revision("r", "p", "main", -1, true, "stable"),
		revision("r", "p", "w10", 10, true, "stable", "old", "main"),
		revision("r", "p", "w9", 9, true, "stable"),
		revision("r", "p", "w11", 11, true),
		revision("r", "p", "w12", 12, false),
		revision("r", "p", "draft", 0, false, "stable"),
		revision("r", "other", "w13", 13, true),
		revision("other", "p", "w14", 14, true),
		revision("r", "unpublished", "draft", 0, false),
		revision("r", "unpublished", "main", -1, true),
	}
	for name, c := range map[string]struct {
		pkg, revision, workspace, want string
	}{
		"number":                               {revision: "10", want: "w10"},
		"v and number":                         {revision: "v9", want: "w9"},
		"latest":                               {revision: "latest", want: "w11"},
		"tag":                                  {revision: "stable", want: "w10"},
		"unknown tag":                          {revision: "nightly"},
		"unknown number":                       {revision: "13"},
		"workspace":                            {workspace: "draft", want: "draft"},
		"workspace main":                       {workspace: "main", want: "main"},
		"workspace decides":                    {revision: "9", workspace: "w11", want: "w11"},
		"unknown workspace":                    {workspace: "nope"},
		"unknown workspace, known revision":    {revision: "9", workspace: "nope", want: "w9"},
		"unknown workspace, known tag":         {revision: "old", workspace: "nope", want: "w10"},
		"unknown workspace, unknown revision":  {revision: "13", workspace: "nope"},
		"unknown workspace, -1":                {revision: "-1", workspace: "nope"},
		"unknown workspace, main":              {revision: "main", workspace: "nope"},
		"nothing asked for":                    {want: "w11"},
		"-1":                                   {revision: "-1", want: "w11"},
		"main is no tag":                       {revision: "main", want: "w11"},
		"-1 of a package without revisions":    {pkg: "unpublished", revision: "-1", want: "main"},
		"main of a package without revisions":  {pkg: "unpublished", revision: "main", want: "main"},
		"nothing, of one without revisions":    {pkg: "unpublished", want: "main"},
		"latest of a package without any":      {pkg: "unpublished", revision: "latest"},
		"main of a package that is not there":  {pkg: "nope", revision: "main"},
		"workspace of another package's draft": {pkg: "unpublished", workspace: "w12"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := &Upstream{Repo: "r", Package: "p", WorkspaceName: c.workspace, Revision: parsed(t, c.revision)}
			if c.pkg != "" {
				u.Package = c.pkg
			}
			got := ""
			if i := u.Resolve(all); i >= 0 {
				got = all[i].Workspace
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestDescribeUpstream(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]struct{ revision, workspace string }{
		"PackageRevision of r/p with revision v3":                                                            {revision: "v3"},
		"PackageRevision of r/p with workspace w":                                                            {workspace: "w"},
		"PackageRevision of r/p with workspace w, nor one with revision 3":                                   {revision: "3", workspace: "w"},
		"PackageRevision of r/p with workspace v":                                                            {revision: "main", workspace: "v"},
		"PackageRevision of r/p on the main branch":                                                          {revision: "-1"},
		"PackageRevision of r/p that is published":                                                           {revision: "latest"},
		`PackageRevision of r/p that is published and has the label tag.config.porch.kpt.dev/stable: "true"`: {revision: "stable"},
	} {
		u := &Upstream{Repo: "r", Package: "p", WorkspaceName: c.workspace, Revision: parsed(t, c.revision)}
		if got := u.Describe(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got, want := (&Upstream{Repo: "r", Package: "p"}).Describe(), "PackageRevision of r/p on the main branch"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
