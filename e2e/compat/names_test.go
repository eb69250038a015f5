// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"math/rand"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nephio-project/porch/pkg/repository"
	porchutil "github.com/nephio-project/porch/pkg/util"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
)

// porchMakes tells whether Porch makes a package of that name: what its API checks, and what its engine does.
func porchMakes(repo, pkg, workspace string) bool {
	key := repository.FromFullPathname(repository.RepositoryKey{Name: repo}, pkg)
	return porchutil.ValidateDirectoryName(pkg, true) == nil && porchutil.ValidateK8SName(workspace) == nil &&
		porchutil.ValidPkgRevObjName(repo, key.Path, key.Package, workspace) == nil
}

// porchFinds tells whether Porch finds a package revision by the name of its PackageRevision, as it does with the upstream
// of a clone.
func porchFinds(repo, pkg, workspace string) bool {
	key := repository.FromFullPathname(repository.RepositoryKey{Name: repo}, pkg)
	want := repository.PackageRevisionKey{PkgKey: key, WorkspaceName: workspace}
	got, err := repository.PkgRevK8sName2Key("", want.K8SName())
	return err == nil && got == want
}

// TestNamesAsInPorch compares our rules for names, and those of the CRD, with Porch's on random names.
func TestNamesAsInPorch(t *testing.T) {
	t.Parallel()
	s := newServer(t, filepath.Join(crdDir, variantCRD))
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
		check("downstream.repo", name, porchMakes(name, "p", "w"), variant.RepositoryProblem(name) == "", map[string]string{"downstream.repo": name})
		check("upstream.repo", name, porchFinds(name, "p", "w"), valid(&variant.Upstream{Repo: name, Package: "p"}), map[string]string{"upstream.repo": name})
		if name != "" {
			check("upstream.workspaceName", name, porchFinds("r", "p", name), valid(&variant.Upstream{Repo: "r", Package: "p", WorkspaceName: name}),
				map[string]string{"upstream.workspaceName": name})
		}
		// Porch drops slashes around a name, so that no package has the name that was asked for.
		if strings.Trim(name, "/") == name {
			check("downstream.package", name, porchMakes("r", name, "w"), variant.PackageProblem(name) == "", map[string]string{"downstream.package": name})
		}
		if len(name) <= 63 && strings.Trim(name, "/") == name {
			check("upstream.package", name, porchFinds("r", name, "w"), valid(&variant.Upstream{Repo: "r", Package: name}), map[string]string{"upstream.package": name})
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	t.Logf("valid on both sides: %v", both)
	for _, what := range []string{"downstream.repo", "upstream.repo", "upstream.workspaceName", "downstream.package", "upstream.package"} {
		if both[what] < 100 {
			t.Errorf("only %d valid names for %s", both[what], what)
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
