// SPDX-License-Identifier: Apache-2.0

package merging_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
)

// below returns files in a directory.
func below(dir string, f files) files {
	out := files{}
	for name, text := range f {
		out[dir+"/"+name] = text
	}
	return out
}

// all returns the files of several packages together.
func all(parts ...files) files {
	out := files{"z.yaml": deploy}
	for _, f := range parts {
		maps.Copy(out, f)
	}
	return out
}

// TestSubpackages checks that a subpackage goes, or moves, as a whole.
func TestSubpackages(t *testing.T) {
	t.Parallel()
	const pipeline = "pipeline:\n  mutators:\n  - image: a:v1\n"
	sub := files{"Kptfile": renamed("s", kptfile), "a.yaml": cmv1, "README.md": "one\n",
		"package-context.yaml": packageContext + "  name: s\n"}
	with := func(name, text string) files {
		out := maps.Clone(sub)
		out[name] = text
		return out
	}
	without := func(name string) files {
		out := maps.Clone(sub)
		delete(out, name)
		return out
	}
	for name, c := range map[string]struct {
		original, updated, local, want files
		conflicts                      []string
	}{
		"removed": {below("s", sub), nil, below("s", sub), nil, nil},
		"removed, with the context of a renderer": {below("s", without("package-context.yaml")), nil,
			below("s", with("package-context.yaml", packageContext+"  name: mine\n")), nil, nil},
		"removed, with a status": {below("s", sub), nil,
			below("s", with("Kptfile", sub["Kptfile"]+"status:\n  conditions: []\n")), nil, nil},
		"removed, a resource changed here": {below("s", sub), nil, below("s", with("a.yaml", cmMine)),
			below("s", with("a.yaml", cmMine)), []string{`s/a.yaml ConfigMap "settings": local`}},
		"removed, a file changed here": {below("s", sub), nil, below("s", with("README.md", "mine\n")),
			below("s", with("README.md", "mine\n")), []string{"s/README.md: local"}},
		"removed, the pipeline changed here": {below("s", sub), nil, below("s", with("Kptfile", sub["Kptfile"]+pipeline)),
			below("s", with("Kptfile", sub["Kptfile"]+pipeline)), []string{`s/Kptfile Kptfile "s": local`}},
		"removed, a resource added here": {below("s", sub), nil, below("s", with("mine.yaml", renamed("mine", cmv1))),
			below("s", with("mine.yaml", renamed("mine", cmv1))), []string{`s/mine.yaml ConfigMap "mine": local`}},
		"removed, with one in it": {all(below("s", sub), below("s/t", sub)), nil, all(below("s", sub), below("s/t", sub)), nil,
			nil},
		"removed, and copied here": {below("s", sub), nil, all(below("s", sub), below("t", renamedTo("t", sub))),
			below("t", renamedTo("t", sub)), nil},
		"no package any more": {below("s", sub), below("s", files{"a.yaml": cmv2}), below("s", sub),
			below("s", files{"a.yaml": cmv2}), nil},
		"moved": {below("s", sub), below("t", with("a.yaml", cmv2)), below("s", with("a.yaml", cmMine)),
			below("t", with("a.yaml", cmBoth)), nil},
		"moved, all of it changed here": {below("s", sub), below("t", sub),
			below("s", files{"Kptfile": sub["Kptfile"] + pipeline, "a.yaml": cmMine, "README.md": "mine\n", "mine.txt": "1",
				"package-context.yaml": packageContext + "  name: mine\n"}),
			below("t", files{"Kptfile": sub["Kptfile"] + pipeline, "a.yaml": cmMine, "README.md": "mine\n", "mine.txt": "1",
				"package-context.yaml": packageContext + "  name: mine\n"}), nil},
		"moved, with one in it": {all(below("s", sub), below("s/n", renamedIn("n", sub))),
			all(below("t", sub), below("t/n", renamedIn("n", sub))), all(below("s", sub), below("s/n", renamedIn("n", sub))),
			all(below("t", sub), below("t/n", renamedIn("n", sub))), nil},
		"two of it": {below("s", sub), all(below("t", sub), below("u", sub)), below("s", sub),
			all(below("t", sub), below("u", sub)), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, conflicts := merge(t, all(c.original), all(c.updated), all(c.local), merging.Options{})
			want := all(c.want)
			want["Kptfile"] = kptfile
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if diff := cmp.Diff(c.conflicts, told(conflicts)); diff != "" {
				t.Errorf("conflicts -want +got:\n%s", diff)
			}
		})
	}
}

// renamedTo returns a package whose Kptfile has another name.
func renamedTo(name string, f files) files {
	out := maps.Clone(f)
	out["Kptfile"] = renamedIn(name, f)["Kptfile"]
	return out
}

// renamedIn returns a package whose Kptfile and resource have another name.
func renamedIn(name string, f files) files {
	out := maps.Clone(f)
	out["Kptfile"] = strings.Replace(f["Kptfile"], "name: s\n", "name: "+name+"\n", 1)
	out["a.yaml"] = renamed(name, f["a.yaml"])
	return out
}

// TestRemovedUpstream checks that what the upstream removed goes even if only an identifier says which resource it is.
func TestRemovedUpstream(t *testing.T) {
	t.Parallel()
	const identifier = "|ConfigMap|ns-a|settings"
	pipeline := kptfile + "pipeline:\n  mutators:\n  - image: set-namespace:v1\n    name: PackageVariant.web..0\n" +
		"    configMap:\n      namespace: ns-x\n"
	for name, c := range map[string]struct {
		local     string
		stays     bool
		conflicts []string
	}{
		"unchanged": {identified(identifier, in("ns-x", cmv1)), false, nil},
		"changed here": {identified(identifier, in("ns-x", cmMine)), true,
			[]string{`a.yaml ConfigMap "settings" of namespace "ns-x": local`}},
		"another":       {identified("|ConfigMap|ns-b|settings", in("ns-x", cmv1)), true, nil},
		"no identifier": {in("ns-x", cmv1), true, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := files{"Kptfile": pipeline, "z.yaml": deploy}
			local := files{"Kptfile": pipeline, "z.yaml": deploy, "a.yaml": c.local}
			if c.stays {
				want = local
			}
			got, conflicts := merge(t, files{"a.yaml": in("ns-a", cmv1), "z.yaml": deploy}, files{"z.yaml": deploy}, local,
				merging.Options{})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if diff := cmp.Diff(c.conflicts, told(conflicts)); diff != "" {
				t.Errorf("conflicts -want +got:\n%s", diff)
			}
		})
	}
}
