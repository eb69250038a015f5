// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/package-variants/package-variants/e2e/bench/report"
)

const (
	// docs is the directory of the page, and others that of runs which are not for it, from the root of the
	// repository.
	docs   = "docs/benchmarks"
	others = "dist/bench"
	// results is the file of what was measured, beside the page.
	results = "results.json"
	// begin and end enclose what is written into the README of the repository, beginShort and endShort the lines of it
	// that are on the first screen.
	begin      = "<!-- begin of what make bench writes -->\n"
	end        = "<!-- end of what make bench writes -->\n"
	beginShort = "<!-- begin of what make bench writes, in short -->\n"
	endShort   = "<!-- end of what make bench writes, in short -->\n"
)

// read reads what docs/benchmarks tells of.
func read(root string) (*report.Run, error) {
	content, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(docs), results))
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	var run report.Run
	if err := decoder.Decode(&run); err != nil {
		return nil, fmt.Errorf("%s/%s: %w", docs, results, err)
	}
	return &run, nil
}

// write writes what was measured, and the documents about it, and returns their directory.
func write(run *report.Run, root string, whole bool) (dir string, err error) {
	dir = filepath.Join(root, filepath.FromSlash(others))
	if whole {
		dir = filepath.Join(root, filepath.FromSlash(docs))
	}
	content, err := json.MarshalIndent(run, "", "  ")
	if err != nil {
		return "", fmt.Errorf("cannot encode the results: %w", err)
	}
	written, err := documents(run)
	if err != nil {
		return "", err
	}
	written[results] = string(content) + "\n"
	if err := fill(dir, written); err != nil || !whole {
		return dir, err
	}
	return dir, writeReadme(run, filepath.Join(root, "README.md"))
}

// fill makes files all that is in a directory.
func fill(dir string, files map[string]string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if _, wanted := files[entry.Name()]; wanted {
			continue
		}
		if err := os.Remove(filepath.Join(dir, entry.Name())); err != nil { // an earlier run's
			return err
		}
	}
	return nil
}

// documents returns the page about a run, with its plots, by the names of the files.
func documents(run *report.Run) (map[string]string, error) {
	page, err := run.Markdown()
	if err != nil {
		return nil, err
	}
	files, err := run.Plots()
	if err != nil {
		return nil, err
	}
	files["README.md"] = page
	return files, nil
}

// writeReadme writes the summary of a run into a README.
func writeReadme(run *report.Run, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	updated, err := inReadme(run, string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if updated == string(text) {
		return nil
	}
	return os.WriteFile(file, []byte(updated), 0o644)
}

// inReadme returns a README with the summary of a run in it.
func inReadme(run *report.Run, text string) (string, error) {
	text, err := between(text, beginShort, endShort, run.Reasons)
	if err != nil {
		return "", err
	}
	return between(text, begin, end, run.Summary)
}

// between returns a text in which what write returns stands between two marks, which must be there.
func between(text, begin, end string, write func(dir string) (string, error)) (string, error) {
	before, rest, found := strings.Cut(text, begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return "", fmt.Errorf("it must have the lines %q and %q, between which the benchmarks are told",
			strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	written, err := write(docs)
	if err != nil {
		return "", err
	}
	return before + begin + written + end + after, nil
}
