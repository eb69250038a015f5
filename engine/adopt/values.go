// SPDX-License-Identifier: Apache-2.0

package adopt

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// compare counts the values that both have, wherever they are and however they are written.
func (l *Likeness) compare(copied, upstream *values) {
	own := 0
	for value, n := range copied.count {
		same := min(n, upstream.count[value])
		l.Values, l.Same = l.Values+n, l.Same+same
		if !ofAll(value) {
			own += same
		}
	}
	l.differ = l.Values - 2*l.Same
	for _, n := range upstream.count {
		l.differ += n
	}
	if own == 0 { // what all resources have does not make a copy
		l.Same = 0
	}
}

// values are the values of a package: of the fields of resources, and the lines of all other files.
type values struct {
	count map[string]int
	// upstream are the resources that have other names upstream.
	upstream map[string]string
}

// valuesOf returns the values in files, without those of Kptfiles. Paired resources count as those that they are
// upstream.
func valuesOf(files map[string]string, pairs []merging.Pair) *values {
	v := &values{count: map[string]int{}, upstream: map[string]string{}}
	for _, p := range pairs {
		v.upstream[p.Here.String()] = p.Upstream.String()
	}
	for name, text := range files {
		if path.Base(name) == kptfile {
			continue
		}
		if ext := path.Ext(name); ext != ".yaml" && ext != ".yml" && ext != ".json" || !v.addResources(text) {
			for line := range strings.Lines(text) {
				if line = strings.TrimSpace(line); line != "" {
					v.count[line]++
				}
			}
		}
	}
	return v
}

// addResources adds the values of a file of resources, and reports whether it is one.
func (v *values) addResources(text string) bool {
	var all []*yaml.RNode
	for decoder := yaml.NewDecoder(strings.NewReader(text)); ; {
		var node yaml.Node
		err := decoder.Decode(&node)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return false
		}
		all = append(all, yaml.NewRNode(&node))
	}
	for _, node := range all {
		resource := fmt.Sprintf("%s %s", node.GetKind(), node.GetName())
		v.add(cmp.Or(v.upstream[resource], resource), node.YNode())
	}
	return true
}

// add adds the values of a node. Where an entry is in a list does not count.
func (v *values) add(at string, node *yaml.Node) {
	switch {
	case node == nil:
	case node.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			v.add(at+"."+node.Content[i].Value, node.Content[i+1])
		}
	case node.Kind == yaml.ScalarNode:
		v.count[at+": "+node.Value]++
	case node.Kind == yaml.AliasNode:
		v.add(at, node.Alias)
	default:
		for _, each := range node.Content {
			v.add(at+"[]", each)
		}
	}
}

// ofAll reports whether a value is one that all resources of a kind and name have.
func ofAll(value string) bool {
	field, _, _ := strings.Cut(value, ": ")
	return strings.HasSuffix(field, ".apiVersion") || strings.HasSuffix(field, ".kind") ||
		strings.HasSuffix(field, ".metadata.name") || strings.HasSuffix(field, ".metadata.namespace")
}
