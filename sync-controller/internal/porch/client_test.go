// SPDX-License-Identifier: Apache-2.0

package porch

import (
	"context"
	"errors"
	"maps"
	"path"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

var (
	us     = revision.Owner{Name: "web-eu", UID: "uid"}
	commit = "c1"
)

// fakePorch is a Porch with these objects, and what was asked of it.
type fakePorch struct {
	Home
	objects client.Client
	// calls are the writes, in order, patches with what they sent.
	calls []string
	// rewrite, if set, is what Porch makes of a draft's files when its metadata change.
	rewrite func(files map[string]string)
}

func newPorch(t *testing.T, funcs interceptor.Funcs, objects ...client.Object) *fakePorch {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := porchapi.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	p := &fakePorch{}
	if funcs.Patch == nil {
		funcs.Patch = p.patched
	}
	if funcs.Update == nil {
		funcs.Update = func(ctx context.Context, c client.WithWatch, o client.Object, options ...client.UpdateOption) error {
			p.calls = append(p.calls, "update "+o.GetName())
			return c.Update(ctx, o, options...)
		}
	}
	funcs.SubResourcePatch = func(_ context.Context, _ client.Client, name string, o client.Object, patch client.Patch,
		_ ...client.SubResourcePatchOption) error {
		data, err := patch.Data(o)
		p.calls = append(p.calls, "patch "+o.GetName()+"/"+name+" "+string(data))
		return err
	}
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).WithInterceptorFuncs(funcs).
		// As in Porch: the field is the last part of the path.
		WithIndex(&porchapi.PackageRevision{}, "spec.packageName", func(o client.Object) []string {
			return []string{path.Base(o.(*porchapi.PackageRevision).Spec.PackageName)}
		}).
		WithIndex(&porchapi.PackageRevision{}, "spec.repository", func(o client.Object) []string {
			return []string{o.(*porchapi.PackageRevision).Spec.RepositoryName}
		}).Build()
	p.Home, p.objects = Home{Reader: c, Writer: c}, c
	return p
}

func (p *fakePorch) patched(ctx context.Context, c client.WithWatch, o client.Object, patch client.Patch,
	options ...client.PatchOption) error {
	data, err := patch.Data(o)
	if err != nil {
		return err
	}
	p.calls = append(p.calls, "patch "+o.GetName()+" "+string(data))
	if p.rewrite != nil {
		var prr porchapi.PackageRevisionResources
		if err := c.Get(ctx, client.ObjectKeyFromObject(o), &prr); err != nil {
			return err
		}
		p.rewrite(prr.Spec.Resources)
		if err := c.Update(ctx, &prr); err != nil {
			return err
		}
	}
	return c.Patch(ctx, o, patch, options...)
}

// files returns what Porch has of a revision's files.
func (p *fakePorch) files(t *testing.T, name string) map[string]string {
	t.Helper()
	var prr porchapi.PackageRevisionResources
	if err := p.objects.Get(t.Context(), client.ObjectKey{Namespace: "fleet", Name: name}, &prr); err != nil {
		t.Fatal(err)
	}
	return prr.Spec.Resources
}

func pr(repo, pkg, workspace string, lifecycle porchapi.PackageRevisionLifecycle) *porchapi.PackageRevision {
	return &porchapi.PackageRevision{
		ObjectMeta: metav1.ObjectMeta{Namespace: "fleet", Name: repo + "." + strings.ReplaceAll(pkg, "/", ".") + "." +
			workspace, Labels: map[string]string{"theirs": "stays"}},
		Spec: porchapi.PackageRevisionSpec{RepositoryName: repo, PackageName: pkg, WorkspaceName: workspace,
			Lifecycle: lifecycle},
	}
}

func resources(name string, files map[string]string) *porchapi.PackageRevisionResources {
	return &porchapi.PackageRevisionResources{
		ObjectMeta: metav1.ObjectMeta{Namespace: "fleet",
			Name: name}, Spec: porchapi.PackageRevisionResourcesSpec{Resources: maps.Clone(files)},
		Status: porchapi.PackageRevisionResourcesStatus{RenderStatus: porchapi.RenderStatus{Err: "from before"}},
	}
}

func TestRevision(t *testing.T) {
	t.Parallel()
	p := newPorch(t, interceptor.Funcs{}, pr("edge", "web", "v1", "Proposed"))
	got, err := p.get(t.Context(), "fleet", "edge.web.v1")
	if err != nil || got.Package.String() != "edge/web" || got.Lifecycle != "Proposed" {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := p.get(t.Context(), "fleet", "edge.web.v2"); !apierrors.IsNotFound(err) {
		t.Errorf("got error %v, want not found", err)
	}
}

func TestCreate(t *testing.T) {
	t.Parallel()
	ref := func(name string) porchapi.PackageRevisionRef { return porchapi.PackageRevisionRef{Name: name} }
	clone, edit := ref("b.web.v1"), ref("e.web.v1")
	for name, c := range map[string]struct {
		task revision.Task
		want porchapi.Task
	}{
		"clone": {revision.Task{Type: revision.Clone, Source: "b.web.v1"},
			porchapi.Task{Type: "clone",
				Clone: &porchapi.PackageCloneTaskSpec{Upstream: porchapi.UpstreamPackage{UpstreamRef: &clone}}}},
		"upgrade": {revision.Task{Type: revision.Upgrade, Source: "b.web.v2", Base: "b.web.v1", Local: "e.web.v1"},
			porchapi.Task{Type: "upgrade", Upgrade: &porchapi.PackageUpgradeTaskSpec{
				OldUpstream: ref("b.web.v1"), NewUpstream: ref("b.web.v2"), LocalPackageRevisionRef: ref("e.web.v1"),
				Strategy: "resource-merge"}}},
		"edit": {revision.Task{Type: revision.Edit, Source: "e.web.v1"},
			porchapi.Task{Type: "edit", Edit: &porchapi.PackageEditTaskSpec{Source: &edit}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got *porchapi.PackageRevision
			p := newPorch(t, interceptor.Funcs{Create: func(_ context.Context, _ client.WithWatch, o client.Object,
				_ ...client.CreateOption) error {
				got = o.DeepCopyObject().(*porchapi.PackageRevision)
				o.SetName("named.by.porch")
				o.SetResourceVersion(commit)
				return nil
			}})
			r, err := p.create(t.Context(), packages.Draft{
				Namespace: "fleet", Package: revision.Package{Repo: "edge", Name: "a/web"}, Workspace: "packagevariant-1",
				Metadata: packages.Metadata{Labels: map[string]string{"l": "1"}, Annotations: map[string]string{"a": "1"}},
				Owner:    us, Task: c.task,
			})
			if err != nil {
				t.Fatal(err)
			}
			want := &porchapi.PackageRevision{
				ObjectMeta: metav1.ObjectMeta{
					Namespace: "fleet", Labels: map[string]string{"l": "1"}, Annotations: map[string]string{"a": "1"},
					OwnerReferences: []metav1.OwnerReference{us.Reference()},
				},
				Spec: porchapi.PackageRevisionSpec{
					RepositoryName: "edge", PackageName: "a/web", WorkspaceName: "packagevariant-1", Lifecycle: "Draft",
					Tasks: []porchapi.Task{c.want},
				},
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("what was sent, -want +got:\n%s", diff)
			}
			if r.Name != "named.by.porch" || r.Version != commit {
				t.Errorf("got %+v", r)
			}
		})
	}
}

func TestContent(t *testing.T) {
	t.Parallel()
	files := map[string]string{"Kptfile": "k"}
	p := newPorch(t, interceptor.Funcs{}, resources("a", files), resources("empty", nil))
	got, err := p.content(t.Context(), "fleet", "a")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(files, got.Files); diff != "" || got.Version == "" || got.RenderStatus.Err != "from before" {
		t.Errorf("got version %q, render status %q, files (-want +got):\n%s", got.Version, got.RenderStatus.Err, diff)
	}
	if _, err := p.content(t.Context(), "fleet", "none"); !apierrors.IsNotFound(err) {
		t.Errorf("got error %v, want not found", err)
	}
	_, err = p.content(t.Context(), "fleet", "empty")
	if want := "cannot use the package revision empty: " + ErrNoFiles.Error(); !errors.Is(err, ErrNoFiles) ||
		err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
}

// TestSave checks that a save replaces all files, also removes them, and only those that were read.
func TestSave(t *testing.T) {
	t.Parallel()
	before := map[string]string{"Kptfile": "k", "a.yaml": "old", "gone.yaml": "g"}
	p := newPorch(t, interceptor.Funcs{}, resources("a", before))
	read, err := p.content(t.Context(), "fleet", "a")
	if err != nil {
		t.Fatal(err)
	}
	given := map[string]string{"Kptfile": "k", "a.yaml": "new", "b.yaml": "b"}
	saved, err := p.saveWhole(t.Context(), read, given)
	if err != nil {
		t.Fatal(err)
	}
	want := maps.Clone(given)
	if diff := cmp.Diff(want, p.files(t, "a")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff(want, saved.Files); diff != "" || saved.Version == read.Version || saved.RenderStatus.Err != "" {
		t.Errorf("the result has version %q, render status %q, files (-want +got):\n%s", saved.Version, saved.RenderStatus.Err,
			diff)
	}
	if diff := cmp.Diff(before, read.Files); diff != "" {
		t.Errorf("what was read has changed, -want +got:\n%s", diff)
	}
	_, err = p.saveWhole(t.Context(), read, map[string]string{"a.yaml": "newer"})
	if !apierrors.IsConflict(err) || !Busy(err) || !strings.HasPrefix(err.Error(), "cannot save a: ") {
		t.Errorf("got error %v, want a conflict", err)
	}
	if diff := cmp.Diff(want, p.files(t, "a")); diff != "" {
		t.Errorf("a save that failed changed files, -want +got:\n%s", diff)
	}
	if _, err := p.saveWhole(t.Context(), saved, map[string]string{"a.yaml": "newer"}); err != nil {
		t.Errorf("a save on top of a save: %v", err)
	}
}

// TestSaveRepeated checks what becomes of a save that Porch answers as if it had not found a branch, and refuses when it
// is repeated, because the draft has changed: it was done the first time, or somebody else was first.
func TestSaveRepeated(t *testing.T) {
	t.Parallel()
	wanted := map[string]string{"Kptfile": "info: {}\n", "a.yaml": "new"}
	for name, c := range map[string]struct {
		there map[string]string
		done  bool
	}{
		"done":                        {wanted, true},
		"done, the Kptfile rewritten": {map[string]string{"Kptfile": "info: {} # x\n", "a.yaml": "new"}, true},
		"not done":                    {map[string]string{"Kptfile": "info: {}\n", "a.yaml": "another's"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				p := newPorch(t, interceptor.Funcs{
					Update: func(ctx context.Context, cl client.WithWatch, o client.Object, _ ...client.UpdateOption) error {
						if calls++; calls > 1 {
							return cl.Update(ctx, o)
						}
						written := o.DeepCopyObject().(*porchapi.PackageRevisionResources)
						written.Spec.Resources = maps.Clone(c.there)
						return errors.Join(cl.Update(ctx, written), errLost)
					},
				}, resources("a", map[string]string{"Kptfile": "info: {}\n", "a.yaml": "old"}))
				read, err := p.content(t.Context(), "fleet", "a")
				if err != nil {
					t.Fatal(err)
				}
				saved, err := p.saveWhole(t.Context(), read, wanted)
				if (err == nil) != c.done || err != nil && !Busy(err) || calls != 2 {
					t.Fatalf("got error %v after %d calls", err, calls)
				}
				if diff := cmp.Diff(c.there, saved.Files); c.done && diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
			})
		})
	}
}

func TestSetMeta(t *testing.T) {
	t.Parallel()
	files := map[string]string{"Kptfile": "# a comment\nkind: Kptfile\n", "a.yaml": "a"}
	drop := func(files map[string]string) { files["Kptfile"] = "kind: Kptfile\n" }
	owners := []metav1.OwnerReference{us.Reference()}
	const ref = `{"apiVersion":"config.porch.kpt.dev/v1alpha1","kind":"PackageVariant","name":"web-eu","uid":"uid","controller":true}`
	for name, c := range map[string]struct {
		lifecycle           porchapi.PackageRevisionLifecycle
		rewrite             func(map[string]string)
		owners              []metav1.OwnerReference
		labels, annotations map[string]string
		want                []string
		files               map[string]string
	}{
		"draft, rewritten": {"Draft", drop, owners, map[string]string{"l": "1"}, map[string]string{"a": "1"},
			[]string{`patch edge.web.v1 {"metadata":{"annotations":{"a":"1"},"labels":{"l":"1"},"ownerReferences":[` + ref +
				`],"resourceVersion":"999"}}`, "update edge.web.v1"}, files},
		"draft, as it was": {"Draft", nil, owners, nil, nil,
			[]string{`patch edge.web.v1 {"metadata":{"ownerReferences":[` + ref + `],"resourceVersion":"999"}}`}, files},
		"no owners": {"Draft", nil, nil, map[string]string{}, nil,
			[]string{`patch edge.web.v1 {"metadata":{"ownerReferences":[],"resourceVersion":"999"}}`}, files},
		"proposed": {"Proposed", nil, owners, nil, map[string]string{"a": "1"},
			[]string{`patch edge.web.v1 {"metadata":{"annotations":{"a":"1"},"ownerReferences":[` + ref + `],"resourceVersion":"999"}}`}, files},
		"published, which nobody rewrites": {"Published", drop, nil, nil, nil,
			[]string{`patch edge.web.v1 {"metadata":{"ownerReferences":[],"resourceVersion":"999"}}`}, map[string]string{"Kptfile": "kind: Kptfile\n",
				"a.yaml": "a"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			object := pr("edge", "web", "v1", c.lifecycle)
			p := newPorch(t, interceptor.Funcs{}, object, resources(object.Name, files))
			p.rewrite = c.rewrite
			r := Revision(object)
			if err := p.setMeta(t.Context(), &r, c.owners, c.labels, c.annotations); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, p.calls); diff != "" {
				t.Errorf("calls, -want +got:\n%s", diff)
			}
			if diff := cmp.Diff(c.files, p.files(t, object.Name)); diff != "" {
				t.Errorf("files, -want +got:\n%s", diff)
			}
			var after porchapi.PackageRevision
			if err := p.objects.Get(t.Context(), client.ObjectKeyFromObject(object), &after); err != nil {
				t.Fatal(err)
			}
			if after.Labels["theirs"] != "stays" || after.Labels["l"] != c.labels["l"] ||
				len(after.OwnerReferences) != len(c.owners) {
				t.Errorf("the labels are %v, the owners %v", after.Labels, after.OwnerReferences)
			}
		})
	}
}

func TestSetMetaErrors(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	draft := pr("edge", "web", "v1", "Draft")
	r := Revision(draft)
	fails := func(context.Context, client.WithWatch, client.Object, client.Patch, ...client.PatchOption) error {
		return boom
	}
	p := newPorch(t, interceptor.Funcs{Patch: fails}, draft, resources(draft.Name, map[string]string{"Kptfile": "k"}))
	r.Version = "999" // what the fake API gives
	err := p.setMeta(t.Context(), &r, nil, nil, nil)
	if want := "cannot change package revision edge.web.v1: boom"; err == nil || err.Error() != want ||
		!errors.Is(err, boom) {
		t.Errorf("got error %v, want %s", err, want)
	}
	p = newPorch(t, interceptor.Funcs{}, draft)
	if err := p.setMeta(t.Context(), &r, nil, nil, nil); !apierrors.IsNotFound(err) || len(p.calls) > 0 {
		t.Errorf("a draft whose files cannot be kept: error %v, calls %q", err, p.calls)
	}
}

func TestLifecycle(t *testing.T) {
	t.Parallel()
	object := pr("edge", "web", "v1", "Published")
	p := newPorch(t, interceptor.Funcs{}, object)
	now := func() *revision.Revision {
		r, err := p.get(t.Context(), object.Namespace, object.Name)
		if err != nil {
			t.Fatal(err)
		}
		return &r
	}
	_, set := p.keep(t.Context(), now())
	_, approved := p.move(t.Context(), now(), revision.Draft)
	_, proposed := p.proposeDeletion(t.Context(), now(), nil)
	_, owned := p.proposeDeletion(t.Context(), now(), []metav1.OwnerReference{{APIVersion: "v1", Kind: "X", Name: "x", UID: "u"}})
	for _, err := range []error{set, approved, proposed, owned} {
		if err != nil {
			t.Error(err)
		}
	}
	want := []string{
		`patch edge.web.v1 {"metadata":{"resourceVersion":"999"},"spec":{"lifecycle":"Published"}}`,
		`patch edge.web.v1/approval {"metadata":{"resourceVersion":"1000"},"spec":{"lifecycle":"Draft"}}`,
		`patch edge.web.v1 {"metadata":{"ownerReferences":[],"resourceVersion":"1000"},"spec":{"lifecycle":"DeletionProposed"}}`,
		`patch edge.web.v1 {"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"X","name":"x","uid":"u"}],` +
			`"resourceVersion":"1001"},"spec":{"lifecycle":"DeletionProposed"}}`,
	}
	if diff := cmp.Diff(want, p.calls); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestDelete(t *testing.T) {
	t.Parallel()
	for lifecycle, want := range map[porchapi.PackageRevisionLifecycle]string{
		"Draft": "", "Proposed": "",
		"Published":        "a published package revision is proposed for deletion, not deleted",
		"DeletionProposed": "a published package revision is proposed for deletion, not deleted",
	} {
		object := pr("edge", "web", "v1", lifecycle)
		p := newPorch(t, interceptor.Funcs{}, object)
		r := Revision(object)
		got := ""
		if err := p.remove(t.Context(), &r); err != nil {
			got = err.Error()
		}
		_, err := p.get(t.Context(), "fleet", object.Name)
		if got != want || apierrors.IsNotFound(err) != (want == "") {
			t.Errorf("%s: got error %q, want %q; then: %v", lifecycle, got, want, err)
		}
		if want == "" && p.remove(t.Context(), &r) != nil {
			t.Errorf("%s: an error for what is gone", lifecycle)
		}
	}
}

// TestErrorsSayWhat checks that each call names what it could not do, and keeps the cause.
func TestErrorsSayWhat(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	p := newPorch(t, interceptor.Funcs{
		Get: func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
			return boom
		},
		Create: func(context.Context, client.WithWatch, client.Object, ...client.CreateOption) error { return boom },
		Delete: func(context.Context, client.WithWatch, client.Object, ...client.DeleteOption) error { return boom },
		Patch: func(context.Context, client.WithWatch, client.Object, client.Patch, ...client.PatchOption) error {
			return boom
		},
	})
	ctx, pkg := t.Context(), revision.Package{Repo: "edge", Name: "web"}
	r := revision.Revision{Name: "edge.web.v1"}
	_, get := p.get(ctx, "fleet", r.Name)
	_, content := p.content(ctx, "fleet", r.Name)
	_, patch := p.move(ctx, &r, revision.Proposed)
	_, create := p.create(ctx, packages.Draft{Package: pkg, Task: revision.Task{Type: revision.Upgrade}})
	for want, err := range map[string]error{
		"cannot get package revision edge.web.v1: boom":    get,
		"cannot read the content of edge.web.v1: boom":     content,
		"cannot upgrade edge/web: boom":                    create,
		"cannot delete package revision edge.web.v1: boom": p.remove(ctx, &r),
		"cannot change package revision edge.web.v1: boom": patch,
	} {
		if err == nil || err.Error() != want || !errors.Is(err, boom) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestBroughtBack checks that a change is made again if Porch brings back what was before, as it does while it reads a
// repository, and that it is an error if it always does.
func TestBroughtBack(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lost int
		// inGit reports whether Porch keeps the revision in git; only then does it bring anything back.
		inGit bool
		want  string
	}{
		"never": {0, true, ""}, "once": {1, true, ""}, "not kept in git": {100, false, ""},
		"always": {100, true, "cannot change the lifecycle of package revision edge.web.v1: Porch brings back what was before"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			writes := 0
			object := pr("edge", "web", "v1", "Published")
			p := newPorch(t, interceptor.Funcs{Patch: func(ctx context.Context, cl client.WithWatch, o client.Object,
				patch client.Patch, options ...client.PatchOption) error {
				if writes++; writes <= c.lost {
					return nil
				}
				return cl.Patch(ctx, o, patch, options...)
			}}, object)
			r := Revision(object)
			r.InParts = !c.inGit
			got := ""
			if _, err := p.proposeDeletion(t.Context(), &r, nil); err != nil {
				got = err.Error()
			}
			want := 1
			if c.inGit {
				want = min(c.lost+1, maxWrites)
			}
			if got != c.want || writes != want {
				t.Errorf("got error %q after %d writes, want %q after %d", got, writes, c.want, want)
			}
		})
	}
}
