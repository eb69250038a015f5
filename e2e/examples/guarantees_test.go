// SPDX-License-Identifier: Apache-2.0

package examples

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// guarantee is a row of the tables of docs/guarantees.md.
type guarantee struct {
	// tests are those that show what is promised: the directory and the name of each.
	tests []string
	// taken are the ways in which what keeps the promise was taken away: the names of patches, "rules", or "nothing:" and
	// the reason.
	taken []string
}

var (
	// named are tests in a cell, with the directory behind them where that is not e2e/sync.
	named    = regexp.MustCompile("`(Test[A-Za-z]+)`(, `Test[A-Za-z]+`)*( \\(`([a-z0-9/-]+)`\\))?")
	testName = regexp.MustCompile("Test[A-Za-z]+")
	// patchHead is the first line of a patch: the module, unless it is e2e, the package in it, and the tests.
	patchHead = regexp.MustCompile(`^Test: (?:MODULE=([a-z/-]+) )?PKG=\./([a-z0-9/-]+) RUN=([A-Za-z|]+)\n\n[A-Z].*\.\n\ndiff `)
	ruleTable = regexp.MustCompile(`(?m)^internal/([a-z/]+)/[a-z]+\.go [a-z][a-zA-Z]+( Test[A-Za-z|]+)?$`)
)

// guarantees reads the page.
func guarantees(t *testing.T) (all []guarantee) {
	t.Helper()
	for line := range strings.Lines(read(t, filepath.Join(root, "docs", "guarantees.md"))) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| promise |") {
			continue
		}
		cells := strings.Split(strings.TrimSuffix(line[2:], " |\n"), "|")
		if len(cells) != 4 {
			t.Errorf("%swant four cells: promise, also when, test, taken away", line)
			continue
		}
		g := guarantee{taken: strings.Split(strings.TrimSpace(cells[3]), ", ")}
		for _, group := range named.FindAllStringSubmatch(cells[2], -1) {
			dir := "e2e/sync"
			if group[4] != "" {
				dir = group[4]
			}
			for _, name := range testName.FindAllString(group[0], -1) {
				g.tests = append(g.tests, dir+" "+name)
			}
		}
		if len(g.tests) == 0 || len(g.tests) != len(testName.FindAllString(line, -1)) {
			t.Errorf("%swant tests in the third cell, and nowhere else", line)
		}
		all = append(all, g)
	}
	return all
}

// TestGuarantees checks that the tests exist by which docs/guarantees.md shows its promises, that each promise names
// what was removed to see them fail, and that the patches which remove it are for these tests.
func TestGuarantees(t *testing.T) {
	t.Parallel()
	patches := guaranteePatches(t)
	shown := map[string][]string{} // the tests of the rows that name a patch
	all := guarantees(t)
	for _, g := range all {
		for _, test := range g.tests {
			if dir, name, _ := strings.Cut(test, " "); !hasTest(t, dir, name) {
				t.Errorf("there is no test %s in %s", name, dir)
			}
		}
		for _, how := range g.taken {
			name := strings.Trim(how, "`")
			switch tests, isPatch := patches[name]; {
			case strings.HasPrefix(how, "nothing: "), how == "rules" && ofRules(t, g):
			case !isPatch:
				t.Errorf("%v: there is no way %q to take away what keeps this", g.tests, how)
			case !slices.ContainsFunc(g.tests, func(test string) bool { return slices.Contains(tests, test) }):
				t.Errorf("%v: the patch %s is for none of them, but for %v", g.tests, how, tests)
			default:
				shown[name] = append(shown[name], g.tests...)
			}
		}
	}
	for name, tests := range patches {
		for _, test := range tests {
			if !slices.Contains(shown[name], test) {
				t.Errorf("the patch %s is for %s: no promise names both", name, test)
			}
		}
	}
	if len(all) < 30 {
		t.Errorf("found only %d promises", len(all))
	}
}

// guaranteePatches returns the tests of each patch of hack/guarantees, by its name.
func guaranteePatches(t *testing.T) map[string][]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "hack", "guarantees", "*.patch"))
	if err != nil {
		t.Fatal(err)
	}
	patches := map[string][]string{}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".patch")
		head := patchHead.FindStringSubmatch(read(t, file))
		if head == nil {
			t.Errorf("%s does not begin with its tests and a sentence", file)
			continue
		}
		module := head[1]
		if module == "" {
			module = "e2e"
		}
		for test := range strings.SplitSeq(head[3], "|") {
			patches[name] = append(patches[name], module+"/"+head[2]+" "+test)
		}
	}
	return patches
}

// ofRules reports whether a promise names a package of which hack/guarantees.sh takes away the rules.
func ofRules(t *testing.T, g guarantee) bool {
	t.Helper()
	for _, table := range ruleTable.FindAllStringSubmatch(read(t, filepath.Join(root, "hack", "guarantees.sh")), -1) {
		for _, test := range g.tests {
			if strings.HasPrefix(test, "sync-controller/internal/"+table[1]+" ") {
				return true
			}
		}
	}
	return false
}

// hasTest reports whether a directory has a test of that name.
func hasTest(t *testing.T, dir, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(files, func(file string) bool {
		return strings.Contains(read(t, file), "\nfunc "+name+"(t *testing.T)")
	})
}
