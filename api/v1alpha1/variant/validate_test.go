// SPDX-License-Identifier: Apache-2.0

package variant

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// valid returns a spec with each field set.
func valid() *Spec {
	return &Spec{
		Upstream:       &Upstream{Repo: "blueprints", Package: "web", Revision: RevisionNumber(3)},
		Downstream:     &Downstream{Repo: "edge-1", Package: "web"},
		AdoptionPolicy: AdoptionPolicyAdoptExisting,
		DeletionPolicy: DeletionPolicyOrphan,
		PackageContext: &PackageContext{Data: map[string]string{"region": "eu"}, RemoveKeys: []string{"old"}},
		Pipeline:       &Pipeline{Mutators: []Function{{Name: "a", Image: "a:v1"}}, Validators: []Function{{Exec: "./b"}}},
		Injectors:      []InjectionSelector{{Name: "eu"}},
	}
}

const (
	noLabelKey   = `which no label can have as a key: use up to 63 letters, digits, '-', '_' and '.', with a DNS name and a '/' before them if need be`
	noLabelValue = `which no label can have as its value: use up to 63 letters, digits, '-', '_' and '.', beginning and ending with a letter or digit`
	noRepository = `which no Repository can have as a name: use at most 63 lower-case letters, digits and '-', of which the first and the last are no '-'`
	noPackage    = `which Porch takes for no package: use lower-case letters, digits and '-', and a single '/' between the parts of a path; ` +
		`each part begins and ends with a letter or digit`
)

func TestValidate(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*Spec)
		want   []string
	}{
		"valid":         {func(*Spec) {}, nil},
		"plain":         {func(s *Spec) { *s = Spec{Upstream: s.Upstream, Downstream: s.Downstream} }, nil},
		"no upstream":   {func(s *Spec) { s.Upstream = nil }, []string{"spec.upstream is missing: name the package to derive from"}},
		"no downstream": {func(s *Spec) { s.Downstream = nil }, []string{"spec.downstream is missing: name the package to create"}},
		"all names empty": {func(s *Spec) { s.Upstream, s.Downstream = &Upstream{}, &Downstream{Repo: "x"} }, []string{
			"spec.upstream.repo is missing: set it", "spec.upstream.package is missing: set it", "spec.downstream.package is missing: set it",
		}},
		"no downstream repo": {func(s *Spec) { s.Downstream.Repo = "" }, []string{"spec.downstream.repo is missing: set it"}},
		"of itself": {func(s *Spec) { s.Downstream = &Downstream{Repo: "blueprints", Package: "web"} }, []string{
			"spec.downstream is the upstream itself: name another package"}},
		"policies": {func(s *Spec) { s.AdoptionPolicy, s.DeletionPolicy = "adopt", "keep" }, []string{
			`spec.adoptionPolicy is "adopt", but must be one of ["adoptNone" "adoptExisting"]`,
			`spec.deletionPolicy is "keep", but must be one of ["delete" "orphan"]`,
		}},
		"reserved key set": {func(s *Spec) { s.PackageContext.Data["name"] = "x" }, []string{
			`spec.packageContext.data.name is set by kpt itself and cannot be changed: remove the key "name"`}},
		"reserved key removed": {func(s *Spec) { s.PackageContext.RemoveKeys = []string{"package-path"} }, []string{
			`spec.packageContext.removeKeys[0] is set by kpt itself and cannot be changed: remove the key "package-path"`}},
		"key in both lists": {func(s *Spec) { s.PackageContext.Data["old"] = "x" }, []string{
			`spec.packageContext.removeKeys[0] asks to remove the key "old", which data sets: decide for one`}},
		"neither image nor exec": {func(s *Spec) { s.Pipeline.Mutators[0].Image = "" }, []string{
			"spec.pipeline.mutators[0] has neither image nor exec: say which function to run"}},
		"both image and exec": {func(s *Spec) { s.Pipeline.Validators[0].Image = "b:v1" }, []string{
			"spec.pipeline.validators[0] has both image and exec: decide for one"}},
		"both configPath and configMap": {func(s *Spec) {
			s.Pipeline.Mutators[0].ConfigPath, s.Pipeline.Mutators[0].ConfigMap = "a.yaml", map[string]string{"a": "b"}
		}, []string{
			"spec.pipeline.mutators[0] has both configPath and configMap, which kpt refuses: decide for one"}},
		"both configRef and configMap": {func(s *Spec) {
			s.Pipeline.Mutators[0].ConfigRef = &ResourceReference{Kind: "A", Name: "a"}
			s.Pipeline.Mutators[0].ConfigMap = map[string]string{"a": "b"}
		}, []string{"spec.pipeline.mutators[0] has both configMap and configRef, which kpt refuses: decide for one"}},
		"a configRef without a name": {func(s *Spec) { s.Pipeline.Mutators[0].ConfigRef = &ResourceReference{Kind: "A"} },
			[]string{"spec.pipeline.mutators[0].configRef has no kind or no name: name the resource"}},
		"a condition": {func(s *Spec) { s.Pipeline.Mutators[0].Condition = "true" },
			[]string{"spec.pipeline.mutators[0].condition was in no release of kpt, which has when: call it that"}},
		"an empty key": {func(s *Spec) { s.Pipeline.Mutators[0].ConfigMap = map[string]string{"": "b"} }, []string{
			"spec.pipeline.mutators[0].configMap. has an empty key: name it, or remove it"}},
		"a part of a path that is too long": {func(s *Spec) { s.Downstream.Package = "a/" + strings.Repeat("x", 64) }, []string{
			`spec.downstream.package is "a/` + strings.Repeat("x", 64) + `", which is too long for Porch: a part of the path has ` +
				`64 characters, and may have 63: shorten it`}},
		"an image and paths that kpt refuses": {func(s *Spec) {
			s.Pipeline.Mutators = []Function{{Image: "Registry/set labels"}, {Image: "a", ConfigPath: "../x.yaml"},
				{Image: "[::1]:5000/a/b__c:v1@sha256:00", ConfigPath: "a/../b.yaml"}, {Exec: "a", ConfigPath: " "}}
		}, []string{
			`spec.pipeline.mutators[0].image is "Registry/set labels", which kpt refuses as an image: correct it, as in ` +
				`registry.example.com/set-labels:v0.2`,
			`spec.pipeline.mutators[1].configPath is "../x.yaml", which kpt takes for a path out of the package: name a file of ` +
				`the package, without ".."`,
			`spec.pipeline.mutators[3].configPath is " ", which names no file: name one, or leave configPath out`,
		}},
		"dot in a name": {func(s *Spec) { s.Pipeline.Mutators[0].Name = "a.b" }, []string{
			`spec.pipeline.mutators[0].name is "a.b", but must have no dot: its name in the Kptfile is read by the dots`}},
		"keys that no ConfigMap has": {func(s *Spec) {
			s.PackageContext = &PackageContext{Data: map[string]string{"a b": "", "": "", "ok": ""}, RemoveKeys: []string{"..x", "a/b"}}
		}, []string{
			`spec.packageContext.data. is "", which no ConfigMap can have as a key: use up to 253 letters, digits, '-', '_' and '.'`,
			`spec.packageContext.data.a b is "a b", which no ConfigMap can have as a key: use up to 253 letters, digits, '-', '_' and '.'`,
			`spec.packageContext.removeKeys[0] is "..x", which no ConfigMap can have as a key: use up to 253 letters, digits, '-', '_' and '.'`,
			`spec.packageContext.removeKeys[1] is "a/b", which no ConfigMap can have as a key: use up to 253 letters, digits, '-', '_' and '.'`,
		}},
		"labels": {func(s *Spec) {
			s.Labels = map[string]string{"a b": "x", "": "x", "x.io/": "x", "X.io/a": "x", "v": "a b", "ok.io/A_b.c": "-", "long": strings.Repeat("x", 64)}
		}, []string{
			`spec.labels. is "", ` + noLabelKey, `spec.labels.X.io/a is "X.io/a", ` + noLabelKey, `spec.labels.a b is "a b", ` + noLabelKey,
			`spec.labels.long is "` + strings.Repeat("x", 64) + `", ` + noLabelValue, `spec.labels.ok.io/A_b.c is "-", ` + noLabelValue,
			`spec.labels.v is "a b", ` + noLabelValue, `spec.labels.x.io/ is "x.io/", ` + noLabelKey,
		}},
		"annotations": {func(s *Spec) {
			s.Annotations = map[string]string{"a b": "x", "X.io/a": "any value\n", "b": strings.Repeat("x", 256<<10)}
		}, []string{
			"spec.annotations have 262165 bytes, and all annotations of an object may have 262144: shorten them",
			`spec.annotations.a b is "a b", ` + strings.Replace(noLabelKey, "label", "annotation", 1),
		}},
		"keys that steer Porch": {func(s *Spec) {
			s.Labels = map[string]string{"kpt.dev/latest-revision": "true", "team": "web"}
			s.Annotations = map[string]string{"tag.config.porch.kpt.dev/stable": "x", "approval.nephio.org/policy": "initial"}
		}, []string{
			"spec.labels.kpt.dev/latest-revision " + steers, "spec.annotations.tag.config.porch.kpt.dev/stable " + steers,
		}},
		"injection point": {func(s *Spec) { s.Injectors[0].InjectionPoint = strings.Repeat("x", 254) }, []string{
			"spec.injectors[0].injectionPoint has 254 characters, and the name of an injection point has at most 253: shorten it"}},
		"names": {func(s *Spec) {
			s.Upstream = &Upstream{Repo: "UP", Package: "x.y", WorkspaceName: "../evil"}
			s.Downstream = &Downstream{Repo: "a/b", Package: "a//b"}
		}, []string{
			`spec.upstream.repo is "UP", ` + noRepository, `spec.upstream.package is "x.y", ` + noPackage,
			`spec.upstream.workspaceName is "../evil", which no package revision can have as its workspace: use at most 63 lower-case letters, ` +
				`digits and '-', of which the first and the last are no '-', or a version like v1.2.3`,
			`spec.downstream.repo is "a/b", ` + noRepository, `spec.downstream.package is "a//b", ` + noPackage,
		}},
		"unnamed injector": {func(s *Spec) { s.Injectors[0].Name = "" }, []string{"spec.injectors[0].name is missing: set it"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := valid()
			c.change(s)
			var got []string
			if err := s.Validate(); err != nil {
				got = strings.Split(err.Error(), "\n")
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 63)
	for name, want := range map[string]struct{ repository, pkg, workspace bool }{
		"web":                                 {true, true, true},
		"a":                                   {true, true, true},
		"0-9":                                 {true, true, true},
		long:                                  {true, true, true},
		"apps/web":                            {false, true, false},
		"a/b/c/" + long[:60]:                  {false, true, false},
		"v1.2.3":                              {false, false, true},
		"v1":                                  {true, true, true},
		"a/b/c/" + long[:61]:                  {},
		long + "x":                            {},
		"":                                    {},
		"UP":                                  {},
		"x.y":                                 {},
		"v1.":                                 {},
		"v1..2":                               {false, false, true},
		"1.2":                                 {},
		"v" + strings.Repeat("1.", 31) + "12": {},
		"../evil":                             {},
		"a//b":                                {},
		"/a":                                  {},
		"a/":                                  {},
		"-lead":                               {},
		"trail-":                              {},
		"a/-b":                                {},
		"with space":                          {},
		"a_b":                                 {},
		"é":                                   {},
	} {
		got := struct{ repository, pkg, workspace bool }{RepositoryProblem(name) == "", PackageProblem(name) == "", workspaceProblem(name) == ""}
		if got != want {
			t.Errorf("%q: got %+v, want %+v", name, got, want)
		}
	}
	if got, want := PackageProblem("a/b/c/"+long[:61]), `is "a/b/c/`+long[:61]+`", which is too long for Porch: shorten it to at most 63 characters beside the slashes`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := packagePathProblem(strings.Repeat("x/", 127)+"x"), `is "`+strings.Repeat("x/", 50)+`...", which is too long for Porch: a package's name has at most 253 characters`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// steers is what is said of a key that steers Porch.
const steers = "is set by Porch or its controllers, as all of kpt.dev and below is: remove it, or choose a key of a domain of yours"

// TestSteeringKeys holds which keys of labels and annotations a variant does not set.
func TestSteeringKeys(t *testing.T) {
	t.Parallel()
	for key, refused := range map[string]bool{
		"kpt.dev/latest-revision": true, "porch.kpt.dev/x": true, "config.porch.kpt.dev/packagevariantset": true,
		"tag.config.porch.kpt.dev/stable": true, "internal.porch.kpt.dev/x": true, "internal.kpt.dev/x": true,
		"approval.nephio.org/policy": false, "kpt.dev": false, "team": false, "notkpt.dev/x": false, "kpt.dev.example.com/x": false,
		"example.com/kpt.dev": false,
	} {
		got := SteeringKeys("spec.labels", map[string]string{key: "true"})
		var want FieldErrors
		if refused {
			want = FieldErrors{{Path: "spec.labels." + key, Reason: steers}}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", key, diff)
		}
	}
}
