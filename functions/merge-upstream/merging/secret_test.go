// SPDX-License-Identifier: Apache-2.0

package merging_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
)

// TestSecrets checks that no conflict shows a value of a Secret, wherever the Secret stands.
func TestSecrets(t *testing.T) {
	t.Parallel()
	const custom = "apiVersion: x.io/v1\nkind: Work\nmetadata:\n  name: a\nspec:\n"
	const manifest = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n"
	json := `{"apiVersion":"v1","kind":"Secret","data":{"p":"VALUE"}}`
	indented := func(text string) string { return strings.ReplaceAll(text, "\n", "\n    ") }
	for name, resource := range map[string]string{
		"a Secret":              manifest + "data: {p: VALUE}\n",
		"of another group":      "apiVersion: x.io/v1\nkind: Secret\nmetadata: {name: s}\nspec: {p: VALUE}\n",
		"a List":                "apiVersion: v1\nkind: List\nmetadata: {name: l}\nitems:\n- {kind: Secret, data: {p: VALUE}}\n",
		"a SecretList":          "apiVersion: v1\nkind: SecretList\nmetadata: {name: l}\nitems:\n- {data: {p: VALUE}}\n",
		"a map":                 custom + "  manifest: {kind: Secret, data: {p: VALUE}}\n",
		"a map in a list":       custom + "  manifests:\n  - {kind: Secret, data: {p: VALUE}}\n",
		"a text":                cm + "data:\n  s.yaml: |\n    " + indented(manifest) + "data: {p: VALUE}\n",
		"JSON":                  cm + "data:\n  s: '" + json + "'\n",
		"JSON inside of JSON":   cm + "data:\n  s: '{\"text\": " + fmt.Sprintf("%q", json) + "}'\n",
		"a text with quotes":    cm + "data:\n  s.yaml: |\n    'kind': \"Secret\"\n    data: {p: VALUE}\n",
		"an explicit key":       cm + "data:\n  s.yaml: |\n    ? kind\n    : !!str Secret\n    data: {p: VALUE}\n",
		"an encoded text":       cm + "binaryData:\n  s: ENCODED\n",
		"strings without kind":  custom + "  templates: {one: {stringData: {p: VALUE}}}\n",
		"a generator":           "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nmetadata: {name: k}\nsecretGenerator:\n- {name: s, literals: [p=VALUE]}\n",
		"an annotation":         cm + "  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: '" + json + "'\n",
		"aliases":               custom + "  a: &a {p: VALUE}\n  manifest: {kind: Secret, data: *a}\n",
		"a file of two of them": manifest + "data: {p: VALUE}\n---\n" + manifest + "data: {p: b}\n",
		"a file that is broken": "kind: Secret\ndata: {p: VALUE\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			version := func(value string) files {
				encoded := base64.StdEncoding.EncodeToString([]byte(manifest + "data: {p: " + value + "}\n"))
				return files{"Kptfile": kptfile, "a.yaml": strings.NewReplacer("VALUE", value, "ENCODED", encoded).Replace(resource)}
			}
			gone := files{"Kptfile": kptfile}
			for _, v := range [][3]files{
				{version("hidden1"), version("hidden2"), version("hidden3")}, {gone, version("hidden2"), version("hidden3")},
				{version("hidden1"), gone, version("hidden3")}, {version("hidden1"), version("hidden2"), gone},
			} {
				conflicts := conflictsOf(t, v[0], v[1], v[2])
				text := fmt.Sprintf("%+v", conflicts)
				if len(conflicts) == 0 || strings.Contains(text, "hidden") || strings.Contains(text, "sha256") ||
					!strings.Contains(text, "(not shown)") {
					t.Errorf("%s", text)
				}
				for _, f := range v {
					if _, encoded, ok := strings.Cut(f["a.yaml"], "  s: "); ok && strings.Contains(text, strings.TrimSpace(encoded)) {
						t.Errorf("%s", text)
					}
				}
			}
		})
	}
}

func conflictsOf(t *testing.T, original, updated, local files) []merging.Conflict {
	t.Helper()
	_, conflicts, err := merging.Merge(all(original), all(updated), with(all(local)), merging.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return conflicts
}
