// SPDX-License-Identifier: Apache-2.0

package home

import (
	"context"
	"testing"
	"time"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/packages/contract"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/engine/tasks"
	"github.com/package-variants/package-variants/sync-controller/internal/memory/memorytest"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// differs says what Porch in memory does in another way than the Porch that it imitates.
var differs = map[string]map[string]string{
	"memory": {
		"save-bad":             "JSON that is no resource is saved",
		"watched":              untold,
		"upgrade-both-changed": merged,
	},
	"memory-db": {
		"clone-of-branch":      "the lock of a clone of a branch is on the branch",
		"published-anew":       "a package of which all revisions were deleted is published again without an error",
		"upgrade-both-changed": merged,
		"watched":              untold,
	},
}

const untold = "it tells of nothing: a story has its controller look"

const merged = "an upgrade is what merge-upstream makes of it if the upstream wins: it keeps the package's comments, and takes " +
	"the upstream's files of text"

// TestMemory runs the contract on Porch in memory, as both of its caches.
func TestMemory(t *testing.T) {
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
	c := memorytest.New(t, git, porch.AddIndexes)
	c.Repository("blueprints", nil)
	c.Repository("edge", nil)
	c.Render = func(_ context.Context, files map[string]string) (map[string]string, error) {
		if images := tasks.Pipelines(files); len(images) > 0 {
			return nil, porch.NewRenderError("there is no function " + images[0])
		}
		return tasks.Render(files)
	}
	w := c.NewClient()
	return &contract.World{
		Home: unhurried(w), Others: unhurried(c), Namespace: memorytest.Namespace,
		Publish: func(pkg revision.Package, workspace string, files map[string]string) string {
			var list porchapi.PackageRevisionList
			c.Must(c.List(t.Context(), &list, client.MatchingFields{porch.PackageIndex: pkg.String()}))
			c.Has(pkg, workspace, len(list.Items)+1, files)
			return pkg.NameOf(workspace)
		},
		OnBranch: func(pkg revision.Package, files map[string]string) string {
			c.Has(pkg, "main", -1, files)
			return pkg.NameOf("main")
		},
		Push: func(files map[string]string, as ...revision.Package) {
			for _, pkg := range as {
				c.Has(pkg, "main", -1, files)
			}
		},
		RegisterAnew: func(repository string) { registerAnew(t, c, repository, git) },
		Share: func(names ...string) {
			for _, name := range names {
				c.Repository(name, nil)
				memorytest.Edit(c, name, &configapi.Repository{}, func(r *configapi.Repository) {
					r.Spec.Git.Repo, r.Spec.Git.Directory = "https://git.example.com/sites.git", name
				})
			}
		},
		Remove: func(name string) { c.Must(c.Delete(t.Context(), c.Revision(name))) },
		LoseAnswer: func() {
			c.Fault = &memorytest.Fault{At: 1, Done: true, Err: apierrors.NewTimeoutError("no answer", 1)}
		},
	}
}

// registerAnew has Porch forget what it does not read from git: owners and labels, and drafts that are not there.
func registerAnew(t *testing.T, c *memorytest.Cluster, repository string, git bool) {
	t.Helper()
	var list porchapi.PackageRevisionList
	c.Must(c.List(t.Context(), &list))
	for _, pr := range list.Items {
		switch {
		case pr.Spec.RepositoryName != repository:
		case !git && !pr.IsPublished():
			c.Removes(pr.Name)
		default:
			memorytest.Edit(c, pr.Name, &porchapi.PackageRevision{}, func(pr *porchapi.PackageRevision) {
				pr.OwnerReferences, pr.Labels, pr.Annotations = nil, nil, nil
			})
		}
	}
}

// silent is a world in memory as a home sees it: it tells of nothing.
type silent struct{ porch.API }

func (silent) Watch(context.Context, client.ObjectList, ...client.ListOption) (watch.Interface, error) {
	return watch.NewEmptyWatch(), nil
}

// unhurried returns a home that waits for nothing.
func unhurried(api porch.API) packages.Home {
	h := porch.NewHome(silent{api})
	h.Pause = func(context.Context, time.Duration) error { return nil }
	return h
}
