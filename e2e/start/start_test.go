// SPDX-License-Identifier: Apache-2.0

package start

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/e2e/examples/walkthrough"
	"github.com/package-variants/package-variants/e2e/stack"
	"github.com/package-variants/package-variants/e2e/stack/stacktest"
)

const (
	root = "../.."
	// inGit and inCluster are the pages that are followed, files the directory that they copy.
	inGit     = root + "/docs/getting-started.md"
	inCluster = root + "/docs/use-in-a-cluster.md"
	files     = "docs/getting-started"
	// set is the PackageVariantSet that the first page shows.
	set = root + "/" + files + "/fleet/set.yaml"
)

var shared *stack.Stack

func TestMain(m *testing.M) { os.Exit(stacktest.Main(m, &shared, stack.Options{})) }

// TestGettingStarted does what a page says, in a shell of its own, and compares what is printed with what it shows.
func TestGettingStarted(t *testing.T) {
	for _, page := range []string{inGit, inCluster} {
		t.Run(filepath.Base(page), func(t *testing.T) { follow(t, page) })
	}
}

// follow does what a page says.
func follow(t *testing.T, page string) {
	t.Helper()
	doc, err := walkthrough.Parse(read(t, page))
	if err != nil {
		t.Fatal(err)
	}
	update := os.Getenv("UPDATE_GOLDEN") != ""
	s, followed := startSession(t), 0
	for _, section := range doc.Sections {
		for i, part := range section.Parts {
			if part.Lang != walkthrough.Commands {
				continue
			}
			followed++
			results := runAll(t, s, part.List())
			if update {
				doc.Update(section, i, results)
			} else if differences := doc.Compare(section, i, results); differences != "" {
				t.Errorf("%s: %s", section.Heading, differences)
			}
		}
	}
	if followed == 0 {
		t.Error("the page has no commands")
	}
	if update {
		if err := os.WriteFile(page, []byte(doc.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// runAll runs commands, each of which must succeed.
func runAll(t *testing.T, s *walkthrough.Session, commands []string) []walkthrough.Result {
	t.Helper()
	var results []walkthrough.Result
	for _, command := range commands {
		result, err := s.Run(command)
		if err != nil {
			t.Fatal(err)
		}
		result.Output = settle(result.Output)
		results = append(results, result)
	}
	return results
}

// age is how old an object is, in a table of kubectl, where it is as wide as AGE at least.
var age = regexp.MustCompile(`\b[0-9]+s( +|\n)`)

// written is when a file was written, in a diff.
var written = regexp.MustCompile(`\t[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:.]+ [+-][0-9]{4}\n`)

// settle returns output in which all objects have the same age, with the columns where they are, and no file says when
// it was written.
func settle(output string) string {
	output = written.ReplaceAllString(output, "\n")
	return age.ReplaceAllStringFunc(output, func(match string) string {
		if strings.HasSuffix(match, "\n") {
			return "5s\n"
		}
		return "5s" + strings.Repeat(" ", len(match)-len("5s"))
	})
}

// startSession starts a shell in what looks like a clone of the repository in which make has built all and started the
// stack. The controller serves neither metrics nor health there, whose ports others may have.
func startSession(t *testing.T) *walkthrough.Session {
	t.Helper()
	temp, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	repository, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(temp, "clone")
	bin := map[string]string{"stack": shared.Dir}
	for name, variable := range map[string]string{"tools": "TOOLS_BIN", "variants": "VARIANTS",
		"sync-controller": "SYNC_CONTROLLER", "kubectl-variants": "KUBECTL_VARIANTS"} {
		if bin[name] = os.Getenv(variable); bin[name] == "" {
			t.Fatalf("the environment variable %s is not set: run this by make, which builds what it names", variable)
		}
	}
	if err := walkthrough.Clone(dir, root, bin); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, filepath.FromSlash(files)), os.DirFS(filepath.Join(root, files))); err != nil {
		t.Fatal(err)
	}
	s, err := walkthrough.Start(t.Context(), dir, append(walkthrough.Environment(), "HOME="+temp))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	runAll(t, s, []string{
		// What make prints to install is what it prints in the repository.
		`make() { case "$*" in build-variants | stack-up) ;;
			install-yaml) HOME='` + os.Getenv("HOME") + `' MAKEFLAGS= command make --no-print-directory \
				-C '` + repository + `' "$@" RELEASE="$HOME/release" ;;
			*) false ;; esac; }`,
		`sync-controller() { command sync-controller "$@" --metrics-bind-address=0 --health-probe-bind-address=0; }`,
	})
	return s
}

// TestShown checks that the first page shows the set as it is, and that the outputs in the README are those of the two
// pages, which were really printed.
func TestShown(t *testing.T) {
	t.Parallel()
	if !strings.Contains(read(t, inGit), "\n```yaml\n"+read(t, set)+"```\n") {
		t.Errorf("%s does not show %s as it is", inGit, set)
	}
	readme := read(t, root+"/README.md")
	shown, outputs := read(t, inGit)+read(t, inCluster), 0
	for _, block := range console.FindAllStringSubmatch(readme, -1) {
		for _, shell := range strings.Split(block[1], "$ ")[1:] {
			outputs++
			command, output, _ := strings.Cut(shell, "\n")
			run := strings.Contains(shown, "\n"+command+"\n") || strings.Contains(shown, "\n"+command+" || true\n")
			if !run || !strings.Contains(shown, "\n"+strings.TrimSpace(output)+"\n") {
				t.Errorf("neither page shows this, which the README has:\n%s", shell)
			}
		}
	}
	if outputs == 0 {
		t.Error("the README shows what no command prints")
	}
}

// console is a block of the README with commands and what they print.
var console = regexp.MustCompile("(?ms)^```text\n(\\$ .*?)^```$")

func read(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestSettle(t *testing.T) {
	t.Parallel()
	for output, want := range map[string]string{
		"AGE   MESSAGE\n1s    made\n":                       "AGE   MESSAGE\n5s    made\n",
		"AGE   MESSAGE\n12s   made\n":                       "AGE   MESSAGE\n5s    made\n",
		"AGE\n12s\n":                                        "AGE\n5s\n",
		"web 2 packages\n":                                  "web 2 packages\n",
		"--- a.yaml\t2026-01-02 10:00:00.123456789 +0000\n": "--- a.yaml\n",
	} {
		if got := settle(output); got != want {
			t.Errorf("%q: %q, want %q", output, got, want)
		}
	}
}
