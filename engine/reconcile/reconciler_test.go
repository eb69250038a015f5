// SPDX-License-Identifier: Apache-2.0

package reconcile_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/memory/memorytest"
	"github.com/package-variants/package-variants/engine/packages"
	"k8s.io/apimachinery/pkg/api/meta"
)

// livesThrough has the variant web live through a clone, changes of the draft, an edit, an upgrade, and an upstream that
// is missing for a while.
func (c *cluster) livesThrough() {
	for _, do := range []func(*cluster){
		func(c *cluster) { c.applies() },
		func(c *cluster) { c.edits(zone("b")) },
		func(c *cluster) { c.SavesFiles(first, settings("blue")) },
		func(c *cluster) { c.Publishes(first) },
		func(c *cluster) { c.edits(zone("c")) },
		func(c *cluster) { c.Publishes(second) },
		toSecond,
		to(9),
		to(2),
		(*cluster).deletes,
	} {
		do(c)
		c.Run()
	}
}

// ready returns the condition Ready of the variant web, about its spec as it is now.
func (c *cluster) ready() string {
	pv, err := c.Objects.Variant(c.T.Context(), namespace, "web")
	if c.Must(err); pv == nil {
		return "gone"
	}
	ready := meta.FindStatusCondition(pv.Status.Conditions, v1alpha1.ConditionReady)
	if ready == nil || ready.ObservedGeneration != pv.Generation {
		return "not observed"
	}
	return fmt.Sprintf("%s %s", ready.Status, ready.Reason)
}

// TestUnreadyBeforeDraft checks that a variant is not ready, for its current spec, when Porch is asked for a draft: a
// person who publishes the drafts of ready variants never publishes an unfinished one.
func TestUnreadyBeforeDraft(t *testing.T) {
	t.Parallel()
	for cache, git := range caches {
		c, asked := begin(t, git), 0
		c.Answer = func(call memorytest.Call) error {
			if creates(call) {
				if asked++; c.ready() != "False Pending" {
					t.Errorf("%s: when %s is asked for, Ready is %s", cache, call.Name, c.ready())
				}
			}
			return nil
		}
		c.livesThrough()
		if asked != 3 {
			t.Errorf("%s: Porch was asked for %d drafts, want one by a clone, an edit and an upgrade", cache, asked)
		}
	}
}

// TestReadyOverTime follows the condition Ready from write to write: it is Pending before a draft is made, and not while
// an open draft is changed or published.
func TestReadyOverTime(t *testing.T) {
	t.Parallel()
	want := []string{"not observed", "False Pending", "True UpToDate", "not observed", "True UpToDate", "False Pending",
		"True UpToDate", "False Pending", "True UpToDate", "False UpstreamNotFound", "True UpToDate", "not observed", "gone"}
	for cache, git := range caches {
		c := begin(t, git)
		var seen []string
		c.Then = func(memorytest.Call) {
			if now := c.ready(); len(seen) == 0 || seen[len(seen)-1] != now {
				seen = append(seen, now)
			}
		}
		c.livesThrough()
		if diff := cmp.Diff(want, seen); diff != "" {
			t.Errorf("%s: -want +got:\n%s", cache, diff)
		}
	}
}

// counting is a Porch that counts how often the content of a revision is read, and does not find that of a downstream
// package a few times.
type counting struct {
	packages.Home
	reads map[string]int
	// lost is how often contents of downstream packages are still not found.
	lost int
}

func (r *counting) Read(ctx context.Context, namespace, name string) (packages.Content, error) {
	r.reads[name]++
	if r.lost > 0 && name == first {
		r.lost--
		return packages.Content{}, &packages.Error{Kind: packages.ErrAbsent, Err: errors.New("it is not there")}
	}
	return r.Home.Read(ctx, namespace, name)
}

// TestUpstreamIsReadOnce has several variants of two upstream revisions, each of which is read once for all of them.
func TestUpstreamIsReadOnce(t *testing.T) {
	t.Parallel()
	for cache, git := range caches {
		c := begin(t, git)
		c.blueprint(2, files("green"))
		counting := &counting{Home: c.client.Packages, reads: map[string]int{}}
		c.reconciler.Packages = counting
		for i := range 6 {
			c.applies(named(fmt.Sprintf("web-%d", i)), func(pv *v1alpha1.PackageVariant) {
				pv.Spec.Upstream.Revision = variant.RevisionNumber(1 + i%2)
			})
		}
		c.Run()
		for _, upstream := range []string{"blueprints.web.v1", "blueprints.web.v2"} {
			if counting.reads[upstream] != 1 {
				t.Errorf("%s: %s was read %d times", cache, upstream, counting.reads[upstream])
			}
		}
	}
}

// TestLostContent has Porch not find, for a while, the content of a draft that it lists, as happens while it reads a
// Repository. The draft does not change when that is over, so nothing wakes the variant: it is looked at again.
func TestLostContent(t *testing.T) {
	t.Parallel()
	for cache, git := range caches {
		c := begin(t, git)
		c.reconciler.Packages = &counting{Home: c.client.Packages, reads: map[string]int{}, lost: 4}
		c.applies()
		for range 12 {
			if c.reconcile("web"); c.ready() != "True UpToDate" && c.Errs["web"] == nil && c.ready() != "not observed" {
				t.Errorf("%s: nothing looks at the variant again, which is %s", cache, c.ready())
			}
			c.Pass()
		}
		if got := c.ready(); got != "True UpToDate" || c.Errs["web"] != nil {
			t.Errorf("%s: Ready is %s, the error %v", cache, got, c.Errs["web"])
		}
	}
}
