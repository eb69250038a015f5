// SPDX-License-Identifier: Apache-2.0

package krm_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/functions/krm"
	"sigs.k8s.io/yaml"
)

// TestFromValue checks that the YAML of a value is read as that value, also by a reader of YAML 1.1.
func TestFromValue(t *testing.T) {
	t.Parallel()
	value := map[string]any{
		"no": []any{"yes", "Off", "n", "NULL", "true", "~", "", "1", "1:30", "010", "1e3", "2020-01-01", "=", "<<", "-", "- a",
			"a: b", "a #b", "*a", "&a", "!a", "%a", "@a", "{}", "[]", "a\nb\n", "\ta", " a ", "ä", "\x7f", "x:v1", "a:"},
		"numbers": []any{float64(0), float64(-1), 1.5, 1e21, float64(1 << 53)},
		"others":  map[string]any{"null": nil, "true": true, "list": []any{}, "map": map[string]any{}},
	}
	n, err := krm.FromValue(value)
	if err != nil {
		t.Fatal(err)
	}
	var got any
	if err := yaml.Unmarshal([]byte(n.MustString()), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(any(value), got); diff != "" {
		t.Errorf("-want +got:\n%s\n%s", diff, n.MustString())
	}
	if _, err := krm.FromValue(func() {}); err == nil {
		t.Error("a value without JSON gives no error")
	}
}
