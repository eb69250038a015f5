// SPDX-License-Identifier: Apache-2.0

package merging_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
)

// TestJSON checks that a file in JSON stays one, with its order and indentation.
func TestJSON(t *testing.T) {
	t.Parallel()
	const lines = "{\n    \"kind\": \"ConfigMap\",\n    \"apiVersion\": \"v1\",\n    \"metadata\": {\n        \"name\": \"s\"\n" +
		"    },\n    \"data\": {\n        %s\n    }\n}\n"
	const line = `{"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "s"}, "data": {%s}}` + "\n"
	for name, c := range map[string]struct{ format, original, updated, local, want string }{
		"in lines": {lines, `"a": "1"`, `"a": "yes"`, `"a": "1",` + "\n        " + `"b": "<&>"`,
			`"a": "yes",` + "\n        " + `"b": "<&>"`},
		"in a line": {line, `"a": "1"`, `"a": "2", "c": "~"`, `"a": "1", "b": "é"`, `"a": "2", "b": "é", "c": "~"`},
		"values": {line, `"a": 1`, `"a": 1.50, "n": null, "t": true, "l": [{}, []]`, `"a": 1, "e": 1e3`,
			`"a": 1.50, "e": 1e3, "n": null, "t": true, "l": [{}, []]`},
		"from YAML": {line, `"a": "1"`, `a: 'x', b: [yes, 0x10]`, `"a": "1", "c": ""`,
			`"a": "x", "c": "", "b": ["yes", 16]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := func(data string) files { return all(files{"s.json": fmt.Sprintf(c.format, data)}) }
			got, conflicts := merge(t, file(c.original), file(c.updated), file(c.local), merging.Options{})
			if diff := cmp.Diff(with(file(c.want)), got); diff != "" || len(conflicts) > 0 {
				t.Errorf("%v, -want +got:\n%s", told(conflicts), diff)
			}
		})
	}
}

// TestDirectories checks that a path which is a file here and a directory upstream is a conflict, and stays what it is.
func TestDirectories(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		original, updated, local, want files
		conflict                       merging.Conflict
	}{
		"a file here": {files{"a.yaml": cmv1}, files{"a.yaml": cmv2, "d/e/b.yaml": cm, "d/n.txt": "1"},
			files{"a.yaml": cmv1, "d": "mine"}, files{"a.yaml": cmv2, "d": "mine"},
			merging.Conflict{File: "d", Local: "a file", Updated: "a directory", Taken: "local"}},
		"a directory here": {files{"a.yaml": cmv1}, files{"a.yaml": cmv2, "d": "1"},
			files{"a.yaml": cmv1, "d/b.yaml": cm}, files{"a.yaml": cmv2, "d/b.yaml": cm},
			merging.Conflict{File: "d", Local: "a directory", Updated: "a file", Taken: "local"}},
		"a resource that moves": {files{"a.yaml": cmv1}, files{"d/a.yaml": cmv2}, files{"a.yaml": cmMine, "d": "mine"},
			files{"a.yaml": cmBoth, "d": "mine"},
			merging.Conflict{File: "d", Local: "a file", Updated: "a directory", Taken: "local"}},
	} {
		for _, onConflict := range []merging.OnConflict{merging.TakeUpstream, merging.KeepLocal} {
			t.Run(name+"/"+string(onConflict), func(t *testing.T) {
				t.Parallel()
				got, conflicts := merge(t, all(c.original), all(c.updated), all(c.local), merging.Options{OnConflict: onConflict})
				if diff := cmp.Diff(with(all(c.want)), got); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
				if diff := cmp.Diff([]merging.Conflict{c.conflict}, conflicts); diff != "" {
					t.Errorf("conflicts -want +got:\n%s", diff)
				}
			})
		}
	}
	t.Run("a file that the upstream made a directory", func(t *testing.T) {
		t.Parallel()
		got, conflicts := merge(t, all(files{"d": "1"}), all(files{"d/n.txt": "1"}), all(files{"d": "1"}), merging.Options{})
		if diff := cmp.Diff(with(all(files{"d/n.txt": "1"})), got); diff != "" || len(conflicts) > 0 {
			t.Errorf("%v, -want +got:\n%s", told(conflicts), diff)
		}
	})
}

// TestHeader checks that the header of a file stays when its first resource goes, or moves.
func TestHeader(t *testing.T) {
	t.Parallel()
	const license, about = "# Copyright the authors\n# License: none\n", "# about settings\n"
	for name, c := range map[string]struct{ original, updated, local, want string }{
		"set off": {license + "\n" + about + cmv1 + "---\n" + deploy, deploy,
			license + "\n" + about + cmv1 + "---\n# mine\n" + deploy, license + "\n# mine\n" + deploy},
		"a license": {license + cmv1 + "---\n" + deploy, deploy, license + cmv1 + "---\n# mine\n" + deploy,
			license + "# mine\n" + deploy},
		"about the resource": {about + cmv1 + "---\n" + deploy, deploy, about + cmv1 + "---\n# mine\n" + deploy,
			"# mine\n" + deploy},
		"above a separator": {license + "---\n" + cmv1 + "---\n" + deploy, license + "---\n" + deploy,
			license + "---\n" + cmv1 + "---\n# mine\n" + deploy, license + "---\n# mine\n" + deploy},
		"there already": {license + cmv1 + "---\n" + license + deploy, license + deploy,
			license + cmv1 + "---\n" + license + deploy + "spec: {}\n", license + deploy + "spec: {}\n"},
		"comments alone, behind one that goes": {license + "\n---\n" + cmv1 + "---\n# only\n---\n" + deploy,
			license + "\n---\n# only\n---\n" + deploy, license + "\n---\n" + cmv1 + "---\n# only\n---\n" + deploy + "spec: {}\n",
			license + "\n---\n# only\n---\n" + deploy + "spec: {}\n"},
		"comments alone, behind the only one": {cmv1 + "---\n# only\n", "# only\n", "# license\n\n" + cmv1 + "---\n# only\n",
			"---\n# only\n"},
		"of one that moves": {license + "\n" + about + cmv1 + "---\n" + deploy, license + "\n" + deploy + "---\n" + cmv1,
			license + "\n" + about + cmMine + "---\n# mine\n" + deploy,
			license + "\n# mine\n" + deploy + "---\n" + about + cmMine},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, conflicts := merge(t, one(c.original), one(c.updated), one(c.local), merging.Options{})
			if diff := cmp.Diff(with(one(c.want)), got); diff != "" || len(conflicts) > 0 {
				t.Errorf("%v, -want +got:\n%s", told(conflicts), diff)
			}
		})
	}
}
