// SPDX-License-Identifier: Apache-2.0

package merging_test

import (
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

// TestRenamed holds that a resource to which the upstream, or the package, gave another namespace or name is the same
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
			one(in("ns-b", cmv2)), "", []string{`a.yaml ConfigMap "settings" of namespace "ns-a" data.a: upstream`}},
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
		"both": {one(in("ns-a", cmv1)), one(in("ns-b", cmv2)), one(in("ns-x", cmMine)), one(in("ns-b", cmBoth)), "",
			namespaceConflict},
		"both, noted": {one(in("ns-a", cmv1)), one(in("ns-b", cmv2)), one(noting("ns-a/settings", in("ns-x", cmMine))),
			one(noting("ns-b/settings", in("ns-b", cmBoth))), "", namespaceConflict},
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
			files{"a.yaml": deploy, "t/Kptfile": kptfile, "t/a.yaml": in("ns-b", cmv2)},
			files{"a.yaml": deploy, "s/Kptfile": kptfile, "s/a.yaml": in("ns-a", cmMine)},
			files{"a.yaml": deploy, "s/Kptfile": kptfile, "s/a.yaml": in("ns-a", cmMine), "t/Kptfile": kptfile,
				"t/a.yaml": in("ns-b", cmv2)}, "", []string{`s/a.yaml ConfigMap "settings" of namespace "ns-a": local`}},
		"the Namespace itself": {
			one(namespace + "ns-a\n---\n" + in("ns-a", cmv1)), one(namespace + "ns-b\n---\n" + in("ns-b", cmv2)),
			one(namespace + "ns-a\n  labels: {a: b}\n---\n" + in("ns-a", cmMine)),
			one(namespace + "ns-b\n  labels: {a: b}\n---\n" + in("ns-b", cmBoth)), "", nil},
		"the Namespace itself, here": {
			one(namespace + "ns-a\n---\n" + in("ns-a", cmv1)),
			one(namespace + "ns-a\n  labels: {a: b}\n---\n" + in("ns-a", cmv2)),
			one(namespace + "ns-x\n---\n" + in("ns-x", cmMine)),
			one(namespace + "ns-x\n  labels: {a: b}\n---\n" + in("ns-x", cmBoth)), "", nil},
		"a Namespace to which nothing moved": {
			one(namespace + "ns-a\n---\n" + in("ns-a", cmv1)), one(namespace + "ns-b\n---\n" + in("ns-c", cmv2)),
			one(namespace + "ns-a\n---\n" + in("ns-a", cmMine)), one(in("ns-c", cmBoth) + "---\n" + namespace + "ns-b\n"), "", nil},
		"all renamed upstream": {
			one(renamed("dev-settings", cmv1) + "---\n" + renamed("dev-web", deploy)),
			one(renamed("prod-settings", cmv2) + "---\n" + renamed("prod-web", deploy) + "---\n" + cm),
			one(noting("/dev-settings", renamed("dev-settings", cmMine)) + "---\n" + renamed("dev-web", deploy)),
			one(noting("/prod-settings", renamed("prod-settings", cmBoth)) + "---\n" + renamed("prod-web", deploy) + "---\n" +
				noting("/settings", strings.Replace(cm, "settings\n", "settings\n  annotations:\n"+
					"    internal.kpt.dev/upstream-identifier: '|ConfigMap|default|settings'\n", 1))), "", nil},
		"all renamed here": {
			one(cmv1 + "---\n" + deploy), one(cmv2 + "---\n" + deploy),
			one(renamed("settings-fra", cmMine) + "---\n" + renamed("web-fra", deploy)),
			one(renamed("settings-fra", cmBoth) + "---\n" + renamed("web-fra", deploy)), "", nil},
		"all renamed and moved": {
			one(in("ns-a", renamed("a-settings", cmv1)) + "---\n" + in("ns-a", renamed("a-web", deploy))),
			one(in("ns-b", renamed("b-settings", cmv2)) + "---\n" + in("ns-b", renamed("b-web", deploy))),
			one(in("ns-a", renamed("a-settings", cmMine)) + "---\n" + in("ns-a", renamed("a-web", deploy))),
			one(in("ns-b", renamed("b-settings", cmBoth)) + "---\n" + in("ns-b", renamed("b-web", deploy))), "", nil},
		"one of two renamed is another": {
			one(renamed("dev-settings", cmv1) + "---\n" + deploy), one(renamed("prod-settings", cmv2) + "---\n" + deploy),
			one(renamed("dev-settings", cmMine) + "---\n" + deploy),
			one(renamed("dev-settings", cmMine) + "---\n" + deploy + "---\n" + renamed("prod-settings", cmv2)), "",
			[]string{`a.yaml ConfigMap "dev-settings": local`}},
		"a single one with another name is another": {
			one(renamed("dev-settings", cmv1)), one(renamed("prod-settings", cmv2)), one(renamed("dev-settings", cmMine)),
			one(renamed("dev-settings", cmMine) + "---\n" + renamed("prod-settings", cmv2)), "",
			[]string{`a.yaml ConfigMap "dev-settings": local`}},
		"all renamed in two ways": {
			one(renamed("a", cmv1) + "---\n" + renamed("a", deploy)),
			one(renamed("b", cmv2) + "---\n" + renamed("b", deploy) + "---\n" + renamed("c", cmv2) + "---\n" + renamed("c", deploy)),
			one(renamed("a", cmMine) + "---\n" + renamed("a", deploy)),
			one(renamed("a", cmMine) + "---\n" + renamed("b", cmv2) + "---\n" + renamed("b", deploy) + "---\n" +
				renamed("c", cmv2) + "---\n" + renamed("c", deploy)), "", []string{`a.yaml ConfigMap "a": local`}},
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
