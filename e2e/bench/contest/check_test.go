// SPDX-License-Identifier: Apache-2.0

package contest

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// sample is a package of the scenario.
func sample() pkg {
	return pkg{Blueprint: fixed, Repository: "edge-1", Name: "web-00", Region: "eu", Tag: firstTag,
		Endpoints: endpoints("eu", 1)}
}

// right returns the right files of the package, with Porch's additions.
func right(t *testing.T, p pkg) map[string]string {
	t.Helper()
	want, err := p.want()
	if err != nil {
		t.Fatal(err)
	}
	kptfile := field(want, "Kptfile")
	kptfile["upstream"], kptfile["upstreamLock"] = map[string]any{"type": "git"}, map[string]any{"type": "git"}
	first(field(kptfile, "status")["conditions"])["message"] = "injected something"
	first(field(kptfile, "pipeline")["mutators"])["name"] = "PackageVariant.web-edge-1.set-namespace.0"
	for file := range want {
		meta := field(want, file, "metadata")
		if len(meta) > 0 && meta["annotations"] == nil {
			meta["annotations"] = map[string]any{}
		}
		field(meta, "annotations")[upstreamIdentifier] = "something"
	}
	files := map[string]string{}
	for file, content := range want {
		if text, ok := content.(string); ok {
			files[file] = text
			continue
		}
		files[file] = marshal(t, content)
	}
	return files
}

// marshal returns content as YAML.
func marshal(t *testing.T, content any) string {
	t.Helper()
	text, err := yaml.Marshal(content)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestCheck checks that a right package passes, as either contender writes it, and that nothing else does.
func TestCheck(t *testing.T) {
	t.Parallel()
	p := sample()
	for name, c := range map[string]struct {
		file, from, to string
		want           string // what the error has; empty for none
	}{
		"right":                       {},
		"as Porch's controllers name": {"endpoints.yaml", injectedName, "kpt.dev/injected-resource", ""},
		"another tag":                 {"deployment.yaml", "web:1.4", "web:1.3", "web:1.3"},
		"another namespace":           {"service.yaml", "web-prod", "web-test", "web-test"},
		"not labelled":                {"service.yaml", "region: eu", "region: none", `"none"`},
		"not injected":                {"endpoints.yaml", "payment-v1", "payment-v0", "payment-v0"},
		"injected from elsewhere":     {"endpoints.yaml", "endpoints-eu", "endpoints-us", "endpoints-us"},
		"no context":                  {"package-context.yaml", "tier: gold", "tier: silver", "silver"},
		"another function":            {"Kptfile", "set-namespace:v0.4.1", "set-namespace:v0.4.2", "set-namespace:v0.4."},
		"a function's name": {"Kptfile", "PackageVariant.web-edge-1.", "PackageVariant.",
			"PackageVariant.set-namespace.0"},
		"a condition":  {"Kptfile", `status: "True"`, `status: "False"`, `"False"`},
		"no lock":      {"Kptfile", "upstreamLock", "other", "edge-1/web-00: the Kptfile has no upstreamLock"},
		"another text": {"README.md", "edge site", "other site", `"README.md"`},
		"no YAML":      {"service.yaml", "spec:", "{", "edge-1/web-00: service.yaml: "},
		"a field more": {"service.yaml", "spec:", "more: 1\nspec:", `"more"`},
		"a file less":  {"service.yaml", "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := right(t, p)
			if c.file != "" && !strings.Contains(files[c.file], c.from) {
				t.Fatalf("%s has no %q:\n%s", c.file, c.from, files[c.file])
			}
			files[c.file] = strings.ReplaceAll(files[c.file], c.from, c.to)
			delete(files, "")
			if name == "a file less" {
				delete(files, c.file)
				c.want = "service.yaml"
			}
			err := p.check(files)
			if c.want == "" && err != nil {
				t.Errorf("what is right is not: %v", err)
			}
			if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

// TestWrite checks that a plain client writes everything that is not rendered, and keeps Porch's additions.
func TestWrite(t *testing.T) {
	t.Parallel()
	p := sample()
	clone, err := blueprintFiles(firstTag)
	if err != nil {
		t.Fatal(err)
	}
	clone["Kptfile"] += "upstream: {type: git}\nupstreamLock: {type: git}\n"
	if err := p.write(clone); err != nil {
		t.Fatal(err)
	}
	// Rendering sets the name that Porch gives the clone, the path, and the values of the two functions.
	content, err := decode(clone)
	if err != nil {
		t.Fatal(err)
	}
	want, err := p.want()
	if err != nil {
		t.Fatal(err)
	}
	field(content, "Kptfile", "metadata")["name"] = "web-00"
	for file := range content {
		meta, rendered := field(content, file, "metadata"), field(want, file, "metadata")
		if rendered["namespace"] != nil {
			meta["namespace"], meta["labels"] = rendered["namespace"], rendered["labels"]
		}
	}
	got := map[string]string{}
	for file := range clone {
		got[file] = clone[file]
		if _, ok := content[file].(map[string]any); ok {
			got[file] = marshal(t, content[file])
		}
	}
	if err := p.check(got); err != nil {
		t.Error(err)
	}
	if err := p.write(map[string]string{"Kptfile": "{"}); err == nil ||
		!strings.HasPrefix(err.Error(), "cannot read Kptfile: ") {
		t.Errorf("a Kptfile that is no YAML: %v", err)
	}
}

// TestSet checks that the set asks for the packages.
func TestSet(t *testing.T) {
	t.Parallel()
	s := Scenario{Variants: 5, Repositories: 2}
	packages := s.packages(fixed, s.Variants)
	set, err := set(fixed, latest, packages)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, r := range set.Spec.Targets[0].Repositories {
		got[r.Name] = r.PackageNames
	}
	want := map[string][]string{"edge-1": {"web-00", "web-01", "web-02"}, "edge-2": {"web-00", "web-01"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("repositories (-want +got):\n%s", diff)
	}
	if got := set.Spec.Upstream; got.Repo != blueprints || got.Package != fixed || got.Revision != latest {
		t.Errorf("upstream %+v", got)
	}
	var affected []string
	for _, p := range inRegion(changed, afterChange(packages)) {
		affected = append(affected, p.String()+" "+p.Endpoints["payment"])
	}
	if diff := cmp.Diff([]string{"edge-2/web-00 payment-v2.us.example.com", "edge-2/web-01 payment-v2.us.example.com"},
		affected); diff != "" {
		t.Errorf("affected by the change (-want +got):\n%s", diff)
	}
	if packages[1].Endpoints["payment"] != "payment-v1.us.example.com" {
		t.Errorf("the packages before the change have %v", packages[1].Endpoints)
	}
}

// TestScenario checks which scenarios are valid, and the paces of a plain client.
func TestScenario(t *testing.T) {
	t.Parallel()
	for s, want := range map[Scenario]string{
		{50, 5}: "",
		{2, 2}:  "",
		{10, 1}: "1 repositories: there must be 2 or more, one for each region",
		{4, 5}:  "4 variants: there must be one or more for each of the 5 repositories",
	} {
		got := ""
		if err := s.Validate(); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%+v: %q, want %q", s, got, want)
		}
	}
	want := []pace{{perRepository: 1, total: 5}, {perRepository: 2, total: 10}}
	if got := (Scenario{50, 5}).paces(); !slices.Equal(got, want) {
		t.Errorf("paces are %+v, want %+v", got, want)
	}
}
