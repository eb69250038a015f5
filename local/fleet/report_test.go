// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/engine/markdown/markdowntest"
	"github.com/package-variants/package-variants/engine/revision"
)

// TestHostileConflict has an upstream change a value to what a forge would act on: the pull request shows it.
func TestHostileConflict(t *testing.T) {
	t.Parallel()
	w := published(t, web)
	w.Push("main", "Keep it tiny", map[string]string{"edge/web/settings.yaml": strings.Replace(
		w.Remote.Git("show", "main:edge/web/settings.yaml"), "size: small", "size: tiny", 1)})
	w.Push("main", "Version 2", map[string]string{"blueprints/web/settings.yaml": settings(
		`"@acme/admins fixes #1 <img src=http://e/x> [click](http://evil)"`)}, "HEAD:refs/tags/blueprints/web/v2")
	of := w.sync().Variants[0].PullRequest
	w.Equal("title", "edge/web: upgrade to blueprints.web.v2", of.Title)
	w.Equal("body", "Draft of the PackageVariant `web`. Merging it publishes it; deleting its branch rejects it.\n\n"+
		"`edge.web.packagevariant-2 waits for a person to publish it`\n\n"+
		`<code>with blueprints.web.v2, both sides changed data.size of ConfigMap "settings" in settings.yaml (here "tiny", `+
		`upstream "&#64;<!-- -->acme/admins fixes &#35;1 &lt;img src=http:<!-- -->//e/x&gt; `+
		"&#91;click&#93;(http:<!-- -->//evil)\"; the merge kept its own)</code>\n", of.Body)
}

// TestHostileTexts checks that no text of others has a meaning in the pull request of a draft, or adds a line to what
// people read of a sync.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	const body = "Draft of the PackageVariant CODE. Merging it publishes it; deleting its branch rejects it.\n\nCODE\n\nCODE\n"
	for _, text := range markdowntest.Texts {
		line := Line{Namespace: text, Name: text, State: text, Reason: text, Revision: text, Upstream: text, Draft: text,
			From: text, Workspace: text, Message: text, Conflicted: text}
		of := bodyOf(&line)
		if diff := cmp.Diff(body, markdowntest.Bare(of)); diff != "" {
			t.Errorf("body of %q (-want +got):\n%s", text, diff)
		}
		draft := revision.Revision{Package: revision.Package{Repo: "fra", Name: text},
			Task: revision.Task{Type: revision.Edit, Source: text}}
		title := titleOf(&line, &draft)
		if found := append(markdowntest.Found(of), markdowntest.Found(title)...); len(found) > 0 {
			t.Errorf("%q: a forge finds %q in %q:\n%s", text, found, title, of)
		}
		if !strings.HasPrefix(title, "fra/") || strings.ContainsAny(title, "\n`<&") || strings.Contains(title, "](") ||
			utf8.RuneCountInString(title) > 200 {
			t.Errorf("%q: the title is %q", text, title)
		}
		var table strings.Builder
		if err := (&Report{Variants: []Line{line}, Sets: []Line{line}, Packages: []Package{{Text: text}}, Notes: []string{text},
			Failures: []string{text}}).Table(&table); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(table.String(), "\n"); n != 7 {
			t.Errorf("%q: people read %d lines, want 7:\n%s", text, n, table.String())
		}
	}
}

// TestLongBody checks that GitHub takes the body of a pull request whatever a message has.
func TestLongBody(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("@", 32768)
	body := bodyOf(&Line{Namespace: "default", Name: "web", Message: long, Conflicted: long})
	if n := utf8.RuneCountInString(body); n > 65536 || strings.Count(body, "... (cut)</code>\n") != 2 {
		t.Errorf("it has %d characters:\n%s", n, body)
	}
}
