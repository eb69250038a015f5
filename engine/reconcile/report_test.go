// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var errBoom = errors.New("boom")

// TestConditionOf checks the condition for each kind of error.
func TestConditionOf(t *testing.T) {
	t.Parallel()
	wrap := func(err error) error { return fmt.Errorf("cannot clone edge/web: %w", err) }
	failure := &mutationError{revision: "blueprints.web.v1", err: &mutate.FunctionError{Function: "inject-config",
		Err: errBoom}}
	noRunner := &mutate.UnavailableError{Message: "the function-runner does not answer", Err: errBoom}
	told := v1alpha1.Stalled("RenderFailed", "the pipeline failed")
	for name, c := range map[string]struct {
		err  error
		want v1alpha1.Condition
	}{
		"a function failed": {failure, v1alpha1.Stalled("FunctionFailed",
			"cannot change blueprints.web.v1: inject-config: boom")},
		"a function failed, joined": {errors.Join(errBoom, failure),
			v1alpha1.Stalled("FunctionFailed", "cannot change blueprints.web.v1: inject-config: boom")},
		"a package is too large": {wrap(&unusableError{"edge.web.v1", "PackageTooLarge", errBoom}),
			v1alpha1.Stalled("PackageTooLarge", "edge.web.v1 is not worked on: boom")},
		"a file with a hidden name is too large": {&unusableError{"edge.web.v1", "PackageTooLarge", errors.New("\x1b[2J/Kptfile: boom")},
			v1alpha1.Stalled("PackageTooLarge", `edge.web.v1 is not worked on: \x1b[2J/Kptfile: boom`)},
		"Porch does not end a clone": {&timedOutError{&decide.Draft{Package: revision.Package{Repo: "edge", Name: "web"},
			Task: revision.Task{Type: revision.Clone, Source: "blueprints.web.v1"}}, errBoom},
			v1alpha1.Stalled("PorchTimedOut", "Porch has not finished in time to clone edge/web, and not for the first time, "+
				"though it answers otherwise: what is in blueprints.web.v1 may be more than it can bear. It is asked again when the "+
				"variant or what it is made from changes, or when the variant is suspended and resumed (boom)")},
		"no function can be run": {&mutationError{revision: "x", err: &mutate.FunctionError{Function: "inject-config",
			Err: noRunner}},
			v1alpha1.Reconciling("FunctionRunnerUnavailable", "will try again: the function-runner does not answer")},
		"the home of packages says what it means": {wrap(&packages.Error{Kind: packages.ErrRefused, Condition: told, Err: errBoom}), told},
		"the home of packages says no more than its kind": {wrap(&packages.Error{Kind: packages.ErrUnavailable, Err: errBoom}),
			v1alpha1.Reconciling("PorchUnavailable", "will try again: cannot clone edge/web: boom")},
		"any other error": {wrap(errBoom), v1alpha1.Reconciling("PorchUnavailable", "will try again: cannot clone edge/web: boom")},
	} {
		if diff := cmp.Diff(c.want, conditionOf(c.err)); diff != "" {
			t.Errorf("%s, -want +got:\n%s", name, diff)
		}
	}
}

// refused returns the error of a home of packages with a reason.
func refused(reason string) error {
	return &packages.Error{Kind: packages.ErrRefused, Condition: v1alpha1.Stalled(reason, "boom"), Err: errBoom}
}

// TestLasting checks after which failures nothing is tried again by a clock.
func TestLasting(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  error
		want bool
	}{
		"none":                          {nil, false},
		"any other":                     {errBoom, false},
		"a package is too large":        {&unusableError{"edge.web.v1", "PackageTooLarge", errBoom}, true},
		"a file is refused":             {refused("PackageRefused"), true},
		"a clone does not end":          {&timedOutError{&decide.Draft{}, context.DeadlineExceeded}, true},
		"a call is not answered":        {context.DeadlineExceeded, false},
		"a save is too large":           {refused("PackageTooLarge"), true},
		"the upstream is a placeholder": {refused("UpstreamIsPlaceholder"), true},
		"the pipeline failed":           {refused("RenderFailed"), false},
		"a right is missing":            {refused("PermissionMissing"), false},
		"Porch does not answer":         {&packages.Error{Kind: packages.ErrUnavailable, Err: errBoom}, false},
	} {
		_, again := (&inspection{observation: &observation{}}).failed(&decide.Decision{}, fmt.Errorf("cannot save: %w", c.err))
		if lasting(c.err) != c.want || c.err != nil && (again == nil) != c.want {
			t.Errorf("%s: lasting is %t, and it is tried again for %v", name, lasting(c.err), again)
		}
	}
}

// TestOwnedRevisions checks which revisions are known to be the variant's after a reconcile, by their names.
func TestOwnedRevisions(t *testing.T) {
	t.Parallel()
	const made, next, left = "edge.web.packagevariant-1", "edge.web.packagevariant-2", "before.web.packagevariant-1"
	for name, c := range map[string]struct {
		known []string
		done  bool
		edit  func(*observation)
		want  []string
	}{
		"new ones":         {nil, true, nil, []string{left, made}},
		"one that is gone": {[]string{"gone", made}, true, nil, []string{left, made}},
		"a draft that a later one has replaced": {[]string{made}, true, func(o *observation) {
			r := &o.Revisions[1]
			r.Name, r.Workspace, r.Lifecycle, r.Number = next, "packagevariant-2", revision.Draft, 0
			o.OwnedNames = map[string]bool{made: true}
		}, []string{left, made, next}},
		"one that the cache does not have": {[]string{"unseen", made}, false, nil, []string{left, made, "unseen"}},
		"none any more": {[]string{made}, true,
			func(o *observation) { o.Revisions, o.OwnedInOtherPackages = nil, nil }, []string{made}},
		"none, and nothing was ever known": {nil, true, func(o *observation) { o.Revisions, o.OwnedInOtherPackages = nil, nil }, nil},
		"one that is another's": {nil, true,
			func(o *observation) { o.Revisions[1].Owners = owners("web-us", "u") }, []string{left}},
		"one that nobody owns": {nil, true, func(o *observation) { o.Revisions[1].Owners = nil },
			[]string{left}},
		"a known one that Porch lost it of": {nil, true,
			func(o *observation) { o.Revisions[1].Owners = nil; o.OwnedNames = map[string]bool{made: true} }, []string{left, made}},
	} {
		o := observed()
		if c.edit != nil {
			c.edit(o)
		}
		in := &inspection{observation: o}
		if diff := cmp.Diff(c.want, in.ownedRevisions(c.known, c.done)); diff != "" {
			t.Errorf("%s, -want +got:\n%s", name, diff)
		}
	}
}

// TestFill checks the status after the steps, and when a requested draft counts as complete.
func TestFill(t *testing.T) {
	t.Parallel()
	const made = "edge.web.packagevariant-1"
	asked := &v1alpha1.Operation{Do: "clone", Revision: made, Source: "blueprints.web.v2"}
	unsaved := asked.DeepCopy()
	unsaved.Version = "made"
	known := &v1alpha1.RenderStatus{Err: "known"}
	for name, c := range map[string]struct {
		edit    func(*inspection)
		failed  error
		request *v1alpha1.Operation
		targets []v1alpha1.DownstreamTarget
	}{
		"it is there": {func(*inspection) {}, nil, nil,
			[]v1alpha1.DownstreamTarget{{Name: made, Lifecycle: "Published", RenderStatus: known}}},
		"a step failed": {func(*inspection) {}, errBoom, asked,
			[]v1alpha1.DownstreamTarget{{Name: made, Lifecycle: "Published", RenderStatus: known}}},
		"it could not be saved": {func(in *inspection) {
			in.Requested.Version = "made"
		}, errBoom, unsaved, []v1alpha1.DownstreamTarget{{Name: made, Lifecycle: "Published", RenderStatus: known}}},
		"it is not there": {func(in *inspection) { in.Requested.Name = "edge.web.packagevariant-2" }, nil, asked,
			[]v1alpha1.DownstreamTarget{{Name: made, Lifecycle: "Published", RenderStatus: known}}},
		"it has no owner": {func(in *inspection) { in.Revisions[1].Owners, in.Revisions[1].Task = nil, in.Requested.Task }, nil, asked,
			[]v1alpha1.DownstreamTarget{{Name: made, Lifecycle: "Published", RenderStatus: known}}},
		"it was saved": {func(in *inspection) { in.progress.rendered[made] = v1alpha1.RenderStatus{Err: "new"} }, nil, nil,
			[]v1alpha1.DownstreamTarget{{Name: made, Lifecycle: "Published", RenderStatus: &v1alpha1.RenderStatus{Err: "new"}}}},
		"a guard holds": {func(in *inspection) { in.Conflicting = "web-us" }, nil, nil,
			[]v1alpha1.DownstreamTarget{{Name: "earlier"}, {Name: made, RenderStatus: known}}},
		"it is going": {func(in *inspection) { in.Deleting = true }, nil, nil,
			[]v1alpha1.DownstreamTarget{{Name: "earlier"}, {Name: made, RenderStatus: known}}},
		"the render fails": {func(*inspection) {}, &packages.Error{Kind: packages.ErrRefused, Rendered: "pkg.render: boom", Err: errBoom}, asked,
			[]v1alpha1.DownstreamTarget{{Name: made, Lifecycle: "Published",
				RenderStatus: &v1alpha1.RenderStatus{Err: "pkg.render: boom"}}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := observed()
			in := &inspection{observation: o}
			in.pv.Status.Operation = asked.DeepCopy()
			in.Requested = requestOf(&in.pv.Status)
			c.edit(in)
			status := v1alpha1.PackageVariantStatus{
				DownstreamTargets: []v1alpha1.DownstreamTarget{{Name: "earlier"},
					{Name: made, RenderStatus: known}},
				InjectedObjects: []v1alpha1.ObjectReference{{Kind: "ConfigMap", Name: "known"}},
			}
			in.fill(&status, false, c.failed)
			if diff := cmp.Diff(c.request, status.Operation); diff != "" {
				t.Errorf("operation, -want +got:\n%s", diff)
			}
			if diff := cmp.Diff(c.targets, status.DownstreamTargets); diff != "" {
				t.Errorf("targets, -want +got:\n%s", diff)
			}
			if diff := cmp.Diff(&v1alpha1.ResolvedUpstream{Name: "blueprints.web.v2", Revision: 2, Commit: "b2"},
				status.Upstream); diff != "" {
				t.Errorf("upstream, -want +got:\n%s", diff)
			}
			if status.ObservedGeneration != 3 {
				t.Errorf("it is about generation %d", status.ObservedGeneration)
			}
			if len(status.InjectedObjects) != 1 {
				t.Error("what is injected was not looked at, and is forgotten")
			}
		})
	}
}

// TestInjectedObjects checks that objects of several contents are watched once, and that an object that was read in two
// versions is looked at again.
func TestInjectedObjects(t *testing.T) {
	t.Parallel()
	reference := func(name string) objects.Reference {
		return objects.Reference{Kind: objects.Kind{APIVersion: "v1", Kind: "ConfigMap", Namespace: "fleet"}, Name: name}
	}
	all, versions := injectedObjects(map[string]evaluated{
		"one": {references: []objects.Reference{reference("a"), reference("b")}, versions: []string{"a 1", "b 1"}},
		"two": {references: []objects.Reference{reference("c"), reference("a"), reference("b")},
			versions: []string{"c 1", "a 1", "b 2"}},
	})
	want := []v1alpha1.ObjectReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "a"},
		{APIVersion: "v1", Kind: "ConfigMap", Name: "b"}, {APIVersion: "v1", Kind: "ConfigMap", Name: "c"}}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a 1", "changing", "c 1"}, versions); diff != "" {
		t.Errorf("versions, -want +got:\n%s", diff)
	}
}

// TestFillProgress checks the status of the published revision and of the open draft.
func TestFillProgress(t *testing.T) {
	t.Parallel()
	const made = "edge.web.packagevariant-1"
	before := v1alpha1.PackageVariantStatus{
		Downstream: &v1alpha1.PublishedRevision{Name: "before", Revision: 7},
		OpenDraft:  &v1alpha1.OpenDraft{Name: "before", Reason: "ManualApproval", Message: "it waits"},
	}
	waits := func(reason, message string) *v1alpha1.OpenDraft {
		return &v1alpha1.OpenDraft{Name: made, Reason: reason, Message: message}
	}
	ready := v1alpha1.Condition{Type: "Ready", Reason: "UpToDate"}
	for name, c := range map[string]struct {
		edit      func(*inspection)
		condition v1alpha1.Condition
		want      v1alpha1.PackageVariantStatus
	}{
		"it is published": {func(*inspection) {}, ready, v1alpha1.PackageVariantStatus{
			Downstream: &v1alpha1.PublishedRevision{Name: made, Revision: 1, OnBranch: true}}},
		"a draft was changed": {func(in *inspection) {
			in.Revisions = in.Revisions[1:] // without the branch
			in.Revisions[0].Lifecycle, in.Revisions[0].Number = "Draft", 0
		}, ready, v1alpha1.PackageVariantStatus{OpenDraft: waits("ManualApproval", made+" waits for a person to publish it")}},
		"a step failed": {func(in *inspection) { in.Revisions[1].Lifecycle = "Draft" }, v1alpha1.Stalled("RenderFailed", "no labels"),
			v1alpha1.PackageVariantStatus{OpenDraft: waits("RenderFailed", "no labels")}},
		"a guard holds": {func(in *inspection) { in.Conflicting = "web-us" }, v1alpha1.Stalled("DownstreamClaimed", "it is another's"),
			v1alpha1.PackageVariantStatus{Downstream: before.Downstream,
				OpenDraft: &v1alpha1.OpenDraft{Name: "before", Reason: "DownstreamClaimed", Message: "it is another's"}}},
		"it is being deleted": {func(in *inspection) { in.Deleting = true }, v1alpha1.Reconciling("PorchUnavailable", "no"), before},
	} {
		o := observed()
		in, status := &inspection{observation: o}, before.DeepCopy()
		c.edit(in)
		in.fillProgress(status, &decide.Decision{}, c.condition)
		if diff := cmp.Diff(c.want, *status); diff != "" {
			t.Errorf("%s, -want +got:\n%s", name, diff)
		}
	}
}

// TestFillConflicts checks which conflicts the status names, for how long, and when they are news.
func TestFillConflicts(t *testing.T) {
	t.Parallel()
	many := func(n int) (conflicts []v1alpha1.Conflict) {
		for i := range n {
			conflicts = append(conflicts, v1alpha1.Conflict{File: "a.yaml", Field: fmt.Sprint("spec.f", i)})
		}
		return conflicts
	}
	by := func(reason string, n int) *decide.Conflicted {
		return &decide.Conflicted{Aspect: decide.Aspect{Type: "Conflicted", True: true, Reason: reason,
			Message: fmt.Sprintf("%d conflicts", n)}, Conflicts: many(n)}
	}
	taken := func(n int) *decide.Conflicted { return by("UpstreamTaken", n) }
	is := func(status metav1.ConditionStatus, reason, message string) []metav1.Condition {
		return []metav1.Condition{{Type: "Conflicted", Status: status, Reason: reason, Message: message,
			ObservedGeneration: 3}}
	}
	of := func(n int) v1alpha1.PackageVariantStatus {
		return v1alpha1.PackageVariantStatus{Conditions: is("True", "UpstreamTaken", fmt.Sprintf("%d conflicts", n)),
			Conflicts: many(min(n, v1alpha1.MaxConflicts))}
	}
	ofDraft := func(name string) v1alpha1.PackageVariantStatus {
		status := of(2)
		status.OpenDraft = &v1alpha1.OpenDraft{Name: name}
		return status
	}
	const gone = "what was merged is published, or is gone with its draft"
	none := v1alpha1.PackageVariantStatus{Conditions: is("False", "NoConflicts", "none")}
	noConflicts := decide.NoConflicts("none")
	open := func(o *observation) { o.Revisions[1].Lifecycle = "Draft" }
	for name, c := range map[string]struct {
		before  v1alpha1.PackageVariantStatus
		edit    func(*observation)
		decided *decide.Conflicted
		want    v1alpha1.PackageVariantStatus
		news    bool
	}{
		"there never were any": {v1alpha1.PackageVariantStatus{}, nil, nil, v1alpha1.PackageVariantStatus{},
			false},
		"some":                    {v1alpha1.PackageVariantStatus{}, nil, taken(2), of(2), true},
		"as many as there may be": {v1alpha1.PackageVariantStatus{}, nil, taken(v1alpha1.MaxConflicts), of(v1alpha1.MaxConflicts), true},
		"more":                    {v1alpha1.PackageVariantStatus{}, nil, taken(v1alpha1.MaxConflicts + 1), of(v1alpha1.MaxConflicts + 1), true},
		"the same":                {of(2), nil, taken(2), of(2), false},
		"others":                  {of(2), nil, taken(3), of(3), true},
		"the same, after another policy": {of(2), nil, by("LocalKept", 2), v1alpha1.PackageVariantStatus{Conditions: is("True", "LocalKept", "2 conflicts"),
			Conflicts: many(2)}, true},
		"the next merge has none":           {of(2), nil, noConflicts, none, false},
		"the first merge has none":          {v1alpha1.PackageVariantStatus{}, nil, noConflicts, none, false},
		"they stay while the draft is open": {of(2), open, nil, of(2), false},
		"they go when it is published": {of(2), nil, nil,
			v1alpha1.PackageVariantStatus{Conditions: is("False", "NoConflicts", gone)}, false},
		"they go with their draft": {ofDraft("before.web.packagevariant-1"), open, nil,
			v1alpha1.PackageVariantStatus{OpenDraft: &v1alpha1.OpenDraft{Name: "before.web.packagevariant-1"},
				Conditions: is("False", "NoConflicts", gone)}, false},
		"that there are none stays":           {none, nil, nil, none, false},
		"that there are none stays, in draft": {none, open, nil, none, false},
	} {
		o := observed()
		if c.edit != nil {
			c.edit(o)
		}
		status := c.before.DeepCopy()
		o.fillConflicts(status, c.decided)
		if news := newConflicts(&c.before, status) != nil; news != c.news {
			t.Errorf("%s: news: %v", name, news)
		}
		for i := range status.Conditions {
			status.Conditions[i].LastTransitionTime = metav1.Time{}
		}
		if diff := cmp.Diff(c.want, *status, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s, -want +got:\n%s", name, diff)
		}
	}
}

// TestWritten checks which Repositories are locked: those that may be written, in order, or none while a guard holds.
func TestWritten(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		edit func(*observation)
		want []string
	}{
		"downstream and what was left behind": {func(*observation) {}, []string{"before", "edge"}},
		"downstream alone":                    {func(o *observation) { o.OwnedInOtherPackages = nil }, []string{"edge"}},
		"what is another's elsewhere": {func(o *observation) { o.OwnedInOtherPackages[0].Owners = owners("web-us", "u") },
			[]string{"edge"}},
		"a guard holds": {func(o *observation) { o.Conflicting = "web-us" }, nil},
		"it is being deleted": {func(o *observation) { o.Deleting = true; o.Conflicting = "web-us" },
			[]string{"before", "edge"}},
		"it is being deleted, and is invalid": {func(o *observation) {
			o.Deleting, o.Spec.Downstream, o.Revisions = true, nil,
				nil
		}, []string{"before"}},
	} {
		o := observed()
		c.edit(o)
		if diff := cmp.Diff(c.want, o.written()); diff != "" {
			t.Errorf("%s, -want +got:\n%s", name, diff)
		}
	}
}
