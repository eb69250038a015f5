// SPDX-License-Identifier: Apache-2.0

package injection_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/functions/inject-config/injection"
	"github.com/package-variants/package-variants/functions/internal/fntest"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// TestShadowed checks which injectors are reported because an earlier, wider one fills all of their points.
func TestShadowed(t *testing.T) {
	t.Parallel()
	one := func(name string) string {
		return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name + ", annotations: {kpt.dev/config-injection: " +
			"required}}\n"
	}
	files := fntest.Files{"Kptfile": kptfile, "points.yaml": one("cache") + "---\n" + one("db")}
	for injectors, want := range map[string][]string{
		"[{kind: ConfigMap, name: a}, {name: b, injectionPoint: cache}]": {`the injector "b" is never used, because the ` +
			`injector "a" before it fills "cache" and "db": put the narrower one first`},
		"[{name: b, injectionPoint: cache}, {kind: ConfigMap, name: a}]":    nil,
		"[{name: gone, injectionPoint: cache}, {kind: ConfigMap, name: a}]": nil,
		"[{name: a}, {name: b}]": nil, // a fallback
		"[{name: a, injectionPoint: cache}, {name: b, injectionPoint: cache}]":                    nil, // as well
		"[{name: gone}, {name: b, injectionPoint: cache}, {name: a}]":                             nil,
		"[{name: a, injectionPoint: db}, {name: b}, {name: a, injectionPoint: db}, {name: gone}]": nil,
	} {
		t.Run(injectors, func(t *testing.T) {
			t.Parallel()
			objects := "resources:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {x: a}}\n" +
				"- {apiVersion: v1, kind: ConfigMap, metadata: {name: b}, data: {x: b}}\n"
			out, err := injection.Run(yaml.MustParse(config+"injectors: "+injectors+"\n"+objects), fntest.Nodes(t, files))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range out.Results {
				if r.Severity == "warning" && r.ResourceRef == nil {
					got = append(got, r.Message)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
