// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"

	"github.com/package-variants/package-variants/e2e/examples/walkthrough"
)

// Directories in that of the demo: the user's home, and where the logs are.
const (
	home = "home"
	logs = "logs"
)

// workplace is where the demo runs: what looks like the home of a user who has cloned this repository.
type workplace struct {
	chapters []*chapter
	home     string
	clone    string
	logs     string
}

// chapter is an example that the demo shows.
type chapter struct {
	dir    string // from the root of the repository
	readme *walkthrough.Document
}

// exampleNames are the examples that the demo shows, in this order.
var exampleNames = []string{"fleet-in-a-cluster", "rollout"}

// prepare makes the workplace in a temporary directory. A tool that is missing is an error that names it.
func prepare(temp string) (*workplace, error) {
	bin, err := tools()
	if err != nil {
		return nil, err
	}
	root, err := repository(path.Join("examples", exampleNames[0]))
	if err != nil {
		return nil, err
	}
	w := &workplace{home: filepath.Join(temp, home), clone: filepath.Join(temp, home, "clone"),
		logs: filepath.Join(temp, logs)}
	for _, name := range exampleNames {
		c, err := readChapter(root, path.Join("examples", name))
		if err != nil {
			return nil, err
		}
		w.chapters = append(w.chapters, c)
	}
	return w, walkthrough.Clone(w.clone, root, bin, exampleNames...)
}

// readChapter reads the README of an example.
func readChapter(root, dir string) (*chapter, error) {
	readme, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(dir), "README.md"))
	if err != nil {
		return nil, err
	}
	doc, err := walkthrough.Parse(string(readme))
	if err != nil {
		return nil, fmt.Errorf("%s/README.md: %w", dir, err)
	}
	return &chapter{dir: dir, readme: doc}, nil
}

// tools returns what make builds and the demo runs, by its name in bin, once all is found.
func tools() (map[string]string, error) {
	bin := map[string]string{"tools": os.Getenv("TOOLS_BIN"), "sync-controller": os.Getenv("SYNC_CONTROLLER")}
	for name, file := range bin {
		if file == "" {
			return nil, errors.New("the environment variables TOOLS_BIN and SYNC_CONTROLLER must name what make builds: " +
				"run make demo-cluster, which sets them")
		}
		if _, err := os.Stat(file); err != nil {
			return nil, fmt.Errorf("%s: %w: run make demo-cluster, which builds it", name, err)
		}
	}
	for _, name := range []string{"bash", "git"} {
		if _, err := exec.LookPath(name); err != nil {
			return nil, fmt.Errorf("%s is not on the PATH: the demo needs it, install it", name)
		}
	}
	return bin, nil
}

// repository returns the root of the repository that the working directory is in.
func repository(example string) (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(example))); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("%s is not in the repository: there is no %s above it", start, example)
		}
	}
}

// done are the commands of the set-up that are not needed: the demo has already built and started what they would.
var done = []string{"make() { :; }", "sync-controller() { :; }"}

// shell starts a shell, and sets an example up in it. When ctx is done, the shell is killed. It must be closed.
func (w *workplace) shell(ctx context.Context, readme *walkthrough.Document) (*walkthrough.Session, error) {
	s, err := walkthrough.Start(ctx, w.clone, append(walkthrough.Environment(), "HOME="+w.home,
		"TMPDIR="+w.home))
	if err != nil {
		return nil, err
	}
	commands := done
	for _, section := range readme.Sections {
		if section.Heading != setUp {
			continue
		}
		for _, part := range section.Parts {
			if part.Lang == walkthrough.Commands {
				commands = append(commands, part.List()...)
			}
		}
	}
	for _, command := range commands {
		if _, err := s.Run(command); err != nil {
			return nil, errors.Join(fmt.Errorf("%s\n%w", setUp, err), s.Close())
		}
	}
	return s, nil
}
