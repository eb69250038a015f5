// SPDX-License-Identifier: Apache-2.0

package git

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// settings are the configuration of each git that is started here. What is read belongs to others, so nothing in it may
// name a program to run: a directory with the files of a bare repository is only files, and hooks and file system
// monitors do not run. Files that are larger than those of packages are read and written piece by piece. Redirects are
// not followed: the address that was allowed is the one that is contacted.
var settings = []string{
	"safe.bareRepository=explicit", "core.hooksPath=" + os.DevNull, "core.fsmonitor=false",
	"core.bigFileThreshold=8m", "http.followRedirects=false", "protocol.file.allow=always", "gc.autoDetach=false",
}

// environment is what each git gets beside the user's own. It never asks on a terminal and speaks English. It reads the
// objects that are there: none that replace others, and none that would have to be fetched first.
var environment = []string{
	"GIT_TERMINAL_PROMPT=0", "LC_ALL=C", "GIT_NO_REPLACE_OBJECTS=1", "GIT_NO_LAZY_FETCH=1",
	"GIT_DEFAULT_REF_FORMAT=files",
}

// ofCaller are the variables by which a git that runs us, as its hook or alias, names its own repository: those of "git
// rev-parse --local-env-vars" but for the configuration, which users give in this way, too; and those by which paths
// mean something else.
var ofCaller = []string{"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CONFIG", "GIT_OBJECT_DIRECTORY", "GIT_DIR",
	"GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE", "GIT_GRAFT_FILE", "GIT_INDEX_FILE", "GIT_NO_REPLACE_OBJECTS",
	"GIT_REPLACE_REF_BASE", "GIT_PREFIX", "GIT_INTERNAL_SUPER_PREFIX", "GIT_SHALLOW_FILE", "GIT_COMMON_DIR",
	"GIT_QUARANTINE_PATH", "GIT_NAMESPACE", "GIT_TEMPLATE_DIR",
	"GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS"}

// Process is a git that is to be started.
type Process struct {
	// Repository is the git directory that it works on; "" for none, or for the one that git finds from Dir upwards.
	Repository string
	// Objects is the directory of the objects of another repository, which are used in place of the repository's own; ""
	// for the own ones.
	Objects string
	// Settings are configuration beside that of each git, as name=value: what must not be in a file, or is another one's.
	Settings []string
	// Dir is the directory that it runs in; "" for the current one.
	Dir string
	// Own says that the address that it contacts is the user's own, which may have any transport that git knows. What a
	// manifest names may have those that git always allows, and those that the user's protocol.<name>.allow allows.
	Own bool
	// In is its standard input; nil for none.
	In io.Reader
}

// Command returns a git with these arguments, which is not started yet. It is the only place that makes one. The user's
// configuration counts (credentials, insteadOf, signing, proxies), except for what settings say. No process is left
// behind.
func (p Process) Command(ctx context.Context, args ...string) *exec.Cmd {
	all := make([]string, 0, 2*(len(settings)+len(p.Settings))+len(args))
	for _, setting := range slices.Concat(p.Settings, settings) {
		all = append(all, "-c", setting)
	}
	cmd := exec.CommandContext(ctx, "git", append(all, args...)...) //nolint:gosec // what is run is always git
	cmd.WaitDelay = 10 * time.Second
	cmd.Dir, cmd.Stdin = p.Dir, p.In
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(ofCaller, name)
	})
	cmd.Env = append(cmd.Env, environment...)
	if !p.Own {
		cmd.Env = append(cmd.Env, "GIT_PROTOCOL_FROM_USER=0")
	}
	if p.Repository != "" {
		cmd.Env = append(cmd.Env, "GIT_DIR="+p.Repository)
	}
	if p.Objects != "" {
		cmd.Env = append(cmd.Env, "GIT_OBJECT_DIRECTORY="+p.Objects)
	}
	return cmd
}

// output runs git and returns what it prints, with an *Error if it fails. The addresses are shown without what they say
// of users.
func (p Process) output(ctx context.Context, addresses []string, args ...string) ([]byte, error) {
	var out, said bytes.Buffer
	cmd := p.Command(ctx, args...)
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	if err == nil {
		return out.Bytes(), nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	words := redact(cmp.Or(strings.TrimSpace(said.String()), err.Error()), addresses...)
	return out.Bytes(), &Error{Command: args[0], Words: words + adviceOn(words), err: err}
}

// redirected are git's words for an answer of a server that leads elsewhere.
var redirected = []string{"returned error: 301", "returned error: 302", "returned error: 307", "returned error: 308"}

// adviceOn returns what a person has to do about words of git that do not say it.
func adviceOn(words string) string {
	if slices.ContainsFunc(redirected, func(text string) bool { return strings.Contains(words, text) }) {
		return " (the server leads to another address, which is not followed: name that one, often the same with .git at " +
			"its end)"
	}
	return ""
}

// Error is what git says when it fails.
type Error struct {
	// At is the repository, by its address, or the directory; "" if it is about none.
	At string
	// Command is what was asked of git, Words what it answered.
	Command, Words string
	err            error
}

// Error implements error.
func (e *Error) Error() string {
	if e.At == "" {
		return fmt.Sprintf("git %s: %s", e.Command, e.Words)
	}
	return fmt.Sprintf("the git repository %s: git %s: %s", e.At, e.Command, e.Words)
}

// Unwrap returns the error of the process.
func (e *Error) Unwrap() error { return e.err }
