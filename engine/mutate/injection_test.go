// SPDX-License-Identifier: Apache-2.0

package mutate

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/functions/inject-config/injection"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// TestPoints checks what is reported about the injection points of a package.
func TestPoints(t *testing.T) {
	t.Parallel()
	const injected = `injected resource "eu" from cluster`
	endpoints := func(filled bool, message string) decide.Point {
		return decide.Point{Condition: "config.injection.ConfigMap.endpoints", Required: true, Filled: filled, Message: message}
	}
	team := func(filled bool, message string) decide.Point {
		return decide.Point{Condition: "config.injection.Team.team", Filled: filled, Message: message}
	}
	const noConfigMap, noTeam = `no v1 ConfigMap named "eu" in namespace "fleet"`,
		`no example.com/v1 Team named "eu" in namespace "fleet"`
	for name, c := range map[string]struct {
		files   map[string]string
		edit    func(*variant.Spec)
		cluster []string
		want    []decide.Point
	}{
		"all filled": {web(), nil, []string{euConfigMap, euTeam},
			[]decide.Point{endpoints(true, injected), team(true, injected)}},
		"optional unmet": {web(), nil, []string{euConfigMap}, []decide.Point{endpoints(true, injected), team(false, noTeam)}},
		"required unmet": {web(), nil, []string{euTeam}, []decide.Point{endpoints(false, noConfigMap), team(true, injected)}},
		"no injectors": {web(), func(s *variant.Spec) { s.Injectors = nil }, nil,
			[]decide.Point{endpoints(false, "the variant has no injectors"), team(false, "the variant has no injectors")}},
		"no injector": {web(), func(s *variant.Spec) { s.Injectors[0].Kind = new("Team") }, []string{euTeam},
			[]decide.Point{endpoints(false, "no injector is for v1 ConfigMap"), team(true, injected)}},
		"nothing to fill": {web(), nil, []string{`{apiVersion: v1, kind: ConfigMap, metadata: {name: eu}}`, euTeam},
			[]decide.Point{endpoints(false, `ConfigMap "eu" has no data`), team(true, injected)}},
		"in another": {web(), nil,
			[]string{`{apiVersion: v1, kind: ConfigMap, metadata: {name: eu, namespace: other}, data: {a: b}}`, euTeam},
			[]decide.Point{endpoints(false, noConfigMap+`, only one in namespace "other"`), team(true, injected)}},
		"no points": {web(map[string]string{"points.yaml": ""}), nil, nil, nil},
		"of a subpackage": {web(map[string]string{"points.yaml": "", "sub/points.yaml": pointsFile}), nil, nil,
			[]decide.Point{endpoints(false, noConfigMap), team(false, noTeam)}},
		"gates of others": {web(map[string]string{"points.yaml": "",
			"Kptfile": rootKptfile +
				"info: {readinessGates: [{conditionType: mine}]}\nstatus: {conditions: [{type: mine, status: \"False\", message: " +
				"m}]}\n"}), nil, nil, nil},
		"of a sub-Kptfile": {web(map[string]string{"points.yaml": "",
			"sub/Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: sub}\n" +
				"info: {readinessGates: [{conditionType: config.injection.A.b}]}\n" +
				"status: {conditions: [{type: config.injection.A.b, status: \"False\", message: m}]}\n"}), nil, nil, nil},
		"odd types": {web(map[string]string{"Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: web}\n" +
			"status: {conditions: [{type: mine, status: true, message: [m]}]}\n"}), nil, nil,
			[]decide.Point{endpoints(false, noConfigMap), team(false, noTeam)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := spec()
			if c.edit != nil {
				c.edit(s)
			}
			out := apply(t, c.files, request(t, s, c.cluster...))
			if diff := cmp.Diff(c.want, out.Points); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestUnreadable checks that an object that cannot be read is the reason of its own point, and of no other.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	r := request(t, spec(), euTeam)
	r.Unreadable = []injection.Unreadable{{APIVersion: "v1", Kind: "ConfigMap", Name: "eu",
		Message: "the controller may not read configmaps"}}
	want := []decide.Point{
		{Condition: "config.injection.ConfigMap.endpoints", Required: true,
			Message: `cannot read v1 ConfigMap named "eu" in namespace "fleet": the controller may not read configmaps`},
		{Condition: "config.injection.Team.team", Filled: true, Message: `injected resource "eu" from cluster`},
	}
	if diff := cmp.Diff(want, apply(t, web(), r).Points); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestCandidates(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files     map[string]string
		injectors []variant.InjectionSelector
		want      []injection.Candidate
	}{
		"each point": {web(), []variant.InjectionSelector{{Name: "eu"}},
			[]injection.Candidate{{APIVersion: "v1", Kind: "ConfigMap", Name: "eu"},
				{APIVersion: "example.com/v1", Kind: "Team", Name: "eu"}}},
		"of one kind": {web(), []variant.InjectionSelector{{Kind: new("Team"), Name: "a"}, {Kind: new("Team"), Name: "b"}},
			[]injection.Candidate{{APIVersion: "example.com/v1", Kind: "Team", Name: "a"},
				{APIVersion: "example.com/v1", Kind: "Team", Name: "b"}}},
		"no injectors": {web(), nil, nil},
		"no points":    {web(map[string]string{"points.yaml": ""}), []variant.InjectionSelector{{Name: "eu"}}, nil},
		"a wrong point": {web(map[string]string{"points.yaml": strings.Replace(pointsFile, "required", "maybe", 1)}),
			[]variant.InjectionSelector{{Name: "eu"}}, nil},
		"no YAML": {web(map[string]string{"Kptfile": "a: [\n"}), []variant.InjectionSelector{{Name: "eu"}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, Candidates(c.files, c.injectors)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestNothingLeaks checks that of an object the function sees no more than it needs: a runtime may be another process.
func TestNothingLeaks(t *testing.T) {
	t.Parallel()
	runtime := &recorder{}
	if _, err := Apply(t.Context(), runtime, web(),
		request(t, spec(func(s *variant.Spec) { s.PackageContext, s.Pipeline = nil, nil }),
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: eu, namespace: fleet, uid: u, labels: {a: b}, annotations: `+
				`{secret: s}, managedFields: []}, data: {a: b}, binaryData: {c: ZA==}, immutable: true}`,
			`{apiVersion: example.com/v1, kind: Team, metadata: {name: eu, ownerReferences: []}, spec: {a: 1}, status: {token: `+
				`t}, extra: {b: 2}}`)); err != nil {
		t.Fatal(err)
	}
	const want = `apiVersion: fn.kpt.dev/v1alpha1
injectors:
- name: eu
kind: InjectConfig
metadata:
  name: web-eu
  namespace: fleet
resources:
- apiVersion: v1
  binaryData:
    c: ZA==
  data:
    a: b
  kind: ConfigMap
  metadata:
    name: eu
    namespace: fleet
- apiVersion: example.com/v1
  kind: Team
  metadata:
    name: eu
  spec:
    a: 1
unreadable: null
`
	if diff := cmp.Diff(want, runtime.configs[InjectConfig]); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestTypes checks that the values of an object arrive in the package as they are, in text that means the same to every
// reader of YAML.
func TestTypes(t *testing.T) {
	t.Parallel()
	values := map[string]any{
		"int": int64(3), "zero": int64(0), "negative": int64(-1), "largest": int64(math.MaxInt64),
		"smallest":       int64(math.MinInt64),
		"beyond a float": int64(1<<53 + 1), "float": 1.5, "tiny": 1e-9, "huge": 1e300, "true": true, "false": false,
		"null":  nil,
		"empty": "", "list": []any{int64(1), "1", true, []any{},
			map[string]any{}}, "map": map[string]any{"a": map[string]any{"b": int64(1)}},
		"lines": "a\n  b\n\nc\n", "no end": "a\nb", "spaces": "  a  ", "tab": "\ta", "colon": "a: b", "hash": "a # b",
		"unicode": "é 𝄞 \u2028", "html": "<a&b>",
		"merge": "<<",
	}
	for _, s := range []string{
		"3", "03", "0x1F", "0o7", "1_000", "1e3", ".5", "+1", "-", "~", "null", "Null", "true", "yes", "No", "on", "OFF", "y",
		"N",
		"2020-01-01", "12:30:45", ".inf", ".NaN", "{a}", "[a]", "*a", "&a", "!a", "%a", "@a", "`a", "? a", "- a", "---", "...", "\"", "'", "\\", "a\\n", "=",
	} {
		values["text "+s] = s
		values[s] = s // as a key, too
	}
	team := map[string]any{"apiVersion": "example.com/v1", "kind": "Team", "metadata": map[string]any{"name": "eu"}, "spec": values}
	r := request(t, spec(), euConfigMap)
	r.Objects = append(r.Objects, team)
	files := web(map[string]string{"points.yaml": "apiVersion: example.com/v1\nkind: Team\nmetadata:\n  name: p\n  annotations: {kpt.dev/config-injection: required}\n"})
	out := apply(t, files, r)
	text, err := yaml.YAMLToJSON([]byte(out.Files["points.yaml"]))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil { // of apimachinery: it tells integers from floats, as the API does
		t.Fatal(err)
	}
	if diff := cmp.Diff(values, got["spec"]); diff != "" {
		t.Errorf("-want +got:\n%s\n%s", diff, out.Files["points.yaml"])
	}
}
