// SPDX-License-Identifier: Apache-2.0

package switching

import (
	"cmp"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha2"

	"github.com/package-variants/package-variants/e2e/internal/skipped"
)

// beforeRelease stands for the version before this one as long as there is no release: the last commit before the
// status said what a draft is being saved with, and policies came.
const beforeRelease = "9b160535d9ee0671ee1babd7fd20c8fbb4b8cf18"

// TestDowngrade goes back to the version before on a fleet that this version made, and forth again, by the steps of the
// manual. Nothing is written to any package, published or deleted by either.
func TestDowngrade(t *testing.T) {
	binary, config := buildEarlier(t)
	w := newWorld(t)
	w.kubectl("apply", "--recursive", "--filename="+thisConfig)
	c, all := w.settle()
	w.leaveMidway(all)
	w.WriteFiles("edge-1.web.packagevariant-1", map[string]string{"notes.md": "mine\n"})
	before := w.packages()
	for _, turn := range []struct{ what, binary, config string }{
		{"the version before", binary, config}, {"this version again", "", thisConfig},
	} {
		c.Stop()
		w.proxy.Reset()
		w.kubectl("apply", "--recursive", "--filename="+turn.config)
		c = w.startBinary(turn.binary, "--upgrade-window=0s")
		w.expectLookedAt(c, len(all))
		w.expectReasons(all)
		w.Never(3*time.Second, turn.what+" has something to do", w.untouched)
		w.waitRollout(v1alpha2.RolloutProgressing)
		w.expectUntouched(turn.what, before)
	}
	w.expectFollows()
}

// buildEarlier builds the controller of the version before from its commit, and returns it with the directory of its
// installation. The commit is what the environment names as EARLIER, the newest release before this commit, or
// beforeRelease. In a clone that does not have it the test is skipped, which is
// reported, or fails if the environment has REQUIRE_EARLIER.
func buildEarlier(t *testing.T) (binary, config string) {
	t.Helper()
	dir, commit := t.TempDir(), ""
	run := func(command string) (string, error) {
		cmd := exec.CommandContext(t.Context(), "bash", "-o", "pipefail", "-c", command)
		cmd.Env = append(os.Environ(), "DIR="+dir, "COMMIT="+commit, "CGO_ENABLED=0")
		cmd.Dir = root
		out, err := cmd.CombinedOutput()
		return strings.TrimSpace(string(out)), err
	}
	release, err := run("git describe --tags --abbrev=0 --match 'v*' HEAD^ 2>/dev/null")
	if err != nil {
		release = ""
	}
	commit = cmp.Or(os.Getenv("EARLIER"), release, beforeRelease)
	if out, err := run(`git archive "$COMMIT" | tar -x -C "$DIR"`); err != nil {
		missing := errors.New(commit + " is not in this clone, git fetch --unshallow gets it: " + out)
		if os.Getenv("REQUIRE_EARLIER") != "" {
			t.Fatal(missing)
		}
		if err := skipped.Report("the test of a downgrade", missing); err != nil {
			t.Fatal(err)
		}
		t.Skip("the version before is not in this clone")
	}
	if out, err := run(`cd "$DIR/sync-controller" && go build -o "$DIR/controller" .`); err != nil {
		t.Fatalf("cannot build %s: %v\n%s", commit, err, out)
	}
	return filepath.Join(dir, "controller"), filepath.Join(dir, "sync-controller", "config")
}
