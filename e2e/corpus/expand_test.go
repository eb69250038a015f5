// SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"github.com/kptdev/krm-functions-sdk/go/fn"

	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/e2e/internal/tree"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
	"github.com/package-variants/package-variants/functions/krm"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/kustomize/kyaml/kio"
	"sigs.k8s.io/kustomize/kyaml/kio/kioutil"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/yaml"
)

// expanding is a package with the snapshot of a cluster, the set that is expanded over it, and what the library makes
// of both.
type expanding struct {
	name  string
	set   map[string]any
	start tree.Tree
	want  krm.Output
	err   error
}

// TestExpandProperties checks properties of every expansion, on random sets over random clusters, where sets, clusters
// and variants then change (PROPERTIES=n, 40 by default): the function makes, rendered by kpt, what the library makes,
// whatever the order of the items; variants of targets that fail stay as they are; maxDeletions and allowEmpty are
// kept; all that is not the set's stays as it is, byte for byte; and a second run changes nothing.
func TestExpandProperties(t *testing.T) {
	t.Parallel()
	fleets, first := make([]*fleet, count(40)), make([]*expanding, count(40))
	for seed := range fleets {
		f := &fleet{versioned: versioned{randomPackage: randomPackage{Rand: rand.New(rand.NewPCG(uint64(seed), 18))},
			name: name(seed)}, sites: 2 + seed%5}
		fleets[seed], first[seed] = f, newExpanding(t, f.name, f.set(), f.files())
	}
	second := make([]*expanding, len(fleets))
	made, _ := expandAll(t, first)
	for i, f := range fleets {
		set := f.set()
		if f.one(2) { // with other rules alone
			set["spec"].(map[string]any)["targets"] = first[i].set["spec"].(map[string]any)["targets"]
		}
		second[i] = newExpanding(t, f.name, set, f.edited(made[i]))
	}
	got, results := expandAll(t, second)
	third, seen := make([]*expanding, len(fleets)), map[string]int{}
	for i, e := range second {
		third[i] = newExpanding(t, e.name, e.set, got[i])
	}
	again, _ := expandAll(t, third)
	for i, e := range second {
		t.Run(e.name, func(t *testing.T) {
			if e.err != nil {
				seen["refused"]++
				e.checkRefusal(t)
				return
			}
			if diff := cmp.Diff(got[i], again[i]); diff != "" {
				t.Errorf("of the first and of a second run (-want +got):\n%s", diff)
			}
			e.check(t, got[i], results[e.name], seen)
			if i < byEval {
				sameTree(t, "of a render and of eval", got[i], evaluated(t, "expand-variantset", e.start, e.config(t)))
			}
			if t.Failed() {
				t.Logf("set:\n%s\nbefore:\n%s\nresults: %v", e.config(t), show(e.start), results[e.name])
			}
		})
	}
	for _, what := range []string{"refused", "made", "removed", "failing", "kept"} {
		if len(fleets) >= 100 && seen[what] < len(fleets)/25 {
			t.Errorf("%s: %d of %d, too few to tell", what, seen[what], len(fleets))
		}
	}
}

func newExpanding(t *testing.T, name string, set map[string]any, start tree.Tree) *expanding {
	t.Helper()
	e := &expanding{name: name, set: set, start: start}
	items := itemsOf(t, start)
	e.want, e.err = expansion.Run(kyaml.MustParse(e.config(t)), items)
	return e
}

func (e *expanding) config(t *testing.T) string {
	t.Helper()
	text, err := yaml.Marshal(e.set)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// itemsOf returns the resources of a package as a function gets them.
func itemsOf(t *testing.T, files tree.Tree) (items []*kyaml.RNode) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		reader := kio.ByteReader{Reader: strings.NewReader(files[name]),
			SetAnnotations: map[string]string{kioutil.PathAnnotation: name}}
		nodes, err := reader.Read()
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, files[name])
		}
		items = append(items, nodes...)
	}
	return items
}

// expandAll returns what kpt makes of the packages by the function, and the results by package. Packages that the
// library refuses stay as they are.
func expandAll(t *testing.T, all []*expanding) ([]tree.Tree, map[string][]result) {
	t.Helper()
	packages := tree.Tree{"Kptfile": rootKptfile}
	for _, e := range all {
		if e.err == nil {
			packages = packages.Add(e.name, piped(e.start, "expand-variantset", e.config(t)))
		}
	}
	rendered, results := rendered(t, packages)
	out := make([]tree.Tree, len(all))
	for i, e := range all {
		if out[i] = e.start; e.err == nil {
			out[i] = below(rendered, e.name)
			out[i]["Kptfile"] = strings.TrimSuffix(out[i]["Kptfile"], pipe("expand-variantset"))
			delete(out[i], "config.yaml")
		}
	}
	return out, results
}

// checkRefusal checks that kpt refuses what the library does, in the same words.
func (e *expanding) checkRefusal(t *testing.T) {
	t.Helper()
	_, err := evaluate(t, "expand-variantset", e.start, e.config(t))
	if _, reason, _ := strings.Cut(e.err.Error(), ": spec."); err == nil || !strings.Contains(err.Error(), reason) {
		t.Errorf("by kpt: %v, want %v", err, e.err)
	}
}

// made is a variant of the set, with the file that it is in.
type made struct{ downstream, file, text string }

// variantsOf returns the variants of the set among the resources by their names, and the texts of all other resources.
func (e *expanding) variantsOf(t *testing.T, items []*kyaml.RNode) (map[string]made, map[string]string) {
	t.Helper()
	variants, others := map[string]made{}, map[string]string{}
	for _, item := range items {
		file := krm.Identify(item).File
		for key := range item.GetAnnotations() {
			if krm.IsInternalAnnotation(key) {
				if err := item.PipeE(kyaml.ClearAnnotation(key)); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := kyaml.ClearEmptyAnnotations(item); err != nil {
			t.Fatal(err)
		}
		text := item.MustString()
		if item.GetLabels()[v1alpha2.OwnerLabel] == "" {
			others[file+" "+item.GetKind()+" "+item.GetName()] = text
			continue
		}
		repo, _ := item.GetString("spec.downstream.repo")
		pkg, _ := item.GetString("spec.downstream.package")
		variants[item.GetName()] = made{repo + "/" + pkg, file, text}
	}
	return variants, others
}

func (e *expanding) check(t *testing.T, got tree.Tree, results []result, seen map[string]int) {
	t.Helper()
	before, others := e.variantsOf(t, itemsOf(t, e.start))
	after, left := e.variantsOf(t, itemsOf(t, got))
	if diff := cmp.Diff(others, left); diff != "" {
		t.Errorf("what is not the set's (-want +got):\n%s", diff)
	}
	e.checkLibrary(t, after)
	e.checkSpared(t, before, after, results)
	e.checkDeletions(t, before, after)
	for what, is := range map[string]bool{
		"made":    len(after) > len(before),
		"removed": len(removed(before, after)) > 0,
		"failing": slices.ContainsFunc(results, func(r result) bool { return r.Tags[expansion.TargetTag] != "" }),
		"kept":    strings.Contains(fmt.Sprint(e.want.Results), "maxDeletions"),
	} {
		if is {
			seen[what]++
		}
	}
}

// checkLibrary checks that kpt made the variants that the library makes, whatever the order of the items.
func (e *expanding) checkLibrary(t *testing.T, got map[string]made) {
	t.Helper()
	items := itemsOf(t, e.start)
	slices.Reverse(items)
	turned, err := expansion.Run(kyaml.MustParse(e.config(t)), items)
	if err != nil {
		t.Fatal(err)
	}
	for order, out := range map[string][]*kyaml.RNode{"as it is": e.want.Items, "turned around": turned.Items} {
		want, _ := e.variantsOf(t, out)
		if diff := cmp.Diff(parsed(t, want), parsed(t, got)); diff != "" {
			t.Errorf("of the library, the package %s, and of the function (-want +got):\n%s", order, diff)
		}
	}
	if diff := cmp.Diff(e.created(t, e.want.Items), e.created(t, turned.Items)); diff != "" {
		t.Errorf("order of new variants, the package turned around (-want +got):\n%s", diff)
	}
}

// created returns the new variants among the items, in their order.
func (e *expanding) created(t *testing.T, items []*kyaml.RNode) (names []string) {
	t.Helper()
	for _, item := range items {
		if file := krm.Identify(item).File; strings.HasPrefix(file, expansion.Directory) && e.start[file] == "" {
			names = append(names, item.GetName())
		}
	}
	return names
}

// parsed returns what variants say, by their names and files.
func parsed(t *testing.T, variants map[string]made) map[string]any {
	t.Helper()
	out := map[string]any{}
	for name, m := range variants {
		var value any
		if err := kyaml.Unmarshal([]byte(m.text), &value); err != nil {
			t.Fatal(err)
		}
		out[name+" in "+m.file] = value
	}
	return out
}

// checkSpared checks that a target that fails keeps its variants, or all of them where it is not known which they are.
func (e *expanding) checkSpared(t *testing.T, before, after map[string]made, results []result) {
	t.Helper()
	for _, r := range results {
		if r.Tags[expansion.TargetTag] == "" {
			continue
		}
		known := false
		for name, was := range before {
			if was.downstream != r.Tags[expansion.DownstreamTag] {
				continue
			}
			if known = true; after[name] != was {
				t.Errorf("the variant %s, whose target fails, became\n%v\nand was\n%v", name, after[name], was)
			}
		}
		if gone := removed(before, after); !known && len(gone) > 0 {
			t.Errorf("the variants %v are removed, and may belong to %v", gone, r)
		}
	}
}

func removed(before, after map[string]made) (names []string) {
	for name := range before {
		if _, there := after[name]; !there {
			names = append(names, name)
		}
	}
	return names
}

// checkDeletions checks maxDeletions and allowEmpty.
func (e *expanding) checkDeletions(t *testing.T, before, after map[string]made) {
	t.Helper()
	spec, removed := e.set["spec"].(map[string]any), len(removed(before, after))
	isEmpty := func(r *fn.Result) bool { return r.Tags[expansion.SelectorTag] != "" }
	if removed > 0 && slices.ContainsFunc(e.want.Results, isEmpty) && spec["allowEmpty"] == nil {
		t.Error("variants are removed, a target is empty, and allowEmpty is not set")
	}
	if spec["maxDeletions"] == nil {
		return
	}
	limit := intstr.Parse(fmt.Sprint(spec["maxDeletions"]))
	if allowed := v1alpha2.Scaled(&limit, len(before)); removed > allowed {
		t.Errorf("%d of %d variants are removed, %d may be", removed, len(before), allowed)
	}
}
