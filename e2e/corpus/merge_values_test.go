// SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/e2e/internal/tree"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// contentOf returns what the files of a package say: its resources by kind and name, containers by name. Other lists
// are single values, and an alias is what it stands for.
func contentOf(files tree.Tree) (map[string]any, error) {
	all := map[string]any{}
	for name, text := range files {
		decoder := yaml.NewDecoder(strings.NewReader(text))
		for {
			var n yaml.Node
			var value map[string]any
			err := decoder.Decode(&n)
			if errors.Is(err, io.EOF) {
				break
			}
			if err == nil {
				err = n.Decode(&value)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w\n%s", name, err, text)
			}
			if len(value) == 0 {
				continue
			}
			metadata, _ := value["metadata"].(map[string]any)
			all[fmt.Sprintf("%v %q", value["kind"], metadata["name"])] = byName(value)
		}
	}
	return all, nil
}

// byName returns maps with the containers in them by name, and any other value as text.
func byName(value any) any {
	switch value := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, v := range value {
			if out[key] = byName(v); key != "containers" {
				continue
			}
			containers := map[string]any{}
			for _, v := range v.([]any) {
				containers[fmt.Sprintf("[name=%v]", v.(map[string]any)["name"])] = byName(v)
			}
			out[key] = containers
		}
		return out
	default:
		return fmt.Sprintf("%T %#v", value, value)
	}
}

// contradiction is a value that both sides changed to different ones: the names on the path to it, and the values.
type contradiction struct {
	path           []string
	updated, local any
}

// merged returns what a merge makes of three versions of a value, known by nothing but values, and appends what
// contradicts itself. A resource that one side removed and the other one changed stays as it is in the package.
func merged(original, updated, local any, upstreamWins bool, path []string, all *[]contradiction) any {
	switch {
	case reflect.DeepEqual(original, updated):
		return local
	case reflect.DeepEqual(original, local), reflect.DeepEqual(updated, local):
		return updated
	}
	o, _ := original.(map[string]any)
	u, updatedIsMap := updated.(map[string]any)
	l, localIsMap := local.(map[string]any)
	if updatedIsMap && localIsMap {
		keys := maps.Clone(o)
		if keys == nil {
			keys = map[string]any{}
		}
		maps.Copy(keys, u)
		maps.Copy(keys, l)
		out := map[string]any{}
		for key := range keys {
			if v := merged(o[key], u[key], l[key], upstreamWins, append(slices.Clone(path), key), all); v != nil {
				out[key] = v
			}
		}
		return out
	}
	*all = append(*all, contradiction{path, updated, local})
	if upstreamWins && (len(path) > 1 || updated != nil && local != nil) {
		return updated
	}
	return local
}
