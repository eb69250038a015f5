// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// text is a status.
type text string

func (s *text) DeepCopy() *text {
	c := *s
	return &c
}

func TestWritten(t *testing.T) {
	t.Parallel()
	w := NewWritten[*text]()
	object := func(uid, version string) *metav1.ObjectMeta {
		return &metav1.ObjectMeta{Name: "web", UID: types.UID(uid), ResourceVersion: version}
	}
	expect := func(step string, o *metav1.ObjectMeta, cached, want text) {
		t.Helper()
		got := w.Newest(o, &cached)
		if *got != want {
			t.Errorf("%s: %q, want %q", step, *got, want)
		}
		*got = "changed by who got it"
	}
	put := func(o *metav1.ObjectMeta, status text) {
		w.Put(o, &status)
		status = "changed by who gave it"
	}
	expect("nothing was written", object("a", "1"), "old", "old")
	put(object("a", "2"), "new")
	expect("the cache is behind", object("a", "1"), "old", "new")
	expect("another of the same name", object("b", "1"), "old", "old")
	put(object("a", "3"), "newer")
	expect("two writes behind", object("a", "1"), "old", "newer")
	expect("one write behind", object("a", "2"), "new", "newer")
	expect("the cache knows it", object("a", "3"), "newer", "newer")
	expect("somebody has written since", object("a", "4"), "by hand", "by hand")
	put(object("a", "5"), "newest")
	expect("the spec was changed since, the cache has not shown the status by itself", object("a", "6"), "newest", "newest")
}
