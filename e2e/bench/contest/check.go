// SPDX-License-Identifier: Apache-2.0

package contest

import (
	"fmt"
	"regexp"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

const (
	// namespaceImage is the function of the variants' pipeline, labelsImage that of the blueprint's own.
	namespaceImage = "gcr.io/kpt-fn/set-namespace:v0.4.1"
	labelsImage    = "gcr.io/kpt-fn/starlark:v0.4.3"
	// injected is the condition and the gate of the injection point of the blueprint.
	injected = "config.injection.ConfigMap.endpoints"
	// injectedName is the annotation of what was injected, upstreamIdentifier the one that Porch puts on clones.
	injectedName       = "kpt.dev/injected-resource-name"
	upstreamIdentifier = "internal.kpt.dev/upstream-identifier"
	// anyFunction stands for the name of the variant's function, which has the name of the variant in it.
	anyFunction = "PackageVariant.VARIANT.set-namespace.0"
)

// pkg is the downstream package of a variant, and what must be in it for it to be right.
type pkg struct {
	Blueprint, Repository, Name string
	// Region is that of the Repository, Tag the tag of the image in the upstream revision, Endpoints what is injected.
	Region, Tag string
	Endpoints   map[string]string
}

// String names the package.
func (p pkg) String() string { return p.Repository + "/" + p.Name }

// namespace is the namespace that the variant's function sets.
func (p pkg) namespace() string { return "web-" + deployEnv }

// check returns an error that says what is not right in the files of the package, if anything. What is right does not
// come from any controller or function: it is the blueprint with what the scenario says, in every resource, to the last
// field. Two things may be either as Porch's controllers write them or as ours do: the name of the variant in the name
// of its function, and the annotation that says what was injected.
func (p pkg) check(files map[string]string) error {
	want, err := p.want()
	if err != nil {
		return err
	}
	got := map[string]any{}
	for file, text := range files {
		var content map[string]any
		if err := yaml.Unmarshal([]byte(text), &content); err != nil {
			return fmt.Errorf("%s: %s: %w", p, file, err)
		}
		got[file] = content
	}
	if err := p.settleNames(got); err != nil {
		return fmt.Errorf("%s: %w", p, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		return fmt.Errorf("%s is not right (-want +got):\n%s", p, diff)
	}
	return nil
}

// want returns the content of the files, by path.
func (p pkg) want() (map[string]any, error) {
	files, err := blueprintFiles(p.Tag)
	if err != nil {
		return nil, err
	}
	want := map[string]any{}
	for file, text := range files {
		var content map[string]any
		if err := yaml.Unmarshal([]byte(text), &content); err != nil {
			return nil, fmt.Errorf("the blueprint's %s: %w", file, err)
		}
		want[file] = content
	}
	for _, file := range []string{"deployment.yaml", "service.yaml", "endpoints.yaml"} {
		meta := field(want, file, "metadata")
		meta["namespace"], meta["labels"] = p.namespace(), map[string]any{"region": p.Region}
	}
	field(want, "endpoints.yaml", "metadata", "annotations")[injectedName] = endpointsName(p.Region)
	field(want, "endpoints.yaml")["data"] = values(p.Endpoints)
	field(want, "package-context.yaml")["data"] = map[string]any{
		"name": p.Name, "package-path": p.Name, "tier": "gold", "region": p.Region,
	}
	p.wantKptfile(field(want, "Kptfile"))
	return want, nil
}

// wantKptfile makes the Kptfile of the blueprint that of the package.
func (p pkg) wantKptfile(kptfile map[string]any) {
	field(kptfile, "metadata")["name"] = p.Name
	field(kptfile, "info")["readinessGates"] = []any{map[string]any{"conditionType": injected}}
	kptfile["status"] = map[string]any{"conditions": []any{map[string]any{
		"type": injected, "status": "True", "reason": "ConfigInjected",
	}}}
	pipeline := field(kptfile, "pipeline")
	own, _ := pipeline["mutators"].([]any)
	pipeline["mutators"] = append([]any{map[string]any{
		"name": anyFunction, "image": namespaceImage,
		"configMap": map[string]any{"namespace": p.namespace()},
	}}, own...)
}

// functionName is the name of the variant's function.
var functionName = regexp.MustCompile(`^PackageVariant\.[a-z0-9-]+\.set-namespace\.0$`)

// settleNames makes the two things that may differ what they are in want, and leaves out what is Porch's: where the
// package and its resources come from, and the text of the condition's message.
func (p pkg) settleNames(got map[string]any) error {
	for file := range got {
		meta := field(got, file, "metadata")
		annotations := field(meta, "annotations")
		if delete(annotations, upstreamIdentifier); len(annotations) == 0 {
			delete(meta, "annotations")
		}
	}
	kptfile := field(got, "Kptfile")
	for _, porchs := range []string{"upstream", "upstreamLock"} {
		if kptfile[porchs] == nil {
			return fmt.Errorf("the Kptfile has no %s", porchs)
		}
		delete(kptfile, porchs)
	}
	delete(first(field(kptfile, "status")["conditions"]), "message")
	mutator := first(field(kptfile, "pipeline")["mutators"])
	if name, ok := mutator["name"].(string); ok && functionName.MatchString(name) {
		mutator["name"] = anyFunction
	}
	annotations := field(got, "endpoints.yaml", "metadata", "annotations")
	if name, ok := annotations["kpt.dev/injected-resource"]; ok {
		delete(annotations, "kpt.dev/injected-resource")
		annotations[injectedName] = name
	}
	return nil
}

// first returns the first element of a list, an empty map if there is none.
func first(list any) map[string]any {
	if elements, ok := list.([]any); ok && len(elements) > 0 {
		if element, ok := elements[0].(map[string]any); ok {
			return element
		}
	}
	return map[string]any{}
}

// field returns a map in maps, an empty one if there is none.
func field(in map[string]any, names ...string) map[string]any {
	for _, name := range names {
		next, ok := in[name].(map[string]any)
		if !ok {
			return map[string]any{}
		}
		in = next
	}
	return in
}

// values returns a map as YAML decodes it.
func values(in map[string]string) map[string]any {
	out := map[string]any{}
	for key, value := range in {
		out[key] = value
	}
	return out
}
