// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/package-variants/package-variants/e2e/bench/report"

	"github.com/google/go-cmp/cmp"
)

// root is the root of the repository.
const root = "../.."

// lastRun returns the measurements of the last run, which must have every part, and nothing that this program does not
// know.
func lastRun(t *testing.T) *report.Run {
	t.Helper()
	run, err := read(root)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// TestDocuments checks that the page, its plots, the README and docs/scale.md show the measurements of the last run.
// With UPDATE_GOLDEN it writes them again, while no other test reads them.
func TestDocuments(t *testing.T) {
	run := lastRun(t)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if _, err := write(run, root, true); err != nil {
			t.Fatal(err)
		}
	}
	want, err := documents(run)
	if err != nil {
		t.Fatal(err)
	}
	content, err := json.MarshalIndent(run, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	want[results] = string(content) + "\n"
	got := map[string]string{}
	entries, err := os.ReadDir(filepath.Join(root, docs))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		got[entry.Name()] = text(t, filepath.Join(root, docs, entry.Name()))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s is not what %s says; run make golden (-want +got):\n%s", docs, results, diff)
	}
	for page := range pages {
		now := text(t, filepath.Join(root, page))
		updated, err := within(page, run, now)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(updated, now); diff != "" {
			t.Errorf("%s is not what %s says; run make golden (-want +got):\n%s", page, results, diff)
		}
	}
}

// TestWithin checks that only the text between the marks is replaced, and that the marks are required.
func TestWithin(t *testing.T) {
	t.Parallel()
	const page = "README.md"
	run := lastRun(t)
	summary, err := run.Summary(docs)
	if err != nil {
		t.Fatal(err)
	}
	for before, want := range map[string]string{
		"a\n" + begin + "old\n" + end + "b\n": "a\n" + begin + summary + end + "b\n",
		"a\n" + begin + end:                   "a\n" + begin + summary + end,
	} {
		if got, err := within(page, run, before); err != nil || got != want {
			t.Errorf("in %q:\ngot  %q, %v\nwant %q", before, got, err, want)
		}
	}
	const message = `README.md must have the lines "<!-- begin of what make bench writes -->" and "<!-- end of what make ` +
		`bench writes -->", between which the benchmarks are described`
	for _, before := range []string{"a\n", "a\n" + begin + "b\n", "a\n" + end + "b\n" + begin} {
		if _, err := within(page, run, before); err == nil || err.Error() != message {
			t.Errorf("in %q: error %v, want %s", before, err, message)
		}
	}
}

func text(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
