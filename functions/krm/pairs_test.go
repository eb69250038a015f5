// SPDX-License-Identifier: Apache-2.0

package krm_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/functions/internal/fntest"
	"github.com/package-variants/package-variants/functions/internal/node"
	"github.com/package-variants/package-variants/functions/krm"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// pairEdit is an edit of a resource, and what it is to make of the value.
type pairEdit struct {
	what  string
	keys  []string // the field's
	apply func(*node.Field) error
	model func(value any, present bool) (any, bool) // the new value; false if the field is to be absent
}

// chooseEdit returns the edit that the choices make.
func chooseEdit(c *fntest.Choices) pairEdit {
	keys := []string{string(rune('a' + c.Choose(4)))}
	if c.Choose(2) == 1 {
		keys = append(keys, string(rune('a'+c.Choose(4))))
	}
	values := []any{"new", "yes", 5, map[string]any{}, []any{}, map[string]any{"a": "new"},
		map[string]any{"a": map[string]any{}, "b": []any{}},
		[]any{"v1"}, []any{"v0", "v2"}, []any{map[string]any{"name": "other0",
			"a": "x"}}, map[string]any{"b": map[string]any{"c": "x", "d": []any{"v1"}}}, "two\nlines\n"}
	switch kind := c.Choose(len(values) + 4); {
	case kind == len(values):
		return pairEdit{"remove", keys, func(f *node.Field) error { _, err := f.Remove(); return err },
			func(any, bool) (any, bool) { return nil, false }}
	case kind > len(values):
		return ownedEdit(keys, kind-len(values)-1, c.Choose(2) == 1)
	default:
		value := values[kind]
		return pairEdit{fmt.Sprint("set ", value), keys, func(f *node.Field) error {
			n, err := node.FromValue(value)
			if err != nil {
				return err
			}
			return f.Set(n)
		}, func(any, bool) (any, bool) { return value, true }}
	}
}

// ownedEdit returns the edit of a list whose elements with names that begin with mine are the owner's.
func ownedEdit(keys []string, entries int, first bool) pairEdit {
	owned := node.Owned{Key: "name", First: first, Is: func(id string) bool { return strings.HasPrefix(id, "mine") }}
	var list []node.Entry
	var mine []any
	for _, id := range []string{"mine1", "mine7"}[:entries] {
		value := map[string]any{"name": id, "a": "new"}
		list, mine = append(list, node.Entry{ID: id, Value: value}), append(mine, value)
	}
	model := func(value any, present bool) (any, bool) {
		old, _ := value.([]any)
		if len(mine) == 0 && old == nil {
			return value, present
		}
		var out []any
		if first {
			out = slices.Clone(mine)
		}
		left := slices.Clone(mine)
		for _, element := range old {
			m, _ := element.(map[string]any)
			id, _ := m["name"].(string)
			if !owned.Is(id) {
				out = append(out, element)
				continue
			}
			if i := slices.IndexFunc(left, func(e any) bool { return e.(map[string]any)["name"] == id }); i >= 0 && !first {
				out, left = append(out, left[i]), slices.Delete(left, i, i+1)
			}
		}
		if !first {
			out = append(out, left...)
		}
		if out == nil {
			out = []any{}
		}
		return out, true
	}
	return pairEdit{fmt.Sprint("own ", mine), keys, func(f *node.Field) error {
		_,
			err := f.SetOwned(owned, list)
		return err
	}, model}
}

func (p pairEdit) String() string { return fmt.Sprint(p.what, " at ", p.keys) }

// function returns the edit as a function.
func (p pairEdit) function() krm.Function {
	return func(_ *yaml.RNode, items []*yaml.RNode) (krm.Output, error) {
		edited, err := krm.Edit(items[0], func(e *node.Editor) error {
			f, err := e.Top(p.keys[0])
			if err == nil && len(p.keys) > 1 {
				f, err = f.Sub(p.keys[1])
			}
			if err != nil {
				return err
			}
			return p.apply(f)
		})
		if err == nil {
			err = krm.CheckEdited(items[0], edited)
		}
		return krm.Output{Items: []*yaml.RNode{edited}}, err
	}
}

// want returns what the edit is to make of a resource.
func (p pairEdit) want(resource map[string]any) map[string]any {
	out := maps.Clone(resource)
	m := out
	for _, key := range p.keys[:len(p.keys)-1] {
		inner, _ := m[key].(map[string]any)
		_, present := inner[p.keys[1]]
		_, wanted := p.model(inner[p.keys[1]], present)
		if inner == nil && !wanted {
			return out
		}
		inner = maps.Clone(inner)
		if inner == nil {
			inner = map[string]any{}
		}
		m[key] = inner
		m = inner
	}
	key := p.keys[len(p.keys)-1]
	_, present := m[key]
	value, wanted := p.model(m[key], present)
	delete(m, key)
	if wanted {
		m[key] = value
	}
	return out
}

func decodePair(t *testing.T, text string) map[string]any {
	t.Helper()
	var out map[string]any
	if err := yaml.Unmarshal([]byte(text), &out); err != nil {
		t.Fatalf("no YAML: %v\n%s", err, text)
	}
	return out
}

// FuzzPairs makes a resource with comments everywhere and an edit, and runs the edit through kpt. What it writes must
// be YAML, and what was asked for; each comment of what is still there must stand in it once; and a second run must
// change no more than a function that does nothing. Resources that kpt itself changes with such a function say nothing.
func FuzzPairs(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 150 {
		f.Add(randomBytes(r, 80), randomBytes(r, 4))
	}
	f.Fuzz(func(t *testing.T, resource, edits []byte) {
		testPair(t, fntest.NewCommented(resource), chooseEdit(fntest.NewChoices(edits)))
	})
}

func testPair(t *testing.T, c *fntest.Commented, edit pairEdit) {
	t.Helper()
	if same, err := fntest.ThroughKpt(fntest.Noop, "kind: A", c.Text); err != nil || same != c.Text {
		t.Skip("kpt itself changes it")
	}
	out, err := fntest.ThroughKpt(edit.function(), "kind: A", c.Text)
	if err != nil {
		var ne *node.Error
		if errors.As(err, &ne) || strings.Contains(err.Error(), "correct its type") {
			return
		}
		t.Fatalf("%v for %v\n%s", err, edit, c.Text)
	}
	before, after := decodePair(t, c.Text), decodePair(t, out)
	if diff := cmp.Diff(edit.want(before), after); diff != "" {
		t.Errorf("not what was asked for (-want +got):\n%s\nbefore:\n%s\nafter:\n%s", diff, c.Text, out)
	}
	for _, comment := range c.Comments {
		got := strings.Count(out, comment.Text)
		if got > 1 || got == 0 && fntest.Survives(comment.Path, any(before), any(after)) {
			t.Errorf("the comment %s of %v stands there %d times after %v\nbefore:\n%s\nafter:\n%s", comment.Text, comment.Path,
				got, edit, c.Text, out)
		}
	}
	again, err := fntest.ThroughKpt(edit.function(), "kind: A", out)
	if err != nil {
		t.Fatalf("a second run: %v\n%s", err, out)
	}
	want, err := fntest.ThroughKpt(fntest.Noop, "kind: A", out)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, again); diff != "" {
		t.Errorf("a second run makes a change after %v (-first +second):\n%s\nbefore:\n%s\nafter:\n%s", edit, diff, c.Text,
			out)
	}
}

func randomBytes(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}
