// SPDX-License-Identifier: Apache-2.0

package krm

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/kptdev/krm-functions-sdk/go/fn"
	"github.com/package-variants/package-variants/functions/internal/node"
	"github.com/package-variants/package-variants/functions/version"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Main runs f as the binary of a KRM function and returns its exit code: it reads a ResourceList from standard input
// and writes one to standard output. Errors are results in it and sentences on standard error, and the exit code is
// then 1. The arguments --help and --doc print the documentation in readme and metadata, as text or as JSON, and
// --version the function's name and version.
func Main(f Function, readme, metadata []byte) int {
	for _, arg := range os.Args[1:] {
		switch arg {
		case "--help", "--doc":
		case "--version":
			fmt.Println(version.Line())
			return 0
		default:
			fmt.Fprintf(os.Stderr,
				"unexpected argument %q: the function takes a ResourceList on standard input, with its config in it; see --help\n",
				arg)
			return 1
		}
	}
	if len(os.Args) > 1 {
		if err := fn.AsMain(Processor(f), fn.WithDocs(readme, metadata)); err != nil {
			return 1
		}
		return 0
	}
	return Run(f, os.Stdin, os.Stdout, os.Stderr)
}

// Run reads a ResourceList, evaluates f on it, writes the ResourceList that results, and returns the exit code.
func Run(f Function, in io.Reader, out, errOut io.Writer) int {
	input, err := io.ReadAll(in)
	if err != nil {
		fmt.Fprintf(errOut, "cannot read the ResourceList from standard input: %v\n", err)
		return 1
	}
	output, notes, failure := evaluate(f, input)
	if _, err := out.Write(output); err != nil {
		fmt.Fprintf(errOut, "cannot write the ResourceList to standard output: %v\n", err)
		return 1
	}
	if failure == nil {
		for _, note := range notes {
			fmt.Fprintf(errOut, "%s: %s\n", note.Severity, note.Message)
		}
		return 0
	}
	for _, e := range flatten(failure) {
		fmt.Fprintln(errOut, Visible(e.Error()))
	}
	return 1
}

// functionAnnotation in the functionConfig tells kustomize which function to run; kpt does not use it.
const functionAnnotation = "config.kubernetes.io/function"

// evaluate runs f on the ResourceList in input. The notes are results for kustomize, which shows only standard error
// and not the results. Input that the SDK cannot handle (it panics on YAML aliases in the fields that it reads) gives
// an error like any other.
func evaluate(f Function, input []byte) (output []byte, notes fn.Results, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = unreadable(input, fmt.Errorf("cannot process the ResourceList: %v", r))
		}
		if err != nil && len(output) == 0 {
			output = failed(err)
		}
	}()
	rl, err := fn.ParseResourceList(input)
	if err != nil {
		return nil, nil, unreadable(input, err)
	}
	noting := func(config *yaml.RNode, items []*yaml.RNode) (Output, error) {
		placeFeet(items, input)
		out, err := f(config, items)
		if !config.IsNil() && Annotation(config, functionAnnotation) != "" {
			notes = out.Results
		}
		return out, err
	}
	_, failure := Processor(noting).Process(rl)
	output, err = encode(rl)
	return output, notes, errors.Join(failure, err)
}

// failed returns a ResourceList that contains only the error.
func failed(err error) []byte {
	rl := fn.ResourceList{Results: errorResults(err)}
	makeVisible(rl.Results)
	output, yamlErr := rl.ToYAML()
	if yamlErr != nil {
		return nil
	}
	return append(output, "items: []\n"...) // kpt reads the results of a ResourceList only if it has items
}

// unreadable looks for the reason why the SDK could not read a ResourceList, and returns other if it finds none.
func unreadable(input []byte, other error) error {
	list, err := yaml.Parse(string(input))
	if err != nil {
		return other
	}
	if err := wrongFrame(list.YNode()); err != nil {
		return err
	}
	items := node.Get(list.YNode(), "items")
	if items == nil {
		return other
	}
	for i, n := range items.Content {
		item := yaml.NewRNode(node.Resolve(n))
		if n.Kind != yaml.MappingNode {
			return Errorf(item, node.Index("items", i), "is %s, not a resource: remove it from its file", node.Describe(n))
		}
		for j := 0; j+1 < len(n.Content); j += 2 {
			key, value := n.Content[j].Value, n.Content[j+1]
			if value.Kind == yaml.AliasNode && slices.Contains(readFields, key) {
				return Errorf(item, key,
					"is a YAML alias (*%s), which KRM functions cannot read in this place: write the value out", value.Value)
			}
		}
	}
	return other
}

// wrongFrame returns the error of a ResourceList whose items are not a list, or whose functionConfig is not a map.
func wrongFrame(list *yaml.Node) error {
	items, config := field(list, "items"), field(list, "functionConfig")
	switch {
	case items != nil && items.Kind != yaml.SequenceNode:
		return Errorf(nil, "items", "is %s, but must be a list of resources: write [] if there are none",
			node.Describe(items))
	case config != nil && config.Kind != yaml.MappingNode:
		return Errorf(nil, "functionConfig", "is %s, but must be a map: write the function's config there",
			node.Describe(config))
	}
	return nil
}

// field returns the value of a key of a mapping as it is: it does not follow an alias.
func field(m *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			return m.Content[i+1]
		}
	}
	return nil
}

// readFields are the fields that the SDK reads of every item.
var readFields = []string{"kind", "group", "version"}
