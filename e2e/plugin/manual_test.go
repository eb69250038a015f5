// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// manual is where what the commands print is shown.
var manual = filepath.Join(root, "docs", "plugin.md")

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

// checkManual checks that the manual has a command with what it printed: first to the output, then to the errors.
func checkManual(t *testing.T, command string, got answer) {
	t.Helper()
	text, err := os.ReadFile(manual)
	if err != nil {
		t.Fatal(err)
	}
	block := "$ " + command + "\n" + got.out + got.errOut
	if !strings.Contains(plain(string(text)), strings.TrimSpace(plain(block))) {
		t.Errorf("docs/plugin.md does not have this:\n%s", block)
	}
}
