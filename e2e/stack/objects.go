// SPDX-License-Identifier: Apache-2.0

package stack

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"
)

const (
	porchGroup   = "porch.kpt.dev"
	porchVersion = "v1alpha1"
)

// The resources that a stack is made with.
var (
	namespaces   = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	services     = schema.GroupVersionResource{Version: "v1", Resource: "services"}
	crds         = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	webhooks     = schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingwebhookconfigurations"}
	apiServices  = schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}
	repositories = schema.GroupVersionResource{Group: "config.porch.kpt.dev", Version: "v1alpha1", Resource: "repositories"}
)

// porchCRDs are the CRDs that Porch's API server needs, in Porch's module.
var porchCRDs = []string{
	"api/porchconfig/v1alpha1/config.porch.kpt.dev_repositories.yaml",
	"internal/api/porchinternal/v1alpha1/config.porch.kpt.dev_packagerevs.yaml",
}

// object is an object and where the API keeps it.
type object struct {
	resource        schema.GroupVersionResource
	namespace, name string
	content         map[string]any // without the metadata that the other fields are
}

// apply creates an object, or makes an existing one what it says.
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

// condition returns nil if a condition of the object is True, and an error that says what it is otherwise.
func (s *Stack) condition(ctx context.Context, resource schema.GroupVersionResource, namespace, name, kind string) error {
	client, err := dynamic.NewForConfig(s.Config)
	if err != nil {
		return err
	}
	u, err := client.Resource(resource).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	conditions, _, err := unstructured.NestedSlice(u.Object, "status", "conditions")
	if err != nil {
		return err
	}
	for _, each := range conditions {
		condition, ok := each.(map[string]any)
		switch {
		case !ok || condition["type"] != kind:
		case condition["status"] == "True":
			return nil
		default:
			return fmt.Errorf("%s %s: condition %s is %v: %v", resource.Resource, name, kind, condition["status"], condition["message"])
		}
	}
	return fmt.Errorf("%s %s has no condition %s yet", resource.Resource, name, kind)
}

// installPorch applies what Porch's API server finds in a cluster, except for the APIService, and waits until its CRDs
// are served.
func (s *Stack) installPorch(ctx context.Context) error {
	module, err := porchModule(ctx)
	if err != nil {
		return err
	}
	objects := []object{porchNamespaceObject(), porchServiceObject(), deletionWebhook(s.certs.pem(), local(s.ports.webhook))}
	for _, file := range porchCRDs {
		content, err := os.ReadFile(filepath.Join(module, filepath.FromSlash(file)))
		if err != nil {
			return err
		}
		crd := map[string]any{}
		if err := yaml.Unmarshal(content, &crd); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		objects = append(objects, object{resource: crds, name: (&unstructured.Unstructured{Object: crd}).GetName(), content: crd})
	}
	for _, o := range objects {
		if err := s.apply(ctx, o); err != nil {
			return err
		}
	}
	for _, o := range objects {
		if o.resource != crds {
			continue
		}
		err := s.process("kube-apiserver").await(ctx, "it served "+o.name, func(ctx context.Context) error {
			return s.condition(ctx, crds, "", o.name, "Established")
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func porchNamespaceObject() object {
	return object{resource: namespaces, name: porchNamespace, content: map[string]any{"apiVersion": "v1", "kind": "Namespace"}}
}

// porchServiceObject leads from the cluster to this machine.
func porchServiceObject() object {
	return object{resource: services, namespace: porchNamespace, name: porchService, content: map[string]any{
		"apiVersion": "v1", "kind": "Service",
		"spec": map[string]any{"type": "ExternalName", "externalName": "127.0.0.1"},
	}}
}

// apiService hands Porch's API to Porch's API server.
func apiService(ca []byte, port int) object {
	return object{resource: apiServices, name: porchVersion + "." + porchGroup, content: map[string]any{
		"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService",
		"spec": map[string]any{
			"group": porchGroup, "version": porchVersion, "groupPriorityMinimum": 1000, "versionPriority": 15,
			"caBundle": base64.StdEncoding.EncodeToString(ca),
			"service":  map[string]any{"namespace": porchNamespace, "name": porchService, "port": port},
		},
	}}
}

// deletionWebhook is what Porch's API server would create if it made the certificate of its webhook itself.
func deletionWebhook(ca []byte, address string) object {
	return object{resource: webhooks, name: "packagerev-deletion-validating-webhook", content: map[string]any{
		"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
		"webhooks": []any{map[string]any{
			"name":                    "packagerevdeletion.google.com",
			"admissionReviewVersions": []any{"v1", "v1beta1"},
			"sideEffects":             "None",
			"failurePolicy":           "Fail",
			"clientConfig": map[string]any{
				"url":      "https://" + address + "/validate-deletion",
				"caBundle": base64.StdEncoding.EncodeToString(ca),
			},
			"rules": []any{map[string]any{
				"operations": []any{"DELETE"}, "apiGroups": []any{porchGroup}, "apiVersions": []any{porchVersion},
				"resources": []any{"packagerevisions"},
			}},
		}},
	}}
}

// RegisterRepository registers a git repository, which the git server makes, with Porch, and waits until Porch has read
// it. Packages of a deployment repository are meant to be deployed.
func (s *Stack) RegisterRepository(ctx context.Context, namespace, name string, deployment bool) error {
	err := s.apply(ctx, object{resource: repositories, namespace: namespace, name: name, content: map[string]any{
		"apiVersion": repositories.GroupVersion().String(), "kind": "Repository",
		"spec": map[string]any{
			"type": "git", "content": "Package", "deployment": deployment,
			"git": map[string]any{"repo": s.GitURL(name), "branch": "main", "directory": "/"},
		},
	}})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return s.process("porch").await(ctx, "it had read repository "+namespace+"/"+name, func(ctx context.Context) error {
		return s.condition(ctx, repositories, namespace, name, "Ready")
	})
}
