// SPDX-License-Identifier: Apache-2.0

package injection_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	pvapi "github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/functions/inject-config/injection"
	"github.com/package-variants/package-variants/functions/internal/fntest"
)

const twoPoints = `apiVersion: v1
kind: ConfigMap
metadata: {name: api, annotations: {kpt.dev/config-injection: required}}
---
apiVersion: infra.example.com/v1
kind: Cluster
metadata: {name: cluster, annotations: {kpt.dev/config-injection: optional}}
---
apiVersion: v1
kind: Secret
metadata: {name: no-point}
`

func TestCandidates(t *testing.T) {
	t.Parallel()
	configMap := func(name string) injection.Candidate {
		return injection.Candidate{APIVersion: "v1", Kind: "ConfigMap", Name: name}
	}
	cluster := func(name string) injection.Candidate {
		return injection.Candidate{APIVersion: "infra.example.com/v1", Kind: "Cluster", Name: name}
	}
	for name, c := range map[string]struct {
		injectors []pvapi.InjectionSelector
		want      []injection.Candidate
	}{
		"none":     {},
		"any kind": {[]pvapi.InjectionSelector{{Name: "eu"}}, []injection.Candidate{configMap("eu"), cluster("eu")}},
		"one kind": {[]pvapi.InjectionSelector{{Kind: ptr("ConfigMap"), Name: "eu"}},
			[]injection.Candidate{configMap("eu")}},
		"core group":    {[]pvapi.InjectionSelector{{Group: ptr(""), Name: "eu"}}, []injection.Candidate{configMap("eu")}},
		"other version": {[]pvapi.InjectionSelector{{Version: ptr("v2"), Name: "eu"}}, nil},
		"in their order": {[]pvapi.InjectionSelector{{Kind: ptr("ConfigMap"), Name: "b"},
			{Kind: ptr("ConfigMap"), Name: "a"}}, []injection.Candidate{configMap("b"), configMap("a")}},
		"of one point": {[]pvapi.InjectionSelector{{Name: "eu", InjectionPoint: "api"},
			{Name: "us", InjectionPoint: "none"}}, []injection.Candidate{configMap("eu")}},
		"each once": {[]pvapi.InjectionSelector{{Kind: ptr("Cluster"), Name: "eu"},
			{Version: ptr("v1"), Kind: ptr("Cluster"), Name: "eu"}}, []injection.Candidate{cluster("eu")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := injection.Candidates(fntest.Nodes(t, fntest.Files{"points.yaml": twoPoints}), c.injectors)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestCandidatesOfWrongPoints(t *testing.T) {
	t.Parallel()
	wrong := strings.Replace(twoPoints, "required", "maybe", 1)
	if _, err := injection.Candidates(fntest.Nodes(t, fntest.Files{"points.yaml": wrong}), nil); err == nil {
		t.Error("no error for an annotation that is neither required nor optional")
	}
}

func ptr[T any](v T) *T { return &v }
