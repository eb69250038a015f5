// SPDX-License-Identifier: Apache-2.0

package memory_test

import (
	"context"
	"testing"

	"github.com/package-variants/package-variants/engine/kpt"
	"github.com/package-variants/package-variants/engine/memory/memorytest"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/packages/contract"
	"github.com/package-variants/package-variants/engine/revision"
)

// differs says what packages in memory do in another way than the Porch that they imitate.
var differs = map[string]map[string]string{
	"memory": {
		"save-bad":             "JSON that is no resource is saved",
		"upgrade-both-changed": merged,
	},
	"memory-db": {
		"clone-of-branch":      "the lock of a clone of a branch is on the branch",
		"published-anew":       "a package of which all revisions were deleted is published again without an error",
		"upgrade-both-changed": merged,
	},
}

const merged = "an upgrade is what merge-upstream makes of it if the upstream wins: it keeps the package's comments, and takes " +
	"the upstream's files of text"

// TestContract runs the contract on packages in memory, as both caches of Porch keep them.
func TestContract(t *testing.T) {
	t.Parallel()
	for name, like := range map[string]string{"memory": "cr", "memory-db": "db"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			contract.Run(t, contract.Implementation{Name: name, Like: like, Differs: differs[name], Begin: func(t *testing.T) *contract.World {
				return begin(t, like == "cr")
			}})
		})
	}
}

func begin(t *testing.T, git bool) *contract.World {
	c := memorytest.New(t, git)
	c.Repository("blueprints", nil)
	c.Repository("edge", nil)
	c.Render = func(_ context.Context, files map[string]string) (map[string]string, error) {
		if images := kpt.Pipelines(files); len(images) > 0 {
			return nil, packages.RenderError("there is no function " + images[0])
		}
		return kpt.Render(files)
	}
	return &contract.World{
		Lister: c.NewClient().Packages, Others: c.Packages, Namespace: memorytest.Namespace,
		Publish: func(pkg revision.Package, workspace string, files map[string]string) string {
			known, err := c.Packages.List(t.Context(), memorytest.Namespace, pkg)
			c.Must(err)
			c.Has(pkg, workspace, len(known)+1, files)
			return pkg.NameOf(workspace)
		},
		OnBranch: func(pkg revision.Package, files map[string]string) string {
			c.Has(pkg, "v1", 1, files)
			c.Has(pkg, "main", -1, files)
			return pkg.NameOf("main")
		},
		Erase: func(pkg revision.Package) { c.Removes(pkg.NameOf("main")) },
		Push: func(files map[string]string, as ...revision.Package) {
			for _, pkg := range as {
				c.Has(pkg, "main", -1, files)
			}
		},
		RegisterAnew: func(repository string) { registerAnew(c, repository, git) },
		Share: func(names ...string) {
			for _, name := range names {
				c.Repository(name, nil)
				c.EditRepository(name, func(r *objects.Repository) {
					r.Address, r.Directory = "https://git.example.com/sites.git", name
				})
			}
		},
		Remove:     c.Removes,
		LoseAnswer: func() { c.Fault = &memorytest.Fault{At: 1, Done: true, Err: packages.ErrTimeout} },
	}
}

// registerAnew has Porch forget what it does not read from git: owners and labels, and drafts that are not there.
func registerAnew(c *memorytest.Cluster, repository string, git bool) {
	c.T.Helper()
	for _, r := range c.Revisions() {
		switch {
		case r.Package.Repo != repository:
		case !git && !r.Published():
			c.Removes(r.Name)
		default:
			c.EditRevision(r.Name, func(r *revision.Revision) { r.Owners, r.Labels, r.Annotations = nil, nil, nil })
		}
	}
}
