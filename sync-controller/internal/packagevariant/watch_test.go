// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"testing"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
)

func TestRepositoryChanged(t *testing.T) {
	t.Parallel()
	repository := func(address string, conditions ...metav1.Condition) *configapi.Repository {
		r := &configapi.Repository{Spec: configapi.RepositorySpec{Git: &configapi.GitRepository{Repo: address}}}
		r.Status.Conditions = conditions
		return r
	}
	condition := func(kind string, status metav1.ConditionStatus, reason, message string) metav1.Condition {
		return metav1.Condition{Type: kind, Status: status, Reason: reason, Message: message,
			LastTransitionTime: metav1.Now()}
	}
	ready := condition("Ready", "True", "Ready", "Repository Ready")
	later := ready
	later.LastTransitionTime = metav1.Unix(1, 0)
	labelled := repository("a", ready)
	labelled.Labels = map[string]string{"env": "prod"}
	for name, c := range map[string]struct {
		before, after client.Object
		want          bool
	}{
		"nothing": {repository("a", ready), repository("a", ready), false},
		"a label": {repository("a", ready), labelled, false},
		"a time":  {repository("a", ready), repository("a", later), false},
		"the reason alone": {repository("a", ready), repository("a",
			condition("Ready", "True", "Other", "Repository Ready")), false},
		"another condition": {repository("a", ready), repository("a", ready, condition("Other", "True", "X", "x")),
			false},
		"ready for the first": {repository("a"), repository("a", ready), true},
		"not ready any more": {repository("a", ready), repository("a", condition("Ready", "False", "Error", "no route")),
			true},
		"another message": {repository("a", condition("Ready", "False", "Error", "no route")),
			repository("a", condition("Ready", "False", "Error", "no key")), true},
		"unknown, from nothing": {repository("a"), repository("a",
			condition("Ready", "Unknown", "X", "Porch has not read it yet")), false},
		"another address": {repository("a", ready), repository("b", ready), true},
		"no git any more": {repository("a", ready), &configapi.Repository{Status: repository("a", ready).Status}, true},
		"of another kind": {&porchapi.PackageRevision{}, &porchapi.PackageRevision{}, true},
	} {
		if got := repositoryChanged().Update(event.UpdateEvent{ObjectOld: c.before, ObjectNew: c.after}); got != c.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
	p := repositoryChanged()
	if !p.Create(event.CreateEvent{}) || !p.Delete(event.DeleteEvent{}) || !p.Generic(event.GenericEvent{}) {
		t.Error("a Repository that comes or goes is not told of")
	}
}
