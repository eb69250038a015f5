// SPDX-License-Identifier: Apache-2.0

package examples

import (
	"cmp"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// guarantee is a row of the tables of docs/guarantees.md.
type guarantee struct {
	// tests are those that show what is promised, and fail without what keeps it: the directory and the name of each.
	tests []string
	// also are tests that show the same at other moments.
	also []string
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
	ruleTable = regexp.MustCompile(`(?m)^([a-z/]+)/[a-z]+\.go [a-z][a-zA-Z]+( Test[A-Za-z|]+)?$`)
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
		tests, also, _ := strings.Cut(cells[2], "; also ")
		g.tests, g.also = testsIn(tests), testsIn(also)
		if len(g.tests) == 0 || len(g.tests)+len(g.also) != len(testName.FindAllString(line, -1)) {
			t.Errorf("%swant tests in the third cell, and nowhere else", line)
		}
		all = append(all, g)
	}
	return all
}

// testsIn returns the tests in a part of a cell, each with its directory.
func testsIn(part string) (tests []string) {
	for _, group := range named.FindAllStringSubmatch(part, -1) {
		for _, name := range testName.FindAllString(group[0], -1) {
			tests = append(tests, cmp.Or(group[4], "e2e/sync")+" "+name)
		}
	}
	return tests
}

// TestThreats checks that each row of the table of threats in docs/security.md names what shows the answer: tests that
// exist, or the linter.
func TestThreats(t *testing.T) {
	t.Parallel()
	_, table, found := strings.Cut(read(t, filepath.Join(root, "docs", "security.md")), "| threat | answer | test |\n|---|---|---|\n")
	if !found {
		t.Fatal("docs/security.md has no table of threats")
	}
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 {
			t.Errorf("%swant three cells: threat, answer, test", line)
			continue
		}
		tests := testsIn(cells[3])
		if len(tests) != len(testName.FindAllString(line, -1)) || len(tests) == 0 && !strings.Contains(cells[3], "`make lint`") {
			t.Errorf("%swant tests or `make lint` in the third cell, and nowhere else", line)
		}
		for _, test := range tests {
			if dir, name, _ := strings.Cut(test, " "); !hasTest(t, dir, name) {
				t.Errorf("there is no test %s in %s", name, dir)
			}
		}
	}
}

// TestGuarantees checks that the tests exist by which docs/guarantees.md shows its promises, that each promise names
// what was removed to see them fail, and that each of these tests stands in a patch which removes it, or is of a package
// of which the rules are removed. Those behind "also" only have to exist.
func TestGuarantees(t *testing.T) {
	t.Parallel()
	patches := guaranteePatches(t)
	shown := map[string][]string{} // the tests of the rows that name a patch
	all := guarantees(t)
	for _, g := range all {
		for _, test := range slices.Concat(g.tests, g.also) {
			if dir, name, _ := strings.Cut(test, " "); !hasTest(t, dir, name) {
				t.Errorf("there is no test %s in %s", name, dir)
			}
		}
		var noticing []string
		for _, how := range g.taken {
			name := strings.Trim(how, "`")
			switch tests, isPatch := patches[name]; {
			case strings.HasPrefix(how, "nothing: "):
				noticing = append(noticing, g.tests...)
			case how == "rules":
				noticing = append(noticing, ofRules(t, g)...)
			case !isPatch:
				t.Errorf("%v: there is no way %q to take away what keeps this", g.tests, how)
			case !slices.ContainsFunc(g.tests, func(test string) bool { return slices.Contains(tests, test) }):
				t.Errorf("%v: the patch %s is for none of them, but for %v", g.tests, how, tests)
			default:
				shown[name] = append(shown[name], g.tests...)
				noticing = append(noticing, tests...)
			}
		}
		for _, test := range g.tests {
			if !slices.Contains(noticing, test) {
				t.Errorf("%s was not seen to fail without %v: write it behind \"also\", or into a patch", test, g.taken)
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
	if len(all) < 30 || len(all) > 60 { // more than 60 promises, nobody reads
		t.Errorf("found %d promises: merge those that say one thing", len(all))
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

// ofRules returns the tests of a promise that are of a package of which hack/guarantees.sh takes away the rules.
func ofRules(t *testing.T, g guarantee) (tests []string) {
	t.Helper()
	for _, table := range ruleTable.FindAllStringSubmatch(read(t, filepath.Join(root, "hack", "guarantees.sh")), -1) {
		for _, test := range g.tests {
			if strings.HasPrefix(test, table[1]+" ") {
				tests = append(tests, test)
			}
		}
	}
	return tests
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
