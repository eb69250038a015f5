// SPDX-License-Identifier: Apache-2.0

package merging_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
)

// told returns conflicts in a line each.
func told(conflicts []merging.Conflict) (lines []string) {
	for _, c := range conflicts {
		lines = append(lines, strings.TrimSpace(strings.Join([]string{c.File, c.Resource, c.Field}, " "))+": "+c.Taken)
	}
	return lines
}

// differences returns the fields of conflicts, each with its three values.
func differences(conflicts []merging.Conflict) (lines []string) {
	for _, c := range conflicts {
		lines = append(lines, c.Field+": "+c.Original+" | "+c.Local+" | "+c.Updated)
	}
	return lines
}

const (
	cmv1, cmv2 = cm + "data:\n  a: one\n  b: x\n", cm + "data:\n  a: two\n  b: x\n"
	cmMine     = cm + "data:\n  a: one\n  b: mine\n"
	cmBoth     = cm + "data:\n  a: two\n  b: mine\n"
	cmOther    = cm + "data:\n  a: three\n  b: x\n"
)

// TestFiles checks what becomes of files and of resources as a whole.
func TestFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		original, updated, local, want files
		onConflict                     merging.OnConflict
		conflicts                      []string
	}{
		"comments added behind the last value of a map": {files{"a.yaml": cmv1, "b.yaml": "a:\n  b:\n    c: 1\n\nz: 1\n"},
			files{"a.yaml": cmv1 + "  # c: later\n", "b.yaml": "a:\n  b:\n    c: 1\n\n    # d\n    # d: 3\n\nz: 1\n"},
			files{"a.yaml": cmOther, "b.yaml": "a:\n  b:\n    c: 1\n\nz: 2\n"},
			files{"a.yaml": cmOther + "  # c: later\n", "b.yaml": "a:\n  b:\n    c: 1\n\n    # d\n    # d: 3\n\nz: 2\n"}, "", nil},
		"Kustomization without a type": {files{"kustomization.yaml": "images:\n- name: a\n  newTag: \"1\"\n- name: b\n  newTag: \"2\"\n"},
			files{"kustomization.yaml": "images:\n- name: a\n  newTag: \"1\"\n- name: b\n  newTag: \"3\"\n"},
			files{"kustomization.yaml": "images:\n- name: a\n  newTag: \"9\"\n- name: b\n  newTag: \"2\"\n"},
			files{"kustomization.yaml": "images:\n- name: a\n  newTag: \"9\"\n- name: b\n  newTag: \"3\"\n"}, "", nil},
		"resource added upstream": {files{"a.yaml": cmv1}, files{"a.yaml": cmv1, "b.yaml": "# new\n" + deploy},
			files{"a.yaml": cmv1}, files{"a.yaml": cmv1, "b.yaml": "# new\n" + deploy}, "", nil},
		"resource added to a file": {files{"a.yaml": cmv1}, files{"a.yaml": cmv1 + "---\n" + deploy},
			files{"a.yaml": cmMine}, files{"a.yaml": cmMine + "---\n" + deploy}, "", nil},
		"resource added here": {files{"a.yaml": cmv1}, files{"a.yaml": cmv2},
			files{"a.yaml": cmv1, "b.yaml": deploy}, files{"a.yaml": cmv2, "b.yaml": deploy}, "", nil},
		"resource added here, behind an empty line": {files{"a.yaml": cm + "data:\n  a: \"one\" # c\n"},
			files{"a.yaml": cm + "data:\n  a: 'two' # d\n"},
			files{"a.yaml": cm + "data:\n  a: \"one\" # c\n\n---\n" + deploy},
			files{"a.yaml": cm + "data:\n  a: 'two' # d\n\n---\n" + deploy}, "", nil},
		"resource added on both sides": {files{"a.yaml": deploy}, files{"a.yaml": deploy, "b.yaml": cmv1},
			files{"a.yaml": deploy, "b.yaml": cmv1}, files{"a.yaml": deploy, "b.yaml": cmv1}, "", nil},
		"resource added differently": {files{"a.yaml": deploy}, files{"a.yaml": deploy, "b.yaml": cmv1},
			files{"a.yaml": deploy, "b.yaml": cmOther}, files{"a.yaml": deploy, "b.yaml": cmv1}, merging.TakeUpstream,
			[]string{`b.yaml ConfigMap "settings" data.a: upstream`}},
		"resource added in other files": {files{"a.yaml": deploy}, files{"a.yaml": deploy, "b.yaml": cmv1},
			files{"a.yaml": deploy, "c.yaml": cmv1}, files{"a.yaml": deploy, "c.yaml": cmv1}, "", nil},
		"resource removed upstream": {files{"a.yaml": "# c\n" + cmv1, "b.yaml": deploy}, files{"b.yaml": deploy},
			files{"a.yaml": "# license\n\n" + strings.ReplaceAll(cmv1, "one", "'one'"), "b.yaml": deploy}, files{"b.yaml": deploy}, "", nil},
		"resource removed upstream, comment added": {files{"a.yaml": cmv1, "b.yaml": deploy}, files{"b.yaml": deploy},
			files{"a.yaml": "# c\n" + cmv1, "b.yaml": deploy}, files{"a.yaml": "# c\n" + cmv1, "b.yaml": deploy}, "",
			[]string{`a.yaml ConfigMap "settings": local`}},
		"resource removed upstream, comment added below": {files{"a.yaml": cmv1, "b.yaml": deploy}, files{"b.yaml": deploy},
			files{"a.yaml": cmv1 + "# c\n", "b.yaml": deploy}, files{"a.yaml": cmv1 + "# c\n", "b.yaml": deploy}, "",
			[]string{`a.yaml ConfigMap "settings": local`}},
		"resource of a file removed upstream": {files{"a.yaml": cmv1 + "---\n" + deploy}, files{"a.yaml": deploy},
			files{"a.yaml": cmv1 + "---\n" + deploy + "\n"}, files{"a.yaml": deploy + "\n"}, "", nil},
		"first resource removed upstream, comment above the next": {
			files{"a.yaml": "# license\n" + cmv1 + "---\n" + deploy + "spec: {a: 1}\n"},
			files{"a.yaml": "# license\n" + deploy + "spec: {a: 2}\n"},
			files{"a.yaml": "# license\n" + cmv1 + "---\n# mine\n" + deploy + "spec: {a: 1}\n"},
			files{"a.yaml": "# license\n# mine\n" + deploy + "spec: {a: 2}\n"}, "", nil},
		"resource removed upstream, changed": {files{"a.yaml": cmv1, "b.yaml": deploy}, files{"b.yaml": deploy},
			files{"a.yaml": cmMine, "b.yaml": deploy}, files{"a.yaml": cmMine, "b.yaml": deploy}, "",
			[]string{`a.yaml ConfigMap "settings": local`}},
		"resource removed here": {files{"a.yaml": cmv1, "b.yaml": deploy},
			files{"a.yaml": cmv1, "b.yaml": deploy}, files{"b.yaml": deploy}, files{"b.yaml": deploy}, "", nil},
		"resource removed here, changed": {files{"a.yaml": cmv1, "b.yaml": deploy},
			files{"a.yaml": cmv2, "b.yaml": deploy}, files{"b.yaml": deploy}, files{"b.yaml": deploy}, "",
			[]string{`a.yaml ConfigMap "settings": local`}},
		"resource removed on both sides": {files{"a.yaml": cmv1, "b.yaml": deploy}, files{"b.yaml": deploy},
			files{"b.yaml": deploy}, files{"b.yaml": deploy}, "", nil},
		"resource moved upstream": {files{"a.yaml": cmv1, "b.yaml": deploy},
			files{"b.yaml": deploy + "---\n" + cmv2}, files{"a.yaml": cmMine, "b.yaml": deploy},
			files{"b.yaml": deploy + "---\n" + cmBoth}, "", nil},
		"resource moved upstream, unchanged": {files{"a.yaml": cmv1, "b.yaml": deploy},
			files{"b.yaml": deploy, "c.yaml": cmv1}, files{"a.yaml": "# mine\n" + cmMine, "b.yaml": deploy},
			files{"b.yaml": deploy, "c.yaml": "# mine\n" + cmMine}, "", nil},
		"resource moved here": {files{"a.yaml": cmv1, "b.yaml": deploy},
			files{"a.yaml": cmv2, "b.yaml": deploy}, files{"b.yaml": deploy + "---\n" + cmMine},
			files{"b.yaml": deploy + "---\n" + cmBoth}, "", nil},
		"resource copied here, removed upstream": {files{"a.yaml": cmv1, "b.yaml": deploy}, files{"b.yaml": deploy},
			files{"a.yaml": cmv1, "b.yaml": deploy, "c/a.yaml": cmv1}, files{"b.yaml": deploy, "c/a.yaml": cmv1}, "", nil},
		"resource copied here, renamed upstream": {files{"a.yaml": cmv1, "b.yaml": deploy},
			files{"a.yaml": renamed("x", cmv1), "b.yaml": deploy},
			files{"a.yaml": cmv1, "b.yaml": deploy, "c/a.yaml": cmv1},
			files{"a.yaml": renamed("x", cmv1), "b.yaml": deploy, "c/a.yaml": cmv1}, "", nil},
		"resource moved here, removed upstream": {files{"a.yaml": cmv1, "b.yaml": deploy}, files{"b.yaml": deploy},
			files{"b.yaml": deploy, "c/a.yaml": cmv1}, files{"b.yaml": deploy, "c/a.yaml": cmv1}, "",
			[]string{`c/a.yaml ConfigMap "settings": local`}},
		"resource moved on both sides": {files{"a.yaml": cmv1}, files{"b.yaml": cmv2}, files{"c.yaml": cmMine},
			files{"c.yaml": cmBoth}, "", nil},
		"renamed with a comment of kpt": {files{"a.yaml": cmv1}, files{"a.yaml": cmv2},
			files{"a.yaml": strings.NewReplacer("metadata:", "metadata: # kpt-merge: /settings", "name: settings",
				"name: eu-settings").Replace(cmMine)},
			files{"a.yaml": strings.NewReplacer("metadata:", "metadata: # kpt-merge: /settings", "name: settings",
				"name: eu-settings").Replace(cmBoth)}, "", nil},
		"other documents keep their text": {files{"a.yaml": cmv1 + "---\n" + deploy},
			files{"a.yaml": cmv2 + "---\n" + deploy},
			files{"a.yaml": "# license\n---\n" + cmMine + "--- # second\n\n" + deploy + "\n\n# end\n"},
			files{"a.yaml": "# license\n---\n" + cmBoth + "--- # second\n\n" + deploy + "\n\n# end\n"}, "", nil},
		"lists keep their indentation": {files{"a.yaml": deploy + "spec:\n  a: 1\n  b: [x]\n"},
			files{"a.yaml": deploy + "spec:\n  a: 2\n  b: [x]\n"},
			files{"a.yaml": deploy + "spec:\n  a: 1\n  b:\n    - x\n    - y: 1\n"},
			files{"a.yaml": deploy + "spec:\n  a: 2\n  b:\n    - x\n    - y: 1\n"}, "", nil},
		"line ends of Windows": {files{"a.yaml": cmv1, "n.txt": "1\n2\n"},
			files{"a.yaml": cmv2, "n.txt": "1\n3\n"}, files{"a.yaml": crlf(cmMine), "n.txt": "1\r\n2\r\n"},
			files{"a.yaml": crlf(cmBoth), "n.txt": "1\r\n3\r\n"}, "", nil},
		"line ends of Windows, in a file that the upstream renamed": {files{"a.yaml": cmv1}, files{"b.yaml": cmv1},
			files{"a.yaml": crlf(cmv1)}, files{"b.yaml": crlf(cmv1)}, "", nil},
		"line ends of Windows, in a file that was edited, and that the upstream renamed": {files{"a.yaml": cmv1},
			files{"b.yaml": cmv2}, files{"a.yaml": crlf(cmMine)}, files{"b.yaml": crlf(cmBoth)}, "", nil},
		"line ends of Windows upstream": {files{"a.yaml": crlf(cmv1)}, files{"a.yaml": crlf(cmv2)},
			files{"a.yaml": cmMine}, files{"a.yaml": cmBoth}, "", nil},
		"line ends of Windows until now": {files{"a.yaml": crlf(cmv1), "n.txt": "1\r\n2\r\n"},
			files{"a.yaml": cmv2, "n.txt": "1\n3\n"}, files{"a.yaml": crlf(cmv1), "n.txt": "1\r\n2\r\n"},
			files{"a.yaml": cmv2, "n.txt": "1\n3\n"}, "", nil},
		"mixed line ends": {files{"a.yaml": cmv1, "b.yaml": deploy},
			files{"a.yaml": cmv2, "b.yaml": deploy}, files{"a.yaml": cmMine, "b.yaml": "# c\r\n" + deploy},
			files{"a.yaml": cmBoth, "b.yaml": "# c\r\n" + deploy}, "", nil},
		"resource added to a package of kpt": {files{"a.yaml": cmv1},
			files{"a.yaml": cmv1, "b.yaml": "# new\n" + deploy + "  namespace: x\n"},
			files{"a.yaml": strings.Replace(cmv1, "metadata:", "metadata: # kpt-merge: /settings", 1)},
			files{"a.yaml": strings.Replace(cmv1, "metadata:", "metadata: # kpt-merge: /settings", 1),
				"b.yaml": "# new\n" + strings.Replace(deploy, "metadata:", "metadata: # kpt-merge: x/web", 1) +
					"  namespace: x\n  annotations:\n    internal.kpt.dev/upstream-identifier: apps|Deployment|x|web\n"}, "", nil},
		"file changed upstream": {files{"n.txt": "1"}, files{"n.txt": "2"}, files{"n.txt": "1"},
			files{"n.txt": "2"}, "", nil},
		"file changed here": {files{"n.txt": "1"}, files{"n.txt": "1"}, files{"n.txt": "mine"},
			files{"n.txt": "mine"}, "", nil},
		"file changed on both sides": {files{"n.txt": "1"}, files{"n.txt": "2"}, files{"n.txt": "mine"},
			files{"n.txt": "2"}, merging.TakeUpstream, []string{"n.txt: upstream"}},
		"file changed on both sides, kept": {files{"n.txt": "1"}, files{"n.txt": "2"}, files{"n.txt": "mine"},
			files{"n.txt": "mine"}, merging.KeepLocal, []string{"n.txt: local"}},
		"file changed alike": {files{"n.txt": "1"}, files{"n.txt": "2"}, files{"n.txt": "2"},
			files{"n.txt": "2"}, "", nil},
		"file added": {files{}, files{"n.txt": "2"}, files{}, files{"n.txt": "2"}, "", nil},
		"file added on both sides": {files{}, files{"n.txt": "2"}, files{"n.txt": "mine"}, files{"n.txt": "2"},
			merging.TakeUpstream, []string{"n.txt: upstream"}},
		"file removed upstream": {files{"n.txt": "1"}, files{}, files{"n.txt": "1"}, files{}, "", nil},
		"file removed upstream, changed": {files{"n.txt": "1"}, files{}, files{"n.txt": "mine"},
			files{"n.txt": "mine"}, "", []string{"n.txt: local"}},
		"file removed here": {files{"n.txt": "1"}, files{"n.txt": "1"}, files{}, files{}, "", nil},
		"file removed here, changed": {files{"n.txt": "1"}, files{"n.txt": "2"}, files{}, files{}, "",
			[]string{"n.txt: local"}},
		"binary file": {files{"n.png": "\x00\xff\r\n1"}, files{"n.png": "\x00\xff\r\n2"},
			files{"n.png": "\x00\xff\r\n1"}, files{"n.png": "\x00\xff\r\n2"}, "", nil},
		"no YAML here": {files{"a.yaml": cmv1}, files{"a.yaml": cmv2}, files{"a.yaml": cmv1 + "}{"},
			files{"a.yaml": cmv1 + "}{"}, merging.KeepLocal, []string{"a.yaml: local"}},
		"no YAML upstream": {files{"a.yaml": cmv1}, files{"a.yaml": "}{"}, files{"a.yaml": cmv1},
			files{"a.yaml": "}{"}, "", nil},
		"no YAML before": {files{"a.yaml": "}{"}, files{"a.yaml": cmv1}, files{"a.yaml": cmMine},
			files{"a.yaml": cmv1}, merging.TakeUpstream, []string{"a.yaml: upstream"}},
		"commented out upstream": {files{"a.yaml": cmv1}, files{"a.yaml": "# a: one\n"}, files{"a.yaml": cmv1},
			files{"a.yaml": "# a: one\n"}, "", nil},
		"commented out upstream, changed": {files{"a.yaml": cmv1}, files{"a.yaml": "# a: one\n"},
			files{"a.yaml": cmMine}, files{"a.yaml": cmMine}, "", []string{`a.yaml ConfigMap "settings": local`}},
		"commented out here, changed upstream": {files{"a.yaml": cmv1}, files{"a.yaml": cmv2},
			files{"a.yaml": "# a: one\n"}, files{"a.yaml": "# a: one\n"}, "",
			[]string{`a.yaml ConfigMap "settings": local`}},
		"filled upstream": {files{"a.yaml": "# to do\n"}, files{"a.yaml": cmv1}, files{"a.yaml": "# to do\n"},
			files{"a.yaml": cmv1}, "", nil},
		"filled upstream, comment changed": {files{"a.yaml": "# to do\n"}, files{"a.yaml": cmv1},
			files{"a.yaml": "# mine"}, files{"a.yaml": "# mine\n" + cmv1}, "", nil},
		"filled on both sides": {files{"a.yaml": "# to do\n"}, files{"a.yaml": cmv1}, files{"a.yaml": cmOther},
			files{"a.yaml": cmv1}, merging.TakeUpstream, []string{`a.yaml ConfigMap "settings" data.a: upstream`}},
		"comments changed on both sides": {files{"a.yaml": "# 1\n"}, files{"a.yaml": "# 2\n"},
			files{"a.yaml": "# mine\n"}, files{"a.yaml": "# 2\n"}, merging.TakeUpstream, []string{"a.yaml: upstream"}},
		"emptied here, removed upstream": {files{"a.yaml": cmv1, "b.yaml": deploy}, files{"b.yaml": deploy},
			files{"a.yaml": "# mine\n", "b.yaml": deploy}, files{"a.yaml": "# mine\n", "b.yaml": deploy}, "",
			[]string{"a.yaml: local"}},
		"a list": {files{"a.yaml": "- a\n"}, files{"a.yaml": "- b\n"},
			files{"a.yaml": "- a\n"}, files{"a.yaml": "- b\n"}, "", nil},
		"a resource twice": {files{"a.yaml": cmv1 + "---\n" + cmv1},
			files{"a.yaml": cmv2 + "---\n" + cmv1}, files{"a.yaml": cmv1 + "---\n" + cmMine},
			files{"a.yaml": cmv1 + "---\n" + cmMine}, merging.KeepLocal, []string{"a.yaml: local"}},
		"a resource in two files": {files{"a.yaml": cmv1, "b.yaml": cmv1},
			files{"a.yaml": cmv2, "b.yaml": cmv1}, files{"a.yaml": cmMine, "b.yaml": cmMine},
			files{"a.yaml": cmBoth, "b.yaml": cmMine}, "", nil},
		"a template": {files{"t.yaml": cm + "data:\n  a: {{ .Values.a }}\n"},
			files{"t.yaml": cm + "data:\n  a: {{ .Values.a }}\n  b: {{ .Values.b }}\n"},
			files{"t.yaml": cm + "data:\n  a: {{ .Values.mine }}\n"},
			files{"t.yaml": cm + "data:\n  a: {{ .Values.a }}\n  b: {{ .Values.b }}\n"}, merging.TakeUpstream, []string{"t.yaml: upstream"}},
		"a template added to a package of kpt": {files{"a.yaml": cmv1},
			files{"a.yaml": cmv1, "t.yaml": cm + "data:\n  a: {{ .Values.a }}\n"}, files{"a.yaml": noting("/settings", cmv1)},
			files{"a.yaml": noting("/settings", cmv1), "t.yaml": cm + "data:\n  a: {{ .Values.a }}\n"}, "", nil},
		"values": {files{"values.yaml": "a: 1\nb: 1\n"}, files{"values.yaml": "a: 2\nb: 1\n"},
			files{"values.yaml": "a: 1\nb: 3\n"}, files{"values.yaml": "a: 2\nb: 3\n"}, "", nil},
		"hidden from kpt": {files{".krmignore": "t\n", "t/a.yaml": cmv1}, files{".krmignore": "t\n", "t/a.yaml": cmv2},
			files{".krmignore": "t\n", "t/a.yaml": cmMine}, files{".krmignore": "t\n", "t/a.yaml": cmv2}, merging.TakeUpstream,
			[]string{"t/a.yaml: upstream"}},
		"hidden from kpt, added to a package of kpt": {files{"a.yaml": cmv1},
			files{"a.yaml": cmv1, "s/Kptfile": kptfile, "s/.krmignore": "*.tmp.yaml\n", "s/x.tmp.yaml": cmv1},
			files{"a.yaml": noting("/settings", cmv1)}, files{"a.yaml": noting("/settings", cmv1), "s/Kptfile": kptfile,
				"s/.krmignore": "*.tmp.yaml\n", "s/x.tmp.yaml": cmv1}, "", nil},
		"subpackage removed here": {files{"a.yaml": cmv1, "s/Kptfile": kptfile, "s/a.yaml": deploy},
			files{"a.yaml": cmv1, "s/Kptfile": kptfile, "s/a.yaml": deploy, "s/b.yaml": cmv1, "s/n.txt": "1"},
			files{"a.yaml": cmv1}, files{"a.yaml": cmv1}, "", []string{`s/b.yaml ConfigMap "settings": local`,
				"s/n.txt: local"}},
		"subpackage added upstream": {files{"a.yaml": cmv1},
			files{"a.yaml": cmv1, "s/Kptfile": kptfile, "s/a.yaml": deploy}, files{"a.yaml": cmMine},
			files{"a.yaml": cmMine, "s/Kptfile": kptfile, "s/a.yaml": deploy}, "", nil},
		"an older original": {files{"a.yaml": cmv1}, files{"a.yaml": cmOther}, files{"a.yaml": cmv2},
			files{"a.yaml": cmOther}, merging.TakeUpstream, []string{`a.yaml ConfigMap "settings" data.a: upstream`}},
		"nothing but a Kptfile in the upstreams": {files{}, files{}, files{"a.yaml": cmMine}, files{"a.yaml": cmMine}, "",
			nil},
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

func crlf(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }

// TestRefused checks what is no package that can be merged.
func TestRefused(t *testing.T) {
	t.Parallel()
	some := with(one(cmv1))
	for name, c := range map[string]struct {
		original, updated, local files
		onConflict               merging.OnConflict
		want                     string
	}{
		"no original": {nil, some, some, "",
			"the original upstream has no files: pass those of the revision that the package was made from"},
		"no updated": {some, files{}, some, "",
			"the updated upstream has no files: pass those of the revision that the package is to follow"},
		"no local": {some, some, nil, "", "the package has no Kptfile: only a kpt package has an upstream"},
		"no YAML": {some, some, files{"Kptfile": "}{"}, "",
			"the package's Kptfile is no YAML of a single Kptfile: correct it first"},
		"unrelated": {some, some, with(files{"b.yaml": deploy}), "",
			"the package has no resource in common with the original upstream, nor with the updated one: " +
				"pass the revisions of the package that it was made from (upstreamLock in its Kptfile says which)"},
		"unknown strategy": {some, some, some, "Keep", `is "Keep", but must be TakeUpstream, KeepLocal or Stop`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, conflicts, err := merging.Merge(c.original, c.updated, c.local, merging.Options{OnConflict: c.onConflict})
			if err == nil || got != nil || conflicts != nil {
				t.Fatalf("got %v, %v, %v", got, conflicts, err)
			}
			if diff := cmp.Diff(c.want, err.Error()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestTagBelowComment checks that a comment in a place where the encoder could not write it keeps no resource from being
// merged by field.
func TestTagBelowComment(t *testing.T) {
	t.Parallel()
	const odd = "spec:\n  a: # c\n    !!map\n    c: 1\n  b: "
	got, conflicts := merge(t, one(deploy+"spec:\n  b: 1\n"), one(deploy+"spec:\n  b: 2\n"), one(deploy+odd+"1\n"),
		merging.Options{OnConflict: merging.KeepLocal})
	if diff := cmp.Diff(with(one(deploy+odd+"2\n")), got); diff != "" || len(conflicts) > 0 {
		t.Errorf("%v, -want +got:\n%s", conflicts, diff)
	}
}

// TestKptfileMissing checks that an upstream may lack a Kptfile.
func TestKptfileMissing(t *testing.T) {
	t.Parallel()
	plain := one(cmv1)
	for name, c := range map[string]struct{ original, updated files }{
		"in the original": {plain, with(plain)}, "in the updated": {with(plain), plain}, "in both": {plain, plain},
		"unreadable": {files{"Kptfile": "}{", "a.yaml": cmv1}, files{"Kptfile": "[]", "a.yaml": cmv1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			local := with(one(cmMine))
			got, conflicts, err := merging.Merge(c.original, c.updated, local, merging.Options{})
			if diff := cmp.Diff(local, got); diff != "" || err != nil || len(conflicts) > 0 {
				t.Errorf("%v, %v, -want +got:\n%s", conflicts, err, diff)
			}
		})
	}
}

// TestLarge merges packages of five megabytes: one with many resources, and one with a large one.
func TestLarge(t *testing.T) {
	t.Parallel()
	var big, bigMine strings.Builder
	original, updated, local, want := files{}, files{}, files{}, files{}
	for i := range 5000 {
		name := fmt.Sprintf("r%04d.yaml", i)
		resource := strings.Replace(cmv1, "settings", fmt.Sprintf("s%04d", i), 1) + "# " + strings.Repeat("x", 900) + "\n"
		original[name], local[name], updated[name] = resource, resource, resource
		fmt.Fprintf(&big, "  key-%05d: %s\n", i, strings.Repeat("v", 100))
		fmt.Fprintf(&bigMine, "  key-%05d: %s\n", i, strings.Repeat("w", 100))
	}
	original["r0001.yaml"], updated["r0001.yaml"], local["r0001.yaml"] = cmv1, cmv2, cmMine
	original["big.yaml"], updated["big.yaml"] = cm+"data:\n"+big.String(), cm+"data:\n"+big.String()+"  new: x\n"
	local["big.yaml"] = cm + "data:\n" + bigMine.String()
	original["big.yaml"], updated["big.yaml"], local["big.yaml"] = rename(original["big.yaml"]),
		rename(updated["big.yaml"]), rename(local["big.yaml"])
	for name, text := range local {
		want[name] = text
	}
	want["r0001.yaml"], want["big.yaml"] = cmBoth, local["big.yaml"]+"  new: x\n"
	got, conflicts, err := merging.Merge(original, updated, with(local), merging.Options{})
	if diff := cmp.Diff(with(want), got); diff != "" || err != nil || len(conflicts) > 0 {
		t.Errorf("%v, %v, -want +got:\n%s", conflicts, err, diff)
	}
}

func rename(text string) string { return strings.Replace(text, "settings", "big", 1) }
