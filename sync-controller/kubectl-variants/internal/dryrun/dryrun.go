// SPDX-License-Identifier: Apache-2.0

// Package dryrun asks a cluster's API server whether it accepts the objects of a plan from this user. It sends the
// requests that kubectl would send, as dry runs, which policies check too and which write nothing.
package dryrun

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/package-variants/package-variants/engine/plans"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/live"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// Answers are an API server's answers about sets and variants.
type Answers struct {
	// Refusals are about the objects that it refuses.
	Refusals []plans.Refusal
	// Notes are its warnings, and the objects that it was not asked about.
	Notes []string
}

// Asker asks an API server.
type Asker struct {
	client   client.Client
	warnings warnings
}

// New returns an Asker. connect returns a client of the user that passes warnings to the handler.
func New(connect func(rest.WarningHandler) (client.Client, error)) (*Asker, error) {
	a := &Asker{}
	c, err := connect(&a.warnings)
	if err != nil {
		return nil, err
	}
	a.client = client.NewDryRunClient(c)
	return a, nil
}

// Apply asks about the sets and variants among objects, as kubectl apply writes them. The objects must have their
// namespaces, and the cluster's values for everything that their manifests leave out.
func (a *Asker) Apply(ctx context.Context, objects []client.Object) (Answers, error) {
	return a.ask(ctx, objects, func(o client.Object) (string, func() error, error) {
		before, ok := o.DeepCopyObject().(client.Object)
		if !ok {
			return "", nil, fmt.Errorf("%s is no object", o.GetName())
		}
		err := a.client.Get(ctx, client.ObjectKeyFromObject(o), before)
		if apierrors.IsNotFound(err) {
			return "create", func() error { return a.client.Create(ctx, asIs(o, nil)) }, nil
		}
		return "patch", func() error { return a.client.Patch(ctx, asIs(o, before), client.MergeFrom(before)) }, err
	})
}

// Delete asks about the sets and variants among objects, as kubectl delete deletes them.
func (a *Asker) Delete(ctx context.Context, objects []client.Object) (Answers, error) {
	return a.ask(ctx, objects, func(o client.Object) (string, func() error, error) {
		return "delete", func() error { return client.IgnoreNotFound(a.client.Delete(ctx, o)) }, nil
	})
}

// asIs returns an object with the fields that only the API server writes as in the cluster, or without them.
func asIs(o, before client.Object) client.Object {
	after, ok := o.DeepCopyObject().(client.Object)
	if !ok {
		return o
	}
	if before == nil {
		after.SetUID("")
		after.SetResourceVersion("")
		return after
	}
	after.SetUID(before.GetUID())
	after.SetResourceVersion(before.GetResourceVersion())
	after.SetGeneration(before.GetGeneration())
	after.SetManagedFields(before.GetManagedFields())
	after.GetObjectKind().SetGroupVersionKind(before.GetObjectKind().GroupVersionKind())
	return after
}

// ask asks about each object with the request that it needs, if the user has the right to send it. Without that right
// another user will apply the object, and nothing is known about that user's rights.
func (a *Asker) ask(ctx context.Context, objects []client.Object,
	request func(client.Object) (verb string, do func() error, err error)) (Answers, error) {
	var answers Answers
	rights := map[string]bool{} // that were asked for
	for _, o := range objects {
		kind, planned := a.kindOf(o)
		if !planned {
			continue
		}
		verb, do, err := request(o)
		if apierrors.IsForbidden(err) {
			answers.Notes = append(answers.Notes, mayNot(fmt.Sprintf("get %s in the namespace %s", kind.Resource,
				o.GetNamespace())))
			continue
		}
		if err != nil {
			return answers, live.Explain(err, live.Call{Verb: "get", Kind: kind, Namespace: o.GetNamespace()})
		}
		right := fmt.Sprintf("%s %s in the namespace %s", verb, kind.Resource, o.GetNamespace())
		if _, asked := rights[right]; !asked {
			rights[right] = live.New(a.client, o.GetNamespace()).May(ctx, verb, kind, "") == nil
		}
		if !rights[right] {
			answers.Notes = append(answers.Notes, mayNot(right))
			continue
		}
		switch err := do(); {
		case apierrors.IsForbidden(err), apierrors.IsInvalid(err):
			answers.Refusals = append(answers.Refusals, plans.Refusal{
				Kind: kind.Name, Namespace: o.GetNamespace(), Name: o.GetName(), Message: err.Error()})
		case err != nil:
			answers.Notes = append(answers.Notes, fmt.Sprintf("The API server does not say whether it takes the %s %s: %v",
				kind.Name, o.GetName(), err))
		}
	}
	answers.Notes = slices.Compact(slices.Sorted(slices.Values(append(answers.Notes, a.warnings.all()...))))
	return answers, nil
}

// mayNot returns the note about objects that the API server is not asked about, since the user lacks a right.
func mayNot(right string) string {
	return "You may not " + right + ", so it is not known whether policies refuse them to whoever applies them: plan as " +
		"that account, by --as"
}

// kindOf returns the kind of a set or a variant, which may have its identity only; false for all other objects.
func (a *Asker) kindOf(o client.Object) (live.Kind, bool) {
	gvk, err := apiutil.GVKForObject(o, a.client.Scheme())
	if err != nil {
		return live.Kind{}, false
	}
	for _, kind := range []live.Kind{live.Variant, live.Set} {
		if gvk.Group == kind.Group() && gvk.Kind == kind.Name {
			return kind, true
		}
	}
	return live.Kind{}, false
}

// warnings are the API server's warnings.
type warnings struct {
	mutex sync.Mutex
	texts []string
}

// HandleWarningHeader implements rest.WarningHandler.
func (w *warnings) HandleWarningHeader(_ int, _, text string) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.texts = append(w.texts, text)
}

func (w *warnings) all() []string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	out := make([]string, len(w.texts))
	for i, text := range w.texts {
		out[i] = "The API server warns: " + strings.TrimSpace(text)
	}
	return out
}
