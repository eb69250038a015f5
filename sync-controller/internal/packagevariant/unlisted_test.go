// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"context"
	"slices"
	"strings"
	"testing"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// unlisted is a cache that lacks revisions that exist.
type unlisted struct {
	porch.API
	names []string
}

func (u *unlisted) Get(ctx context.Context, key client.ObjectKey, o client.Object, options ...client.GetOption) error {
	if _, is := o.(*porchapi.PackageRevision); is && slices.Contains(u.names, key.Name) {
		return apierrors.NewNotFound(porchapi.Resource("packagerevisions"), key.Name)
	}
	return u.API.Get(ctx, key, o, options...)
}

func (u *unlisted) List(ctx context.Context, into client.ObjectList, options ...client.ListOption) error {
	err := u.API.List(ctx, into, options...)
	if list, is := into.(*porchapi.PackageRevisionList); is && err == nil {
		list.Items = slices.DeleteFunc(list.Items,
			func(pr porchapi.PackageRevision) bool { return slices.Contains(u.names, pr.Name) })
	}
	return err
}

// TestUnlisted checks that a draft and an upstream that the cache lacks, and the status names, are asked for by name
// before anything is made or given up: people's edits stay, and there is no second draft.
func TestUnlisted(t *testing.T) {
	t.Parallel()
	onCaches(t, func(t *testing.T, c *cluster) {
		c.SavesFiles(first, map[string]string{"mine.txt": "mine\n"})
		c.Run()
		c.edits(zone("b"))
		c.reconciler.Known = porch.Cache{Reader: &unlisted{c.client, []string{first, "blueprints.web.v1"}}}
		isReady := func() string {
			pv := c.variants()[0]
			return meta.FindStatusCondition(pv.Status.Conditions, v1alpha1.ConditionReady).Reason
		}

		c.asks(refusing{c.client})
		c.reconcile("web")
		if got := isReady(); got != v1alpha1.ReasonPorchUnavailable || c.Errs["web"] == nil {
			t.Errorf("Porch does not answer: the variant is %s, the error is %v", got, c.Errs["web"])
		}
		c.asks(c.client)
		delete(c.Errs, "web")
		for range 3 {
			c.Pass()
			c.reconcile("web")
		}
		if got := isReady(); got != v1alpha1.ReasonUpToDate || c.Errs["web"] != nil {
			t.Errorf("the variant is %s, the error is %v", got, c.Errs["web"])
		}
		var list porchapi.PackageRevisionList
		c.Must(c.List(t.Context(), &list, client.MatchingFields{porch.PackageIndex: "edge/web"}))
		if len(list.Items) != 1 || list.Items[0].Name != first {
			t.Errorf("there are %d revisions", len(list.Items))
		}
		if files := c.FilesOf(first); files["mine.txt"] == "" || !contains(files, "zone: b") {
			t.Errorf("the files are %v", files)
		}
	})
}

// contains reports whether one of the files contains a text.
func contains(files map[string]string, text string) bool {
	for _, content := range files {
		if strings.Contains(content, text) {
			return true
		}
	}
	return false
}
