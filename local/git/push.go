// SPDX-License-Identifier: Apache-2.0

package git

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Update is a change of a ref: from where it was seen to where it is to be, "" being nowhere.
type Update struct {
	Ref      string
	Old, New Hash
}

// Status is what came of an update.
type Status int

// The statuses.
const (
	// Pushed says that the ref is where it is to be.
	Pushed Status = iota
	// Moved says that the ref was not where it was seen, and was left there.
	Moved
	// Refused says that the server refused it.
	Refused
	// Spoiled says that nothing was said against the update, and that it was not done because of others.
	Spoiled
)

// Result is what came of an update, with the server's words where it said some.
type Result struct {
	Update
	Status Status
	Words  string
}

// ErrNotAtomic says that a server does all updates of a push or some of them, but never all or none.
var ErrNotAtomic = errors.New("the server has no atomic pushes")

// atOnce is how many refs are pushed by one command, whose line has a limit.
const atOnce = 500

// Push updates refs, each only if it is still where it was seen. What came of each is in the results, in the order of
// the updates; it is an error if nothing came of any. An atomic push updates all or none, and fails with ErrNotAtomic
// where the server cannot.
func (r *Repository) Push(ctx context.Context, updates []Update, atomic bool) ([]Result, error) {
	if err := r.Write(ctx); err != nil {
		return nil, err
	}
	r.fresh = false
	if atomic {
		return r.push(ctx, updates, "--atomic")
	}
	var results []Result
	for some := range slices.Chunk(updates, atOnce) {
		done, err := r.pushEach(ctx, some)
		if err != nil {
			return results, err
		}
		results = append(results, done...)
	}
	return results, nil
}

// pushEach pushes updates, and where a hook refuses all of them for the sake of one, looks for that one.
func (r *Repository) pushEach(ctx context.Context, updates []Update) ([]Result, error) {
	results, err := r.push(ctx, updates)
	if err != nil || len(updates) < 2 || slices.ContainsFunc(results, func(r Result) bool {
		return !strings.Contains(r.Words, "pre-receive hook declined")
	}) {
		return results, err
	}
	first, err := r.pushEach(ctx, updates[:len(updates)/2])
	if err != nil {
		return nil, err
	}
	second, err := r.pushEach(ctx, updates[len(updates)/2:])
	return append(first, second...), err
}

// push runs one push.
func (r *Repository) push(ctx context.Context, updates []Update, options ...string) ([]Result, error) {
	args := append([]string{"push", "--porcelain", "--no-follow-tags", "--recurse-submodules=no"}, options...)
	for _, u := range updates {
		args = append(args, fmt.Sprintf("--force-with-lease=%s:%s", u.Ref, u.Old))
	}
	args = append(args, "--", r.address)
	for _, u := range updates {
		args = append(args, fmt.Sprintf("%s:%s", u.New, u.Ref))
	}
	out, err := r.run(ctx, nil, args...)
	var failed *Error
	if err != nil && !errors.As(err, &failed) {
		return nil, err
	}
	words := ""
	if failed != nil {
		words = failed.Words
		if strings.Contains(words, "does not support --atomic") {
			return nil, fmt.Errorf("the git repository %s: %w", r.Address(), ErrNotAtomic)
		}
	}
	results, complete := parsePush(updates, string(out), words)
	if !complete && err != nil {
		return nil, fmt.Errorf("cannot push to %w", err)
	}
	return results, nil
}

// parsePush reads what a push printed, and reports whether it told of each update. The words are what git and the
// server said beside it.
func parsePush(updates []Update, out, words string) (results []Result, complete bool) {
	lines := map[string][2]string{}
	for line := range strings.Lines(out) {
		flag, rest, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		refs, summary, okToo := strings.Cut(rest, "\t")
		if ok && okToo {
			lines[refs[strings.LastIndex(refs, ":")+1:]] = [2]string{flag, summary}
		}
	}
	for _, u := range updates {
		line, told := lines[u.Ref]
		if !told {
			return nil, false
		}
		result := Result{Update: u}
		if line[0] == "!" {
			result.Status, result.Words = statusOf(line[1]), strings.TrimSpace(line[1]+remoteWords(words, u.Ref))
		}
		results = append(results, result)
	}
	return results, true
}

// moved are the reasons by which git and servers say that a ref is not where it was seen.
var moved = []string{"stale info", "fetch first", "non-fast-forward", "needs force", "already exists",
	"failed to update ref", "failed to lock", "cannot lock ref", "incorrect old value", "reference already exists"}

// statusOf returns the status that git's summary of a rejected ref says.
func statusOf(summary string) Status {
	is := func(text string) bool { return strings.Contains(summary, text) }
	switch {
	case is("atomic push fail"), is("atomic transaction failed"), is("transaction"):
		return Spoiled
	case slices.ContainsFunc(moved, is):
		return Moved
	}
	return Refused
}

// maxWords is how much of what a server says is told.
const maxWords = 1000

// remoteWords returns what the server said, each line after a comma: the lines that name a ref, or else all of them.
func remoteWords(words, ref string) string {
	var all, named []string
	for line := range strings.Lines(words) {
		text, isRemote := strings.CutPrefix(line, "remote:")
		if text = strings.TrimSpace(text); !isRemote || text == "" || strings.HasPrefix(text, "error: hook declined") {
			continue
		}
		all = append(all, text)
		short := strings.TrimPrefix(ref, "refs/heads/") // if it is not like any other word
		if strings.Contains(text, ref) || strings.Contains(short, "/") && strings.Contains(text, short) {
			named = append(named, text)
		}
	}
	if len(named) > 0 {
		all = named
	}
	if len(all) == 0 {
		return ""
	}
	text := ": " + strings.Join(all, ", ")
	return text[:min(len(text), maxWords)]
}
