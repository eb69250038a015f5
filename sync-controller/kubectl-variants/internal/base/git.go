// SPDX-License-Identifier: Apache-2.0

package base

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/snapshot"
)

// git is a path in a git revision. The git program reads it: anyone with a clone has git, and it knows every form of a
// repository (worktrees, partial clones, alternates, SHA-256) and of a revision.
type git struct {
	// directory is in the working tree; git runs there.
	directory string
	// commit is the revision; path is relative to the root of the repository.
	commit, path string
}

// file is a file of a revision. Its name is relative to the requested path, "." for that path itself.
type file struct {
	name string
	text []byte
	// err is why the text is unknown.
	err error
}

// openGit finds a path in a revision. The path may no longer exist.
func openGit(ctx context.Context, of, revision string) (*git, error) {
	absolute, err := filepath.Abs(of)
	if err != nil {
		return nil, err
	}
	g := &git{directory: absolute}
	for info, err := os.Stat(g.directory); err != nil || !info.IsDir(); info, err = os.Stat(g.directory) {
		g.directory = filepath.Dir(g.directory)
	}
	below, err := filepath.Rel(g.directory, absolute)
	if err != nil {
		return nil, err
	}
	if _, err := exec.LookPath("git"); err != nil {
		return nil, fmt.Errorf("there is no directory %s, and to read a revision needs git: install it, or name a directory "+
			"by --base", revision)
	}
	prefix, err := g.run(ctx, nil, "rev-parse", "--show-prefix")
	if err != nil {
		return nil, fmt.Errorf("there is no directory %s, and %s is not in a git repository that can be read (%w): name a "+
			"directory by --base, or run it in a clone", revision, of, err)
	}
	g.path = strings.TrimPrefix(path.Join("/", strings.TrimSuffix(string(prefix), "\n"), filepath.ToSlash(below)), "/")
	commit, err := g.run(ctx, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if err != nil {
		return nil, fmt.Errorf("there is no directory %s, and the git repository of %s has no such revision: correct "+
			"--base, or fetch the revision by git fetch; actions/checkout of GitHub fetches all with fetch-depth: 0", revision,
			of)
	}
	g.commit = strings.TrimSpace(string(commit))
	return g, nil
}

// run runs git and returns its output. The error is what git says.
func (g *git) run(ctx context.Context, in io.Reader, arguments ...string) ([]byte, error) {
	arguments = append([]string{"-C", g.directory}, arguments...)
	command := exec.CommandContext(ctx, "git", arguments...) //nolint:gosec // git's own name, and no shell
	command.Stdin = in
	out, err := command.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && len(exit.Stderr) > 0 {
		first, _, _ := strings.Cut(strings.TrimSpace(string(exit.Stderr)), "\n")
		return nil, errors.New(first)
	}
	return out, err
}

// files returns the files of the path that manifests are read from, or nil if the revision does not have the path.
func (g *git) files(ctx context.Context) ([]file, error) {
	object := g.commit + ":" + g.path
	kind, err := g.run(ctx, nil, "cat-file", "-t", object)
	if err != nil {
		return nil, nil //nolint:nilerr // the commit is there, so it is the path that is not
	}
	found, objects := []file{{name: "."}}, []string{object}
	if strings.TrimSpace(string(kind)) == "tree" {
		listed, err := g.run(ctx, nil, "ls-tree", "-r", "-z", "--full-tree", object)
		if err != nil {
			return nil, fmt.Errorf("cannot list %s: %w", object, err)
		}
		found, objects = entries(string(listed))
	}
	return found, g.read(ctx, found, objects)
}

// entries parses the output of git ls-tree. It returns the files and the names of the objects that hold their texts.
// Links are left out: those inside the directory lead to files that are read anyway.
func entries(listed string) (found []file, objects []string) {
	found = []file{}
	for entry := range strings.SplitSeq(strings.TrimSuffix(listed, "\x00"), "\x00") {
		head, name, _ := strings.Cut(entry, "\t")
		fields := strings.Fields(head) // mode, kind, object
		switch {
		case len(fields) != 3:
		case fields[1] == "commit":
			found = append(found, file{name: name, err: errors.New("it is a submodule")})
			objects = append(objects, "")
		case fields[0] != "120000" && snapshot.IsRead(name):
			found = append(found, file{name: name})
			objects = append(objects, fields[2])
		}
	}
	return found, objects
}

// read reads the text of each file from its object. It skips a file whose object is "".
func (g *git) read(ctx context.Context, files []file, objects []string) error {
	var asked bytes.Buffer
	for _, object := range objects {
		if object != "" {
			fmt.Fprintln(&asked, object)
		}
	}
	out, err := g.run(ctx, &asked, "cat-file", "--batch")
	if err != nil {
		return fmt.Errorf("cannot read %s of %s: %w", g.path, g.commit, err)
	}
	reader := bufio.NewReader(bytes.NewReader(out))
	for i := range files {
		if objects[i] == "" {
			continue
		}
		if files[i].text, err = readObject(reader); err != nil {
			return fmt.Errorf("cannot read %s of %s: %w", files[i].name, g.commit, err)
		}
	}
	return nil
}

// readObject reads an object from the output of git cat-file --batch: a line with its size, and its text.
func readObject(from *bufio.Reader) ([]byte, error) {
	head, err := from.ReadString('\n')
	if err != nil {
		return nil, err
	}
	head = strings.TrimSpace(head)
	size, err := strconv.Atoi(head[strings.LastIndex(head, " ")+1:])
	if err != nil {
		return nil, errors.New("git says " + head)
	}
	text := make([]byte, size+1) // with the end of its line
	_, err = io.ReadFull(from, text)
	return text[:size], err
}
