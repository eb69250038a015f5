// SPDX-License-Identifier: Apache-2.0

package stack

import (
	"context"
	"encoding/base64"
	"fmt"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

const (
	porchGroup   = "porch.kpt.dev"
	porchVersion = "v1alpha1"
)

// The resources that a stack uses.
var (
	namespaces = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	services   = schema.GroupVersionResource{Version: "v1", Resource: "services"}
	crds       = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1",
		Resource: "customresourcedefinitions"}
	webhooks = schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1",
		Resource: "validatingwebhookconfigurations"}
	apiServices      = schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}
	packageRevisions = schema.GroupVersionResource{Group: porchGroup, Version: porchVersion, Resource: "packagerevisions"}
	repositories     = schema.GroupVersionResource{Group: "config.porch.kpt.dev", Version: "v1alpha1",
		Resource: "repositories"}
)

// object is an object with its location in the API.
type object struct {
	resource        schema.GroupVersionResource
	namespace, name string
	content         map[string]any // without the metadata in the other fields
}

// apply creates or updates an object.
func (s *Stack) apply(ctx context.Context, o object) error {
	client, err := dynamic.NewForConfig(s.Config)
	if err != nil {
		return err
	}
	u := &unstructured.Unstructured{Object: o.content}
	u.SetName(o.name)
	u.SetNamespace(o.namespace)
	options := metav1.ApplyOptions{FieldManager: "stack", Force: true}
	if _, err := client.Resource(o.resource).Namespace(o.namespace).Apply(ctx, o.name, u, options); err != nil {
		return fmt.Errorf("cannot apply %s %s: %w", o.resource.Resource, o.name, err)
	}
	return nil
}

// condition returns nil if a condition of the object is True for the current generation, and otherwise an error with
// its state.
func (s *Stack) condition(ctx context.Context, resource schema.GroupVersionResource, namespace, name,
	kind string) error {
	u, err := s.get(ctx, resource, namespace, name)
	if err != nil {
		return err
	}
	return conditionOf(u, kind)
}

// get returns an object.
func (s *Stack) get(ctx context.Context, resource schema.GroupVersionResource, namespace,
	name string) (*unstructured.Unstructured, error) {
	client, err := dynamic.NewForConfig(s.Config)
	if err != nil {
		return nil, err
	}
	return client.Resource(resource).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
}

// conditionOf is condition for an object that was read.
func conditionOf(u *unstructured.Unstructured, kind string) error {
	conditions, _, err := unstructured.NestedSlice(u.Object, "status", "conditions")
	if err != nil {
		return err
	}
	for _, each := range conditions {
		condition, ok := each.(map[string]any)
		switch {
		case !ok || condition["type"] != kind:
		case older(condition["observedGeneration"], u.GetGeneration()):
			return fmt.Errorf("%s %s: condition %s is of generation %v, not of %d", u.GetKind(), u.GetName(), kind,
				condition["observedGeneration"], u.GetGeneration())
		case condition["status"] == "True":
			return nil
		default:
			return fmt.Errorf("%s %s: condition %s is %v: %v", u.GetKind(), u.GetName(), kind, condition["status"],
				condition["message"])
		}
	}
	return fmt.Errorf("%s %s has no condition %s yet", u.GetKind(), u.GetName(), kind)
}

// older reports whether an observedGeneration exists and is lower than the generation.
func older(observed any, generation int64) bool {
	n, ok := observed.(int64)
	return ok && n < generation
}

func namespaceObject(name string) object {
	return object{resource: namespaces, name: name, content: map[string]any{"apiVersion": "v1", "kind": "Namespace"}}
}

// porchServiceObject is a Service that leads from the cluster to this machine.
func porchServiceObject() object {
	return object{resource: services, namespace: porchNamespace, name: porchService, content: map[string]any{
		"apiVersion": "v1", "kind": "Service",
		"spec": map[string]any{"type": "ExternalName", "externalName": "127.0.0.1"},
	}}
}

// apiService registers Porch's API with Porch's API server, the process with that ID.
func apiService(ca []byte, port, pid int) object {
	return object{resource: apiServices, name: porchVersion + "." + porchGroup, content: map[string]any{
		"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService",
		"metadata": map[string]any{"annotations": map[string]any{"e2e/porch-process": strconv.Itoa(pid)}},
		"spec": map[string]any{
			"group": porchGroup, "version": porchVersion, "groupPriorityMinimum": 1000, "versionPriority": 15,
			"caBundle": base64.StdEncoding.EncodeToString(ca),
			"service":  map[string]any{"namespace": porchNamespace, "name": porchService, "port": port},
		},
	}}
}
