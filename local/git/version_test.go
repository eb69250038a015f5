// SPDX-License-Identifier: Apache-2.0

package git

import "testing"

func TestCheckVersion(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"git version 2.39.5\n":                   "",
		"git version 2.50.1 (Apple Git-155)\n":   "",
		"git version 2.47.0.windows.1\n":         "",
		"git version 3.0.0-rc1\n":                "",
		"git version 2.34.1\n":                   "git 2.34 is too old: install 2.39 or newer",
		"git version 1.99.1\n":                   "git 1.99 is too old: install 2.39 or newer",
		"git: 'version' is not a git command.\n": `git says that its version is "git: 'version' is not a git command."`,
	} {
		got := ""
		if err := checkVersion(said); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %q", said, got)
		}
	}
}

// TestParsePush reads what git and servers say of refs that were not pushed.
func TestParsePush(t *testing.T) {
	t.Parallel()
	updates := []Update{{Ref: "refs/heads/a"}, {Ref: "refs/heads/b"}}
	for name, c := range map[string]struct {
		out, words string
		want       [2]Status
		said       [2]string
	}{
		"both are pushed":             {"To x\n \tabc:refs/heads/a\ta..b\n*\tabc:refs/heads/b\t[new branch]\nDone\n", "", [2]Status{}, [2]string{}},
		"one is up to date, one ends": {"=\tabc:refs/heads/a\t[up to date]\n-\t:refs/heads/b\t[deleted]\n", "", [2]Status{}, [2]string{}},
		"a lock is lost on the server": {"!\tabc:refs/heads/a\t[remote rejected] (failed to update ref)\n+\tabc:refs/heads/b\ta...b\n",
			"remote: error: cannot lock ref 'refs/heads/a': is at 1 but expected 2\n", [2]Status{Moved, Pushed},
			[2]string{"[remote rejected] (failed to update ref): error: cannot lock ref 'refs/heads/a': is at 1 but expected 2", ""}},
		"GitHub protects a branch": {"!\tabc:refs/heads/a\t[remote rejected] (protected branch hook declined)\n*\tabc:refs/heads/b\t[new branch]\n",
			"remote: error: GH006: Protected branch update failed for refs/heads/a.\nremote: \nremote: - Changes must be made through a pull request.\n",
			[2]Status{Refused, Pushed}, [2]string{"[remote rejected] (protected branch hook declined): error: GH006: Protected branch " +
				"update failed for refs/heads/a.", ""}},
		"an atomic push fails": {"!\tabc:refs/heads/a\t[rejected] (stale info)\n!\tabc:refs/heads/b\t[rejected] (atomic push failed)\n", "",
			[2]Status{Moved, Spoiled}, [2]string{"[rejected] (stale info)", "[rejected] (atomic push failed)"}},
	} {
		results, complete := parsePush(updates, c.out, c.words)
		if !complete || len(results) != 2 {
			t.Fatal(name, results)
		}
		for i, r := range results {
			if r.Status != c.want[i] || r.Words != c.said[i] {
				t.Errorf("%s: %d %q", name, r.Status, r.Words)
			}
		}
	}
	if results, complete := parsePush(updates, "*\tabc:refs/heads/b\t[new branch]\n", ""); complete {
		t.Error(results)
	}
}
