// SPDX-License-Identifier: Apache-2.0

package install

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/kubernetes"

	"github.com/package-variants/package-variants/e2e/examples/walkthrough"
	"github.com/package-variants/package-variants/e2e/stack"
	"github.com/package-variants/package-variants/e2e/stack/stacktest"
)

// config and namespaced are the packages under test. manual is the page that says how to install it, lifecycle the one
// on granting approval, and monitoring the one on reading metrics.
const (
	config     = "../../sync-controller/config"
	namespaced = "../../sync-controller/namespaced"
	manual     = "../../docs/install.md"
	lifecycle  = "../../docs/lifecycle.md"
	monitoring = "../../sync-controller/monitoring/README.md"
)

// guide is the manual of the package, and a shell in which a user does what it says.
type guide struct {
	*stack.Stack
	client kubernetes.Interface
	doc    *walkthrough.Document
	shell  *walkthrough.Session
}

// newGuide starts a stack, and a shell in what looks like a clone of this repository. The files that the manual shows
// in YAML are there.
func newGuide(t *testing.T, options stack.Options) *guide {
	t.Helper()
	s := stacktest.Start(t, options)
	g := &guide{Stack: s, doc: document(t, manual)}
	var err error
	if g.client, err = kubernetes.NewForConfig(s.Config); err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	clone := filepath.Join(home, "clone")
	for _, dir := range []string{config, namespaced} {
		if err := os.CopyFS(filepath.Join(clone, "sync-controller", filepath.Base(dir)), os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
	}
	writeFile(t, filepath.Join(clone, "configmaps-role.yaml"), g.block(t, "Let it read objects", "yaml").Text)
	writeFile(t, filepath.Join(clone, "published.yaml"), g.block(t, "Which rights users need", "yaml").Text)
	writeFile(t, filepath.Join(clone, "egress.yaml"), g.block(t, "Restrict its network", "yaml").Text)
	env := append(walkthrough.Environment(os.Getenv("TOOLS_BIN")), "HOME="+home, "KUBECONFIG="+s.Kubeconfig)
	if g.shell, err = walkthrough.Start(t.Context(), clone, env); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.shell.Close() })
	return g
}

// document parses a page of commands.
func document(t *testing.T, file string) *walkthrough.Document {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := walkthrough.Parse(string(content))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// reading returns the guide with another page, in the same shell.
func (g *guide) reading(t *testing.T, file string) *guide {
	t.Helper()
	other := *g
	other.doc = document(t, file)
	return &other
}

// section returns the section under a heading.
func (g *guide) section(t *testing.T, heading string) *walkthrough.Section {
	t.Helper()
	i := slices.IndexFunc(g.doc.Sections, func(s *walkthrough.Section) bool { return s.Heading == heading })
	if i < 0 {
		t.Fatalf("the manual has no section %q", heading)
	}
	return g.doc.Sections[i]
}

// block returns the first block of a language in a section.
func (g *guide) block(t *testing.T, heading, lang string) *walkthrough.Part {
	t.Helper()
	section := g.section(t, heading)
	i := slices.IndexFunc(section.Parts, func(p *walkthrough.Part) bool { return p.Lang == lang })
	if i < 0 {
		t.Fatalf("the section %q has no block of %s", heading, lang)
	}
	return section.Parts[i]
}

// commands returns the commands of a section, in order.
func (g *guide) commands(t *testing.T, heading string) []string {
	t.Helper()
	var all []string
	for _, p := range g.section(t, heading).Parts {
		if p.Lang == walkthrough.Commands {
			all = append(all, p.List()...)
		}
	}
	if len(all) == 0 {
		t.Fatalf("the section %q has no commands", heading)
	}
	return all
}

// follow runs all commands of a section, and compares what they print with what the manual shows, if it does.
func (g *guide) follow(t *testing.T, heading string) {
	t.Helper()
	section := g.section(t, heading)
	for i, p := range section.Parts {
		if p.Lang != walkthrough.Commands {
			continue
		}
		var results []walkthrough.Result
		for _, command := range p.List() {
			results = append(results, walkthrough.Result{Command: command, Output: g.run(t, command)})
		}
		if console, _ := section.Outputs(i); console != nil {
			if diff := cmp.Diff(walkthrough.Settle(console.Text), walkthrough.Join(results, false)); diff != "" {
				t.Errorf("%s: what the manual shows (-) is not what was printed (+):\n%s", heading, diff)
			}
		}
	}
}

// run runs a command, which must succeed, and returns what it prints. A question whether something is allowed is asked
// again until it is: the manual says that this takes a second or so.
func (g *guide) run(t *testing.T, command string) string {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for {
		result, err := g.shell.Run(command)
		if err == nil {
			return result.Output
		}
		if !strings.HasPrefix(command, "kubectl auth can-i") || time.Now().After(deadline) {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// fails runs a command, which must not succeed, and checks the end of its story: why.
func (g *guide) fails(t *testing.T, command, why string) {
	t.Helper()
	if result, err := g.shell.Run(command); err == nil || !strings.Contains(err.Error(), why) {
		t.Errorf("%s: error %v, want one with %q; output:\n%s", command, err, why, result.Output)
	}
}

// writeFile writes a file.
func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// fixture returns the absolute path of a file in testdata.
func fixture(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}
