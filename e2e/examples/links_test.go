// SPDX-License-Identifier: Apache-2.0

package examples

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

// TestLinks checks that the links of all documents of the repository are valid: relative ones lead to an existing file
// or directory, and anchors to a heading of it.
func TestLinks(t *testing.T) {
	t.Parallel()
	files := os.DirFS(root)
	documents, err := markdown(files, ".")
	if err != nil {
		t.Fatal(err)
	}
	if len(documents) < 20 {
		t.Fatalf("found only the documents %v", documents)
	}
	for _, file := range documents {
		problems, err := broken(files, file)
		if err != nil {
			t.Fatal(err)
		}
		for _, problem := range problems {
			t.Error(problem)
		}
	}
}

// TestPagesAreFound checks that each page under docs is linked from the README of the repository or from the index.
func TestPagesAreFound(t *testing.T) {
	t.Parallel()
	linked := map[string]bool{}
	for _, file := range []string{"README.md", "docs/README.md"} {
		for _, match := range targets.FindAllStringSubmatch(read(t, filepath.Join(root, file)), -1) {
			name, _, _ := strings.Cut(match[1], "#")
			linked[path.Join(path.Dir(file), name)] = true
		}
	}
	for _, page := range pages(t)[1:] {
		if !linked[page] {
			t.Errorf("neither README.md nor docs/README.md has a link to %s", page)
		}
	}
}

// TestDesignIsFound checks that the sections of the design to which comments in the code refer exist, and that comments
// refer to some.
func TestDesignIsFound(t *testing.T) {
	t.Parallel()
	reference := regexp.MustCompile(`docs/design\.md, "([^"]+)"`)
	design := read(t, filepath.Join(root, "docs", "design.md"))
	found := 0
	for _, module := range []string{"api", "functions", "engine", "local", "sync-controller"} {
		err := filepath.WalkDir(filepath.Join(root, module), func(file string, entry fs.DirEntry, err error) error {
			if err != nil || path.Ext(entry.Name()) != ".go" {
				return err
			}
			for _, match := range reference.FindAllStringSubmatch(read(t, file), -1) {
				found++
				heading := regexp.MustCompile(`(?m)^##+ ` + regexp.QuoteMeta(match[1]) + `( — .*)?$`)
				if !heading.MatchString(design) {
					t.Errorf("%s names the section %q of docs/design.md, which has none", file, match[1])
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found == 0 {
		t.Error("no comment names a section of docs/design.md")
	}
}

// markdown returns the paths of the Markdown files below dir, except for what is built and for data of tests.
func markdown(files fs.FS, dir string) ([]string, error) {
	var found []string
	err := fs.WalkDir(files, dir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch name := entry.Name(); {
		case entry.IsDir() && (file == "bin" || file == "dist" || name == "testdata" || name == ".git"):
			return fs.SkipDir
		case !entry.IsDir() && path.Ext(name) == ".md":
			found = append(found, file)
		}
		return nil
	})
	return found, err
}

var (
	blocks    = regexp.MustCompile("(?ms)^```.*?^```$")
	codeSpans = regexp.MustCompile("`[^`\n]*`")
	targets   = regexp.MustCompile(`\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"|(?m:^\[[^\]]+\]:\s*(\S+))`)
	elsewhere = regexp.MustCompile(`^[a-z]+:`)
	headings  = regexp.MustCompile(`(?m)^#{1,6} (.*)$`)
	linkTexts = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

// broken returns what is wrong with the links of a document: a sentence for each that leads nowhere.
func broken(files fs.FS, document string) ([]string, error) {
	content, err := fs.ReadFile(files, document)
	if err != nil {
		return nil, err
	}
	text := codeSpans.ReplaceAllString(blocks.ReplaceAllString(string(content), ""), "")
	var problems []string
	for _, match := range targets.FindAllStringSubmatch(text, -1) {
		link := match[1] + match[2] + match[3]
		if elsewhere.MatchString(link) {
			continue
		}
		name, anchor, anchored := strings.Cut(link, "#")
		target := document
		if name != "" {
			target = path.Join(path.Dir(document), name)
		}
		if _, err := fs.Stat(files, target); err != nil {
			problems = append(problems, fmt.Sprintf("%s: the link %s leads nowhere: there is no %s", document, link, target))
			continue
		}
		if !anchored {
			continue
		}
		if headed, err := fs.ReadFile(files, target); err != nil || !anchors(string(headed))[anchor] {
			problems = append(problems, fmt.Sprintf("%s: the link %s leads nowhere: %s has no such heading", document, link,
				target))
		}
	}
	return problems, nil
}

// anchors returns the names that GitHub gives to the headings of a document.
func anchors(text string) map[string]bool {
	names := map[string]bool{}
	for _, match := range headings.FindAllStringSubmatch(blocks.ReplaceAllString(text, ""), -1) {
		var name strings.Builder
		for _, r := range strings.ToLower(linkTexts.ReplaceAllString(match[1], "$1")) {
			switch {
			case r == ' ':
				name.WriteByte('-')
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r):
				name.WriteRune(r)
			}
		}
		unique := name.String()
		for n := 1; names[unique]; n++ {
			unique = fmt.Sprintf("%s-%d", name.String(), n)
		}
		names[unique] = true
	}
	return names
}

func TestBroken(t *testing.T) {
	t.Parallel()
	const other = "# A page\n\n## Porch's `main`: a [branch](x)\n\n## Twice\n\n## Twice\n\n```sh\n# no heading\n```\n"
	files := func(text string) fstest.MapFS {
		return fstest.MapFS{
			"docs/a.md": {Data: []byte("# One\n\n" + text)}, "docs/b.md": {Data: []byte(other)}, "api/x.go": {},
		}
	}
	for text, want := range map[string]string{
		"no link":                             "",
		"[a](https://x.example/y#z)":          "",
		"[a](#one), [a\nb](b.md) [c](../api)": "",
		"[a](b.md#porchs-main-a-branch)":      "",
		"[a](b.md#twice-1)":                   "",
		"`[a](none.md)`":                      "",
		"```md\n[a](none.md)\n```":            "",
		"[a](none.md)":                        "the link none.md leads nowhere: there is no docs/none.md",
		"![a](none.svg)":                      "the link none.svg leads nowhere: there is no docs/none.svg",
		`<img src="n.svg">`:                   "the link n.svg leads nowhere: there is no docs/n.svg",
		"[a]: n.md":                           "the link n.md leads nowhere: there is no docs/n.md",
		"[a](../../x.md)":                     "the link ../../x.md leads nowhere: there is no ../x.md",
		"[a](#two)":                           "the link #two leads nowhere: docs/a.md has no such heading",
		"[a](b.md#no-heading)":                "the link b.md#no-heading leads nowhere: docs/b.md has no such heading",
		"[a](../api#x)":                       "the link ../api#x leads nowhere: api has no such heading",
		"[a](b.md#twice-2)":                   "the link b.md#twice-2 leads nowhere: docs/b.md has no such heading",
	} {
		var wanted []string
		if want != "" {
			wanted = []string{"docs/a.md: " + want}
		}
		got, err := broken(files(text), "docs/a.md")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(wanted, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}
