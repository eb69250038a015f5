// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// printed has what the commands print; the manual shows some of it.
var printed = filepath.Join("testdata", "printed.txt")

var (
	ages  = regexp.MustCompile(`\b([0-9]+[smhd])+\b`)
	times = regexp.MustCompile(`[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:.]+ [+-][0-9]{4}|\t[0-9T:.Z+-]{20,}`)
	git   = regexp.MustCompile(`https?://[^ ]*/[a-z-]+\.git`)
	sums  = regexp.MustCompile(`\b[0-9a-f]{40}\b`)
	space = regexp.MustCompile(`[ \t]+`)
)

// plain returns a text without what differs between runs.
func plain(text string) string {
	text = sums.ReplaceAllString(git.ReplaceAllString(times.ReplaceAllString(text, " TIME"), "GIT"), "SUM")
	return space.ReplaceAllString(ages.ReplaceAllString(text, "AGE"), " ")
}

// checkPrinted checks that a command printed what the file has: first to the output, then to the errors.
func checkPrinted(t *testing.T, command string, got answer) {
	t.Helper()
	text, err := os.ReadFile(printed)
	if err != nil {
		t.Fatal(err)
	}
	block := "$ " + command + "\n" + got.out + got.errOut
	if !strings.Contains(plain(string(text)), strings.TrimSpace(plain(block))) {
		t.Errorf("%s does not have this:\n%s", printed, block)
	}
}

// TestManual checks that the manual shows what is really printed.
func TestManual(t *testing.T) {
	t.Parallel()
	manual, err := os.ReadFile(filepath.Join(root, "docs", "plugin.md"))
	if err != nil {
		t.Fatal(err)
	}
	really, err := os.ReadFile(printed)
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for i, block := range strings.Split(string(manual), "```") {
		text, isText := strings.CutPrefix(block, "text\n$ ")
		if !isText || i%2 == 0 {
			continue
		}
		for command := range strings.SplitSeq(text, "\n$ ") {
			shown++
			if !strings.Contains(string(really), "$ "+strings.TrimSpace(command)) {
				t.Errorf("%s does not have this of the manual:\n%s", printed, command)
			}
		}
	}
	if shown < 3 {
		t.Errorf("the manual shows %d commands", shown)
	}
}
