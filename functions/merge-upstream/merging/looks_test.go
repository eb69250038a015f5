// SPDX-License-Identifier: Apache-2.0

package merging_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
)

// look is a field of a resource with its comments and quotes.
type look struct {
	above, value, behind string
	gone                 bool
}

// looked is a resource: its fields by path, of which each is in the map of the field above, and elements of a list by
// name.
type looked struct {
	fields map[string]look
	// order are the names of the containers.
	order []string
}

var lookedFields = []string{"spec", "spec.replicas", "spec.a", "spec.b", "spec.c", "spec.m", "spec.m.x", "spec.m.y", "spec.m.z"}

func (r random) looked() looked {
	l := looked{fields: map[string]look{}}
	for _, f := range lookedFields {
		l.fields[f] = r.look(f)
	}
	for i := range 1 + r.IntN(3) {
		l.addContainer(fmt.Sprintf("c%d", i), r)
	}
	return l
}

func (l *looked) addContainer(name string, r random) {
	l.order = append(l.order, name)
	for _, f := range []string{"", ".image", ".tty"} {
		l.fields[name+f] = r.look(name + f)
	}
}

func (r random) of(words ...string) string { return words[r.IntN(len(words))] }

func (r random) look(path string) look {
	l := look{above: r.of("", "", "", "# above "+r.value()), behind: r.of("", "", " # behind "+r.value())}
	switch path {
	case "spec", "spec.m", "c0", "c1", "c2", "c3", "c4", "c5":
	default:
		l.value = r.of("v1", "'v1'", `"v1"`, "yes", `"yes"`, "null", "1", `"1"`, "v2", "[a, b]", "[a, 'b']", "{k: 1}")
	}
	return l
}

// changed returns a copy in which a few fields are other ones.
func (l looked) changed(r random) looked {
	c := looked{maps.Clone(l.fields), slices.Clone(l.order)}
	for range 1 + r.IntN(4) {
		name := r.of(slices.Sorted(maps.Keys(c.fields))...)
		f, other := c.fields[name], r.look(name)
		switch r.IntN(6) {
		case 0:
			f.above = other.above
		case 1:
			f.behind = other.behind
		case 2:
			f.gone = strings.Contains(name, ".") && name != "spec.m"
		case 3:
			if n := fmt.Sprintf("c%d", 3+r.IntN(3)); !slices.Contains(c.order, n) {
				c.addContainer(n, r)
			}
		default:
			f.value = other.value
		}
		c.fields[name] = f
	}
	if r.IntN(4) == 0 {
		r.Shuffle(len(c.order), func(i, j int) { c.order[i], c.order[j] = c.order[j], c.order[i] })
	}
	return c
}

func (l looked) text() string {
	var out strings.Builder
	out.WriteString(deploy)
	write := func(indent, dash, key, path string) {
		f := l.fields[path]
		if f.gone {
			return
		}
		if f.above != "" {
			out.WriteString(indent + f.above + "\n")
		}
		fmt.Fprintf(&out, "%s%s%s: %s%s\n", indent, dash, key, f.value, f.behind)
	}
	for _, path := range lookedFields {
		parts := strings.Split(path, ".")
		write(strings.Repeat("  ", len(parts)-1), "", parts[len(parts)-1], path)
	}
	out.WriteString("  template:\n    spec:\n      containers:\n")
	for _, name := range l.order {
		f := l.fields[name]
		if f.above != "" {
			out.WriteString("      " + f.above + "\n")
		}
		fmt.Fprintf(&out, "      - name: %s%s\n", name, f.behind)
		write("        ", "", "image", name+".image")
		write("        ", "", "tty", name+".tty")
	}
	return strings.NewReplacer(": \n", ":\n", ":  #", ": #").Replace(out.String())
}

// TestUneditedFollows merges random changes of values, comments, quotes and order into packages that nobody edited:
// each becomes its upstream, besides what kpt and a variant write into it.
func TestUneditedFollows(t *testing.T) {
	t.Parallel()
	for seed := range uint64(1000) {
		r := random{rand.New(rand.NewPCG(seed, 5))}
		base := r.looked()
		original, updated := with(one(base.text())), with(one(base.changed(r).text()))
		for name, made := range makers {
			got, conflicts, err := merging.Merge(original, updated, made(original), merging.Options{OnConflict: merging.Stop})
			if err != nil {
				t.Fatalf("seed %d, %s: %v, %v", seed, name, err, told(conflicts))
			}
			if diff := cmp.Diff(sorted(made(updated)["a.yaml"]), sorted(made(got)["a.yaml"])); diff != "" {
				t.Fatalf("seed %d, %s: -upstream +merged:\n%s\nfrom:\n%s\nmerged:\n%s", seed, name, diff, original["a.yaml"], got["a.yaml"])
			}
		}
	}
}

// sorted returns the lines of a text in an order of their own.
func sorted(text string) []string {
	lines := strings.Split(text, "\n")
	slices.Sort(lines)
	return lines
}

// TestRandomLooks merges random changes of both sides. Merging again changes nothing. Where the sides changed different
// things, each arrives with its comments and quotes, in either direction.
func TestRandomLooks(t *testing.T) {
	t.Parallel()
	checked := 0
	for seed := range uint64(1000) {
		r := random{rand.New(rand.NewPCG(seed, 6))}
		base := r.looked()
		theirs, ours := base.changed(r), base.changed(r)
		original, updated, local := one(base.text()), one(theirs.text()), one(ours.text())
		var got files
		var conflicts []merging.Conflict
		for _, onConflict := range []merging.OnConflict{merging.KeepLocal, merging.TakeUpstream} {
			got, conflicts = merge(t, original, updated, local, merging.Options{OnConflict: onConflict})
		}
		mirrored, _ := merge(t, original, local, updated, merging.Options{})
		want, plain := merged(base, ours, theirs)
		if plain {
			checked++
			for _, text := range []string{got["a.yaml"], mirrored["a.yaml"]} {
				if diff := cmp.Diff(sorted(want.text()), sorted(text)); diff != "" || len(conflicts) > 0 {
					t.Errorf("%v, -want +merged:\n%s", told(conflicts), diff)
				}
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d:\n%s\n%s\n%s\n%s", seed, original["a.yaml"], updated["a.yaml"], local["a.yaml"], got["a.yaml"])
		}
	}
	if checked < 100 {
		t.Errorf("only %d merges are plain", checked)
	}
}

// merged returns what has each change of both sides; plain reports whether no two of them are at the same place.
func merged(base, ours, theirs looked) (out looked, plain bool) {
	out = looked{fields: map[string]look{}}
	plain = isOrdered(ours.order, base.order) || isOrdered(theirs.order, base.order)
	for path := range both2(ours.fields, theirs.fields) {
		b, known := base.fields[path]
		o, here := ours.fields[path]
		u, there := theirs.fields[path]
		switch {
		case !known && here && there || known && (o != b && u != b && (o.gone || u.gone)):
			plain = false
		case !known && here:
			out.fields[path] = o
		case !known:
			out.fields[path] = u
		default:
			f := look{gone: o.gone || u.gone}
			for _, part := range []struct{ to, base, ours, theirs *string }{{&f.above, &b.above, &o.above, &u.above},
				{&f.value, &b.value, &o.value, &u.value}, {&f.behind, &b.behind, &o.behind, &u.behind}} {
				switch {
				case *part.ours == *part.base:
					*part.to = *part.theirs
				case *part.theirs == *part.base || *part.theirs == *part.ours:
					*part.to = *part.ours
				default:
					plain = false
				}
			}
			out.fields[path] = f
		}
	}
	for _, name := range append(slices.Clone(ours.order), theirs.order...) {
		if !slices.Contains(out.order, name) {
			out.order = append(out.order, name)
		}
	}
	return out, plain
}

// isOrdered reports whether a list has the elements of another one in their order.
func isOrdered(list, of []string) bool {
	list = slices.DeleteFunc(slices.Clone(list), func(s string) bool { return !slices.Contains(of, s) })
	return slices.Equal(list, of)
}

func both2(a, b map[string]look) map[string]look {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// TestTextsStayTexts checks, over all ways to write some values, that a merge writes no text without quotes that a reader
// of YAML 1.1 would take for something else, unless a side has written it so.
func TestTextsStayTexts(t *testing.T) {
	t.Parallel()
	values := []string{"yes", `"yes"`, "'yes'", "no", `"no"`, "'no'", `"010"`, "x", "|-\n    no", ">-\n    yes"}
	for _, original := range values {
		for _, updated := range values {
			for _, local := range values {
				for _, policy := range []merging.OnConflict{merging.KeepLocal, merging.TakeUpstream} {
					merged, _, err := merging.Merge(textFiles(original), textFiles(updated), textFiles(local),
						merging.Options{OnConflict: policy})
					if err != nil {
						t.Fatal(err)
					}
					_, got, _ := strings.Cut(strings.TrimSpace(merged["a.yaml"]), "data:\n  a: ")
					if (got == "yes" || got == "no" || got == "010") && got != updated && got != local {
						t.Errorf("%s, upstream %s, here %s, %s: got %s", original, updated, local, policy, got)
					}
				}
			}
		}
	}
}

func textFiles(value string) map[string]string {
	return map[string]string{"Kptfile": kptfile, "a.yaml": cm + "data:\n  a: " + value + "\n"}
}

// TestCommentWithoutLineEnd merges a resource of which a comment on the last line, without a line end, is read as that
// of another value than with one: it arrives once.
func TestCommentWithoutLineEnd(t *testing.T) {
	t.Parallel()
	const work = "apiVersion: x.io/v1\nkind: Work\nmetadata:\n  name: a\nspec:\n   x: 2\n # c"
	got, conflicts := merge(t, one(cm+"data: {}\n"), one(work), one(cm+"data: {a: b}\n"), merging.Options{})
	if want := "---\n" + work + "\n"; !strings.HasSuffix(got["a.yaml"], want) || len(conflicts) != 1 {
		t.Errorf("it becomes %q, with %v", got["a.yaml"], told(conflicts))
	}
}
