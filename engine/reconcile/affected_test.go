// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/revision"
)

func TestMayMean(t *testing.T) {
	t.Parallel()
	const draft, published, going = "Draft", "Published", "DeletionProposed"
	rev := func(workspace string, number int, lifecycle revision.Lifecycle, labels ...string) *revision.Revision {
		r := &revision.Revision{Workspace: workspace, Number: number, Lifecycle: lifecycle, Labels: map[string]string{}}
		for _, label := range labels {
			r.Labels["tag.config.porch.kpt.dev/"+label] = "true"
		}
		return r
	}
	tag := func(s string) variant.Upstream { return variant.Upstream{Revision: variant.Revision{Str: s}} }
	number := func(n int) variant.Upstream { return variant.Upstream{Revision: variant.RevisionNumber(n)} }
	workspace := variant.Upstream{WorkspaceName: "v2"}
	removed := rev("v2", 2, published)
	removed.Labels["tag.config.porch.kpt.dev/stable"] = "false"
	for name, c := range map[string]struct {
		upstream variant.Upstream
		rev      *revision.Revision
		want     bool
	}{
		"workspace":                   {workspace, rev("v2", 2, published), true},
		"workspace of a draft":        {workspace, rev("v2", 0, draft), true},
		"another workspace":           {workspace, rev("v1", 2, published), false},
		"number":                      {number(2), rev("x", 2, published), true},
		"number, going":               {number(2), rev("x", 2, going), true},
		"another number":              {number(2), rev("v2", 3, published), false},
		"number, draft":               {number(2), rev("v2", 0, draft), false},
		"number, main":                {number(1), rev("main", -1, published), false},
		"number as a string":          {tag("v2"), rev("x", 2, published), true},
		"another number as a string":  {tag("2"), rev("x", 1, published), false},
		"latest":                      {tag("latest"), rev("x", 2, published), true},
		"latest, going":               {tag("latest"), rev("x", 2, going), true},
		"latest, draft":               {tag("latest"), rev("x", 0, draft), false},
		"latest, main":                {tag("latest"), rev("main", -1, published), false},
		"tag":                         {tag("stable"), rev("x", 2, published, "stable"), true},
		"another tag":                 {tag("stable"), rev("x", 2, published, "beta"), false},
		"tag that is not true":        {tag("stable"), removed, false},
		"no tag":                      {tag("stable"), rev("x", 2, published), false},
		"tag on a draft":              {tag("stable"), rev("x", 0, draft, "stable"), false},
		"tag on main":                 {tag("stable"), rev("main", -1, published, "stable"), false},
		"main":                        {number(-1), rev("main", -1, published), true},
		"main, changed by another":    {number(-1), rev("v2", 2, published), true},
		"main, draft":                 {number(-1), rev("v2", 0, draft), false},
		"nothing said, which is main": {variant.Upstream{}, rev("main", -1, published), true},
		"nothing said, draft":         {variant.Upstream{}, rev("v1", 0, draft), false},
		"main in words":               {tag("main"), rev("v2", 2, published), true},
		"number beside a workspace": {variant.Upstream{WorkspaceName: "v2", Revision: variant.RevisionNumber(1)},
			rev("v1", 1, published), true},
		"neither of the two": {variant.Upstream{WorkspaceName: "v2", Revision: variant.RevisionNumber(1)},
			rev("v3", 3, published), false},
		"main beside a workspace": {variant.Upstream{WorkspaceName: "v2", Revision: variant.RevisionNumber(-1)},
			rev("v3", 3, published), false},
		"workspace, whatever is asked": {variant.Upstream{WorkspaceName: "v2", Revision: variant.Revision{Str: "latest"}},
			rev("v2", 0, draft), true},
	} {
		if got := mayMean(&c.upstream, c.rev); got != c.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

// TestChangedReason checks that only a change of the reason counts, and only while the variant is suspended.
func TestChangedReason(t *testing.T) {
	t.Parallel()
	pv := func(suspend bool, reason string) *v1alpha1.PackageVariant {
		pv := &v1alpha1.PackageVariant{Spec: variant.Spec{Suspend: suspend}}
		if reason != "" {
			pv.Annotations = map[string]string{"config.porch.kpt.dev/suspend-reason": reason, "other": reason}
		}
		return pv
	}
	for name, c := range map[string]struct {
		before, after *v1alpha1.PackageVariant
		want          bool
	}{
		"nothing":              {pv(true, "freeze"), pv(true, "freeze"), false},
		"a reason":             {pv(true, ""), pv(true, "freeze"), true},
		"another":              {pv(true, "freeze"), pv(true, "audit"), true},
		"none any more":        {pv(true, "freeze"), pv(true, ""), true},
		"other spaces":         {pv(true, "big freeze"), pv(true, " big\nfreeze"), false},
		"of one not suspended": {pv(false, "freeze"), pv(false, "audit"), false},
	} {
		if got := Changed(c.before, c.after); got != c.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}
