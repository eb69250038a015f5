// SPDX-License-Identifier: Apache-2.0

package install

import (
	"bufio"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFlags checks that the manual lists the flags of the controller, with their defaults, and no others.
func TestFlags(t *testing.T) {
	t.Parallel()
	binary := os.Getenv("SYNC_CONTROLLER")
	if binary == "" {
		t.Fatal("the environment variable SYNC_CONTROLLER must name the controller: " +
			"run this by make, which builds it and sets it")
	}
	out, err := exec.CommandContext(t.Context(), binary, "--help").CombinedOutput()
	if err != nil {
		t.Fatalf("%s --help: %v\n%s", binary, err, out)
	}
	if diff := cmp.Diff(documented(t), helped(string(out))); diff != "" {
		t.Errorf("flags and their defaults in the manual (-) are not those of --help (+):\n%s", diff)
	}
}

// row is a row of the table of flags: a name, and a default unless that is empty.
var row = regexp.MustCompile("^\\| `--([a-z-]+)` \\| (?:`([^`]*)` )?\\| [^|]+ \\|$")

// documented returns the flags in the manual and their defaults.
func documented(t *testing.T) map[string]string {
	t.Helper()
	g := &guide{doc: document(t, manual)}
	flags := map[string]string{}
	for _, part := range g.section(t, "Flags").Parts {
		for i, line := range strings.Split(part.Text, "\n") {
			if !strings.HasPrefix(line, "|") || !strings.Contains(part.Text, "|---") || i < 2 {
				continue
			}
			match := row.FindStringSubmatch(line)
			if match == nil {
				t.Errorf("this row of the table is not understood: %s", line)
				continue
			}
			flags[match[1]] = normal(match[2])
		}
	}
	return flags
}

var (
	flagLine    = regexp.MustCompile(`^\s+(?:-[a-z], )?--?([a-z][a-z-]+)\b`)
	flagDefault = regexp.MustCompile(`\(default (.*?)\)\s*$`)
)

// helped returns the flags that a help text lists and their defaults, in the format of either of the usual libraries.
func helped(help string) map[string]string {
	flags := map[string]string{}
	current := ""
	for lines := bufio.NewScanner(strings.NewReader(help)); lines.Scan(); {
		line := lines.Text()
		if match := flagLine.FindStringSubmatch(line); match != nil {
			if current = match[1]; current != "help" {
				flags[current] = ""
			}
		}
		if match := flagDefault.FindStringSubmatch(line); match != nil && current != "" {
			flags[current] = normal(match[1])
		}
	}
	return flags
}

// normal returns a default in the form for comparison: without quotes, in lower case, and with all words for an unset
// flag replaced by one.
func normal(value string) string {
	value = strings.ToLower(strings.Trim(value, `"`))
	if value == "false" || value == "all" {
		return ""
	}
	return value
}

// TestHelped checks that both formats of help texts are read.
func TestHelped(t *testing.T) {
	t.Parallel()
	want := map[string]string{"concurrency": "8", "leader-elect": "", "log-format": "json", "renew": "10s"}
	for name, help := range map[string]string{
		"flag": `Usage of sync-controller:
  -concurrency int
    	how many (at once) (default 8)
  -leader-elect
    	work only while holding a --lease
  -log-format value
    	json or text (default "json")
  -renew duration
    	how long (default 10s)
`,
		"pflag": `Usage of sync-controller:
      --concurrency int     how many (at once) (default 8)
  -h, --help                help
      --leader-elect        work only while holding a --lease
      --log-format string   json or text (default "json")
      --renew duration      how long (default 10s)
`,
	} {
		if diff := cmp.Diff(want, helped(help)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
