// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"fmt"
	"math/rand"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nephio-project/porch/pkg/repository"
	porchutil "github.com/nephio-project/porch/pkg/util"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
)

// porchMakes reports whether Porch makes a package of that name: by the checks of its API and of its engine.
func porchMakes(repo, pkg, workspace string) bool {
	key := repository.FromFullPathname(repository.RepositoryKey{Name: repo}, pkg)
	return porchutil.ValidateDirectoryName(pkg, true) == nil && porchutil.ValidateK8SName(workspace) == nil &&
		porchutil.ValidPkgRevObjName(repo, key.Path, key.Package, workspace) == nil
}

// porchFinds reports whether Porch finds a package revision by the name of its PackageRevision, as it does with the
// upstream of a clone.
func porchFinds(repo, pkg, workspace string) bool {
	key := repository.FromFullPathname(repository.RepositoryKey{Name: repo}, pkg)
	want := repository.PackageRevisionKey{PkgKey: key, WorkspaceName: workspace}
	got, err := repository.PkgRevK8sName2Key("", want.K8SName())
	return err == nil && got == want
}

// TestNamesAsInPorch compares our rules for names, and those of the CRDs, with Porch's on random names.
func TestNamesAsInPorch(t *testing.T) {
	t.Parallel()
	s, sets := newServer(t, filepath.Join(crdDir, variantCRD)), newServer(t, filepath.Join(crdDir, variantSetCRD))
	random := rand.New(rand.NewSource(1))
	both := map[string]int{}
	check := func(what, name string, porch, ours bool, field map[string]string) {
		t.Helper()
		if porch != ours {
			t.Errorf("%s %q: Porch says %v, we %v", what, name, porch, ours)
		}
		spec := map[string]any{
			"upstream":   map[string]any{"repo": "r", "package": "p", "workspaceName": "v1"},
			"downstream": map[string]any{"repo": "r", "package": "q"},
		}
		for key, value := range field {
			parent, child, _ := strings.Cut(key, ".")
			spec[parent].(map[string]any)[child] = value
		}
		if errs := s.create(t, s.object(spec)); (len(errs) == 0) != ours {
			t.Errorf("%s %q: we say %v, the CRD %v", what, name, ours, errs)
		}
		if porch {
			both[what]++
		}
	}
	for range 4000 {
		name := randomName(random)
		valid := func(u *variant.Upstream) bool { return len(u.Validate("")) == 0 }
		check("downstream.repo", name, porchMakes(name, "p", "w"), variant.RepositoryProblem(name) == "",
			map[string]string{"downstream.repo": name})
		check("upstream.repo", name, porchFinds(name, "p", "w"), valid(&variant.Upstream{Repo: name, Package: "p"}),
			map[string]string{"upstream.repo": name})
		if name != "" {
			check("upstream.workspaceName", name, porchFinds("r", "p", name),
				valid(&variant.Upstream{Repo: "r", Package: "p", WorkspaceName: name}),
				map[string]string{"upstream.workspaceName": name})
		}
		// Porch drops slashes around a name, so the package gets another name than the one requested.
		if strings.Trim(name, "/") == name {
			check("downstream.package", name, porchMakes("r", name, "w"), variant.PackageProblem(name) == "",
				map[string]string{"downstream.package": name})
			ours := variant.PackageProblem(name) == ""
			for field, spec := range setsOver(t, name) {
				if errs := sets.create(t, sets.object(spec)); (len(errs) == 0) != ours && (name != "" || field != "template") {
					t.Errorf("%s of a set, %q: we say %v, the CRD %v", field, name, ours, errs)
				}
			}
		}
		if len(name) <= 63 && strings.Trim(name, "/") == name {
			check("upstream.package", name, porchFinds("r", name, "w"), valid(&variant.Upstream{Repo: "r", Package: name}),
				map[string]string{"upstream.package": name})
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	t.Logf("valid on both sides: %v", both)
	for _, what := range []string{"downstream.repo", "upstream.repo", "upstream.workspaceName", "downstream.package",
		"upstream.package"} {
		if both[what] < 100 {
			t.Errorf("only %d valid names for %s", both[what], what)
		}
	}
}

// setsOver returns specs of PackageVariantSets that name a package, by the field that does. An empty name in a template
// says nothing.
func setsOver(t *testing.T, pkg string) map[string]map[string]any {
	t.Helper()
	specs := map[string]map[string]any{}
	for field, target := range map[string]string{
		"repositories":       "repositories: [{name: r, packageNames: [%[1]q]}]",
		"repositorySelector": "repositorySelector: {packageNames: [%[1]q]}",
		"objectSelector":     "objectSelector: {apiVersion: v1, kind: K, packageNames: [%[1]q]}",
		"template":           "repositories: [{name: r}], template: {downstream: {package: %[1]q}}",
	} {
		specs[field] = parse(t, fmt.Sprintf(setUpstream+"targets: [{"+target+"}]", pkg)).(map[string]any)
	}
	return specs
}

// TestNamesOfLength has the CRDs hold names to the length that Porch takes: 63 characters, beside the slashes.
func TestNamesOfLength(t *testing.T) {
	t.Parallel()
	sets := newServer(t, filepath.Join(crdDir, variantSetCRD))
	for name, want := range map[string]bool{
		strings.Repeat("x", 63):                                               true,
		strings.Repeat("x", 64):                                               false,
		"a/" + strings.Repeat("x", 62):                                        true,
		"a/" + strings.Repeat("x", 63):                                        false,
		"a/" + strings.Repeat("x", 64):                                        false,
		strings.TrimSuffix(strings.Repeat("x/", 63), "/"):                     true,
		strings.TrimSuffix(strings.Repeat("x/", 64), "/"):                     false,
		"a/" + strings.Repeat("x", 30) + "/" + strings.Repeat("-", 31):        false,
		"a/" + strings.Repeat("x", 30) + "/y" + strings.Repeat("-", 30) + "z": true,
	} {
		if ours := variant.PackageProblem(name) == ""; ours != want {
			t.Errorf("%s: we say %v", name, ours)
		}
		for field, spec := range setsOver(t, name) {
			if errs := sets.create(t, sets.object(spec)); (len(errs) == 0) != want {
				t.Errorf("%s of a set, %s: the CRD says %v", field, name, errs)
			}
		}
	}
}

// randomName makes a name that is mostly right, now and then of a length near the limits.
func randomName(r *rand.Rand) string {
	const usual, odd = "abz019", "-/.vA_ é"
	var b strings.Builder
	length := r.Intn(8)
	if r.Intn(4) == 0 {
		length = 60 + r.Intn(8)
	}
	for b.Len() < length {
		from := usual
		if r.Intn(8) == 0 {
			from = odd
		}
		b.WriteByte(from[r.Intn(len(from))])
	}
	if r.Intn(8) == 0 {
		return "v" + strings.ReplaceAll(strings.Trim(b.String(), "-/vA_ é"), "a", ".")
	}
	return b.String()
}
