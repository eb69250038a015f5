// SPDX-License-Identifier: Apache-2.0

package changes

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/functions/inject-config/injection"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Own returns the values that are known to be a package's own, by their names: the name and the labels of its
// Repository, and, of its files, the package context and what was injected. Of two values with one name, the first
// counts. What cannot be read has none.
func Own(repository string, labels, files map[string]string) map[string]string {
	own := map[string]string{"repository": repository}
	note := func(name string, value any) {
		if text, isText := value.(string); isText && own[name] == "" {
			own[name] = text
		}
	}
	for _, r := range resources(files[contextFile]) {
		eachLeaf("", r["data"], note)
	}
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		note(name, labels[name])
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if !strings.Contains(files[path], injection.PorchInjectedAnnotation) { // with which the other one begins
			continue
		}
		for _, r := range resources(files[path]) {
			if isInjected(r) {
				eachLeaf("", r["data"], note)
				eachLeaf("", r["spec"], note)
			}
		}
	}
	return own
}

// contextFile has the package context.
const contextFile = "package-context.yaml"

// resources returns the resources of a file, as far as they can be read.
func resources(text string) (all []map[string]any) {
	for decoder := yaml.NewDecoder(strings.NewReader(text)); ; {
		var r map[string]any
		if decoder.Decode(&r) != nil {
			return all
		}
		all = append(all, r)
	}
}

// isInjected reports whether a resource has injected values.
func isInjected(r map[string]any) bool {
	metadata, _ := r["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	return annotations[injection.InjectedAnnotation] != nil || annotations[injection.PorchInjectedAnnotation] != nil
}

// eachLeaf calls do with each value in a value, in order, and with its name: the fields that lead to it.
func eachLeaf(name string, value any, do func(name string, value any)) {
	join := func(field string) string { return strings.TrimPrefix(name+"."+field, ".") }
	switch of := value.(type) {
	case map[string]any:
		for _, field := range slices.Sorted(maps.Keys(of)) {
			eachLeaf(join(field), of[field], do)
		}
	case []any:
		for i := range of {
			eachLeaf(join(fmt.Sprint(i)), of[i], do)
		}
	default:
		do(name, value)
	}
}
