// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"strings"
	"testing"
)

// texts are texts of others, as code in a line, and as a title.
var texts = []struct{ text, code, title string }{
	{"", "", ""},
	{"web-1.yaml", "`web-1.yaml`", "web-1.yaml"},
	{"a\nb\t c", "`a b c`", "a b c"},
	{"@acme/admins", "<code>&#64;<!-- -->acme/admins</code>", "_acme/admins"},
	{"fixes #1", "<code>fixes &#35;1</code>", "fixes _1"},
	{"see !12", "<code>see &#33;12</code>", "see _12"},
	{"ABC-12", "<code>ABC&#45;12</code>", "ABC_12"},
	{"<img src=x onerror=y>", "<code>&lt;img src=x onerror=y&gt;</code>", "_img src=x onerror=y_"},
	{"[click](http://evil)", "<code>&#91;click&#93;(http:<!-- -->//evil)</code>", "_click_(http_//evil)"},
	{"www.evil.com", "<code>www<!-- -->.evil.com</code>", "www.evil.com"},
	{"a`b``c", "<code>a&#96;b&#96;&#96;c</code>", "a_b__c"},
	{"a|b", "<code>a&#124;b</code>", "a_b"},
	{"</details>", "<code>&lt;/details&gt;</code>", "_/details_"},
	{"&#64;x", "<code>&amp;&#35;64;x</code>", "__64;x"},
	{"a\x1b[2J\u202eb", "`a\\x1b[2J\\u202eb`", `a__2J_b`},
	{"/close", "`/close`", "/close"},
	{"*a* _b_ ~c~ $d$", "`*a* _b_ ~c~ $d$`", "_a_ _b_ _c_ _d_"},
}

// TestCode checks what becomes of texts of others in a line, and in a title.
func TestCode(t *testing.T) {
	t.Parallel()
	for _, c := range texts {
		if got := Code(c.text); got != c.code {
			t.Errorf("%q as code: %s, want %s", c.text, got, c.code)
		}
		if got := Title(c.text); got != c.title {
			t.Errorf("%q as a title: %s, want %s", c.text, got, c.title)
		}
	}
	if got := Title(strings.Repeat("ä", 500)); len([]rune(got)) != maxTitle || !strings.HasSuffix(got, "...") {
		t.Errorf("a long title: %s", got)
	}
}

// TestBlock checks what becomes of a text of several lines.
func TestBlock(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a\nb\n":               "```diff\na\nb\n```\n",
		"/merge\n+x\n/close":   "```diff\n /merge\n+x\n /close\n```\n",
		"```\n@acme\n````\nx":  "`````diff\n```\n@acme\n````\nx\n`````\n",
		"\x1b[31mred\n\u202e.": "```diff\n\\x1b[31mred\n\\u202e.\n```\n",
	} {
		if got := Block("diff", text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestCut cuts a text between characters, and says so.
func TestCut(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"short": "short", strings.Repeat("ä", 20): strings.Repeat("ä", 5) + "... (cut)"} {
		if got := Cut(text, 20); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// FuzzCode checks that nothing of a text of others begins a mention, a reference, an element or a line.
func FuzzCode(f *testing.F) {
	for _, c := range texts {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, got := range []string{Code(text), Element(text)} {
			inner := strings.TrimSuffix(strings.TrimPrefix(strings.ReplaceAll(got, apart, ""), "<code>"), "</code>")
			if strings.ContainsAny(got, "\n\r") || strings.ContainsAny(inner, "<@|") || strings.Contains(got, "://") {
				t.Errorf("%q becomes %q", text, got)
			}
		}
	})
}
