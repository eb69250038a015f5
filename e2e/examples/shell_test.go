// SPDX-License-Identifier: Apache-2.0

package examples

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/e2e/examples/walkthrough"
	"github.com/package-variants/package-variants/e2e/internal/kpt"
	"github.com/package-variants/package-variants/e2e/internal/podman"
)

// containers runs the images of the functions.
var containers podman.Shared

func TestMain(m *testing.M) { os.Exit(containers.Close(m.Run())) }

// shell is a session in a directory that looks like this repository to the commands that set an example up.
type shell struct {
	*walkthrough.Session
}

// startShell starts a session for an example. The directory it starts in has what `make build tools` leaves in bin;
// make itself does nothing.
func startShell(t *testing.T, example string) *shell {
	t.Helper()
	tool, err := kpt.FromEnv()
	if err != nil {
		t.Fatal(err)
	}
	temp, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(temp, "repository")
	bin := map[string]string{"tools": filepath.Dir(tool.Path), "functions": tool.Functions}
	for name, variable := range map[string]string{"kubectl-variants": "KUBECTL_VARIANTS", "variants": "VARIANTS"} {
		if program := os.Getenv(variable); program != "" {
			bin[name] = program
		}
	}
	if err := walkthrough.Clone(dir, root, bin, example); err != nil {
		t.Fatal(err)
	}
	s, err := walkthrough.Start(t.Context(), dir, append(walkthrough.Environment(), "HOME="+temp))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	sh := &shell{s}
	sh.run(t, `make() { case "$*" in "build tools" | "build-functions kpt-tools" | "build-variants tools" | "build-variants rare-tools" | "-C $CLONE images") ;;
		*) false ;; esac; }`)
	return sh
}

// hasContainers gives the session a podman of the tests' own, and what `make images` leaves in dist. It returns false,
// and says why, where no container can be run.
func (s *shell) hasContainers(t *testing.T) bool {
	t.Helper()
	r := containers.Find(t)
	if r == nil {
		return false
	}
	for _, entry := range r.Env() {
		s.run(t, "export "+entry)
	}
	s.run(t, `mkdir "$CLONE/dist" && ln -s "$IMAGES" "$CLONE/dist/images"`)
	return true
}

// runAll runs commands. Each run of kpt and of kustomize is repeated: the second must change nothing.
func (s *shell) runAll(t *testing.T, commands []string) []walkthrough.Result {
	t.Helper()
	var results []walkthrough.Result
	for _, command := range commands {
		r, err := s.Run(command)
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, r)
		if !strings.Contains(command, "kpt fn ") && !strings.Contains(command, "kustomize build ") {
			continue
		}
		once := s.tree(t)
		s.run(t, command)
		if again := s.tree(t); again != once {
			t.Errorf("%s: running it again changes something:\n%s", command, s.run(t, "git diff "+once+" "+again))
		}
	}
	return results
}

func (s *shell) run(t *testing.T, command string) string {
	t.Helper()
	r, err := s.Run(command)
	if err != nil {
		t.Fatal(err)
	}
	return r.Output
}

// tree returns a name for the content of the working directory, without touching the index that the user sees.
func (s *shell) tree(t *testing.T) string {
	t.Helper()
	s.run(t, "GIT_INDEX_FILE=.git/test-index git add -A")
	return strings.TrimSpace(s.run(t, "GIT_INDEX_FILE=.git/test-index git write-tree"))
}
