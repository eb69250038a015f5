// SPDX-License-Identifier: Apache-2.0

package contest

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"
)

// told are drafts that the next look returns.
type told struct {
	next  []draft
	fault error
}

func (o *told) changed(context.Context) ([]draft, error) {
	next := o.next
	o.next = nil
	return next, o.fault
}

// TestObserver checks that an observer says when all packages are right, and not before.
func TestObserver(t *testing.T) {
	t.Parallel()
	one, two := sample(), sample()
	two.Repository = "edge-2"
	good := right(t, one)
	bad := maps.Clone(good)
	bad["service.yaml"] = "kind: Service\n"
	porch := &told{fault: errors.New("porch is at work")}
	o, err := newObserver(porch, []pkg{one, two})
	if err != nil {
		t.Fatal(err)
	}
	expect := func(what string, n int, message string, next ...draft) {
		t.Helper()
		porch.next = next
		o.look(t.Context())
		err := o.example()
		if len(o.right) != n || (err == nil) != (message == "") || err != nil && !strings.Contains(err.Error(), message) {
			t.Errorf("%s: %d are right, want %d; %v, want %s", what, len(o.right), n, err, message)
		}
	}
	expect("nothing can be read", 0, "there is no draft\nporch is at work")
	porch.fault = nil
	expect("nothing is there", 0, "there is no draft")
	other := pkgKey{"edge-1", "web-01"} // nothing waits for it
	expect("one is right", 1, "edge-2/web-00 is not right", draft{one.key(), "packagevariant-1", good},
		draft{other, "packagevariant-1", bad}, draft{two.key(), "packagevariant-1", bad})
	expect("both are right", 2, "", draft{two.key(), "packagevariant-2", good})
	if _, err := o.await(t.Context()); err != nil {
		t.Error(err)
	}
	expect("an older draft is wrong", 2, "", draft{two.key(), "packagevariant-1", bad})
	expect("one is not right any more", 1, "edge-1/web-00 is not right", draft{one.key(), "packagevariant-1", bad})
	ctx, cancel := context.WithTimeoutCause(t.Context(), 10*time.Millisecond, errors.New("not soon"))
	defer cancel()
	if _, err := o.await(ctx); err == nil || !strings.HasPrefix(err.Error(),
		"1 of 2 packages are right: not soon: edge-1/web-00 is not right") {
		t.Errorf("await: %v", err)
	}
}
