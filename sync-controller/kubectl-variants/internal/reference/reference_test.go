// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

var root = filepath.Join("..", "..", "..", "..")

// TestPages checks that the pages are those in docs/reference, and some of their lines.
func TestPages(t *testing.T) {
	t.Parallel()
	pages, err := Pages()
	if err != nil {
		t.Fatal(err)
	}
	committed, err := os.ReadDir(filepath.Join(root, "docs", "reference"))
	if err != nil {
		t.Fatal(err)
	}
	if len(committed) != len(pages) {
		t.Errorf("docs/reference has %d pages, want %d: run 'make generate'", len(committed), len(pages))
	}
	for name, want := range pages {
		got, err := os.ReadFile(filepath.Join(root, "docs", "reference", name))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("docs/reference/%s is not current, run 'make generate' (-want +got):\n%s", name, diff)
		}
	}
	for name, lines := range map[string][]string{
		"api.md": {
			"## PackageVariant v1alpha1", "## PackageVariantSet v1alpha2",
			"| `spec.suspend` | boolean |  |  | `suspend` keeps the controller from changing anything but the status, which says " +
				"what it would do. |",
			"| `spec.dependsOn[].minRevision` | integer |  | at least 1 | `minRevision` is the least revision of its downstream " +
				"package that must be published. Absent is 1: any. |",
		},
		"plugin.md": {
			"## kubectl variants plan", "kubectl variants diff [VARIANT] [flags]",
			"| `-y`, `--yes` | bool | `false` | do not ask for confirmation |",
			"| `--context` | string |  | The name of the kubeconfig context to use |",
		},
		"flags.md": {"| `--log-format` | string | `json` | format of the log: json or text |"},
		"metrics.md": {
			"| `package_variant_actions_total` | counter | `action`, `result` | Steps that were done, by action and result " +
				"(ok or error). |",
		},
	} {
		for _, line := range lines {
			if !strings.Contains(pages[name], "\n"+line+"\n") {
				t.Errorf("%s has no line %s", name, line)
			}
		}
	}
	for page, text := range pages {
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "|") && strings.HasSuffix(line, "|  |\n") {
				t.Errorf("%s does not say what this is: %s", page, line)
			}
		}
	}
	for _, name := range []string{"ReasonUpToDate", "ConditionReady", "<nil>", "/root"} {
		for page, text := range pages {
			if strings.Contains(text, name) {
				t.Errorf("%s has %s, which says nothing to users", page, name)
			}
		}
	}
}

// TestRules checks the wording of a schema's rules.
func TestRules(t *testing.T) {
	t.Parallel()
	one, ten, least := int64(1), int64(10), 1.5
	for name, c := range map[string]struct {
		of   schema
		want string
	}{
		"none": {schema{}, ""},
		"values, of which an empty one is as good as none": {
			schema{Enum: []apiextensionsv1.JSON{{Raw: []byte(`""`)}, {Raw: []byte(`"a"`)}, {Raw: []byte(`2`)}}}, "one of `a`, `2`"},
		"lengths":      {schema{MinLength: &one, MaxLength: &ten}, "not empty; at most 10 characters"},
		"least length": {schema{MinLength: &ten}, "at least 10 characters"},
		"numbers":      {schema{Minimum: &least}, "at least 1.5"},
		"a pattern":    {schema{Pattern: "^a|b$"}, "matches `^a\\|b$`"},
		"rules": {schema{XValidations: apiextensionsv1.ValidationRules{{Rule: "self > 1", Message: "must be <large>"},
			{Rule: "a || b"}}}, "must be &lt;large>; `a \\|\\| b`"},
		"items": {schema{MaxItems: &ten, XListMapKeys: []string{"name"}, Items: &apiextensionsv1.JSONSchemaPropsOrArray{
			Schema: &schema{MaxLength: &ten}}}, "at most 10 items; one item for each `name`; each: at most 10 characters"},
		"values of a map": {schema{AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{
			Schema: &schema{MaxLength: &ten}}}, "each value: at most 10 characters"},
	} {
		if diff := cmp.Diff(c.want, strings.Join(rules(c.of), "; ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
