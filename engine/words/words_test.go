// SPDX-License-Identifier: Apache-2.0

package words

import (
	"errors"
	"testing"
)

func TestSome(t *testing.T) {
	t.Parallel()
	for want, list := range map[string][]string{
		"":                   nil,
		"a":                  {"a"},
		"a; b; c":            {"a", "b", "c"},
		"a; b; c and 1 more": {"a", "b", "c", "d"},
		"a; b; c and 2 more": {"a", "b", "c", "d", "e"},
	} {
		if got := Some(list, "; "); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got, want := Some([]error{errors.New("a"), errors.New("b")}, ", "), "a, b"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	words := []string{"upstream", "upstreams", "downstream"}
	for to, want := range map[string]string{
		"upstraem": "upstream", "upstreamz": "upstream", "upstreamss": "upstreams", "downstrem": "downstream", "x": "",
	} {
		if got := Nearest(to, words, 3); got != want {
			t.Errorf("nearest to %q is %q, want %q", to, got, want)
		}
	}
}

func TestQuoted(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{"web/v4": "web/v4", "a b": "'a b'", "a;b": "'a;b'", "it's": `'it'\''s'`} {
		if got := Quoted(word); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
