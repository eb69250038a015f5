// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/package-variants/package-variants/sync-controller/config/crds"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// schema is that of a field.
type schema = apiextensionsv1.JSONSchemaProps

const apiIntroduction = "Every field, as the CustomResourceDefinitions of the group `config.porch.kpt.dev` have it. " +
	"*Rules* are what the API\nserver asks of a value, `[]` stands for each item of a list, and `.*` for each value of " +
	"a map. How the fields work\ntogether is said in [the life of a package](../lifecycle.md) and " +
	"[rollouts](../rollouts.md)."

// apiPage returns the page about the API: the fields of each kind, by path.
func apiPage() (string, error) {
	files, err := fs.Glob(crds.Files, "*.yaml")
	if err != nil {
		return "", err
	}
	out := page("The fields of the API", "the types in api", apiIntroduction)
	for _, file := range files {
		content, err := crds.Files.ReadFile(file)
		if err != nil {
			return "", err
		}
		var crd apiextensionsv1.CustomResourceDefinition
		if err := yaml.UnmarshalStrict(content, &crd); err != nil {
			return "", fmt.Errorf("%s: %w", file, err)
		}
		for _, version := range crd.Spec.Versions {
			out += kindSection(crd.Spec.Names, version)
		}
	}
	return out, nil
}

func kindSection(names apiextensionsv1.CustomResourceDefinitionNames,
	version apiextensionsv1.CustomResourceDefinitionVersion) string {
	root := version.Schema.OpenAPIV3Schema
	out := fmt.Sprintf("\n## %s %s\n\n%s\n\nShort names for kubectl: `%s`. Columns of `kubectl get`: %s.\n", names.Kind,
		version.Name, plain(root.Description), strings.Join(names.ShortNames, "`, `"), columns(version))
	for _, part := range []string{"spec", "status"} {
		field := root.Properties[part]
		rows := [][]string{row(part, field, slices.Contains(root.Required, part))}
		out += fmt.Sprintf("\n### %s of a %s\n", strings.ToUpper(part[:1])+part[1:], names.Kind) +
			table([]string{"field", "type", "default", "rules", "what it is"}, append(rows, fields(part, field)...))
	}
	return out
}

// columns returns the columns of a kind, those of -o wide in brackets.
func columns(version apiextensionsv1.CustomResourceDefinitionVersion) string {
	var all []string
	for _, c := range version.AdditionalPrinterColumns {
		if c.Priority > 0 {
			all = append(all, "("+c.Name+")")
		} else {
			all = append(all, c.Name)
		}
	}
	return strings.Join(all, ", ") + "; those in brackets with `-o wide`"
}

// fields returns the rows of the fields below a path.
func fields(path string, of schema) (rows [][]string) {
	switch {
	case of.Items != nil && of.Items.Schema != nil:
		return fields(path+"[]", *of.Items.Schema)
	case of.AdditionalProperties != nil && of.AdditionalProperties.Schema != nil:
		return fields(path+".*", *of.AdditionalProperties.Schema)
	}
	for _, name := range slices.Sorted(maps.Keys(of.Properties)) {
		field, below := of.Properties[name], path+"."+name
		rows = append(append(rows, row(below, field, slices.Contains(of.Required, name))), fields(below, field)...)
	}
	return rows
}

func row(path string, field schema, required bool) []string {
	value := ""
	if field.Default != nil {
		value = code(string(field.Default.Raw))
	}
	all := rules(field)
	if required {
		all = append([]string{"required"}, all...)
	}
	return []string{code(path), typeOf(field), value, strings.Join(all, "; "), description(path, field)}
}

// description returns the comment of a field, which begins with its name in Go, with the name that users write.
func description(path string, field schema) string {
	name := path[strings.LastIndex(path, ".")+1:]
	text := plain(field.Description)
	if first, rest, _ := strings.Cut(text, " "); strings.EqualFold(first, name) {
		return code(name) + " " + rest
	}
	return text
}

// typeOf returns the type of a field in words.
func typeOf(field schema) string {
	switch {
	case field.XIntOrString:
		return "integer or string"
	case field.Items != nil && field.Items.Schema != nil:
		return "list of " + typeOf(*field.Items.Schema)
	case field.AdditionalProperties != nil && field.AdditionalProperties.Schema != nil:
		return "map of " + typeOf(*field.AdditionalProperties.Schema)
	case field.Type == "":
		return "any"
	case field.Format == "date-time":
		return "time"
	}
	return field.Type
}

// rules returns the rules for a value. CEL rules have messages; an empty value means the same as an absent one, and is
// left out.
func rules(of schema) (all []string) {
	var values []string
	for _, value := range of.Enum {
		if string(value.Raw) != `""` {
			values = append(values, code(strings.Trim(string(value.Raw), `"`)))
		}
	}
	if len(values) > 0 {
		all = append(all, "one of "+strings.Join(values, ", "))
	}
	all = append(all, bounds(of)...)
	if of.Pattern != "" {
		all = append(all, "matches "+code(of.Pattern))
	}
	if len(of.XListMapKeys) > 0 {
		all = append(all, "one item for each "+code(strings.Join(of.XListMapKeys, ", ")))
	}
	for _, rule := range of.XValidations {
		if rule.Message == "" {
			all = append(all, code(rule.Rule))
		} else {
			all = append(all, plain(rule.Message))
		}
	}
	if of.Items != nil && of.Items.Schema != nil {
		for _, rule := range rules(*of.Items.Schema) {
			all = append(all, "each: "+rule)
		}
	}
	if of.AdditionalProperties != nil && of.AdditionalProperties.Schema != nil {
		for _, rule := range rules(*of.AdditionalProperties.Schema) {
			all = append(all, "each value: "+rule)
		}
	}
	return all
}

// bounds returns the least and the greatest size of a value.
func bounds(of schema) (all []string) {
	for _, bound := range []struct {
		words string
		value *int64
	}{
		{"at least %d characters", of.MinLength}, {"at most %d characters", of.MaxLength},
		{"at least %d items", of.MinItems}, {"at most %d items", of.MaxItems},
		{"at least %d keys", of.MinProperties}, {"at most %d keys", of.MaxProperties},
	} {
		switch {
		case bound.value == nil:
		case *bound.value == 1 && strings.HasPrefix(bound.words, "at least"):
			all = append(all, "not empty")
		default:
			all = append(all, fmt.Sprintf(bound.words, *bound.value))
		}
	}
	if of.Minimum != nil {
		all = append(all, "at least "+strconv.FormatFloat(*of.Minimum, 'f', -1, 64))
	}
	if of.Maximum != nil {
		all = append(all, "at most "+strconv.FormatFloat(*of.Maximum, 'f', -1, 64))
	}
	return all
}
