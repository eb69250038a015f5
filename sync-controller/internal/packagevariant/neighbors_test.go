// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"github.com/package-variants/package-variants/sync-controller/internal/rules/revision"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestNeighborhood checks what Repositories over directories of one git repository call a package, and what lies around
// it and inside it.
func TestNeighborhood(t *testing.T) {
	t.Parallel()
	repository := func(namespace, name, directory string) porch.Repository {
		return porch.Repository{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
			Repository: revision.Repository{Address: "https://git/edge", Directory: directory}}
	}
	names := func(of []alias) (all []string) {
		for _, a := range of {
			all = append(all, a.namespace+" "+a.pkg.String())
		}
		return all
	}
	var n neighborhood
	n.add(alias{"fleet", revision.Package{Repo: "edge", Name: "b/web"}})
	n.addOthers("/a/b/web", []porch.Repository{
		repository("fleet", "edge", "a"), repository("fleet", "root", ""), repository("other", "edge", "/a/"),
		repository("fleet", "beside", "a/b/we"), repository("fleet", "at", "a/b/web"), repository("fleet", "below", "/a/b/web/c/"),
	})
	for what, c := range map[string]struct {
		of   []alias
		want []string
	}{
		"same":   {n.same, []string{"fleet edge/b/web", "fleet root/a/b/web", "other edge/b/web"}},
		"around": {n.around, []string{"fleet edge/b", "fleet root/a", "fleet root/a/b", "other edge/b"}},
		"inside": {n.inside, []string{"fleet edge/b/web", "fleet root/a/b/web", "other edge/b/web", "fleet at/", "fleet below/"}},
	} {
		if diff := cmp.Diff(c.want, names(c.of)); diff != "" {
			t.Errorf("%s, -want +got:\n%s", what, diff)
		}
	}
}
