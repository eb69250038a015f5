// SPDX-License-Identifier: Apache-2.0

package manifests

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/naming"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/functions/bounds"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
	"github.com/package-variants/package-variants/functions/krm"
	"github.com/package-variants/package-variants/local/admission"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// document is one of a file.
type document struct {
	text string
	// line is its first one that is not empty and no comment; before is how many lines of the file are before its text.
	line, before int
}

// byteOrderMark begins files of some editors.
const byteOrderMark = "\ufeff"

// split returns the documents of a YAML file, without those that have only comments. A document ends where the next one
// begins, and at three dots.
func split(text string) (all []document) {
	if text = strings.TrimPrefix(text, byteOrderMark); !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	begins, offset, number := 0, 0, 0
	current := document{}
	end := func(at int) {
		if current.text = text[begins:at]; current.line > 0 {
			all = append(all, current)
		}
		current = document{before: number}
	}
	for line := range strings.Lines(text) {
		from := offset
		offset += len(line)
		if rest, ok := strings.CutPrefix(line, "---"); ok && strings.TrimLeft(rest, " \t\r\n") != rest {
			end(from)
			begins, line = offset-len(rest), rest
		} else if ok = strings.TrimRight(line, " \t\r\n") == "..."; ok {
			end(from)
			begins, line = offset, ""
			current.before++
		}
		number++
		if trimmed := strings.TrimSpace(line); current.line == 0 && trimmed != "" && !strings.HasPrefix(trimmed, "#") {
			current.line = number
		}
	}
	end(offset)
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

// add adds the object of a document. The error says that nothing is known of what it holds.
func (m *Manifests) add(dir string, at place, d document) error {
	if err := krm.CheckObject(d.text); err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	data, err := yaml.YAMLToJSONStrict([]byte(d.text))
	if err != nil {
		said := err.Error()
		if found := inYAML.FindStringSubmatch(said); found != nil {
			if line, err := strconv.Atoi(found[1]); err == nil {
				at.line = d.before + line
			}
			said = said[len(found[0]):]
		}
		return fmt.Errorf("%s: it is not YAML: %s", at, said)
	}
	var object map[string]any
	if err := kjson.UnmarshalCaseSensitivePreserveInts(data, &object); err != nil {
		return nil //nolint:nilerr // a list or a value is no manifest
	}
	return m.addObject(dir, at, object)
}

// addObject adds an object, or the items of a list. What is no manifest of ours and no object of another kind is left
// alone. The error says that it is not known which object it is.
func (m *Manifests) addObject(dir string, at place, object map[string]any) error {
	o := &unstructured.Unstructured{Object: object}
	isOurs := o.GroupVersionKind().Group == v1alpha1.GroupVersion.Group
	if o.GetAPIVersion() == "" || o.GetKind() == "" {
		if isOurs || o.GetAPIVersion() == "" && slices.Contains(ours[:2], o.GetKind()) {
			return fmt.Errorf("%s: it is no object: apiVersion or kind is missing", at)
		}
		return nil
	}
	items, hasItems := o.Object["items"].([]any)
	if o.GetKind() == "List" || hasItems && strings.HasSuffix(o.GetKind(), "List") {
		return m.addItems(dir, at, items)
	}
	if metadata, _ := o.Object["metadata"].(map[string]any); metadata["name"] == nil && !isOurs {
		return nil
	}
	err := admission.CheckMetadata(o.Object, isOurs)
	if isOurs {
		if unknown := identifies(o, err); unknown != nil {
			return saying(at, o, unknown)
		}
		o.SetNamespace(cmp.Or(o.GetNamespace(), defaultNamespace))
	}
	return m.take(dir, at, o, err)
}

// addItems adds the items of a list.
func (m *Manifests) addItems(dir string, at place, items []any) error {
	var problems []error
	for i := 0; i < len(items) && !m.full(); i++ {
		if object, ok := items[i].(map[string]any); ok {
			problems = append(problems, m.addObject(dir, at, object))
		}
	}
	return errors.Join(problems...)
}

// saying returns an error about an object, with its place.
func saying(at place, o *unstructured.Unstructured, err error) error {
	return fmt.Errorf("%s: %s %s: %w", at, o.GetKind(), o.GetName(), err)
}

// identifies returns why it is not known which object of our group one is; nil if it is. The error is what is wrong
// with its metadata.
func identifies(o *unstructured.Unstructured, wrong error) error {
	metadata, _ := o.Object["metadata"].(map[string]any)
	_, isText := metadata["namespace"].(string)
	switch {
	case metadata["name"] == nil || metadata["name"] == "":
		return errors.New("metadata.name: it is missing")
	case o.GetName() == "" || !isText && metadata["namespace"] != nil:
		return wrong
	case !slices.Contains(ours, o.GetKind()):
		return fmt.Errorf("kind: %s has no %s here, but %s", o.GetAPIVersion(), o.GetKind(), strings.Join(ours, ", "))
	}
	return nil
}

// take adds an object of which it is known which one it is, or why it is not taken: what is wrong with its metadata, or
// with the rest.
func (m *Manifests) take(dir string, at place, o *unstructured.Unstructured, wrong error) error {
	unlabeled := wrong != nil
	if wrong == nil {
		wrong = m.decode(dir, at, o)
	}
	if wrong != nil {
		m.problem(o, saying(at, o, wrong), unlabeled)
	}
	id := identity{o.GroupVersionKind().GroupKind(), o.GetNamespace(), o.GetName()}
	if other, ok := m.places[id]; ok {
		m.problem(o, saying(at, o, fmt.Errorf("it is in %s, too: remove one of them", other)), true)
	}
	m.places[id] = at
	if m.full() {
		return fmt.Errorf("%s: %w", at, tooMuch(dir, len(m.places), "objects", bounds.FleetObjects))
	}
	m.Objects = append(m.Objects, o)
	return nil
}

// decode adds an object of a kind that is known here.
func (m *Manifests) decode(dir string, at place, o *unstructured.Unstructured) error {
	gvk := o.GroupVersionKind()
	if gvk.Group != v1alpha1.GroupVersion.Group {
		return nil
	}
	data, err := json.Marshal(o.Object)
	if err != nil {
		return err
	}
	switch gvk {
	case v1alpha1.GroupVersion.WithKind("PackageVariant"):
		pv := v1alpha1.PackageVariant{}
		if err := cmp.Or(strictly(data, &pv), pv.Spec.Validate(), admission.CheckSchema(o.Object)); err != nil {
			return err
		}
		pv.Namespace, pv.Status = o.GetNamespace(), v1alpha1.PackageVariantStatus{}
		m.Variants = append(m.Variants, pv)
	case v1alpha2.GroupVersion.WithKind("PackageVariantSet"):
		set := v1alpha2.PackageVariantSet{}
		if err := strictly(data, &set); err != nil {
			return err
		}
		if err := cmp.Or(expansion.Validate(&set, "spec"), admission.CheckSchema(o.Object)); err != nil {
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
