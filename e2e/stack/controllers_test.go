// SPDX-License-Identifier: Apache-2.0

package stack

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// TestControllerManager checks that the optional controllers of a stack do what they do in a cluster, and end with the
// stack.
func TestControllerManager(t *testing.T) {
	s, err := Start(t.Context(), Options{ControllerManager: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop() })
	client, err := kubernetes.NewForConfig(s.Config)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("garbage", func(t *testing.T) { collects(t, client) })
	t.Run("aggregation", func(t *testing.T) { aggregates(t, client) })
	t.Run("namespace", func(t *testing.T) { finalizes(t, client) })

	pids := s.PIDs()
	if want := len(s.Components()) + 2; len(pids) != want || pids["kube-controller-manager"] == 0 {
		t.Errorf("processes %v, want %d, one of them kube-controller-manager", pids, want)
	}
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
	expectGone(t, pids)
}

// collects deletes an object and expects that its dependents are deleted with it, and nothing else.
func collects(t *testing.T, client kubernetes.Interface) {
	configMaps := client.CoreV1().ConfigMaps("default")
	create := func(name string, owners ...metav1.OwnerReference) *corev1.ConfigMap {
		t.Helper()
		made, err := configMaps.Create(t.Context(), &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: name, OwnerReferences: owners},
		}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	owner := create("owner")
	create("owned", metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: owner.Name, UID: owner.UID})
	create("free")
	if err := configMaps.Delete(t.Context(), owner.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, func(ctx context.Context) error {
		return gone(configMaps.Get(ctx, "owned", metav1.GetOptions{}))
	})
	if _, err := configMaps.Get(t.Context(), "free", metav1.GetOptions{}); err != nil {
		t.Error(err)
	}
}

// aggregates expects that an aggregated ClusterRole gets the rules of those that it selects.
func aggregates(t *testing.T, client kubernetes.Interface) {
	roles := client.RbacV1().ClusterRoles()
	part := map[string]string{"part-of": "whole"}
	rules := []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"get"}}}
	for _, role := range []*rbacv1.ClusterRole{
		{
			ObjectMeta:      metav1.ObjectMeta{Name: "whole"},
			AggregationRule: &rbacv1.AggregationRule{ClusterRoleSelectors: []metav1.LabelSelector{{MatchLabels: part}}},
		},
		{ObjectMeta: metav1.ObjectMeta{Name: "part", Labels: part}, Rules: rules},
	} {
		if _, err := roles.Create(t.Context(), role, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, func(ctx context.Context) error {
		whole, err := roles.Get(ctx, "whole", metav1.GetOptions{})
		if err != nil {
			return err
		}
		if diff := cmp.Diff(rules, whole.Rules); diff != "" {
			return fmt.Errorf("the rules are not those of the part (-want +got):\n%s", diff)
		}
		return nil
	})
}

// finalizes expects that a deleted namespace is removed.
func finalizes(t *testing.T, client kubernetes.Interface) {
	namespaces := client.CoreV1().Namespaces()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "short-lived"}}
	if _, err := namespaces.Create(t.Context(), namespace, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := namespaces.Delete(t.Context(), namespace.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, func(ctx context.Context) error {
		return gone(namespaces.Get(ctx, namespace.Name, metav1.GetOptions{}))
	})
}

// gone returns nil if the result of a GET is that the object does not exist.
func gone(object metav1.Object, err error) error {
	if err == nil {
		return fmt.Errorf("%s is still there", object.GetName())
	}
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// eventually waits until check returns no error, and fails the test after a minute.
func eventually(t *testing.T, check func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		err := check(ctx)
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatal(err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}
