// SPDX-License-Identifier: Apache-2.0

package merging_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
)

// functions writes a Kptfile with mutators: a word is an image with its tag, what is before an equals sign the name of
// a function, and what is behind a slash a value in its config; a
// function with a plus sign has a selector.
func functions(list string) string {
	var out strings.Builder
	out.WriteString(kptfile + "pipeline:\n  mutators:\n")
	for _, f := range strings.Fields(list) {
		f, selects := strings.CutSuffix(f, "+")
		image, value, configured := strings.Cut(f, "/")
		name, rest, named := strings.Cut(image, "=")
		if named {
			image = rest
		}
		fmt.Fprintf(&out, "  - image: %s\n", strings.ReplaceAll(image, "!", "/"))
		if configured {
			fmt.Fprintf(&out, "    configMap:\n      a: %s\n", value)
		}
		if named {
			fmt.Fprintf(&out, "    name: %s\n", name)
		}
		if selects {
			out.WriteString("    selectors:\n    - kind: A\n")
		}
	}
	return out.String()
}

const pv = "PackageVariant.web..0=p:v1"

// TestPipelines checks how the functions of a pipeline are told apart and in which order they come out.
func TestPipelines(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		original, updated, local, upstream, here string
		conflicts                                []string
	}{
		"an image twice, behind a variant's": {"n:v1/x n:v1/y", "n:v2/x n:v2/y", pv + " n:v1/x n:v1/y",
			pv + " n:v2/x n:v2/y", pv + " n:v2/x n:v2/y", nil},
		"an image for the third time, in front": {"n:v1/x n:v1/y", "n:v1/z n:v1/x n:v1/y", pv + " n:v1/x n:v1/mine",
			pv + " n:v1/z n:v1/x n:v1/mine", pv + " n:v1/z n:v1/x n:v1/mine", nil},
		"one image added on both sides": {"z:v1", "n:v1/up+ z:v1", "n:v1/mine z:v1", "n:v1/mine n:v1/up+ z:v1",
			"n:v1/mine n:v1/up+ z:v1", nil},
		"the same function added on both sides": {"z:v1", "n:v1/x z:v1", "n:v1/x z:v1 y:v1", "n:v1/x z:v1 y:v1",
			"n:v1/x z:v1 y:v1", nil},
		"a new function in front": {"a:v1 b:v1", "c:v1 a:v1 b:v1", "a:v1 b:v1 mine:v1", "c:v1 a:v1 b:v1 mine:v1",
			"c:v1 a:v1 b:v1 mine:v1", nil},
		"another order upstream": {"a:v1 b:v1 c:v1", "c:v1 a:v1 b:v1", pv + " a:v1 b:v1 c:v1/mine mine:v1",
			pv + " c:v1/mine a:v1 b:v1 mine:v1", pv + " c:v1/mine a:v1 b:v1 mine:v1", nil},
		"another order here": {"a:v1 b:v1", "a:v2 b:v1 c:v1", "b:v1 a:v1", "b:v1 a:v2 c:v1", "b:v1 a:v2 c:v1", nil},
		"another order on both sides": {"a:v1 b:v1 c:v1", "b:v1 a:v1 c:v1", pv + " a:v1 c:v1 b:v1", pv + " b:v1 a:v1 c:v1",
			pv + " a:v1 c:v1 b:v1", []string{"pipeline.mutators: in the order a, b, c | " +
				"in the order a, c, b | in the order b, a, c"}},
		"the same order on both sides": {"a:v1 b:v1 c:v1", "c:v1 a:v1 b:v1", "c:v1 a:v1 mine:v1 b:v1",
			"c:v1 a:v1 mine:v1 b:v1", "c:v1 a:v1 mine:v1 b:v1", nil},
		"an image renamed": {"gcr.io!f!a:v1/x b:v1", "ghcr.io!g!a:v2/x b:v1", "gcr.io!f!a:v1/mine b:v1",
			"ghcr.io!g!a:v2/mine b:v1", "ghcr.io!g!a:v2/mine b:v1", nil},
		"a name upstream": {"a:v1/x", "first=a:v1/x", "a:v1/mine", "first=a:v1/mine", "first=a:v1/mine", nil},
		"names, of one image": {"x=n:v1 y=n:v1", "y=n:v2 x=n:v2", "x=n:v1/mine y=n:v1", "y=n:v2 x=n:v2/mine",
			"y=n:v2 x=n:v2/mine", nil},
		"changed on both sides": {"n:v1/x n:v1/b", "n:v1/x n:v1/z", pv + " n:v1/x n:v1/mine", pv + " n:v1/x n:v1/z",
			pv + " n:v1/x n:v1/mine", []string{"pipeline.mutators[image=n,position=2].configMap.a: b | mine | z"}},
		"removed upstream": {"a:v1 b:v1", "b:v1", pv + " a:v1 b:v1", pv + " b:v1", pv + " b:v1", nil},
		"removed here": {"a:v1 b:v1 c:v1", "a:v1 b:v1/x c:v1", "a:v1 c:v1", "a:v1 c:v1", "a:v1 c:v1",
			[]string{`pipeline.mutators[image=b]: {"image":"b:v1"} | (removed) | {"configMap":{"a":"x"},"image":"b:v1"}`}},
		"changed upstream behind a new one of its image": {"n:v1/x n:v1/y", "n:v2/z n:v2/x n:v2/y", "n:v1/x+ n:v1/y",
			"n:v2/z n:v2/x+ n:v2/y", "n:v2/z n:v2/x+ n:v2/y", nil},
		"changed upstream, in another order": {"n:v1/x n:v1/y", "n:v2/y n:v2/x", "n:v1/x n:v1/y+", "n:v2/y+ n:v2/x",
			"n:v2/y+ n:v2/x", nil},
		"repeated upstream": {"n:v1/x", "n:v2/x n:v2/x", "n:v1/x+", "n:v2/x+ n:v2/x", "n:v2/x+ n:v2/x", nil},
		"another version, changed here": {"n:v1/x n:v1/y", "n:v2/x n:v2/y", "n:v1/x n:v1/mine", "n:v2/x n:v2/mine",
			"n:v2/x n:v2/mine", nil},
		"removed upstream, which one of two": {"n:v1/x n:v1/y", "n:v2/z", "n:v1/x+ n:v1/y", "n:v2/z", "n:v1/x+",
			[]string{`pipeline.mutators[image=n,position=1]: {"configMap":{"a":"x"},"image":"n:v1"} | ` +
				`{"configMap":{"a":"x"},"image":"n:v1","selectors":[{"kind":"A"}]} | {"configMap":{"a":"z"},"image":"n:v2"}`}},
		"removed here, which one of two": {"n:v1/x n:v1/y", "n:v2/x n:v2/z", "n:v1/mine", "n:v2/x", "n:v1/mine",
			[]string{`pipeline.mutators[image=n,position=1]: {"configMap":{"a":"x"},"image":"n:v1"} | ` +
				`{"configMap":{"a":"mine"},"image":"n:v1"} | {"configMap":{"a":"x"},"image":"n:v2"}`,
				`pipeline.mutators[image=n,position=2]: {"configMap":{"a":"y"},"image":"n:v1"} | (removed) | ` +
					`{"configMap":{"a":"z"},"image":"n:v2"}`}},
		"one function twice, each side configures another": {"n:v1 n:v1", "n:v1/up n:v1", "n:v1 n:v1/mine",
			"n:v1/up n:v1/mine", "n:v1/up n:v1/mine", nil},
		"one function twice, the upstream configures the last": {"n:v1 n:v1", "n:v1 n:v1/up", "n:v1/mine n:v1",
			"n:v1/mine n:v1/up", "n:v1/mine n:v1/up", nil},
		"one function twice, of another version upstream": {"n:v1/x n:v1/x", "n:v2/up n:v2/x", pv + " n:v1/x n:v1/mine",
			pv + " n:v2/up n:v2/mine", pv + " n:v2/up n:v2/mine", nil},
		"one function twice, both configure the first": {"n:v1/x n:v1/x", "n:v1/up n:v1/x", "n:v1/mine n:v1/x",
			"n:v1/up n:v1/x", "n:v1/mine n:v1/x", []string{"pipeline.mutators[image=n,position=1].configMap.a: x | mine | up"}},
		"one function three times, each side configures another": {"n:v1 n:v1 n:v1", "n:v1 n:v1/up n:v1", "n:v1 n:v1 n:v1/mine",
			"n:v1 n:v1/up n:v1/mine", "n:v1 n:v1/up n:v1/mine", nil},
		"one function in three versions of its own": {"n:v1/x", "n:v2/y", "n:v0/x n:v0/y n:v0/y", "n:v2/y n:v0/y n:v0/y",
			"n:v0/y n:v0/y n:v0/y", []string{"pipeline.mutators[image=n,position=1].image: n:v1 | n:v0 | n:v2"}},
		"one function twice, one in front upstream": {"n:v1 n:v1", "c:v1 n:v1/up n:v1", "n:v1 n:v1/mine",
			"c:v1 n:v1/up n:v1/mine", "c:v1 n:v1/up n:v1/mine", nil},
		"the upstream is a variant": {"PackageVariant.up..0=p:v1 a:v1", "PackageVariant.up..0=p:v2 a:v1 b:v1",
			pv + " PackageVariant.up..0=p:v1 a:v1", pv + " PackageVariant.up..0=p:v2 a:v1 b:v1",
			pv + " PackageVariant.up..0=p:v2 a:v1 b:v1", nil},
		"a variant's, in another place": {"a:v1", "a:v1 b:v1", "a:v1 " + pv, pv + " a:v1 b:v1", pv + " a:v1 b:v1", nil},
	} {
		for _, onConflict := range []merging.OnConflict{merging.TakeUpstream, merging.KeepLocal} {
			t.Run(name+"/"+string(onConflict), func(t *testing.T) {
				t.Parallel()
				one := func(list string) files { return files{"Kptfile": functions(list)} }
				options := merging.Options{OnConflict: onConflict}
				got, conflicts := merge(t, one(c.original), one(c.updated), one(c.local), options)
				want := c.upstream
				if onConflict == merging.KeepLocal {
					want = c.here
				}
				if diff := cmp.Diff(functions(want), got["Kptfile"]); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
				if diff := cmp.Diff(c.conflicts, differences(conflicts)); diff != "" {
					t.Errorf("conflicts -want +got:\n%s", diff)
				}
			})
		}
	}
}

// TestAlternativesOfFunctions checks that a function does not get two fields of which kpt takes only one.
func TestAlternativesOfFunctions(t *testing.T) {
	t.Parallel()
	function := func(fields string) files {
		return files{"Kptfile": kptfile + "pipeline:\n  mutators:\n  - {name: a, " + fields + "}\n"}
	}
	for name, c := range map[string]struct{ original, updated, local, want string }{
		"image": {"image: a:v1", "exec: a", "image: a:mine", `{"image":"a:v1"} | {"image":"a:mine"} | {"exec":"a"}`},
		"config": {"image: a, configPath: x", "image: a, configMap: {k: v}", "image: a, configPath: mine",
			`{"configPath":"x"} | {"configPath":"mine"} | {"configMap":{"k":"v"}}`},
		"config, of a resource": {"image: a, configPath: x", "image: a, configRef: {kind: A, name: a}", "image: a, configPath: mine",
			`{"configPath":"x"} | {"configPath":"mine"} | {"configRef":{"kind":"A","name":"a"}}`},
	} {
		for onConflict, want := range map[merging.OnConflict]string{merging.TakeUpstream: c.updated, merging.KeepLocal: c.local} {
			t.Run(name+"/"+string(onConflict), func(t *testing.T) {
				t.Parallel()
				got, conflicts := merge(t, function(c.original), function(c.updated), function(c.local),
					merging.Options{OnConflict: onConflict})
				if diff := cmp.Diff(function(want), got); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
				if diff := cmp.Diff([]string{"pipeline.mutators[name=a]: " + c.want}, differences(conflicts)); diff != "" {
					t.Errorf("conflicts -want +got:\n%s", diff)
				}
			})
		}
	}
}

// TestRandomPipelines merges random changes of a pipeline: a second merge changes nothing, an unchanged package gets
// what the upstream has, and the functions of a variant stay in front.
func TestRandomPipelines(t *testing.T) {
	t.Parallel()
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 3))
		base := randomFunctions(r)
		original, updated, local := strings.Join(base, " "), changedFunctions(r, base), changedFunctions(r, base)
		for _, onConflict := range []merging.OnConflict{merging.TakeUpstream, merging.KeepLocal} {
			for _, l := range []string{local, pv + " " + local, original, pv + " " + original} {
				front := strings.Repeat(pv, strings.Count(l, pv))
				o, u := files{"Kptfile": functions(original)}, files{"Kptfile": functions(updated)}
				options := merging.Options{OnConflict: onConflict}
				got, _, err := merging.Merge(o, u, files{"Kptfile": functions(l)}, options)
				if err != nil {
					t.Fatal(err)
				}
				again, _, err := merging.Merge(o, u, got, options)
				if err != nil {
					t.Fatal(err)
				}
				if again["Kptfile"] != got["Kptfile"] && !repeats(original) && !repeats(updated) && !repeats(l) {
					t.Errorf("a second merge changes the package (-first +second):\n%s", cmp.Diff(got, again))
				}
				want := functions(strings.TrimSpace(front + " " + updated))
				if strings.TrimPrefix(l, pv+" ") == original && got["Kptfile"] != want {
					t.Errorf("nothing changed here (-upstream +merged):\n%s", cmp.Diff(want, got["Kptfile"]))
				}
				if front != "" && !strings.HasPrefix(got["Kptfile"], functions(front)) {
					t.Errorf("the variant's function is not in front:\n%s", got["Kptfile"])
				}
				if t.Failed() {
					t.Fatalf("seed %d, %s:\n%s\n%s\n%s", seed, onConflict, original, updated, l)
				}
			}
		}
	}
}

// repeats reports whether a list has the same function twice: the two cannot be told apart.
func repeats(list string) bool {
	all := strings.Fields(list)
	slices.Sort(all)
	return len(slices.Compact(all)) < len(strings.Fields(list))
}

func randomFunctions(r *rand.Rand) []string {
	out := make([]string, 1+r.IntN(5))
	for i := range out {
		out[i] = randomFunction(r)
	}
	return out
}

func randomFunction(r *rand.Rand) string {
	f := fmt.Sprintf("%c:v%d", 'a'+r.IntN(3), r.IntN(2))
	if r.IntN(2) == 0 {
		f += fmt.Sprintf("/x%d", r.IntN(4))
	}
	return f
}

// changedFunctions returns a list with a few functions added, removed, moved or changed.
func changedFunctions(r *rand.Rand, list []string) string {
	out := append([]string(nil), list...)
	for range 1 + r.IntN(2) {
		i := r.IntN(len(out))
		j := r.IntN(len(out))
		switch r.IntN(4) {
		case 0:
			out = append(out[:i:i], append([]string{randomFunction(r)}, out[i:]...)...)
		case 1:
			if len(out) > 1 {
				out = append(out[:i:i], out[i+1:]...)
			}
		case 2:
			out[i], out[j] = out[j], out[i]
		default:
			out[i] = randomFunction(r)
		}
	}
	return strings.Join(out, " ")
}
