// SPDX-License-Identifier: Apache-2.0

package porch

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// TestClassify checks what an error of Porch is to the engine: its kind, and what it means for a variant.
func TestClassify(t *testing.T) {
	t.Parallel()
	internal := func(text string) error { return apierrors.NewInternalError(errors.New(text)) }
	const pipeline = "Error occurred rendering package in kpt function pipeline.\n"
	refused := func(text string) v1alpha1.Condition {
		return v1alpha1.Stalled("PackageRefused", "Porch refuses this, and is asked again when the package, its upstream or "+
			"this variant changes: correct what it names (cannot clone edge/web: "+text+")")
	}
	for name, c := range map[string]struct {
		err  error
		kind error
		want v1alpha1.Condition
	}{
		"a file is refused": {errors.New("illegal name 'a\x1b[2Jb.txt' in file creation"), packages.ErrRefused,
			v1alpha1.Stalled("PackageRefused", "Porch does not take a file of the package: rename or correct the file that it "+
				`names, in the upstream or in this package (cannot clone edge/web: illegal name 'a\x1b[2Jb.txt' in file creation)`)},
		"a save is too large": {apierrors.NewRequestEntityTooLargeError("limit is 3145728"), packages.ErrRefused,
			v1alpha1.Stalled("PackageTooLarge", "nothing was saved, because all files of the package are sent in one request, and "+
				"it is larger than Porch takes: make the package smaller, or split it (cannot clone edge/web: Request entity too "+
				"large: limit is 3145728)")},
		"the pipeline failed": {internal(pipeline + "Details: set-labels:\n  no labels"), packages.ErrRefused,
			v1alpha1.Stalled("RenderFailed",
				"nothing was saved, because the pipeline in the package's Kptfile failed; correct the function or its config, in "+
					"the upstream or in this variant: set-labels: no labels")},
		"the function-runner does not answer": {
			internal(pipeline + `Details: pkg.render: func eval "set-labels" failed: rpc error: code = Unavailable desc = refused`),
			packages.ErrUnavailable,
			v1alpha1.Reconciling("FunctionRunnerUnavailable",
				"will try again: Porch's function-runner does not answer: cannot clone edge/web: Internal error occurred: "+pipeline+
					`Details: pkg.render: func eval "set-labels" failed: rpc error: code = Unavailable desc = refused`)},
		"the upstream is a placeholder": {internal("upstream may not be the placeholder package revision"), packages.ErrRefused,
			v1alpha1.Stalled("UpstreamIsPlaceholder",
				"this version of Porch derives no package from a branch: publish the upstream, and name its revision "+
					"in spec.upstream (cannot clone edge/web: Internal error occurred: upstream may not be the placeholder package revision)")},
		"the package exists": {internal("`clone` cannot create a new revision for package \"web\" that already exists in repo " +
			"\"edge\"; make subsequent revisions using `copy`"), packages.ErrRefused,
			v1alpha1.Stalled("DownstreamExists", "the package exists, and this version of Porch clones nothing into it: publish "+
				"what is only on the branch, or remove it there; or name another package in spec.downstream (cannot clone edge/web: "+
				"Internal error occurred: `clone` cannot create a new revision for package \"web\" that already exists in repo "+
				"\"edge\"; make subsequent revisions using `copy`)")},
		"the package lies in another": {internal(`package path "web/in" conflicts with existing package "web": packages cannot be nested`),
			packages.ErrRefused,
			v1alpha1.Stalled("DownstreamExists", "Porch makes no package inside another one or around it, nor one at the top with "+
				"the last name of another: name another in spec.downstream (cannot clone edge/web: Internal error occurred: "+
				`package path "web/in" conflicts with existing package "web": packages cannot be nested)`)},
		"others have it as upstream": {apierrors.NewForbidden(schema.GroupResource{Resource: "packagerevisions"}, "x",
			errors.New("cannot delete package revision, it is referenced as upstream by: edge.web.v1")), packages.ErrRefused,
			refused(`packagerevisions "x" is forbidden: cannot delete package revision, it is referenced as upstream by: edge.web.v1`)},
		"a draft has no task": {internal("spec.tasks must have at least one entry"), packages.ErrRefused,
			refused("Internal error occurred: spec.tasks must have at least one entry")},
		"the label of the latest": {apierrors.NewInvalid(schema.GroupKind{Kind: "PackageRevision"}, "x", field.ErrorList{
			field.Forbidden(field.NewPath("metadata", "labels", "kpt.dev/latest-revision"),
				"label is managed by porch and cannot be modified by users")}), packages.ErrRefused,
			refused(`PackageRevision "x" is invalid: metadata.labels.kpt.dev/latest-revision: Forbidden: label is managed by ` +
				`porch and cannot be modified by users`)},
		"another API serves the Repository": {
			&apierrors.StatusError{ErrStatus: metav1.Status{Reason: metav1.StatusReasonGone, Message: "served by v1alpha2"}},
			packages.ErrRefused,
			v1alpha1.Stalled("RepositoryMigrated",
				"the packages are served by another version of Porch's API, which this controller does not know yet: "+
					"cannot clone edge/web: served by v1alpha2")},
		"a right is missing": {apierrors.NewForbidden(schema.GroupResource{Resource: "packagerevisions"}, "", errors.New("boom")),
			packages.ErrRefused,
			v1alpha1.Stalled("PermissionMissing",
				"nothing is wrong with this variant, but the controller lacks a right in this namespace, and tries again: an "+
					"administrator has to bind its ServiceAccount to the ClusterRole package-variants-sync-controller ("+
					"cannot clone edge/web: packagerevisions is forbidden: boom)")},
		"Porch does not answer":         {apierrors.NewServiceUnavailable("no endpoints"), packages.ErrUnavailable, v1alpha1.Condition{}},
		"Porch does not answer in time": {apierrors.NewTimeoutError("slow", 1), packages.ErrTimeout, v1alpha1.Condition{}},
		"Porch fails":                   {internal("No space left on device"), packages.ErrUnsure, v1alpha1.Condition{}},
		"it is gone":                    {apierrors.NewNotFound(schema.GroupResource{}, "x"), packages.ErrAbsent, v1alpha1.Condition{}},
		"it has changed":                {apierrors.NewConflict(schema.GroupResource{}, "x", nil), packages.ErrStale, v1alpha1.Condition{}},
	} {
		err := Classify(fmt.Errorf("cannot clone edge/web: %w", c.err))
		if !errors.Is(err, c.kind) {
			t.Errorf("%s: it is no error of the kind %v", name, c.kind)
		}
		got, _ := packages.ConditionOf(err)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s, -want +got:\n%s", name, diff)
		}
	}
}

// TestUnusable checks what is said of a package whose files Porch's API does not return as they are.
func TestUnusable(t *testing.T) {
	t.Parallel()
	const not = " is not text in UTF-8, or has the character U+FFFD, which Porch's API returns in place of other bytes: " +
		"convert it, or take it out of the package"
	for name, files := range map[string]map[string]string{
		"a/logo.png":    {"Kptfile": "", "a/logo.png": "\uFFFDPNG"},
		"caf\uFFFD.txt": {"Kptfile": "", "caf\uFFFD.txt": ""},
	} {
		p := newPorch(t, interceptor.Funcs{}, pr("edge", "web", "v1", "Draft"), resources("edge.web.v1", files))
		_, err := p.Read(t.Context(), "fleet", "edge.web.v1")
		got, _ := packages.ConditionOf(err)
		want := v1alpha1.Stalled("PackageRefused", "edge.web.v1 is not worked on: "+name+not)
		if diff := cmp.Diff(want, got); diff != "" || !errors.Is(err, packages.ErrRefused) {
			t.Errorf("%s: error %v, -want +got:\n%s", name, err, diff)
		}
	}
}

// TestNamesake has Porch refuse the draft of a package because of another one in its Repository. One that has its last
// name in a directory is told; if there is none, or the package exists, the draft is decided on again, or Porch's words
// are told.
func TestNamesake(t *testing.T) {
	t.Parallel()
	const (
		taken  = "package revision workspaceNames must be unique; package revision with name y in repo edge"
		exists = "`clone` cannot create a new revision for package \"y\" that already exists in repo \"edge\""
		nests  = "Porch makes no package inside another one or around it, nor one at the top with the last name of another: " +
			"name another in spec.downstream (cannot clone edge/y: Internal error occurred: "
	)
	for name, c := range map[string]struct {
		says  string
		there []client.Object
		asked string
		kind  error
		want  string
	}{
		"its workspace": {taken, []client.Object{pr("edge", "x/y", "one", "Draft")}, "y", packages.ErrRefused, nests + taken + ")"},
		"its package": {exists, []client.Object{pr("edge", "x/y", "two", "Published")}, "y", packages.ErrRefused,
			nests + exists + ")"},
		"it exists, too": {taken, []client.Object{pr("edge", "x/y", "one", "Draft"), pr("edge", "y", "one", "Draft")}, "y",
			packages.ErrStale, ""},
		"in another Repository":     {taken, []client.Object{pr("other", "x/y", "one", "Draft")}, "y", packages.ErrStale, ""},
		"both are in a directory":   {taken, []client.Object{pr("edge", "x/y", "one", "Draft")}, "a/y", packages.ErrStale, ""},
		"Porch says something else": {"disk full", []client.Object{pr("edge", "x/y", "one", "Draft")}, "y", packages.ErrUnsure, ""},
	} {
		refuses := func(context.Context, client.WithWatch, client.Object, ...client.CreateOption) error {
			return apierrors.NewInternalError(errors.New(c.says))
		}
		p := newPorch(t, interceptor.Funcs{Create: refuses}, c.there...)
		_, err := p.Ask(t.Context(), packages.Draft{Namespace: "fleet", Workspace: "one",
			Package: revision.Package{Repo: "edge", Name: c.asked}, Task: revision.Task{Type: revision.Clone, Source: "x"}})
		got, _ := packages.ConditionOf(err)
		if !errors.Is(err, c.kind) || got.Message != c.want {
			t.Errorf("%s: got %q, which says %q, want %q", name, err, got.Message, c.want)
		}
	}
}
