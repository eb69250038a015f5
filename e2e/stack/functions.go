// SPDX-License-Identifier: Apache-2.0

package stack

import (
	"context"
	"fmt"
	"path"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

// functionNamespace is the namespace in which a function-runner that was built elsewhere finds its FunctionConfigs.
const functionNamespace = "porch-fn-system"

var functionConfigs = schema.GroupVersionResource{Group: repositories.Group, Version: repositories.Version,
	Resource: "functionconfigs"}

// functionConfig is the spec of a FunctionConfig: a binary and the images that it replaces.
type functionConfig struct {
	binary         string
	prefixes, tags []any
}

// applyFunctions makes a FunctionConfig for each function.
func (s *Stack) applyFunctions(ctx context.Context, namespace string, functions map[string]string) error {
	configs, err := functionConfigsOf(functions)
	if err != nil {
		return err
	}
	if err := s.apply(ctx, namespaceObject(namespace)); err != nil {
		return err
	}
	for name, config := range configs {
		err := s.apply(ctx, object{resource: functionConfigs, namespace: namespace, name: name, content: map[string]any{
			"apiVersion": functionConfigs.GroupVersion().String(), "kind": "FunctionConfig",
			"spec": map[string]any{"image": name, "prefixes": config.prefixes,
				"binaryExecutor": map[string]any{"tags": config.tags, "path": config.binary}},
		}})
		if err != nil {
			return err
		}
	}
	return s.forgetFunctions(ctx, namespace)
}

// functionConfigsOf returns the specs for the functions, by the last part of the image name. The function-runner
// matches only that part, the tags, and the allowed prefixes, so it cannot run two binaries for one name.
func functionConfigsOf(functions map[string]string) (map[string]*functionConfig, error) {
	configs := map[string]*functionConfig{}
	for image, binary := range functions {
		prefix, base := path.Split(image)
		name, tag, _ := strings.Cut(base, ":")
		config := configs[name]
		if config == nil {
			config = &functionConfig{binary: binary}
			configs[name] = config
		}
		if config.binary != binary {
			return nil, fmt.Errorf("the function %s: this function-runner runs one binary for all images %s, and that is %s",
				image, name, config.binary)
		}
		config.prefixes = append(config.prefixes, strings.TrimSuffix(prefix, "/"))
		config.tags = append(config.tags, tag)
	}
	return configs, nil
}

// forgetFunctions clears the record in a namespace's FunctionConfigs that a function-runner has read them, so that
// functionsKnown waits for the next one.
func (s *Stack) forgetFunctions(ctx context.Context, namespace string) error {
	if !s.porch.foreign {
		return nil
	}
	client, configs, err := s.listFunctions(ctx, namespace)
	if err != nil {
		return err
	}
	for _, config := range configs {
		_, err := client.Patch(ctx, config.GetName(), types.MergePatchType,
			[]byte(`{"status":{"functionRunnerObservedGeneration":null}}`), metav1.PatchOptions{}, "status")
		if err != nil {
			return fmt.Errorf("the FunctionConfig %s: %w", config.GetName(), err)
		}
	}
	return nil
}

// functionsKnown returns nil if a function-runner has read the FunctionConfigs of a namespace.
func (s *Stack) functionsKnown(ctx context.Context, namespace string) error {
	_, configs, err := s.listFunctions(ctx, namespace)
	if err != nil {
		return err
	}
	for _, config := range configs {
		n, _, err := unstructured.NestedInt64(config.Object, "status", "functionRunnerObservedGeneration")
		if err != nil {
			return err
		}
		if n != config.GetGeneration() {
			return fmt.Errorf("the FunctionConfig %s is not read yet", config.GetName())
		}
	}
	return nil
}

// listFunctions returns the FunctionConfigs of a namespace and a client for them.
func (s *Stack) listFunctions(ctx context.Context, namespace string) (dynamic.ResourceInterface,
	[]unstructured.Unstructured, error) {
	dynamics, err := dynamic.NewForConfig(s.Config)
	if err != nil {
		return nil, nil, err
	}
	client := dynamics.Resource(functionConfigs).Namespace(namespace)
	list, err := client.List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, nil, fmt.Errorf("cannot list FunctionConfigs: %w", err)
	}
	return client, list.Items, nil
}
