// SPDX-License-Identifier: Apache-2.0

package manifests

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/naming"
	"github.com/package-variants/package-variants/engine/revision"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// document is one of a file.
type document struct {
	text string
	// line is its first one that is not empty and no comment.
	line int
}

// split returns the documents of a YAML file, without those that have only comments.
func split(text string) (all []document) {
	var current strings.Builder
	first, number := 0, 0
	end := func() {
		if first > 0 {
			before := strings.Repeat("\n", number-strings.Count(current.String(), "\n")) // so that lines are numbered right
			all = append(all, document{before + current.String(), first})
		}
		current.Reset()
		first = 0
	}
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, "---"); ok && strings.TrimLeft(rest, " \t\r\n") != rest || line == "---" {
			end()
			line = rest
		}
		number++
		if trimmed := strings.TrimSpace(line); first == 0 && trimmed != "" && !strings.HasPrefix(trimmed, "#") {
			first = number
		}
		current.WriteString(line)
	}
	if !strings.HasSuffix(text, "\n") {
		current.WriteString("\n")
	}
	end()
	return all
}

// repositoryManifest is a Repository of Porch's API.
type repositoryManifest struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Description string `json:"description"`
		Deployment  bool   `json:"deployment"`
		Type        string `json:"type"`
		Content     string `json:"content"`
		Git         *struct {
			Repo         string `json:"repo"`
			Branch       string `json:"branch"`
			CreateBranch bool   `json:"createBranch"`
			Directory    string `json:"directory"`
			Author       string `json:"author"`
			Email        string `json:"email"`
			SecretRef    struct {
				Name string `json:"name"`
			} `json:"secretRef"`
		} `json:"git"`
		OCI any `json:"oci"`
	} `json:"spec"`
	Status any `json:"status"`
}

// inYAML finds lines in what the parser of YAML says.
var inYAML = regexp.MustCompile(`^yaml: (?:unmarshal errors:\n +)?(?:line (\d+): )?`)

// add adds the object of a document.
func (m *Manifests) add(dir string, at place, text string) error {
	data, err := yaml.YAMLToJSONStrict([]byte(text))
	if err != nil {
		said := err.Error()
		if found := inYAML.FindStringSubmatch(said); found != nil {
			if line, err := strconv.Atoi(found[1]); err == nil {
				at.line = line
			}
			said = said[len(found[0]):]
		}
		return fmt.Errorf("%s: it is not YAML: %s", at, said)
	}
	return m.addJSON(dir, at, data)
}

// addJSON adds an object, or the items of a list.
func (m *Manifests) addJSON(dir string, at place, data []byte) error {
	o := &unstructured.Unstructured{}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(data, &o.Object); err != nil {
		return fmt.Errorf("%s: it is no object, but a list or a value: begin it with apiVersion and kind, or move it "+
			"elsewhere", at)
	}
	if o.GetAPIVersion() == "" || o.GetKind() == "" {
		return fmt.Errorf("%s: it is no object: apiVersion or kind is missing; move what is no manifest elsewhere", at)
	}
	items, hasItems := o.Object["items"].([]any)
	if o.GetKind() == "List" || hasItems && strings.HasSuffix(o.GetKind(), "List") {
		var problems []error
		for _, item := range items {
			data, err := yaml.Marshal(item)
			if err == nil {
				data, err = yaml.YAMLToJSON(data)
			}
			if err == nil {
				err = m.addJSON(dir, at, data)
			}
			problems = append(problems, err)
		}
		return errors.Join(problems...)
	}
	wrong := func(err error) error {
		return fmt.Errorf("%s: %s %s: %w", at, o.GetKind(), o.GetName(), err)
	}
	metadata, _ := o.Object["metadata"].(map[string]any)
	if name, given := metadata["name"]; given {
		if _, ok := name.(string); !ok {
			return wrong(fmt.Errorf("metadata.name: YAML takes it for %v, which is no string: put it in quotes", name))
		}
	}
	if o.GetName() == "" {
		return wrong(errors.New("metadata.name: it is missing"))
	}
	if err := m.decode(dir, at, o, data); err != nil {
		return wrong(err)
	}
	id := identity{o.GroupVersionKind().GroupKind(), o.GetNamespace(), o.GetName()}
	if other, ok := m.places[id]; ok {
		return wrong(fmt.Errorf("it is in %s, too: remove one of them", other))
	}
	m.places[id] = at
	m.Objects = append(m.Objects, o)
	return nil
}

// decode decodes an object of a kind that is known here.
func (m *Manifests) decode(dir string, at place, o *unstructured.Unstructured, data []byte) error {
	gvk := o.GroupVersionKind()
	if gvk.Group != v1alpha1.GroupVersion.Group {
		return nil
	}
	if o.GetNamespace() == "" {
		o.SetNamespace(defaultNamespace)
	}
	switch gvk {
	case v1alpha1.GroupVersion.WithKind("PackageVariant"):
		pv := v1alpha1.PackageVariant{}
		if err := strictly(data, &pv); err != nil {
			return err
		}
		pv.Namespace, pv.Status = o.GetNamespace(), v1alpha1.PackageVariantStatus{}
		m.Variants = append(m.Variants, pv)
	case v1alpha2.GroupVersion.WithKind("PackageVariantSet"):
		set := v1alpha2.PackageVariantSet{}
		if err := strictly(data, &set); err != nil {
			return err
		}
		set.Namespace, set.Status = o.GetNamespace(), v1alpha2.PackageVariantSetStatus{}
		m.Sets = append(m.Sets, set)
	case revision.RepositoryKind:
		manifest := repositoryManifest{}
		if err := strictly(data, &manifest); err != nil {
			return err
		}
		r, err := repositoryOf(dir, at, &manifest)
		if err != nil {
			return err
		}
		r.Namespace = o.GetNamespace()
		m.Repositories = append(m.Repositories, r)
	default:
		return fmt.Errorf("apiVersion: %s has no %s here: PackageVariant and Repository are of v1alpha1, "+
			"PackageVariantSet of v1alpha2", o.GetAPIVersion(), gvk.Kind)
	}
	return nil
}

// strictly decodes an object, and names each field that its kind does not have, with the one that may be meant.
func strictly(data []byte, into any) error {
	unknown, err := kjson.UnmarshalStrict(data, into)
	for i, u := range unknown {
		if field, found := strings.CutPrefix(u.Error(), "unknown field "); found {
			field = strings.Trim(field, `"`)
			if meant := naming.Field(into, field[strings.LastIndex(field, ".")+1:]); meant != "" {
				unknown[i] = fmt.Errorf("%w: did you mean %q?", u, meant)
			}
		}
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		err = errors.New(naming.Mistyped(wrong))
	} else if err != nil && strings.HasPrefix(err.Error(), "time: ") { // of a field of which the parser has no name
		err = fmt.Errorf("a duration cannot be read: %w: write it in hours, minutes and seconds, such as 1h30m", err)
	}
	return errors.Join(append(unknown, err)...)
}
