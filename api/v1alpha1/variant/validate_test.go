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
		"reserved key set":     {func(s *Spec) { s.PackageContext.Data["name"] = "x" }, []string{"spec.packageContext.data.name is set by kpt: remove it"}},
		"reserved key removed": {func(s *Spec) { s.PackageContext.RemoveKeys = []string{"package-path"} }, []string{`spec.packageContext.removeKeys has "package-path", which kpt sets: take it out`}},
		"key in both lists":    {func(s *Spec) { s.PackageContext.Data["old"] = "x" }, []string{`spec.packageContext has "old" both to set and to remove: decide for one`}},
		"neither image nor exec": {func(s *Spec) { s.Pipeline.Mutators[0].Image = "" }, []string{
			"spec.pipeline.mutators[0] must have one of image and exec"}},
		"both image and exec": {func(s *Spec) { s.Pipeline.Validators[0].Image = "b:v1" }, []string{
			"spec.pipeline.validators[0] must have one of image and exec"}},
		"dot in a name": {func(s *Spec) { s.Pipeline.Mutators[0].Name = "a.b" }, []string{
			`spec.pipeline.mutators[0].name is "a.b", but must have no dot: its name in the Kptfile is read by the dots`}},
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
