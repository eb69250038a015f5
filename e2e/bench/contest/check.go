// SPDX-License-Identifier: Apache-2.0

package contest

import (
	"fmt"
	"maps"
	"path"
	"reflect"
	"regexp"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

const (
	// namespaceImage is the function in the variants' pipeline, labelsImage the one in the blueprint's own pipeline.
	namespaceImage = "gcr.io/kpt-fn/set-namespace:v0.4.1"
	labelsImage    = "gcr.io/kpt-fn/starlark:v0.4.3"
	// injected is the condition and the readiness gate of the blueprint's injection point.
	injected = "config.injection.ConfigMap.endpoints"
	// injectedName is the annotation with the name of the injected object, upstreamIdentifier the one that Porch puts on
	// clones.
	injectedName       = "kpt.dev/injected-resource-name"
	upstreamIdentifier = "internal.kpt.dev/upstream-identifier"
	// anyFunction stands for the name of the variant's function, which contains the name of the variant.
	anyFunction = "PackageVariant.VARIANT.set-namespace.0"
)

// pkg is the downstream package of a variant, with the content that it must have.
type pkg struct {
	Blueprint, Repository, Name string
	// Region is the region of the Repository, Tag the image tag in the upstream revision, Endpoints the injected data.
	Region, Tag string
	Endpoints   map[string]string
}

// String names the package.
func (p pkg) String() string { return p.Repository + "/" + p.Name }

// key is the package's Repository and name.
func (p pkg) key() pkgKey { return pkgKey{p.Repository, p.Name} }

// namespace is the namespace that the variant's function sets.
func (p pkg) namespace() string { return "web-" + deployEnv }

// check returns an error that says what is wrong in the files of the package, if anything. The right content comes from
// no controller or function: it is the blueprint with the scenario's values, in every resource, to the last field. Two
// things may be as Porch's controllers write them or as ours do: the variant's name in the name of its function, and
// the annotation about what was injected.
func (p pkg) check(files map[string]string) error {
	want, err := p.want()
	if err != nil {
		return err
	}
	return p.compare(want, files)
}

// compare is check with the right content given.
func (p pkg) compare(want map[string]any, files map[string]string) error {
	got, err := decode(files)
	if err != nil {
		return fmt.Errorf("%s: %w", p, err)
	}
	if err := p.settleNames(got); err != nil {
		return fmt.Errorf("%s: %w", p, err)
	}
	if !reflect.DeepEqual(want, got) {
		return &difference{p, want, got}
	}
	return nil
}

// difference is the error of a wrong package. It takes time to describe a difference, so Error does it on demand.
type difference struct {
	of        pkg
	want, got map[string]any
}

// Error implements error.
func (d *difference) Error() string {
	return fmt.Sprintf("%s is not right (-want +got):\n%s", d.of, cmp.Diff(d.want, d.got))
}

// decode returns the content of files, by path: YAML decoded, other files as text.
func decode(files map[string]string) (map[string]any, error) {
	decoded := map[string]any{}
	for file, text := range files {
		if path.Ext(file) == ".md" {
			decoded[file] = text
			continue
		}
		var content map[string]any
		if err := yaml.Unmarshal([]byte(text), &content); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		decoded[file] = content
	}
	return decoded, nil
}

// want returns the right content of the files, by path.
func (p pkg) want() (map[string]any, error) {
	files, err := blueprintFiles(p.Tag)
	if err != nil {
		return nil, err
	}
	want, err := decode(files)
	if err != nil {
		return nil, fmt.Errorf("the blueprint's %w", err)
	}
	for file := range want {
		meta := field(want, file, "metadata")
		if len(meta) == 0 || field(meta, "annotations")["config.kubernetes.io/local-config"] == "true" {
			continue
		}
		labels := maps.Clone(field(meta, "labels"))
		labels["region"] = p.Region
		meta["namespace"], meta["labels"] = p.namespace(), labels
	}
	field(want, "endpoints.yaml", "metadata", "annotations")[injectedName] = endpointsName(p.Region)
	field(want, "endpoints.yaml")["data"] = values(p.Endpoints)
	field(want, "package-context.yaml")["data"] = map[string]any{
		"name": p.Name, "package-path": p.Name, "tier": "gold", "region": p.Region,
	}
	p.wantKptfile(field(want, "Kptfile"))
	return want, nil
}

// wantKptfile turns the Kptfile of the blueprint into that of the package.
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

// settleNames gives want's values to the two things that may differ, and removes what Porch writes: where the package
// and its resources come from, and the message of the condition.
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

// first returns the first element of a list, or an empty map.
func first(list any) map[string]any {
	if elements, ok := list.([]any); ok && len(elements) > 0 {
		if element, ok := elements[0].(map[string]any); ok {
			return element
		}
	}
	return map[string]any{}
}

// field returns a nested map, or an empty one.
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
