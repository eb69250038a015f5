// SPDX-License-Identifier: Apache-2.0

package reconcile_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	"k8s.io/apimachinery/pkg/api/meta"
)

// unlisted lacks revisions that exist.
type unlisted struct {
	packages.Known
	names []string
}

func (u *unlisted) Named(ctx context.Context, namespace, name string) (revision.Revision, error) {
	if slices.Contains(u.names, name) {
		return revision.Revision{}, &packages.Error{Kind: packages.ErrAbsent, Err: errors.New("it is not there")}
	}
	return u.Known.Named(ctx, namespace, name)
}

func (u *unlisted) Find(ctx context.Context, namespace string, by packages.Index, value string) ([]revision.Revision,
	error) {
	found, err := u.Known.Find(ctx, namespace, by, value)
	return slices.DeleteFunc(found, func(r revision.Revision) bool { return slices.Contains(u.names, r.Name) }), err
}

// TestUnlisted checks that a draft and an upstream that the cache lacks, and the status names, are asked for by name
// before anything is made or given up: people's edits stay, and there is no second draft.
func TestUnlisted(t *testing.T) {
	t.Parallel()
	onCaches(t, func(t *testing.T, c *cluster) {
		c.SavesFiles(first, map[string]string{"mine.txt": "mine\n"})
		c.Run()
		c.edits(zone("b"))
		c.reconciler.Known = &unlisted{c.client.Packages, []string{first, "blueprints.web.v1"}}
		isReady := func() string {
			pv := c.variants()[0]
			return meta.FindStatusCondition(pv.Status.Conditions, v1alpha1.ConditionReady).Reason
		}

		c.reconciler.Packages = refusing{c.client.Packages}
		c.reconcile("web")
		if got := isReady(); got != v1alpha1.ReasonPorchUnavailable || c.Errs["web"] == nil {
			t.Errorf("Porch does not answer: the variant is %s, the error is %v", got, c.Errs["web"])
		}
		c.reconciler.Packages = c.client.Packages
		delete(c.Errs, "web")
		for range 3 {
			c.Pass()
			c.reconcile("web")
		}
		if got := isReady(); got != v1alpha1.ReasonUpToDate || c.Errs["web"] != nil {
			t.Errorf("the variant is %s, the error is %v", got, c.Errs["web"])
		}
		all, err := c.Packages.List(t.Context(), namespace, revision.Package{Repo: "edge", Name: "web"})
		if c.Must(err); len(all) != 1 || all[0].Name != first {
			t.Errorf("there are %d revisions", len(all))
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
