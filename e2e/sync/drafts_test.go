// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/package-variants/package-variants/e2e/internal/tree"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Of a file that is longer than maxText, and of revisions after the first maxRevisions of a test, golden files have the
// hashes only.
const maxText, maxRevisions = 2000, 3

// workspacePrefix is how the workspaces begin that the controller makes.
const workspacePrefix = "packagevariant-"

// compareDrafts holds all that the controller has made in a test against testdata/drafts, where it is the same however
// the functions run. It waits a while for the controller, which may not be through with what the test asked of it last.
func (w *world) compareDrafts() {
	if w.compared || w.t.Failed() {
		return
	}
	w.compared = true
	const patience, settled = 20 * time.Second, 3 * time.Second
	file := filepath.Join("testdata", "drafts", w.t.Name()+".txt")
	var got string
	var err error
	for began := time.Now(); time.Since(began) < patience; time.Sleep(100 * time.Millisecond) {
		if got, err = w.made(); err != nil {
			continue // Porch is writing it
		}
		want, readErr := tree.ReadGolden(file)
		if readErr == nil && want == got || os.Getenv("UPDATE_GOLDEN") != "" && time.Since(began) > settled {
			break
		}
	}
	if err != nil {
		w.t.Errorf("cannot read what the controller made: %v", err)
		return
	}
	tree.Golden(w.t, file, got)
}

// made returns all that the controller has made, as it is in each run. The test's context has ended when it is called.
func (w *world) made() (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var list porchapi.PackageRevisionList
	if err := w.Client.List(ctx, &list, client.InNamespace(w.Namespace)); err != nil {
		return "", err
	}
	slices.SortFunc(list.Items, func(a, b porchapi.PackageRevision) int { return strings.Compare(a.Name, b.Name) })
	var out strings.Builder
	revisions, first := 0, map[string]string{}
	for i := range list.Items {
		r := &list.Items[i]
		if !strings.HasPrefix(r.Spec.WorkspaceName, workspacePrefix) || !strings.HasPrefix(r.Name, w.only) {
			continue
		}
		var resources porchapi.PackageRevisionResources
		if err := w.Client.Get(ctx, client.ObjectKeyFromObject(r), &resources); err != nil {
			return "", err
		}
		revisions++
		fmt.Fprintf(&out, "== %s: %s\n", r.Name, r.Spec.Lifecycle)
		files := resources.Spec.Resources
		for _, name := range slices.Sorted(maps.Keys(files)) {
			text := w.same(files[name])
			switch {
			case first[text] != "":
				fmt.Fprintf(&out, "-- %s is %s\n", name, first[text])
			case len(text) > maxText || name == "README.md" || revisions > maxRevisions:
				fmt.Fprintf(&out, "-- %s has %d bytes, SHA-256 %x\n", name, len(text), sha256.Sum256([]byte(text)))
			default:
				fmt.Fprintf(&out, "-- %s\n%s", name, text)
				first[text] = r.Name + "/" + name
			}
		}
	}
	return out.String(), nil
}

var (
	gitAddress = regexp.MustCompile(`http://127\.0\.0\.1:[0-9]+/`)
	commit     = regexp.MustCompile(`\b[0-9a-f]{40}\b`)
)

// same returns a text as it is in each run.
func (w *world) same(text string) string {
	text = commit.ReplaceAllString(gitAddress.ReplaceAllString(text, "http://git/"), "COMMIT")
	return strings.NewReplacer(w.random...).Replace(text)
}
