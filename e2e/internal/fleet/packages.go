// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// placeholder is the revision number of the PackageRevision that follows the repository's branch, which no user
// published.
const placeholder = -1

// Publish makes a draft, as Draft does, proposes and approves it, and returns the published revision.
func (f *Fleet) Publish(repo, pkg, workspace string, files map[string]string) *porchapi.PackageRevision {
	f.t.Helper()
	name := f.Draft(repo, pkg, workspace, files).Name
	f.Propose(name)
	f.Approve(name)
	f.Eventually(name+" is listed", func() error { // the next draft of the package is made from what is listed
		listed, err := f.ListRevisions(repo, pkg)
		if err == nil && !slices.ContainsFunc(listed, func(r porchapi.PackageRevision) bool { return r.Name == name }) {
			err = fmt.Errorf("package revision %s is not listed", name)
		}
		return err
	})
	return f.Revision(name)
}

// Draft makes a draft of a package and writes files to it, as WriteFiles does. The draft starts as a copy of the
// package's latest published revision or, if there is none, like a package from porchctl rpkg init.
func (f *Fleet) Draft(repo, pkg, workspace string, files map[string]string) *porchapi.PackageRevision {
	f.t.Helper()
	draft := &porchapi.PackageRevision{
		ObjectMeta: metav1.ObjectMeta{Namespace: f.Namespace},
		Spec: porchapi.PackageRevisionSpec{
			RepositoryName: repo, PackageName: pkg, WorkspaceName: workspace,
			Lifecycle: porchapi.PackageRevisionLifecycleDraft,
			Tasks:     []porchapi.Task{f.firstTask(repo, pkg)},
		},
	}
	err := f.retry(func() error { return f.Client.Create(f.t.Context(), draft) })
	if err != nil {
		f.t.Fatalf("cannot make draft %s of package %s in repository %s: %v", workspace, pkg, repo, err)
	}
	f.WriteFiles(draft.Name, files)
	return f.Revision(draft.Name)
}

// firstTask returns the task for a new draft of a package.
func (f *Fleet) firstTask(repo, pkg string) porchapi.Task {
	f.t.Helper()
	published := slices.DeleteFunc(f.Revisions(repo, pkg),
		func(r porchapi.PackageRevision) bool { return !r.IsPublished() })
	if len(published) == 0 {
		return porchapi.Task{
			Type: porchapi.TaskTypeInit,
			Init: &porchapi.PackageInitTaskSpec{Description: "package " + pkg + " of a test"},
		}
	}
	latest := slices.MaxFunc(published,
		func(a, b porchapi.PackageRevision) int { return cmp.Compare(a.Spec.Revision, b.Spec.Revision) })
	return porchapi.Task{
		Type: porchapi.TaskTypeEdit,
		Edit: &porchapi.PackageEditTaskSpec{Source: &porchapi.PackageRevisionRef{Name: latest.Name}},
	}
}

// Revision returns a package revision, and waits while Porch does not find it.
func (f *Fleet) Revision(name string) *porchapi.PackageRevision {
	f.t.Helper()
	var revision *porchapi.PackageRevision
	err := f.find(func() (err error) {
		revision, err = f.GetRevision(name)
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return revision
}

// GetRevision is Revision for use in a retry: it returns errors at once, and does not end the test.
func (f *Fleet) GetRevision(name string) (*porchapi.PackageRevision, error) {
	revision := &porchapi.PackageRevision{}
	if err := f.Client.Get(f.t.Context(), f.key(name), revision); err != nil {
		return nil, fmt.Errorf("cannot get package revision %s: %w", name, err)
	}
	return revision, nil
}

// Revisions returns the drafts and revisions of a package by name, without the placeholder of the repository's branch.
func (f *Fleet) Revisions(repo, pkg string) []porchapi.PackageRevision {
	f.t.Helper()
	revisions, err := f.ListRevisions(repo, pkg)
	if err != nil {
		f.t.Fatal(err)
	}
	return revisions
}

// ListRevisions is Revisions for use in a retry: it returns errors, and does not end the test.
func (f *Fleet) ListRevisions(repo, pkg string) ([]porchapi.PackageRevision, error) {
	var list porchapi.PackageRevisionList
	if err := f.Client.List(f.t.Context(), &list, client.InNamespace(f.Namespace)); err != nil {
		return nil, fmt.Errorf("cannot list package revisions: %w", err)
	}
	revisions := slices.DeleteFunc(list.Items, func(r porchapi.PackageRevision) bool {
		return r.Spec.RepositoryName != repo || r.Spec.PackageName != pkg || r.Spec.Revision == placeholder
	})
	slices.SortFunc(revisions, func(a, b porchapi.PackageRevision) int { return cmp.Compare(a.Name, b.Name) })
	return revisions, nil
}

// Files returns the files of a package revision by path, and waits while Porch does not find it.
func (f *Fleet) Files(name string) map[string]string {
	f.t.Helper()
	var files map[string]string
	err := f.find(func() (err error) {
		files, err = f.GetFiles(name)
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return files
}

// GetFiles is Files for use in a retry: it returns errors at once, and does not end the test.
func (f *Fleet) GetFiles(name string) (map[string]string, error) {
	var resources porchapi.PackageRevisionResources
	if err := f.Client.Get(f.t.Context(), f.key(name), &resources); err != nil {
		return nil, fmt.Errorf("cannot get the files of package revision %s: %w", name, err)
	}
	return resources.Spec.Resources, nil
}

// WriteFiles edits a draft as a user does: it writes the given files, deletes those given as empty, and leaves the
// others. Porch then renders the package; a failed render is logged, and the files are kept.
func (f *Fleet) WriteFiles(name string, files map[string]string) {
	f.t.Helper()
	if len(files) == 0 {
		return
	}
	var resources porchapi.PackageRevisionResources
	err := f.find(func() error {
		resources = porchapi.PackageRevisionResources{}
		if err := f.Client.Get(f.t.Context(), f.key(name), &resources); err != nil {
			return err
		}
		if resources.Spec.Resources == nil {
			resources.Spec.Resources = map[string]string{}
		}
		maps.Copy(resources.Spec.Resources, files)
		maps.DeleteFunc(resources.Spec.Resources, func(_, content string) bool { return content == "" })
		return f.Client.Update(f.t.Context(), &resources)
	})
	if err != nil {
		f.t.Fatalf("cannot write the files of package revision %s: %v", name, err)
	}
	if failure := resources.Status.RenderStatus.Err; failure != "" {
		f.t.Logf("package revision %s was not rendered: %s", name, failure)
	}
}

// Propose proposes a draft for approval.
func (f *Fleet) Propose(name string) {
	f.t.Helper()
	f.move(name, "propose", lifecycles{porchapi.PackageRevisionLifecycleDraft: porchapi.PackageRevisionLifecycleProposed},
		f.update)
}

// ProposeDeletion proposes a published revision for deletion, so that Delete can delete it.
func (f *Fleet) ProposeDeletion(name string) {
	f.t.Helper()
	f.move(name, "propose the deletion of", lifecycles{
		porchapi.PackageRevisionLifecyclePublished: porchapi.PackageRevisionLifecycleDeletionProposed,
	}, f.update)
}

// Approve publishes a proposed draft. Like porchctl, it refuses a draft with unmet readiness gates.
func (f *Fleet) Approve(name string) {
	f.t.Helper()
	f.move(name, "approve", lifecycles{
		porchapi.PackageRevisionLifecycleProposed: porchapi.PackageRevisionLifecyclePublished,
	}, func(ctx context.Context, r *porchapi.PackageRevision) error {
		if !porchapi.PackageRevisionIsReady(r.Spec.ReadinessGates, r.Status.Conditions) {
			return fmt.Errorf("its readiness gates %v are not met: %v", r.Spec.ReadinessGates, r.Status.Conditions)
		}
		return f.updateApproval(ctx, r)
	})
}

// update writes a revision, as its author may.
func (f *Fleet) update(ctx context.Context, r *porchapi.PackageRevision) error {
	return f.Client.Update(ctx, r)
}

// updateApproval writes a revision, as those who approve may.
func (f *Fleet) updateApproval(ctx context.Context, r *porchapi.PackageRevision) error {
	return f.Client.SubResource("approval").Update(ctx, r)
}

// lifecycles say what a lifecycle is changed to.
type lifecycles map[porchapi.PackageRevisionLifecycle]porchapi.PackageRevisionLifecycle

// move changes the lifecycle of a revision. Porch may have done it although it answers with an error.
func (f *Fleet) move(name, what string, changes lifecycles,
	write func(context.Context, *porchapi.PackageRevision) error) {
	f.t.Helper()
	var asked porchapi.PackageRevisionLifecycle // none yet
	err := f.find(func() error {
		var revision porchapi.PackageRevision
		if err := f.Client.Get(f.t.Context(), f.key(name), &revision); err != nil {
			return err
		}
		lifecycle := revision.Spec.Lifecycle
		if asked != "" && lifecycle == asked {
			return nil
		}
		to, is := changes[lifecycle]
		if !is {
			return fmt.Errorf("its lifecycle is %s", lifecycle)
		}
		asked, revision.Spec.Lifecycle = to, to
		return write(f.t.Context(), &revision)
	})
	if err != nil {
		f.t.Fatalf("cannot %s package revision %s: %v", what, name, err)
	}
}
