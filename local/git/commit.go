// SPDX-License-Identifier: Apache-2.0

package git

import (
	"context"
	"fmt"
	"strings"
)

// Identity is who commits in a repository, and with which key: the settings of git that say so, as name=value.
type Identity []string

// Identity returns who commits in the checkout, as far as the configuration says it. What runs a program is not in it.
func (c *Checkout) Identity(ctx context.Context) (all Identity, err error) {
	out, err := c.line(ctx, "config", "--null", "--get-regexp",
		`^((user|author|committer)\.[a-z]+|gpg\.format|(commit|tag)\.gpgsign)$`)
	for entry := range strings.SplitSeq(out, "\x00") {
		if entry != "" { // a name without a value has no second line
			all = append(all, strings.Replace(entry, "\n", "=", 1))
		}
	}
	return all, err
}

// CommitAs has commits and tags made by an identity, before any is made: without one, by whom git commits everywhere.
func (r *Repository) CommitAs(by Identity) { r.identity = by }

// signer is who makes commits and tags: the user, as their configuration and environment say.
type signer struct {
	author, committer     string
	signCommits, signTags bool
}

// who returns who makes commits. It is asked of git once.
func (r *Repository) who(ctx context.Context) (*signer, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.signer != nil {
		return r.signer, nil
	}
	s := &signer{}
	for name, into := range map[string]*string{"GIT_AUTHOR_IDENT": &s.author, "GIT_COMMITTER_IDENT": &s.committer} {
		out, err := r.run(ctx, nil, "var", name)
		if err != nil {
			return nil, fmt.Errorf("cannot tell who makes commits: %w", err)
		}
		*into = strings.TrimSpace(string(out))
	}
	out, err := r.run(ctx, nil, "config", "--type=bool", "--get-regexp", `^(commit|tag)\.gpgsign$`)
	if err != nil && !hasExited(err, 1) { // it is 1 if there is none
		return nil, err
	}
	for line := range strings.Lines(string(out)) { // the last one counts
		switch name, value, _ := strings.Cut(strings.TrimSpace(line), " "); name {
		case "commit.gpgsign":
			s.signCommits = value == "true"
		case "tag.gpgsign":
			s.signTags = value == "true"
		}
	}
	r.signer = s
	return s, nil
}

// PutCommit returns the name of a commit, which is made by the user, now, and signed if their configuration says so.
func (r *Repository) PutCommit(ctx context.Context, c *Commit) (Hash, error) {
	by, err := r.who(ctx)
	if err != nil {
		return "", err
	}
	if !by.signCommits {
		return r.put("commit", c.encode(by.author, by.committer)), nil
	}
	if err := r.Write(ctx); err != nil {
		return "", err
	}
	args := []string{"commit-tree", "-S", "-F", "-"}
	for _, parent := range c.Parents {
		args = append(args, "-p", string(parent))
	}
	out, err := r.run(ctx, strings.NewReader(c.Message), append(args, string(c.Tree))...)
	return Hash(strings.TrimSpace(string(out))), err
}

// PutTag returns the name of an annotated tag of a commit, made and signed as commits are. No ref is made of it.
func (r *Repository) PutTag(ctx context.Context, name string, commit Hash, message string) (Hash, error) {
	by, err := r.who(ctx)
	if err != nil {
		return "", err
	}
	if !by.signTags {
		return r.put("tag", fmt.Appendf(nil, "object %s\ntype commit\ntag %s\ntagger %s\n\n%s", commit, name, by.committer,
			message)), nil
	}
	if err := r.Write(ctx); err != nil {
		return "", err
	}
	in, done, err := r.scratch(nil)
	if err != nil {
		return "", err
	}
	defer done()
	in.In = strings.NewReader(message)
	if _, err := r.output(ctx, in, "tag", "-s", "-F", "-", name, string(commit)); err != nil {
		return "", err
	}
	in.In = nil
	out, err := r.output(ctx, in, "rev-parse", "refs/tags/"+name)
	return Hash(strings.TrimSpace(string(out))), err
}
