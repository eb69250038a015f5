// SPDX-License-Identifier: Apache-2.0

// Command write writes the reference pages: make generate calls it.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/reference"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: write PAGES-DIRECTORY")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "cannot write the reference pages:", err)
		os.Exit(1)
	}
}

// run writes the pages to the directory to, replacing those in it.
func run(to string) error {
	pages, err := reference.Pages()
	if err != nil {
		return err
	}
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for name, text := range pages {
		if err := os.WriteFile(filepath.Join(to, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
