// SPDX-License-Identifier: Apache-2.0

package porch

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/packages"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// TestClassify checks what an error of Porch is to the engine: its kind, and what it means for a variant.
func TestClassify(t *testing.T) {
	t.Parallel()
	internal := func(text string) error { return apierrors.NewInternalError(errors.New(text)) }
	const pipeline = "Error occurred rendering package in kpt function pipeline.\n"
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
		_, err := (&Home{Client: p.Client}).Read(t.Context(), "fleet", "edge.web.v1")
		got, _ := packages.ConditionOf(err)
		want := v1alpha1.Stalled("PackageRefused", "edge.web.v1 is not worked on: "+name+not)
		if diff := cmp.Diff(want, got); diff != "" || !errors.Is(err, packages.ErrRefused) {
			t.Errorf("%s: error %v, -want +got:\n%s", name, err, diff)
		}
	}
}
