// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"context"
	"fmt"
	"testing"

	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/manifests"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"github.com/package-variants/package-variants/sync-controller/internal/queue/repolock"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// addressed is a cache with Repositories, by namespace and name, at these addresses.
type addressed struct {
	porch.API
	addresses map[string]string
}

func (a addressed) Get(_ context.Context, key client.ObjectKey, o client.Object, _ ...client.GetOption) error {
	repository, ok := o.(*configapi.Repository)
	if !ok {
		return fmt.Errorf("nobody asks for a %T", o)
	}
	address, found := a.addresses[key.String()]
	if !found {
		return apierrors.NewNotFound(schema.GroupResource{Resource: "repositories"}, key.String())
	}
	repository.Spec.Git = &configapi.GitRepository{Repo: address}
	return nil
}

// TestTurns checks which variants write at once: of three that make packages in the Repositories edge, and where the
// drafts are kept.
func TestTurns(t *testing.T) {
	t.Parallel()
	const sites = "https://git.example.com/sites.git"
	for name, c := range map[string]struct {
		addresses [3]string // of the Repositories of the namespaces a, b and c; "" for none that is registered
		database  bool
		want      [3]bool
	}{
		"in three git repositories": {
			[3]string{sites, "https://git.example.com/others", "https://git.example.com/more"}, false, [3]bool{true, true, true}},
		"in one": {[3]string{sites, sites, "https://git.example.com/more"}, false, [3]bool{true, false, true}},
		"in one, by other addresses, and at another port": {
			[3]string{sites, "ssh://git@git.example.com:2222/sites", "git@git.example.com:sites"}, false,
			[3]bool{true, true, false}},
		"in one, and drafts in a database":        {[3]string{sites, sites, sites}, true, [3]bool{true, true, true}},
		"in Repositories that are not registered": {[3]string{"", "", sites}, false, [3]bool{true, true, true}},
	} {
		cache := addressed{addresses: map[string]string{}}
		r := &turns{variants: manifests.Variants{API: cache}, locks: repolock.New(func(types.NamespacedName) {}), most: 8}
		for i, namespace := range []string{"a", "b", "c"} {
			if c.addresses[i] != "" {
				cache.addresses[namespace+"/edge"] = c.addresses[i]
			}
			has, err := r.Take(t.Context(), types.NamespacedName{Namespace: namespace, Name: "web"}, []string{"edge"}, c.database)
			if err != nil {
				t.Fatal(err)
			}
			if has != c.want[i] {
				t.Errorf("%s: the variant in namespace %s may write: %v", name, namespace, has)
			}
		}
	}
}
