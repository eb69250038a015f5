// SPDX-License-Identifier: Apache-2.0

package show

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/engine/changes"
	"github.com/package-variants/package-variants/engine/plans"
)

// TestTextOfLines checks that a message with several lines, or with characters that end a table cell, stays one row.
func TestTextOfLines(t *testing.T) {
	t.Parallel()
	const message = "fatal: x\nexit\tstatus\v128\r\n"
	plan := &plans.Plan{
		Sets: []plans.Set{{Name: "s", Condition: plans.Condition{Reason: "R", Message: message},
			Waves: []plans.Wave{{Name: "w", State: "Pending", Message: message}}}},
		Variants: []plans.Variant{
			{Name: "v", Action: plans.Wait, Condition: plans.Condition{Reason: "R", Message: message}},
			{Name: "x", Action: plans.Fail, Error: message},
		},
		Notes: []string{message},
	}
	plan.Count()
	var out bytes.Buffer
	if err := Text(&out, plan, Options{Colour: true}); err != nil {
		t.Fatal(err)
	}
	want := `PackageVariantSet s: creates 0, updates 0 and deletes 0 variants
  R: fatal: x exit status 128
  WAVE  STATE    TARGETS  UPDATED  REACHED  FAILED  MESSAGE
  w     Pending  0        0        0        0       fatal: x exit status 128

ACTION  VARIANT  PACKAGE  DRAFT  UPSTREAM  FILES  THEN
` + red + `fail    x        -        -      -         -      fatal: x exit status 128` + plain + `
` + blue + `wait    v        -        -      -         -      R: fatal: x exit status 128` + plain + `

Plan: 1 fail, 1 wait.
Note: fatal: x exit status 128
`
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(out.String(), "\n")); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

// TestNamespaces checks that objects are told apart by their namespaces where a plan has several.
func TestNamespaces(t *testing.T) {
	t.Parallel()
	plan := &plans.Plan{Sets: []plans.Set{{Namespace: "a", Name: "s"}, {Namespace: "b", Name: "s"}},
		Variants: []plans.Variant{{Namespace: "a", Name: "v", Set: "s", Action: plans.Wait},
			{Namespace: "b", Name: "v", Set: "s", Action: plans.Wait}}}
	plan.Count()
	for format, want := range map[string][]string{
		"text": {"PackageVariantSet a/s: ", "PackageVariantSet b/s: ", "\nwait    a/v  ", "\nwait    b/v  "},
		"markdown": {"#### PackageVariantSet `a/s`\n", "#### PackageVariantSet `b/s`\n", "\n| **wait** | `a/v` | ",
			"\n| **wait** | `b/v` | "},
		"html": {`<span class="name">a/s</span>`, `<span class="name">b/s</span>`, `<span class="name">a/v</span>`,
			`<span class="name">b/v</span>`},
	} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			if err := map[string]func() error{"text": func() error { return Text(&out, plan, Options{}) },
				"markdown": func() error { return Markdown(&out, plan) }, "html": func() error { return HTML(&out, plan) },
			}[format](); err != nil {
				t.Fatal(err)
			}
			for _, text := range want {
				if strings.Count(out.String(), text) != 1 {
					t.Errorf("there is not one %q in:\n%s", text, out.String())
				}
			}
		})
	}
}

// TestOthers checks where each format shows what becomes of sets and variants that are not named: under their own heading, deletions first.
func TestOthers(t *testing.T) {
	t.Parallel()
	plan := &plans.Plan{Sets: []plans.Set{{Name: "own"}, {Name: "far", Other: true}}, Variants: []plans.Variant{
		{Name: "a", Action: plans.Create, Other: true}, {Name: "b", Action: plans.Delete, Other: true}, {Name: "c", Action: plans.Wait}}}
	plan.Count()
	for format, c := range map[string]struct {
		print func(io.Writer, *plans.Plan) error
		want  []string
	}{
		"text": {func(w io.Writer, p *plans.Plan) error { return Text(w, p, Options{}) }, []string{"PackageVariantSet own: ", "\nwait ",
			"\nWhat changes, outside of -f:\n", "\nPackageVariantSet far: ", "\ndelete ", "\ncreate "}},
		"markdown": {Markdown, []string{"#### Look at these first\n", "| **delete, outside of -f** | `b` |", "#### PackageVariantSet `own`\n",
			"#### What else changes, and what waits\n", "| **wait** | `c` |", "#### PackageVariantSet `far`, outside of -f\n",
			"#### What changes, outside of -f\n", "| **create** | `a` |"}},
		"html": {HTML, []string{`<span class="state bad">delete, outside of -f</span> <a href=`, `<span class="name">own</span>`,
			`<span class="name">far</span><span class="kind">PackageVariantSet</span><span class="detail">outside of -f</span>`,
			`<span class="name">a</span><span class="kind">PackageVariant</span><span class="detail">outside of -f</span>`}},
	} {
		var out bytes.Buffer
		if err := c.print(&out, plan); err != nil {
			t.Fatal(err)
		}
		rest := out.String()
		for _, want := range c.want {
			_, after, found := strings.Cut(rest, want)
			if !found {
				t.Errorf("%s: there is no %q in:\n%s", format, want, rest)
			}
			rest = after
		}
	}
}

// TestStalledInFormats checks that each format shows what was broken before.
func TestStalledInFormats(t *testing.T) {
	t.Parallel()
	condition := plans.Condition{Type: "Stalled", Reason: "R", Message: "m"}
	for format, c := range map[string]struct {
		print func(w io.Writer, p *plans.Plan) error
		want  []string
	}{
		"text": {func(w io.Writer, p *plans.Plan) error { return Text(w, p, Options{Colour: true}) }, []string{"\n  still: R: m\n",
			yellow + "stalled  v        -        -      -         -      still: R: m" + plain, "Plan: 2 stalled."}},
		"markdown": {Markdown, []string{" `still: R: m`\n", "| **stalled** | `v` |  |  |  | `still: R: m` |", "Plan: 2 stalled."}},
		"html":     {HTML, []string{`data-state="stalled"`, "variants. still: R: m"}},
	} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			p := &plans.Plan{Sets: []plans.Set{{Name: "s", Stalled: plans.Still, Condition: condition}},
				Variants: []plans.Variant{{Name: "v", Action: plans.Stalled, Stalled: plans.Still, Condition: condition}}}
			p.Count()
			var out strings.Builder
			if err := c.print(&out, p); err != nil {
				t.Fatal(err)
			}
			for _, text := range c.want {
				if !strings.Contains(out.String(), text) {
					t.Errorf("there is no %q in:\n%s", text, out.String())
				}
			}
		})
	}
}

// TestMarkdownBounded checks that a comment never exceeds the limit, and says what is left out.
func TestMarkdownBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a note of some length; ", 3)
	for name, c := range map[string]struct {
		plan func(p *plans.Plan)
		want string
	}{
		"notes":    {func(p *plans.Plan) { p.Notes = append(p.Notes, long) }, " notes. See `-o html` or `-o text`.\n"},
		"one note": {func(p *plans.Plan) { p.Notes = []string{strings.Repeat(long, 2000)} }, "... (cut)"},
		"sets": {func(p *plans.Plan) {
			p.Sets = append(p.Sets, plans.Set{Name: "s", Condition: plans.Condition{Reason: "R", Message: long}})
		}, " sets. See `-o html` or `-o text`.\n"},
		"waves": {func(p *plans.Plan) {
			if len(p.Sets) == 0 {
				p.Sets = []plans.Set{{Name: "s"}}
			}
			p.Sets[0].Waves = append(p.Sets[0].Waves, plans.Wave{Name: "w", Message: long})
		}, " 1 set. See `-o html` or `-o text`.\n"},
		"variants": {func(p *plans.Plan) {
			p.Variants = append(p.Variants, plans.Variant{Name: "v", Action: plans.Wait, Error: long + strconv.Itoa(len(p.Variants))})
		}, " variants. See `-o html` or `-o text`.\n"},
		"conflicts": {func(p *plans.Plan) {
			p.Changes = append(p.Changes, &changes.Change{Conflict: true, Lines: []string{long}, Packages: []string{"p"}})
		}, " conflicts. See `-o html` or `-o text`.\n"},
		"changes": {func(p *plans.Plan) {
			p.Changes = append(p.Changes, &changes.Change{Lines: []string{long}, Packages: []string{"p"}, Files: []string{"f"}})
		}, " changes. See `-o html` or `-o text`.\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan := &plans.Plan{}
			for range 1500 {
				c.plan(plan)
			}
			plan.Count()
			var out bytes.Buffer
			if err := Markdown(&out, plan); err != nil {
				t.Fatal(err)
			}
			if out.Len() > maxComment {
				t.Errorf("it has %d bytes", out.Len())
			}
			if !strings.Contains(out.String(), c.want) {
				t.Errorf("there is no %q in:\n%s", c.want, out.String()[:2000])
			}
		})
	}
}

// TestThousand has a plan of many packages on one screen: the first of those that say the same, and how many more.
func TestThousand(t *testing.T) {
	t.Parallel()
	plan := &plans.Plan{}
	var names []string
	for i := range 1000 {
		name := "s" + strconv.Itoa(i)
		names = append(names, name+"/web")
		plan.Variants = append(plan.Variants, plans.Variant{Name: name, Repo: name, Package: "web", Action: plans.Upgrade,
			Upstream: &plans.Upstream{From: "b.web.v1", To: "b.web.v2"}, Condition: plans.Condition{Type: "Ready", Reason: "UpToDate"}})
	}
	for range 3 {
		plan.Changes = append(plan.Changes, &changes.Change{Lines: []string{"- a", "+ b"}, Packages: names, Files: []string{"f"}})
	}
	plan.Count()
	var out bytes.Buffer
	if err := Text(&out, plan, Options{}); err != nil {
		t.Fatal(err)
	}
	const want = `ACTION   VARIANT  PACKAGE  DRAFT  UPSTREAM              FILES  THEN
upgrade  s0       s0/web   -      b.web.v1 -> b.web.v2  -      UpToDate
upgrade  s1       s1/web   -      b.web.v1 -> b.web.v2  -      UpToDate
upgrade  s2       s2/web   -      b.web.v1 -> b.web.v2  -      UpToDate
and 997 more: upgrade, b.web.v1 -> b.web.v2, UpToDate (--names)

1,000 packages, 3 changes

CHANGE 1  all 1,000, in f
  - a
  + b
CHANGE 2  all 1,000, in f
  - a
  + b
CHANGE 3  all 1,000, in f
  - a
  + b

Plan: 1000 upgrade.
`
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(out.String(), "\n")); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	out.Reset()
	if err := Text(&out, plan, Options{Names: true}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "\n"); n < 1000 {
		t.Errorf("with all names it has %d lines", n)
	}
}
