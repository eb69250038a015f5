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
	for page := range pages {
		file := filepath.Join(root, filepath.FromSlash(page))
		text, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		updated, err := within(page, run, string(text))
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(file, []byte(updated), 0o644); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// pages have a generated part: what writes it for a run, given the directory of the page about the run.
var pages = map[string]func(run *report.Run, dir string) (string, error){
	"README.md": (*report.Run).Summary, "docs/scale.md": (*report.Run).Fleets,
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

// documents returns the page about a run and its chart, by file name.
func documents(run *report.Run) (map[string]string, error) {
	page, err := run.Markdown()
	if err != nil {
		return nil, err
	}
	files := run.Charts()
	files["README.md"] = page
	return files, nil
}

// within returns the text of a page with its generated part filled in, between two marks, which must be there.
func within(page string, run *report.Run, text string) (string, error) {
	before, rest, found := strings.Cut(text, begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return "", fmt.Errorf("%s must have the lines %q and %q, between which the benchmarks are described", page,
			strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	written, err := pages[page](run, docs)
	if err != nil {
		return "", err
	}
	return before + begin + written + end + after, nil
}
