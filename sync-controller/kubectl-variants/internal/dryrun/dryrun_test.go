// SPDX-License-Identifier: Apache-2.0

package dryrun

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/plans"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/scheme"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// server is an API server that has one variant, there, and refuses a variant that publishes.
type server struct {
	client.Client
	t        *testing.T
	denied   string // the verb to which the user has no right
	warnings rest.WarningHandler
	asked    []string
	fails    error
}

var errRefused = apierrors.NewForbidden(
	schema.GroupResource{Group: "config.porch.kpt.dev", Resource: "packagevariants"}, "web", errors.New("this publishes"))

func (s *server) Scheme() *runtime.Scheme {
	types, err := scheme.New()
	if err != nil {
		s.t.Fatal(err)
	}
	return types
}

func (s *server) Get(_ context.Context, key client.ObjectKey, o client.Object, _ ...client.GetOption) error {
	pv, ok := o.(*v1alpha1.PackageVariant)
	if s.denied == "get" {
		return apierrors.NewForbidden(schema.GroupResource{Resource: "packagevariants"}, key.Name, nil)
	}
	if key.Name != "there" || !ok {
		return apierrors.NewNotFound(schema.GroupResource{Resource: "packagevariants"}, key.Name)
	}
	*pv = v1alpha1.PackageVariant{ObjectMeta: metav1.ObjectMeta{
		Namespace: key.Namespace, Name: key.Name, UID: "real", ResourceVersion: "7", Generation: 3,
		ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "somebody"}},
	}}
	return nil
}

func (s *server) Create(_ context.Context, o client.Object, options ...client.CreateOption) error {
	if review, ok := o.(*authorizationv1.SelfSubjectAccessReview); ok {
		review.Status.Allowed = review.Spec.ResourceAttributes.Verb != s.denied
		return nil
	}
	if o.GetUID() != "" || o.GetResourceVersion() != "" {
		s.t.Errorf("%s is created as one that is there", o.GetName())
	}
	return s.answer("create", o, (&client.CreateOptions{}).ApplyOptions(options).DryRun)
}

func (s *server) Patch(_ context.Context, o client.Object, patch client.Patch, options ...client.PatchOption) error {
	data, err := patch.Data(o)
	if err != nil {
		return err
	}
	return s.answer("patch "+string(data), o, (&client.PatchOptions{}).ApplyOptions(options).DryRun)
}

func (s *server) Delete(_ context.Context, o client.Object, options ...client.DeleteOption) error {
	return s.answer("delete", o, (&client.DeleteOptions{}).ApplyOptions(options).DryRun)
}

// answer records a request, which must be a dry run.
func (s *server) answer(request string, o client.Object, dryRun []string) error {
	if !cmp.Equal(dryRun, []string{metav1.DryRunAll}) {
		s.t.Errorf("%s of %s is no dry run", request, o.GetName())
	}
	s.asked = append(s.asked, request+" "+o.GetName())
	s.warnings.HandleWarningHeader(299, "", "you may not create drafts")
	pv, ok := o.(*v1alpha1.PackageVariant)
	switch {
	case s.fails != nil:
		return s.fails
	case ok && pv.Spec.ApprovalPolicy == "Automatic":
		return errRefused
	}
	return nil
}

func planned(name string, policy variant.ApprovalPolicy) *v1alpha1.PackageVariant {
	return &v1alpha1.PackageVariant{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: "planned-x", ResourceVersion: "planned-0",
			Generation: 4},
		Spec: variant.Spec{ApprovalPolicy: policy},
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	set := &v1alpha2.PackageVariantSet{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "fleet"}}
	const warning = "The API server warns: you may not create drafts"
	for name, c := range map[string]struct {
		objects []client.Object
		delete  bool
		denied  string
		fails   error
		asked   []string
		want    Answers
	}{
		"taken": {
			objects: []client.Object{planned("web", "Manual"), set, &corev1.ConfigMap{}},
			asked:   []string{"create web", "create fleet"}, want: Answers{Notes: []string{warning}},
		},
		"refused": {
			objects: []client.Object{planned("web", "Automatic")}, asked: []string{"create web"},
			want: Answers{Notes: []string{warning}, Refusals: []plans.Refusal{{Kind: "PackageVariant", Namespace: "default",
				Name: "web", Message: errRefused.Error()}}},
		},
		"a change": {
			objects: []client.Object{planned("there", "Initial")},
			asked:   []string{`patch {"spec":{"approvalPolicy":"Initial"}} there`}, want: Answers{Notes: []string{warning}},
		},
		"a deletion": {
			objects: []client.Object{planned("there", "")}, delete: true,
			asked: []string{"delete there"}, want: Answers{Notes: []string{warning}},
		},
		"a deletion of what only a base has": {
			objects: []client.Object{&metav1.PartialObjectMetadata{
				TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha2.GroupVersion.String(), Kind: "PackageVariantSet"},
				ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "fleet"},
			}},
			delete: true, asked: []string{"delete fleet"}, want: Answers{Notes: []string{warning}},
		},
		"somebody else applies it": {
			objects: []client.Object{planned("web", "Automatic"), planned("shop", "Automatic")}, denied: "create",
			want: Answers{Notes: []string{"You may not create packagevariants in the namespace default, so it is not known " +
				"whether policies refuse them to whoever applies them: plan as that account, by --as"}},
		},
		"somebody who may not even get it": {
			objects: []client.Object{planned("there", "Automatic")}, denied: "get",
			want: Answers{Notes: []string{"You may not get packagevariants in the namespace default, so it is not known " +
				"whether policies refuse them to whoever applies them: plan as that account, by --as"}},
		},
		"no answer": {
			objects: []client.Object{planned("web", "")}, fails: apierrors.NewInternalError(errors.New("boom")),
			asked: []string{"create web"},
			want: Answers{Notes: []string{"The API server does not say whether it takes the PackageVariant web: " +
				"Internal error occurred: boom", warning}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &server{t: t, denied: c.denied, fails: c.fails}
			a, err := New(func(handler rest.WarningHandler) (client.Client, error) {
				s.warnings = handler
				return s, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			ask := a.Apply
			if c.delete {
				ask = a.Delete
			}
			before, err := json.Marshal(c.objects)
			if err != nil {
				t.Fatal(err)
			}
			got, err := ask(t.Context(), c.objects)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("answers (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.asked, s.asked); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
			if after, err := json.Marshal(c.objects); err != nil || string(after) != string(before) {
				t.Errorf("the objects are changed: %s, error %v", after, err)
			}
		})
	}
}
