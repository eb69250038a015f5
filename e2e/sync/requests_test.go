// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/e2e/internal/proxy"
	"github.com/package-variants/package-variants/e2e/stack"

	"github.com/google/go-cmp/cmp"
)

// TestRequests checks what the life of a package costs: no request is made twice. The controller lists revisions only
// before it makes one, and does not read a draft that Porch has just made by an upgrade, because the files of our own
// merge replace it.
func TestRequests(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", simple())
	w.Apply(newVariant("web", func(s *variant.Spec) {
		s.Upstream.Revision = variant.Revision{Str: "latest"}
		s.PackageContext = &variant.PackageContext{Data: map[string]string{"region": "eu"}}
	}))
	c := w.start()
	draft := w.target("web")
	w.quiet(c)

	w.proxy.Reset()
	w.publish(draft)
	w.quiet(c)
	got := w.requests()
	// It may see the draft proposed before it is published, and reads and reports each.
	n := got[report]
	if n != 1 && n != 2 {
		t.Errorf("a draft is published: %v, want one report or two", got)
	}
	if diff := cmp.Diff(w.counted(requests{readContent: n, report: n}), got); diff != "" {
		t.Errorf("a draft is published (-want +got):\n%s", diff)
	}

	w.proxy.Reset()
	w.Publish("blueprints", "web", "v2", settingsV2)
	w.waitTarget("web", "edge.web.packagevariant-2")
	w.quiet(c)
	want := w.counted(requests{
		"create packagerevisions": 1,
		// The package, and once for all variants the new revision of the blueprint.
		readContent:                       2,
		"update packagerevisionresources": 1,
		// The announcement of the draft, and that it is ready.
		report: 2,
	})
	if diff := cmp.Diff(want, w.requests()); diff != "" {
		t.Errorf("an upstream is published (-want +got):\n%s", diff)
	}
}

const (
	readContent = "get packagerevisionresources"
	report      = "patch packagevariants/status"
)

// requests are requests of the controller, counted.
type requests map[string]int

// requests returns those that the controller has made and that are counted.
func (w *world) requests() requests {
	made := requests{}
	for _, r := range w.work(func(proxy.Request) bool { return true }) {
		made[r]++
	}
	return w.counted(made)
}

// counted returns the requests that can be counted. With the DB cache, Porch may show a revision before its files, and
// the controller looks again until they are there: how often it reads depends on Porch.
func (w *world) counted(all requests) requests {
	if w.stack.Cache() == stack.DBCache {
		delete(all, "get packagerevisions")
		delete(all, readContent)
	}
	return all
}
