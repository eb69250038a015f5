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
	// docs is the directory of the page; others is for runs that are not for that page. Both are relative to the root of
	// the repository.
	docs   = "docs/benchmarks"
	others = "dist/bench"
	// results is the file with the measurements, beside the page.
	results = "results.json"
	// begin and end enclose the generated part of a page: docs/scale.md and the README of the repository.
	begin = "<!-- begin of what make bench writes -->\n"
	end   = "<!-- end of what make bench writes -->\n"
)

// read reads the measurements that docs/benchmarks shows.
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

// write writes the measurements and the documents about them, and returns their directory.
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
	for page, in := range pages {
		if err := rewrite(filepath.Join(root, filepath.FromSlash(page)), func(text string) (string, error) {
			return in(run, text)
		}); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// pages have a generated part. Each has a function that returns its text with that part filled in.
var pages = map[string]func(run *report.Run, text string) (string, error){
	"README.md": inReadme, "docs/scale.md": inScale,
}

// fill writes files to a directory, and removes all others.
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
		if err := os.Remove(filepath.Join(dir, entry.Name())); err != nil { // from an earlier run
			return err
		}
	}
	return nil
}

// documents returns the page about a run and its plots, by file name.
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

// rewrite changes a file.
func rewrite(file string, change func(text string) (string, error)) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	updated, err := change(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if updated == string(text) {
		return nil
	}
	return os.WriteFile(file, []byte(updated), 0o644)
}

// inReadme returns a README with the summary of a run.
func inReadme(run *report.Run, text string) (string, error) {
	return between(text, begin, end, run.Summary)
}

// inScale returns docs/scale.md with a run's numbers about fleets.
func inScale(run *report.Run, text string) (string, error) {
	return between(text, begin, end, run.Fleets)
}

// between returns a text with the output of write between two marks, which must be there.
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
