// SPDX-License-Identifier: Apache-2.0

package packagevariantset

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// forbidding is an API that forbids verbs for variants, because the controller lacks the rights or for another reason.
type forbidding struct {
	porch.API
	verbs  []string
	rights bool
	asked  int
}

func (f *forbidding) forbid(verb string) error {
	if !slices.Contains(f.verbs, verb) {
		return nil
	}
	return apierrors.NewForbidden(schema.GroupResource{Group: "config.porch.kpt.dev", Resource: "packagevariants"}, "x",
		errors.New("no"))
}

func (f *forbidding) Create(ctx context.Context, o client.Object, options ...client.CreateOption) error {
	if review, is := o.(*authorizationv1.SelfSubjectAccessReview); is {
		f.asked++
		review.Status.Allowed = f.rights || !slices.Contains(f.verbs, review.Spec.ResourceAttributes.Verb)
		return nil
	}
	if err := f.forbid("create"); err != nil {
		return err
	}
	return f.API.Create(ctx, o, options...)
}

func (f *forbidding) Delete(ctx context.Context, o client.Object, options ...client.DeleteOption) error {
	if err := f.forbid("delete"); err != nil {
		return err
	}
	return f.API.Delete(ctx, o, options...)
}

// TestMissingRights checks what a set says of a controller that may not write its variants, and that a policy or a quota
// that forbids it is told as it was.
func TestMissingRights(t *testing.T) {
	t.Parallel()
	lacks := func(verb string) string {
		return "nothing is wrong with this set, but the controller may not " + verb + " packagevariants in this namespace, " +
			"and tries again: an administrator has to bind its ServiceAccount to the ClusterRole " +
			"package-variants-sync-controller"
	}
	for name, test := range map[string]struct {
		verbs           []string
		rights          bool
		policy          v1alpha2.ErrorPolicy
		reason, message string
		asked           int
	}{
		"it may not create": {verbs: []string{"create"}, reason: "Stalled PermissionMissing", message: lacks("create"),
			asked: 1},
		"it may not delete": {verbs: []string{"delete"}, reason: "Stalled PermissionMissing", message: lacks("delete"),
			asked: 1},
		"it may not create, and goes on where it can": {verbs: []string{"create"}, policy: v1alpha2.ErrorPolicyContinue,
			reason: "Stalled PermissionMissing", message: lacks("create"), asked: 1}, // though by the dry run, too
		"a quota": {verbs: []string{"create"}, rights: true, reason: "Reconciling ApplyFailed",
			message: "will try again: cannot create PackageVariant " + expansion.Name("web", "a", "web") +
				`: packagevariants.config.porch.kpt.dev "x" is forbidden: no`, asked: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			objects := testObjects()
			set := objects[0].(*v1alpha2.PackageVariantSet)
			set.Spec.ErrorPolicy = test.policy
			c := newCluster(t, append(objects, &v1alpha1.PackageVariant{ObjectMeta: metav1.ObjectMeta{Namespace: "fleet",
				Name: "old", Labels: map[string]string{v1alpha2.OwnerLabel: "uid-1"}}})...)
			f := &forbidding{API: c.client, verbs: test.verbs, rights: test.rights}
			c.over(f, f)
			c.reconcile(t, true)
			if f.asked != test.asked {
				t.Errorf("%d questions, want %d", f.asked, test.asked)
			}
			if err := c.client.Get(t.Context(), client.ObjectKeyFromObject(set), set); err != nil {
				t.Fatal(err)
			}
			got := map[string]string{}
			for _, condition := range set.Status.Conditions {
				if condition.Status == metav1.ConditionTrue {
					got[condition.Type+" "+condition.Reason], _, _ = strings.Cut(condition.Message, ", cannot create") // others
				}
			}
			if diff := cmp.Diff(map[string]string{test.reason: test.message}, got); diff != "" {
				t.Errorf("conditions (-want +got):\n%s", diff)
			}
		})
	}
}
