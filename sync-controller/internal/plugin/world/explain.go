// SPDX-License-Identifier: Apache-2.0

package world

import (
	"errors"
	"fmt"
	"net"
	"strings"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Explain says what is missing where a cluster could not be asked, and what to do about it. The verb is in the words of
// RBAC.
func Explain(err error, resource schema.GroupResource, namespace, verb string) error {
	var noNet net.Error
	var op *net.OpError
	switch {
	case apierrors.IsForbidden(err):
		return fmt.Errorf("you may not %s %s in namespace %s: ask for a Role with the rule {apiGroups: [%q], resources: "+
			"[%q], verbs: [%s]}", verb, resource, namespace, resource.Group, resource.Resource, verb)
	case apierrors.IsUnauthorized(err):
		return fmt.Errorf("the cluster does not know you: log in to it, or name another user by --user or --context: %w",
			err)
	case meta.IsNoMatchError(err), verb == "list" && apierrors.IsNotFound(err):
		return fmt.Errorf("the cluster does not know %s: %s", resource, remedyFor(resource.Group))
	case errors.As(err, &op), errors.As(err, &noNet), strings.Contains(err.Error(), "connection refused"):
		return fmt.Errorf("cannot reach the cluster: %w; set --kubeconfig or --context, or plan from files by --from", err)
	case apierrors.IsServiceUnavailable(err):
		return fmt.Errorf("the cluster cannot %s %s now: %w; is Porch running?", verb, resource, err)
	}
	return fmt.Errorf("cannot %s %s in namespace %s: %w", verb, resource, namespace, err)
}

// remedyFor says how a cluster comes to know a group of kinds.
func remedyFor(group string) string {
	switch group {
	case porchapi.SchemeGroupVersion.Group:
		return "install Porch, or plan from files by --from"
	case v1alpha1.GroupVersion.Group:
		return fmt.Sprintf("install the CRDs of package variants and of Porch (%s), or plan from files by --from",
			configapi.GroupVersion.Group)
	}
	return "install its CRD, or correct apiVersion and kind where it is named"
}

// plural returns the name of the resources of a kind, as it most often is.
func plural(kind string) string {
	name := strings.ToLower(kind)
	switch {
	case strings.HasSuffix(name, "y"):
		return strings.TrimSuffix(name, "y") + "ies"
	case strings.HasSuffix(name, "s"):
		return name + "es"
	}
	return name + "s"
}

// extract returns the items of a list as objects.
func extract(list client.ObjectList) ([]client.Object, error) {
	items, err := meta.ExtractList(list)
	if err != nil {
		return nil, err
	}
	out := make([]client.Object, 0, len(items))
	for _, item := range items {
		if o, ok := item.(client.Object); ok {
			out = append(out, o)
		}
	}
	return out, nil
}
