// SPDX-License-Identifier: Apache-2.0

package examples

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// named is a test that the page of guarantees names, with the package behind it where that is not e2e/sync.
var named = regexp.MustCompile("`(Test[A-Za-z]+)`(, `Test[A-Za-z]+`)*( \\(`([a-z0-9/-]+)`\\))?")

var testName = regexp.MustCompile("Test[A-Za-z]+")

// TestGuarantees holds that the tests exist by which docs/guarantees.md shows what is promised, and the patches.
func TestGuarantees(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(root, "docs", "guarantees.md"))
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		if !strings.HasPrefix(line, "|") || len(cells) < 3 || !strings.Contains(line, "`Test") {
			continue
		}
		for _, group := range named.FindAllStringSubmatch(line, -1) {
			dir := "e2e/sync"
			if group[4] != "" {
				dir = group[4]
			}
			for _, name := range testName.FindAllString(group[0], -1) {
				found++
				if !hasTest(t, dir, name) {
					t.Errorf("there is no test %s in %s", name, dir)
				}
			}
		}
		switch how := cells[len(cells)-1]; how {
		case "rules", "by hand":
		default:
			if _, err := os.Stat(filepath.Join(root, "hack", "guarantees", how+".patch")); err != nil {
				t.Errorf("%s: %v", strings.TrimSpace(line), err)
			}
		}
	}
	if found < 30 {
		t.Errorf("found only %d tests", found)
	}
}

// hasTest reports whether a directory has a test of that name.
func hasTest(t *testing.T, dir, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(content), "\nfunc "+name+"(t *testing.T)") {
			return true
		}
	}
	return false
}
