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
	"github.com/package-variants/package-variants/e2e/stack"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Of a file that is longer than maxText, and of revisions after the first maxRevisions of a test, golden files have the
// hashes only.
const maxText, maxRevisions = 2000, 3

// workspacePrefix is how the workspaces begin that the controller makes.
const workspacePrefix = "packagevariant-"

// compareDrafts compares all that the controller has made in a test with testdata/drafts, which is the same for all
// ways to run functions. It waits a while, because the controller may still be busy with the test's last change.
func (w *world) compareDrafts() {
	if w.compared || w.t.Failed() || w.t.Skipped() {
		return
	}
	w.compared = true
	const patience, settled = time.Minute, 3 * time.Second
	file := w.goldenDrafts()
	var got string
	var err error
	for began := time.Now(); time.Since(began) < patience; time.Sleep(100 * time.Millisecond) {
		if got, err = w.made(); err != nil {
			continue // Porch is writing it
		}
		want, readErr := tree.ReadGolden(file)
		if readErr == nil && w.sameDrafts(want, got) {
			return
		}
		if os.Getenv("UPDATE_GOLDEN") != "" && time.Since(began) > settled {
			break
		}
	}
	if err != nil {
		w.t.Errorf("cannot read what the controller made: %v", err)
		return
	}
	tree.Golden(w.t, file, got)
}

// made returns all that the controller has made, without what differs between runs. The test's context has ended when
// it is called.
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
			if name == "Kptfile" && w.stack.Foreign() {
				text = plainKptfile(text)
			}
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

// goldenDrafts returns the golden file of the test. A few have one of their own for a cache in PostgreSQL, in which a draft
// is known to one Repository only.
func (w *world) goldenDrafts() string {
	name := w.t.Name() + ".txt"
	own := filepath.Join("testdata", "drafts-db", name)
	if _, err := os.Stat(own); err == nil && w.stack.Cache() == stack.DBCache {
		return own
	}
	return filepath.Join("testdata", "drafts", name)
}

// lockedCommit matches the commit of an upstream in files and golden files, hashedKptfile a Kptfile of which a golden
// file has the hash only.
var (
	lockedCommit  = regexp.MustCompile(`(?m)^    commit: .*\n`)
	hashedKptfile = regexp.MustCompile(`(?m)^-- Kptfile has .*\n`)
)

// sameDrafts reports whether what the controller has made differs only by the version of Porch: where Porch does not
// report the upstream's commit, a merged draft has none, and newer Porch rewrites each Kptfile.
func (w *world) sameDrafts(want, got string) bool {
	plain := func(s string) string { return s }
	if w.stack.Foreign() {
		plain = plainGolden
	}
	if w.stack.Cache() == stack.DBCache {
		written := plain
		plain = func(s string) string { return written(lockedCommit.ReplaceAllString(s, "")) }
	} else if !w.stack.Foreign() {
		return want == got || forgotten(want, got)
	}
	return hashedKptfile.ReplaceAllString(plain(want), "") == hashedKptfile.ReplaceAllString(plain(got), "")
}

// forgotten reports whether the only difference is that proposed deletions are no longer proposed: with the CR cache,
// Porch may forget a proposal, and tests about it wait for it. An additional proposal is a difference.
func forgotten(want, got string) bool {
	return slices.EqualFunc(strings.Split(want, "\n"), strings.Split(got, "\n"), func(want, got string) bool {
		revision, proposed := strings.CutSuffix(want, ": DeletionProposed")
		return want == got || proposed && strings.HasPrefix(want, "== ") && got == revision+": Published"
	})
}

var (
	gitAddress = regexp.MustCompile(`http://127\.0\.0\.1:[0-9]+/`)
	commit     = regexp.MustCompile(`\b[0-9a-f]{40}\b`)
)

// same returns a text without what differs between runs.
func (w *world) same(text string) string {
	text = commit.ReplaceAllString(gitAddress.ReplaceAllString(text, "http://git/"), "COMMIT")
	if w.stack.Cache() == stack.DBCache { // not all of them have one
		text = lockedCommit.ReplaceAllString(text, "")
	}
	return strings.NewReplacer(w.random...).Replace(text)
}
