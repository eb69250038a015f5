// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/revision"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestOver checks which revisions are decided on while the cache is behind what was written, and that it is not waited
// for the cache for ever.
func TestOver(t *testing.T) {
	t.Parallel()
	web := revision.Package{Repo: "edge", Name: "web"}
	at := func(version string) revision.Revision {
		return revision.Revision{Name: "edge.web.v1", Package: web, Version: version}
	}
	first, second, third, others := at("1"), at("2"), at("3"), at("x")
	for name, c := range map[string]struct {
		write  func(*progress)
		passes time.Duration
		cached []revision.Revision
		want   []revision.Revision
		behind bool
	}{
		"nothing was written": {func(*progress) {}, 0, []revision.Revision{first}, []revision.Revision{first}, false},
		"the cache lacks what was made": {func(p *progress) { p.answered(&first, revision.Task{}) }, 0, nil, []revision.Revision{first},
			true},
		"the cache lacks what was made and saved": {func(p *progress) { p.answered(&first, revision.Task{}); p.moved(&first, &second) }, 0, nil,
			[]revision.Revision{second}, true},
		"the cache has it as it was made": {func(p *progress) { p.answered(&first, revision.Task{}); p.moved(&first, &second) }, 0,
			[]revision.Revision{first}, []revision.Revision{second}, true},
		"the cache has it as it was before the last write": {
			func(p *progress) { p.moved(&first, &second); p.moved(&second, &third) }, 0, []revision.Revision{second},
			[]revision.Revision{third}, true},
		"the cache has what was written": {func(p *progress) { p.moved(&first, &second) }, 0, []revision.Revision{second},
			[]revision.Revision{second}, false},
		"others have written since": {func(p *progress) { p.moved(&first, &second) }, 0, []revision.Revision{others},
			[]revision.Revision{others}, false},
		"the cache has what was deleted":     {func(p *progress) { p.moved(&first, nil) }, 0, []revision.Revision{first}, nil, true},
		"the cache knows of the deletion":    {func(p *progress) { p.moved(&first, nil) }, 0, nil, nil, false},
		"others have deleted it":             {func(p *progress) { p.moved(&first, &second) }, 0, nil, nil, false},
		"Porch has lost what was made":       {func(p *progress) { p.answered(&first, revision.Task{}) }, lookAgain, nil, nil, false},
		"Porch has lost what was written":    {func(p *progress) { p.moved(&first, &second) }, lookAgain, []revision.Revision{first}, []revision.Revision{first}, false},
		"Porch does not find what was made":  {func(p *progress) { p.answered(&first, revision.Task{}); p.forget(first.Name) }, 0, nil, nil, false},
		"the cache is a little behind still": {func(p *progress) { p.answered(&first, revision.Task{}) }, lookAgain - 1, nil, []revision.Revision{first}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := newProgresses(time.Now).of(&v1alpha1.PackageVariant{})
				c.write(p)
				time.Sleep(c.passes)
				if diff := cmp.Diff(c.want, p.withOwnWrites(c.cached, web)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				if p.behind() != c.behind {
					t.Errorf("behind is %t", p.behind())
				}
			})
		})
	}
}

// TestLatest checks which variant is decided on while the cache is behind what was written.
func TestLatest(t *testing.T) {
	t.Parallel()
	at := func(version string) *v1alpha1.PackageVariant {
		return &v1alpha1.PackageVariant{ObjectMeta: metav1.ObjectMeta{Name: "web", ResourceVersion: version}}
	}
	p := newProgresses(time.Now).of(at("1"))
	expect := func(what, cached string, want *v1alpha1.PackageVariant) {
		t.Helper()
		if diff := cmp.Diff(want, p.latest(at(cached))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	expect("nothing was written", "1", at("1"))
	p.wrote("1", at("2"))
	p.wrote("2", at("3"))
	expect("the cache has none of the writes", "1", at("3"))
	expect("the cache has one of them", "2", at("3"))
	p.reported()
	expect("it was reported, and the cache is behind", "2", nil)
	expect("the cache has what was written", "3", at("3"))
	expect("others write what was there before", "1", at("1"))
}
