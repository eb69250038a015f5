// SPDX-License-Identifier: Apache-2.0

package merging_test

import (
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
)

// in returns a resource in another namespace.
func in(namespace, text string) string {
	return strings.Replace(text, "\nmetadata:\n", "\nmetadata:\n  namespace: "+namespace+"\n", 1)
}

// renamed returns a resource under another name.
func renamed(name, text string) string {
	for _, old := range []string{"settings", "web"} {
		text = strings.Replace(text, "  name: "+old+"\n", "  name: "+name+"\n", 1)
	}
	return text
}

// noting returns a resource with the comment that says which one it is upstream.
func noting(identity, text string) string {
	return strings.Replace(text, "\nmetadata:\n", "\nmetadata: # kpt-merge: "+identity+"\n", 1)
}

// identified returns a resource with the annotation that says which one it is upstream.
func identified(identifier, text string) string {
	return strings.Replace(text, "\ndata:", "\n  annotations:\n    internal.kpt.dev/upstream-identifier: '"+identifier+
		"'\ndata:", 1)
}

const namespace = "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: "

// TestRenamed checks that a resource to which the upstream, or the package, gave another namespace or name is the same
// resource, where nothing else can be it.
func TestRenamed(t *testing.T) {
	t.Parallel()
	namespaceConflict := []string{`a.yaml ConfigMap "settings" of namespace "ns-x" metadata.namespace: upstream`}
	for name, c := range map[string]struct {
		original, updated, local, want files
		onConflict                     merging.OnConflict
		conflicts                      []string
	}{
		"upstream, nothing changed here": {one(in("ns-a", cmv1)), one(in("ns-b", cmv2)), one(in("ns-a", cmv1)),
			one(in("ns-b", cmv2)), "", nil},
		"upstream": {one(in("ns-a", cmv1)), one(in("ns-b", cmv2)), one(in("ns-a", cmMine)), one(in("ns-b", cmBoth)), "", nil},
		"upstream, noted": {one(in("ns-a", cmv1)), one(in("ns-b", cmv2)), one(noting("ns-a/settings", in("ns-a", cmMine))),
			one(noting("ns-b/settings", in("ns-b", cmBoth))), "", nil},
		"upstream, noted twice": {one(in("ns-a", cmv1)), one(in("ns-b", cmv2)),
			one(noting("ns-a/settings", identified("|ConfigMap|ns-a|settings", in("ns-a", cmMine)))),
			one(noting("ns-b/settings", identified("|ConfigMap|ns-b|settings", in("ns-b", cmBoth)))), "", nil},
		"upstream, into a namespace": {one(cmv1), one(in("ns-b", cmv2)),
			one(noting("/settings", identified("|ConfigMap|default|settings", cmMine))),
			one(noting("ns-b/settings", strings.Replace(identified("|ConfigMap|ns-b|settings", cmBoth), "\ndata:",
				"\n  namespace: ns-b\ndata:", 1))), "", nil},
		"upstream, out of a namespace": {one(in("ns-a", cmv1)), one(cmv2),
			one(noting("ns-a/settings", in("ns-a", cmMine))), one(noting("/settings", cmBoth)), "", nil},
		"upstream, with a conflict": {one(in("ns-a", cmv1)), one(in("ns-b", cmv2)), one(in("ns-a", cmOther)),
			one(in("ns-b", cmv2)), merging.TakeUpstream,
			[]string{`a.yaml ConfigMap "settings" of namespace "ns-a" data.a: upstream`}},
		"upstream, with a conflict, local values": {one(in("ns-a", cmv1)), one(in("ns-b", cmv2)),
			one(noting("ns-a/settings", in("ns-a", cmOther))), one(noting("ns-b/settings", in("ns-b", cmOther))),
			merging.KeepLocal, []string{`a.yaml ConfigMap "settings" of namespace "ns-a" data.a: local`}},
		"upstream, to another file": {one(in("ns-a", cmv1)), files{"b.yaml": in("ns-b", cmv2)}, one(in("ns-a", cmMine)),
			files{"b.yaml": in("ns-b", cmBoth)}, "", nil},
		"upstream, removed here": {files{"a.yaml": in("ns-a", cmv1), "b.yaml": deploy},
			files{"a.yaml": in("ns-b", cmv1), "b.yaml": deploy}, files{"b.yaml": deploy}, files{"b.yaml": deploy}, "", nil},
		"upstream, removed here, changed": {files{"a.yaml": in("ns-a", cmv1), "b.yaml": deploy},
			files{"a.yaml": in("ns-b", cmv2), "b.yaml": deploy}, files{"b.yaml": deploy}, files{"b.yaml": deploy}, "",
			[]string{`a.yaml ConfigMap "settings" of namespace "ns-b": local`}},
		"here": {one(in("ns-a", cmv1)), one(in("ns-a", cmv2)), one(in("ns-x", cmMine)), one(in("ns-x", cmBoth)), "", nil},
		"here, noted": {one(in("ns-a", cmv1)), one(in("ns-a", cmv2)), one(noting("ns-a/settings", in("ns-x", cmMine))),
			one(noting("ns-a/settings", in("ns-x", cmBoth))), "", nil},
		"here, moved and renamed, with an annotation": {one(in("ns-a", cmv1)), one(in("ns-a", cmv2)),
			files{"b.yaml": identified("|ConfigMap|ns-a|settings", renamed("mine", in("ns-x", cmMine)))},
			files{"b.yaml": identified("|ConfigMap|ns-a|settings", renamed("mine", in("ns-x", cmBoth)))}, "", nil},
		"here, nothing changed upstream": {one(in("ns-a", cmv1)), one(in("ns-a", cmv1)), one("# c\n" + in("ns-x", cmMine)),
			one("# c\n" + in("ns-x", cmMine)), "", nil},
		"both": {one(in("ns-a", cmv1)), one(in("ns-b", cmv2)), one(in("ns-x", cmMine)), one(in("ns-b", cmBoth)),
			merging.TakeUpstream, namespaceConflict},
		"both, noted": {one(in("ns-a", cmv1)), one(in("ns-b", cmv2)), one(noting("ns-a/settings", in("ns-x", cmMine))),
			one(noting("ns-b/settings", in("ns-b", cmBoth))), merging.TakeUpstream, namespaceConflict},
		"both, local values": {one(in("ns-a", cmv1)), one(in("ns-b", cmv2)),
			one(noting("ns-a/settings", in("ns-x", cmMine))), one(noting("ns-b/settings", in("ns-x", cmBoth))),
			merging.KeepLocal, []string{`a.yaml ConfigMap "settings" of namespace "ns-x" metadata.namespace: local`}},
		"both, to the same": {one(in("ns-a", cmv1)), one(in("ns-b", cmv2)), one(in("ns-b", cmMine)), one(in("ns-b", cmBoth)),
			"", nil},
		"a note that was not kept up": {one(in("ns-b", cmv1)), one(in("ns-b", cmv2)),
			one(noting("ns-a/settings", in("ns-b", cmMine))), one(noting("ns-b/settings", in("ns-b", cmBoth))), "", nil},
		"two candidates": {one(in("ns-a", cmv1)), one(in("ns-b", cmv2) + "---\n" + in("ns-c", cmv2)),
			one(in("ns-a", cmMine)), one(in("ns-a", cmMine) + "---\n" + in("ns-b", cmv2) + "---\n" + in("ns-c", cmv2)), "",
			[]string{`a.yaml ConfigMap "settings" of namespace "ns-a": local`}},
		"two candidates, one in the same file": {one(in("ns-a", cmv1)),
			files{"a.yaml": in("ns-b", cmv2), "c.yaml": in("ns-c", cmv2)}, one(in("ns-a", cmMine)),
			files{"a.yaml": in("ns-b", cmBoth), "c.yaml": in("ns-c", cmv2)}, "", nil},
		"two candidates here": {files{"a.yaml": in("ns-a", cmv1), "b.yaml": deploy},
			files{"a.yaml": in("ns-a", cmv2), "b.yaml": deploy},
			files{"b.yaml": deploy, "x.yaml": in("ns-x", cmMine) + "---\n" + in("ns-y", cmMine)},
			files{"b.yaml": deploy, "x.yaml": in("ns-x", cmMine) + "---\n" + in("ns-y", cmMine)}, "",
			[]string{`a.yaml ConfigMap "settings" of namespace "ns-a": local`}},
		"two originals": {one(in("ns-a", cmv1) + "---\n" + in("ns-c", cmv1)), one(in("ns-b", cmv2)),
			one(in("ns-a", cmMine) + "---\n" + in("ns-c", cmv1)), one(in("ns-a", cmMine) + "---\n" + in("ns-b", cmv2)), "",
			[]string{`a.yaml ConfigMap "settings" of namespace "ns-a": local`}},
		"one of two": {one(in("ns-a", cmv1) + "---\n" + in("ns-c", cmv1)), one(in("ns-b", cmv2) + "---\n" + in("ns-c", cmv1)),
			one(in("ns-a", cmMine) + "---\n" + in("ns-c", cmMine)), one(in("ns-b", cmBoth) + "---\n" + in("ns-c", cmMine)), "", nil},
		"the other one is here, too": {one(in("ns-a", cmv1)), one(in("ns-b", cmv2)),
			one(in("ns-a", cmv1) + "---\n" + in("ns-b", cmMine)), one(in("ns-b", cmBoth)), "", nil},
		"the other one is here, too, and this one changed": {one(in("ns-a", cmv1)), one(in("ns-b", cmv2)),
			one(in("ns-a", cmMine) + "---\n" + in("ns-b", cmMine)), one(in("ns-a", cmMine) + "---\n" + in("ns-b", cmBoth)), "",
			[]string{`a.yaml ConfigMap "settings" of namespace "ns-a": local`}},
		"another one of this name is the package's": {one(in("ns-a", cmv1)), one(in("ns-b", cmv2)),
			files{"a.yaml": in("ns-a", cmMine), "x.yaml": in("ns-x", cmOther)},
			files{"a.yaml": in("ns-b", cmBoth), "x.yaml": in("ns-x", cmOther)}, "", nil},
		"added on both sides is not the same": {one(deploy), files{"a.yaml": deploy, "b.yaml": in("ns-b", cmv1)},
			files{"a.yaml": deploy, "b.yaml": in("ns-x", cmv1)},
			files{"a.yaml": deploy, "b.yaml": in("ns-x", cmv1) + "---\n" + in("ns-b", cmv1)}, "", nil},
		"removed upstream, another one here": {files{"a.yaml": in("ns-a", cmv1), "b.yaml": deploy}, files{"b.yaml": deploy},
			files{"a.yaml": in("ns-x", cmMine), "b.yaml": deploy}, files{"a.yaml": in("ns-x", cmMine), "b.yaml": deploy}, "",
			nil},
		"another kind is not the same": {one(in("ns-a", cmv1)), one(in("ns-b", strings.Replace(cmv1, "ConfigMap", "Secret", 1))),
			one(in("ns-a", cmv1)), one(in("ns-b", strings.Replace(cmv1, "ConfigMap", "Secret", 1))), "", nil},
		"another subpackage is not the same": {
			files{"a.yaml": deploy, "s/Kptfile": kptfile, "s/a.yaml": in("ns-a", cmv1)},
			files{"a.yaml": deploy, "t/Kptfile": renamed("t", kptfile), "t/a.yaml": in("ns-b", cmv2)},
			files{"a.yaml": deploy, "s/Kptfile": kptfile, "s/a.yaml": in("ns-a", cmMine)},
			files{"a.yaml": deploy, "s/Kptfile": kptfile, "s/a.yaml": in("ns-a", cmMine),
				"t/Kptfile": renamed("t", kptfile), "t/a.yaml": in("ns-b", cmv2)}, "", []string{`s/a.yaml ConfigMap "settings" of namespace "ns-a": local`}},
		"the Namespace itself": {
			one(namespace + "ns-a\n---\n" + in("ns-a", cmv1)), one(namespace + "ns-b\n---\n" + in("ns-b", cmv2)),
			one(namespace + "ns-a\n  labels: {a: b}\n---\n" + in("ns-a", cmMine)),
			one(namespace + "ns-b\n  labels: {a: b}\n---\n" + in("ns-b", cmBoth)), "", nil},
		"the Namespace itself, here": {
			one(namespace + "ns-a\n---\n" + in("ns-a", cmv1)),
			one(namespace + "ns-a\n  labels: {a: b}\n---\n" + in("ns-a", cmv2)),
			one(namespace + "ns-x\n---\n" + in("ns-x", cmMine)),
			one(namespace + "ns-x\n  labels: {a: b}\n---\n" + in("ns-x", cmBoth)), "", nil},
		"the Namespace itself, on both sides": {
			one(namespace + "ns-a\n---\n" + in("ns-a", cmv1)), one(namespace + "ns-b\n---\n" + in("ns-b", cmv2)),
			one(namespace + "ns-x\n---\n" + in("ns-x", cmMine)), one(namespace + "ns-b\n---\n" + in("ns-b", cmBoth)),
			merging.TakeUpstream, []string{`a.yaml Namespace "ns-x" metadata.name: upstream`, namespaceConflict[0]}},
		"on both sides, and the upstream adds a resource": {
			one(namespace + "ns-a\n---\n" + in("ns-a", cmv1)),
			files{"a.yaml": namespace + "ns-b\n---\n" + in("ns-b", cmv2), "b.yaml": in("ns-b", renamed("other", cmv1))},
			one(namespace + "ns-x\n---\n" + in("ns-x", cmMine)),
			files{"a.yaml": namespace + "ns-x\n---\n" + in("ns-x", cmBoth), "b.yaml": noting("ns-b/other",
				identified("|ConfigMap|ns-b|other", in("ns-x", renamed("other", cmv1))))}, "",
			[]string{`a.yaml Namespace "ns-x" metadata.name: local`,
				`a.yaml ConfigMap "settings" of namespace "ns-x" metadata.namespace: local`}},
		"here, and the upstream adds a resource": {one(in("ns-a", cmv1)),
			files{"a.yaml": in("ns-a", cmv2), "b.yaml": in("ns-a", renamed("other", cmv1))}, one(in("ns-x", cmMine)),
			files{"a.yaml": in("ns-x", cmBoth), "b.yaml": noting("ns-a/other",
				identified("|ConfigMap|ns-a|other", in("ns-x", renamed("other", cmv1))))}, "", nil},
		"here, and the upstream adds what is here": {one(in("ns-a", cmv1)),
			files{"a.yaml": in("ns-a", cmv2), "b.yaml": in("ns-a", renamed("other", cmv1))},
			one(in("ns-x", cmMine) + "---\n" + in("ns-x", renamed("other", cmv2))),
			files{"a.yaml": in("ns-x", cmBoth) + "---\n" + in("ns-x", renamed("other", cmv2)),
				"b.yaml": in("ns-a", renamed("other", cmv1))}, "", nil},
		"here, to several, and the upstream adds a resource": {one(in("ns-a", cmv1) + "---\n" + in("ns-a", deploy)),
			files{"a.yaml": in("ns-a", cmv2) + "---\n" + in("ns-a", deploy), "b.yaml": in("ns-a", renamed("other", cmv1))},
			one(in("ns-x", cmMine) + "---\n" + in("ns-y", deploy)),
			files{"a.yaml": in("ns-x", cmBoth) + "---\n" + in("ns-y", deploy), "b.yaml": in("ns-a", renamed("other", cmv1))},
			"", nil},
		"a Namespace to which nothing moved": {
			one(namespace + "ns-a\n---\n" + in("ns-a", cmv1)), one(namespace + "ns-b\n---\n" + in("ns-c", cmv2)),
			one(namespace + "ns-a\n---\n" + in("ns-a", cmMine)), one(namespace + "ns-b\n---\n" + in("ns-c", cmBoth)), "", nil},
		"noted as another one upstream, too": {one(noting("/old", cmv1)), one(noting("/old", cmv2)), one(noting("/old", cmMine)),
			one(noting("/old", cmBoth)), "", nil},
		"a copy that kept its note": {one(cmv1), one(cmv2),
			one(noting("/settings", cmv1) + "---\n" + noting("/settings", renamed("copy", cmMine)) + "---\n" + deploy),
			one(noting("/settings", cmv2) + "---\n" + noting("/settings", renamed("copy", cmMine)) + "---\n" + deploy), "", nil},
		"a copy in front": {one(cmv1), one(cmv2),
			one(noting("/settings", renamed("copy", cmMine)) + "---\n" + noting("/settings", cmv1)),
			one(noting("/settings", renamed("copy", cmMine)) + "---\n" + noting("/settings", cmv2)), "", nil},
		"a copy in another file": {one(cmv1), files{"b.yaml": cmv2},
			files{"a.yaml": noting("/settings", cmMine), "c.yaml": noting("/settings", renamed("copy", cmMine))},
			files{"b.yaml": noting("/settings", cmBoth), "c.yaml": noting("/settings", renamed("copy", cmMine))}, "", nil},
		"a copy whose original was removed upstream": {one(cmv1 + "---\n" + deploy), one(deploy),
			one(noting("/settings", cmv1) + "---\n" + noting("/settings", renamed("copy", cmMine)) + "---\n" + deploy),
			one(renamed("copy", cmMine) + "---\n" + deploy), "", nil},
		"an identified copy whose original was removed upstream": {one(cmv1 + "---\n" + deploy), one(deploy),
			one(cmv1 + "---\n" + identified("|ConfigMap|default|settings", renamed("copy", cmv1)) + "---\n" + deploy),
			one(renamed("copy", cmv1) + "---\n" + deploy), "", nil},
		"a copy whose original was removed upstream, and changed here": {one(cmv1 + "---\n" + deploy), one(deploy),
			one(noting("/settings", cmMine) + "---\n" + noting("/settings", renamed("copy", cmv1)) + "---\n" + deploy),
			one(noting("/settings", cmMine) + "---\n" + noting("/settings", renamed("copy", cmv1)) + "---\n" + deploy), "",
			[]string{`a.yaml ConfigMap "settings": local`}},
		"here, noted, and removed upstream": {one(in("ns-a", cmv1) + "---\n" + deploy), one(deploy),
			one(noting("ns-a/settings", identified("|ConfigMap|ns-a|settings", in("ns-x", cmv1))) + "---\n" + deploy),
			one(deploy), "", nil},
		"here, moved and renamed, and removed upstream": {one(in("ns-a", cmv1) + "---\n" + deploy), one(deploy),
			one(identified("|ConfigMap|ns-a|settings", renamed("mine", in("ns-x", cmv1))) + "---\n" + deploy), one(deploy), "", nil},
		"here, and changed, and removed upstream": {one(in("ns-a", cmv1) + "---\n" + deploy), one(deploy),
			one(noting("ns-a/settings", in("ns-x", cmMine)) + "---\n" + deploy),
			one(noting("ns-a/settings", in("ns-x", cmMine)) + "---\n" + deploy), "",
			[]string{`a.yaml ConfigMap "settings" of namespace "ns-x": local`}},
		"a copy whose original was renamed upstream": {one(in("ns-a", cmv1)), one(in("ns-b", cmv1)),
			one(in("ns-a", cmv1) + "---\n" + noting("ns-a/settings", in("ns-a", renamed("copy", cmv1)))),
			one(in("ns-b", cmv1) + "---\n" + in("ns-a", renamed("copy", cmv1))), "", nil},
		"renamed to what the upstream has instead": {one(cmv1 + "---\n" + deploy), one(renamed("other", cmv2) + "---\n" + deploy),
			one(noting("/settings", renamed("other", cmv1)) + "---\n" + deploy),
			one(noting("/other", identified("|ConfigMap|default|other", renamed("other", cmv2))) + "---\n" + deploy), "", nil},
		"renamed to what the upstream adds": {one(cmv1), one(cmv1 + "---\n" + renamed("other", cmv2)),
			one(noting("/settings", renamed("other", cmMine))), one(noting("/settings", renamed("other", cmMine))), "",
			[]string{`a.yaml ConfigMap "other": local`}},
		"renamed to what the upstream adds elsewhere": {one(cmv1), files{"a.yaml": cmv1, "d/a.yaml": renamed("other", cmv2)},
			one(noting("/settings", renamed("other", cmMine))),
			files{"a.yaml": noting("/settings", renamed("other", cmMine)),
				"d/a.yaml": noting("/other", strings.Replace(renamed("other", cmv2), "\ndata:",
					"\n  annotations:\n    internal.kpt.dev/upstream-identifier: '|ConfigMap|default|other'\ndata:", 1))}, "", nil},
		"one of two renamed is another": {
			one(renamed("dev-settings", cmv1) + "---\n" + deploy), one(renamed("prod-settings", cmv2) + "---\n" + deploy),
			one(renamed("dev-settings", cmMine) + "---\n" + deploy),
			one(renamed("dev-settings", cmMine) + "---\n" + renamed("prod-settings", cmv2) + "---\n" + deploy), "",
			[]string{`a.yaml ConfigMap "dev-settings": local`}},
		"a single one with another name is another": {
			one(renamed("dev-settings", cmv1)), one(renamed("prod-settings", cmv2)), one(renamed("dev-settings", cmMine)),
			one(renamed("dev-settings", cmMine) + "---\n" + renamed("prod-settings", cmv2)), "",
			[]string{`a.yaml ConfigMap "dev-settings": local`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, conflicts := merge(t, c.original, c.updated, c.local, merging.Options{OnConflict: c.onConflict})
			if diff := cmp.Diff(with(c.want), got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if diff := cmp.Diff(c.conflicts, told(conflicts)); diff != "" {
				t.Errorf("conflicts -want +got:\n%s", diff)
			}
		})
	}
}

// TestVariantNamespace checks that a namespace which a function of the variant gives to all resources neither conflicts
// with the upstream's nor counts as a change to a resource that the upstream removed.
func TestVariantNamespace(t *testing.T) {
	t.Parallel()
	pipeline := func(name string) string {
		return kptfile + "pipeline:\n  mutators:\n  - image: set-namespace:v1\n    name: " + name + "\n    configMap:\n" +
			"      namespace: ns-x\n"
	}
	mine := noting("ns-a/settings", in("ns-x", cmMine))
	for name, c := range map[string]struct {
		function                 string
		original, updated, local files
		want                     files
		conflicts                []string
	}{
		"moved upstream": {"PackageVariant.web..0", one(in("ns-a", cmv1)), one(in("ns-b", cmv2)), one(mine),
			one(noting("ns-b/settings", in("ns-x", cmBoth))), nil},
		"moved upstream, a function of the package": {"mine", one(in("ns-a", cmv1)), one(in("ns-b", cmv2)), one(mine),
			one(noting("ns-b/settings", in("ns-x", cmBoth))),
			[]string{`a.yaml ConfigMap "settings" of namespace "ns-x" metadata.namespace: local`}},
		"moved upstream, and here to another": {"PackageVariant.web..0", one(in("ns-a", cmv1)), one(in("ns-b", cmv2)),
			one(noting("ns-a/settings", in("ns-y", cmMine))), one(noting("ns-b/settings", in("ns-y", cmBoth))),
			[]string{`a.yaml ConfigMap "settings" of namespace "ns-y" metadata.namespace: local`}},
		"removed upstream": {"PackageVariant.web..0", files{"a.yaml": in("ns-a", cmv1), "b.yaml": deploy},
			files{"b.yaml": deploy}, files{"a.yaml": noting("ns-a/settings", in("ns-x", cmv1)), "b.yaml": deploy},
			files{"b.yaml": deploy}, nil},
		"removed upstream, changed here": {"PackageVariant.web..0", files{"a.yaml": in("ns-a", cmv1), "b.yaml": deploy},
			files{"b.yaml": deploy}, files{"a.yaml": mine, "b.yaml": deploy}, files{"a.yaml": mine, "b.yaml": deploy},
			[]string{`a.yaml ConfigMap "settings" of namespace "ns-x": local`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.local["Kptfile"], c.want["Kptfile"] = pipeline(c.function), pipeline(c.function)
			got, conflicts := merge(t, c.original, c.updated, c.local, merging.Options{})
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if diff := cmp.Diff(c.conflicts, told(conflicts)); diff != "" {
				t.Errorf("conflicts -want +got:\n%s", diff)
			}
		})
	}
}

// TestRandomNames merges packages of resources that have few names in few namespaces: a second merge changes nothing
// with any pairing, and where only namespaces changed, no resource is duplicated.
func TestRandomNames(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4000) {
		r := names{rand.New(rand.NewPCG(seed, 3))}
		original := r.pkg(false)
		renames := r.IntN(2) == 0
		updated := r.changed(original, renames)
		mine := r.changed(original, renames)
		noted := r.IntN(3) == 0
		if noted { // of anything
			mine = r.pkg(true)
		}
		if doubled(original) || doubled(updated) || doubled(mine) {
			continue // no package: nothing tells them apart
		}
		for _, onConflict := range []merging.OnConflict{merging.TakeUpstream, merging.KeepLocal} {
			got, _, err := merging.Merge(with(original), with(updated), with(mine), merging.Options{OnConflict: onConflict})
			if err != nil && strings.Contains(err.Error(), "in common") {
				continue
			}
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if doubled(got) && !noted && !renames {
				t.Fatalf("seed %d, %s: a resource is there twice:\n%s\noriginal:\n%s\nupdated:\n%s\nhere:\n%s", seed, onConflict,
					got, original, updated, mine)
			}
			again, _, err := merging.Merge(with(original), with(updated), got, merging.Options{OnConflict: onConflict})
			if err != nil && strings.Contains(err.Error(), "in common") {
				continue // what was in common was removed upstream
			}
			if diff := cmp.Diff(got, again); diff != "" || err != nil {
				t.Fatalf("seed %d, %s: a second merge changes the package: %v\n%s\noriginal:\n%s\nupdated:\n%s\nhere:\n%s",
					seed, onConflict, err, diff, original, updated, mine)
			}
		}
	}
}

var note = regexp.MustCompile("metadata: # .*")

// doubled reports whether a package has a resource twice, by its name or by what it is noted to be upstream.
func doubled(f files) bool {
	seen := map[string]bool{}
	for _, text := range f {
		for resource := range strings.SplitSeq(text, "---\n") {
			named, _, _ := strings.Cut(resource, "\ndata:")
			kind, _, _ := strings.Cut(named, "metadata:")
			ids := []string{note.ReplaceAllString(named, "metadata:")}
			if noted := note.FindString(named); noted != "" {
				ids = append(ids, kind+noted)
			}
			for _, id := range ids {
				if seen[id] {
					return true
				}
				seen[id] = true
			}
		}
	}
	return false
}

// names makes packages of resources.
type names struct{ *rand.Rand }

// pkg returns a package; noted says that its resources may note what they are upstream.
func (r names) pkg(noted bool) files {
	f := files{}
	for range 1 + r.IntN(3) {
		r.add(f, noted)
	}
	return f
}

func (r names) add(f files, noted bool) {
	text := "apiVersion: v1\nkind: " + r.of("ConfigMap", "Secret", "Namespace") + "\nmetadata:\n  name: " + r.of("a", "a-x", "b-x") + "\n"
	if ns := r.of("", "a", "b", "c"); ns != "" {
		text += "  namespace: " + ns + "\n"
	}
	text += "data:\n  a: " + r.of("1", "2", "3") + "\n"
	if noted && r.IntN(2) == 0 {
		text = noting(r.of("", "a", "b")+"/"+r.of("a", "a-x"), text)
	}
	name := r.of("a.yaml", "b.yaml")
	if f[name] != "" {
		f[name] += "---\n"
	}
	f[name] += text
}

func (r names) of(words ...string) string { return words[r.IntN(len(words))] }

// changed returns a package in which some namespaces, names, values and files are others.
func (r names) changed(from files, renames bool) files {
	out := maps.Clone(from)
	for range r.IntN(4) {
		name := r.of(slices.Sorted(maps.Keys(from))...)
		text := out[name]
		switch r.IntN(6) {
		case 0, 1:
			text = strings.ReplaceAll(text, "namespace: "+r.of("a", "b"), "namespace: "+r.of("b", "c"))
		case 2:
			text = strings.ReplaceAll(text, "a: "+r.of("1", "2"), "a: "+r.of("2", "3"))
		case 3:
			if renames {
				text = strings.ReplaceAll(text, "name: a", "name: "+r.of("b", "a-x"))
			}
		case 4:
			r.add(out, false)
			continue
		default:
			delete(out, name)
			continue
		}
		if text != "" {
			out[name] = text
		}
	}
	if len(out) == 0 {
		return maps.Clone(from)
	}
	return out
}
