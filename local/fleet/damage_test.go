// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestLostAfterRemoval has a person remove a package before what was recorded is lost: approvalPolicy publishes nothing
// in its place.
func TestLostAfterRemoval(t *testing.T) {
	t.Parallel()
	w := newWorld(t, web+"  approvalPolicy: Automatic\n")
	w.sync()
	w.People.Update()
	w.People.Git("rm", "-rq", "edge/web")
	w.People.Push("Remove it", nil, "HEAD:refs/heads/main")
	w.Remote.Git("update-ref", "-d", "refs/heads/package-variants")
	main := w.Remote.Refs()["refs/heads/main"]
	report := w.sync()
	w.Equal("left to a person", []string{"web: UpToDate  edge.web.packagevariant-1"}, lines(report))
	w.Equal("why", "edge.web.packagevariant-1 waits for a person, because edge/web was published before and removed from the "+
		"branch: merge it if the package is to come back", report.Variants[0].Message)
	w.Equal("main", main, w.Remote.Refs()["refs/heads/main"])
	w.idle()
}

// TestDamagedState has files of what was recorded be emptied, cut off, overwritten or removed: nothing is done, and the
// error names the file.
func TestDamagedState(t *testing.T) {
	t.Parallel()
	w := newWorld(t, web+"---"+strings.Replace(webSet, "package: web}}", "package: other}}", 1))
	w.sync()
	w.People.Update()
	good := strings.TrimSpace(w.People.Git("rev-parse", "origin/package-variants"))
	for _, tt := range []struct{ file, text, want string }{
		{"fleet.json", "{}\n", "it does not have what was written there"},
		{"fleet.json", "{\"fleet\": [", "unexpected end of JSON input"},
		{"fleet.json", "{\"fleet\": \"a\", \"else\": 1}", "unknown field \"else\""},
		{"fleet.json", "", "it is missing"},
		{"packages.jsonl", "# emptied\n", "it is not the file that was written"},
		{"packages.jsonl", "", "it is missing"},
		{"variants/default/web.json", "{}\n", "it does not have what was written there"},
		{"variants/default/web.json", "\xff\xfe", "invalid character 'ÿ' looking for beginning of value"},
		{"sets/default/webs.json", "{}\n", "it does not have what was written there"},
	} {
		w.People.Git("checkout", "-q", good)
		at := "fleet/.fleet/" + tt.file
		w.People.Push("Damage", map[string]string{at: tt.text}, "+HEAD:refs/heads/package-variants")
		w.People.Checkout("main")
		w.unchanged(tt.file, func() {
			_, err := Sync(t.Context(), w.options())
			w.Equal(tt.file, "what was recorded of the fleet cannot be used, and nothing was done: the branch "+
				"package-variants of "+w.Remote.Address()+", "+at+": "+tt.want+": revert the commit that damaged it, or remove "+
				"fleet/.fleet there, which forgets what was recorded", fmt.Sprint(err))
		})
	}
}

// TestDamagedClone has a clone in the cache lose objects: nothing is taken for gone, and the failure says what to do.
func TestDamagedClone(t *testing.T) {
	t.Parallel()
	w := published(t, web)
	clones, err := filepath.Glob(filepath.Join(w.Cache, "packages", "*"))
	if err != nil || len(clones) != 1 {
		t.Fatal(clones, err)
	}
	tree := strings.TrimSpace(w.Remote.Git("rev-parse", "main:edge"))
	lose := exec.Command("sh", "-ec", `mv objects/pack/*.pack . && rm -f objects/pack/* && for p in *.pack; do
		git unpack-objects -q <$p; done && rm -f objects/$1/$2`, "sh", tree[:2], tree[2:])
	lose.Dir = clones[0]
	if said, err := lose.CombinedOutput(); err != nil {
		t.Fatal(string(said), err)
	}
	w.unchanged("a damaged clone", func() {
		report, err := Sync(t.Context(), w.options())
		said := fmt.Sprint(err)
		if report != nil {
			said += strings.Join(report.Failures, "\n")
		}
		if !strings.Contains(said, "the clone of "+w.Remote.Address()+" in "+clones[0]+" is damaged, remove that directory, "+
			"and it is cloned again") {
			t.Error(said)
		}
	})
	if err := os.RemoveAll(clones[0]); err != nil {
		t.Fatal(err)
	}
	w.Equal("cloned again", []string{"web: UpToDate v1"}, lines(w.sync()))
}
