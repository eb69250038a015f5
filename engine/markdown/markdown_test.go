// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"html"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/engine/visible"
)

// TestTexts checks what becomes of texts of others in a line of Markdown, in a block of HTML, and in a title.
func TestTexts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct{ code, element, title string }{
		"": {},
		"edge/web: spec.replicas (here \"5\")": {"`edge/web: spec.replicas (here \"5\")`",
			`<code>edge/web: spec.replicas (here "5")</code>`, `edge/web: spec.replicas (here "5")`},
		"blueprints.web.v1 -> v2": {"`blueprints.web.v1 -> v2`", "<code>blueprints.web.v1 -&gt; v2</code>",
			"blueprints.web.v1 -_ v2"},
		"containers[0].image_name": {"`containers[0].image_name`", "<code>containers&#91;0&#93;.image&#95;name</code>",
			"containers[0].image_name"},
		"*a* _b_ ~~d~~ $e$ {f} \\g": {"`*a* _b_ ~~d~~ $e$ {f} \\g`",
			"<code>&#42;a&#42; &#95;b&#95; &#126;&#126;d&#126;&#126; &#36;e&#36; &#123;f} &#92;g</code>",
			"_a_ _b_ __d__ _e_ _f_ _g"},
		"# heading":    {"<code>&#35; heading</code>", "<code>&#35; heading</code>", "_ heading"},
		"a `b` ```":    {"<code>a &#96;b&#96; &#96;&#96;&#96;</code>", "<code>a &#96;b&#96; &#96;&#96;&#96;</code>", "a _b_ ___"},
		"a|b":          {"<code>a&#124;b</code>", "<code>a&#124;b</code>", "a_b"},
		"@acme/admins": {"<code>&#64;<!-- -->acme/admins</code>", "<code>&#64;<!-- -->acme/admins</code>", "_acme/admins"},
		"me@acme.org":  {"<code>me&#64;<!-- -->acme.org</code>", "<code>me&#64;<!-- -->acme.org</code>", "me_acme.org"},
		"fixes #1, !12": {"<code>fixes &#35;1, &#33;12</code>", "<code>fixes &#35;1, &#33;12</code>",
			"fixes _1, _12"},
		"fixes GH-1, AB_C-12, v1-2": {"<code>fixes GH&#45;1, AB&#95;C-12, v1-2</code>",
			"<code>fixes GH&#45;1, AB&#95;C-12, v1-2</code>", "fixes GH_1, AB_C_12, v1-2"},
		"acme/web#1 of https://evil/x, WWW.evil.org": {
			"<code>acme/web&#35;1 of https:<!-- -->//evil/x, WWW<!-- -->.evil.org</code>",
			"<code>acme/web&#35;1 of https:<!-- -->//evil/x, WWW<!-- -->.evil.org</code>",
			"acme/web_1 of https_//evil/x, WWW_evil.org"},
		"[click](http:x) [a][b] [[c]]": {
			"<code>&#91;click&#93;(http:x) &#91;a&#93;&#91;b&#93; &#91;&#91;c&#93;&#93;</code>",
			"<code>&#91;click&#93;(http:x) &#91;a&#93;&#91;b&#93; &#91;&#91;c&#93;&#93;</code>",
			"[click_(http:x) [a__b] __c]]"},
		"![x](y) <img src=x> </details>": {
			"<code>&#33;&#91;x&#93;(y) &lt;img src=x&gt; &lt;/details&gt;</code>",
			"<code>&#33;&#91;x&#93;(y) &lt;img src=x&gt; &lt;/details&gt;</code>", "_[x_(y) _img src=x_ _/details_"},
		"&#64;acme &lt;":     {"<code>&amp;&#35;64;acme &amp;lt;</code>", "<code>&amp;&#35;64;acme &amp;lt;</code>", "__64;acme _lt;"},
		":tada:":             {"`:tada:`", "<code>:tada:</code>", ":tada:"},
		"/close":             {"`/close`", "<code>/close</code>", "/close"},
		"a\n/merge\r\n\n# b": {"<code>a /merge &#35; b</code>", "<code>a /merge &#35; b</code>", "a /merge _ b"},
		"a[b][c]: [issue:1]": {"<code>a&#91;b&#93;&#91;c&#93;: &#91;issue:1&#93;</code>",
			"<code>a&#91;b&#93;&#91;c&#93;: &#91;issue:1&#93;</code>", "a[b__c_: _issue:1]"},
		" \x1b[2Ja\u202eb\u200f\xff \u2028": {"`\\x1b[2Ja\\u202eb\\u200f\\xff`",
			"<code>&#92;x1b&#91;2Ja&#92;u202eb&#92;u200f&#92;xff</code>", "_[2Ja_b__"},
		"ü → 日本": {"`ü → 日本`", "<code>ü → 日本</code>", "ü → 日本"},
	} {
		got := struct{ code, element, title string }{Code(text), Element(text), Title(text)}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(got)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

// TestTitleCut checks that a title fits on every forge.
func TestTitleCut(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(strings.Repeat("é", 200), Title(strings.Repeat("é", 200))); diff != "" {
		t.Errorf("one that fits (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(strings.Repeat("é ", 98)+"é...", Title(strings.Repeat("é ", 200))); diff != "" {
		t.Errorf("one that does not (-want +got):\n%s", diff)
	}
}

// TestBlock checks that a block ends where its text does, and that GitLab finds no command in it.
func TestBlock(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                       "```diff\n\n```\n",
		"-a\n+b\n":               "```diff\n-a\n+b\n```\n",
		"/close":                 "```diff\n /close\n```\n",
		"+```\n```\n/merge\n/a":  "````diff\n+```\n```\n /merge\n /a\n````\n",
		"a `````\n\n/close\r\n/": "``````diff\na `````\n\n /close\\r\n /\n``````\n",
		"\x1b[2J\u202e\tx\xff":   "```diff\n\\x1b[2J\\u202e\tx\\xff\n```\n",
	} {
		if diff := cmp.Diff(want, Block("diff", text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

// TestCut checks that a text is cut between characters.
func TestCut(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                        "",
		strings.Repeat("é", 6):    strings.Repeat("é", 6),
		strings.Repeat("a", 13):   "aaa... (cut)",
		"aa" + "é" + "0123456789": "aa... (cut)",
	} {
		if diff := cmp.Diff(want, Cut(text, 12)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

// found is what forges find in the source of a text, whether it is code or not.
var found = regexp.MustCompile(`@|(^|[^&])#|!\d|\[\[|]\(|\n|\r|://|(?i:www\.)|[|]|[A-Z][A-Z0-9_]+-[0-9]`)

// FuzzTexts checks that no text has a meaning, and that people read it as it is.
func FuzzTexts(f *testing.F) {
	for _, seed := range []string{"fixes #1", "<!-- x -->", "a`b", "AB_-1", "@://www.x&#64;", "\\`", "]\x00(", "wWw.@"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want := visible.Line(text)
		code, element := Code(text), Element(text)
		for what, out := range map[string]string{"code": code, "element": element} {
			var inner string
			switch span, isSpan := strings.CutPrefix(out, "`"); {
			case isSpan:
				inner, _ = strings.CutSuffix(span, "`")
				if strings.ContainsAny(inner, "`<&") {
					t.Errorf("%s: the span %q is not one", what, out)
				}
			case out != "":
				inner = strings.TrimSuffix(strings.TrimPrefix(out, "<code>"), "</code>")
				bare := strings.ReplaceAll(inner, apart, "")
				if strings.ContainsAny(bare, "<>`*_[]{\\~$") {
					t.Errorf("%s: the element %q has more than text", what, out)
				}
				inner = strings.ReplaceAll(inner, apart, "\x00")
			}
			if hit := found.FindString(inner); hit != "" {
				t.Errorf("%s: a forge finds %q in %q", what, hit, out)
			}
			if diff := cmp.Diff(want, html.UnescapeString(strings.ReplaceAll(inner, "\x00", ""))); diff != "" {
				t.Errorf("%s: people read something else (-want +got):\n%s", what, diff)
			}
		}
		title := Title(text)
		if hit := regexp.MustCompile("[@#!&<>`\\n]|://|\\][(:\\[]|\\[(\\[|[a-z]+:)").FindString(title); hit != "" || !utf8.ValidString(title) ||
			utf8.RuneCountInString(title) > maxTitle {
			t.Errorf("the title %q has %q", title, hit)
		}
		for line := range strings.Lines(Block("text", text)) {
			if strings.HasPrefix(line, "/") {
				t.Errorf("GitLab finds a command in %q", line)
			}
		}
	})
}
