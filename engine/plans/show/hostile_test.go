// SPDX-License-Identifier: Apache-2.0

package show

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/changes"
	"github.com/package-variants/package-variants/engine/markdown/markdowntest"
	"github.com/package-variants/package-variants/engine/plans"
)

// TestPrintHostile checks that people see what a terminal or a browser would otherwise obey, in a plan and in what is
// said of a plan that failed.
func TestPrintHostile(t *testing.T) {
	t.Parallel()
	const hostile, shown = "a\x1b[2J\u202eb", `a\x1b[2J\u202eb`
	condition := plans.Condition{Reason: "Suspended", Message: hostile}
	for _, format := range []string{"text", "markdown", "html"} {
		for name, printed := range map[string]func(w io.Writer) error{
			"a plan": func(w io.Writer) error {
				plan := &plans.Plan{About: plans.About{Over: hostile}, Notes: []string{hostile},
					Sets:     []plans.Set{{Name: hostile, Condition: condition}},
					Variants: []plans.Variant{{Name: hostile, Action: plans.Wait, Condition: condition}}}
				plan.Count()
				return Print(w, format, plan, Options{})
			},
			"a failure": func(w io.Writer) error {
				return Failure(w, format, &plans.About{Over: hostile}, errors.New(hostile))
			},
		} {
			var out bytes.Buffer
			if err := printed(&out); err != nil {
				t.Fatal(err)
			}
			if strings.ContainsAny(out.String(), "\x1b\u202e") {
				t.Errorf("%s as %s: what is hostile is raw: %q", name, format, out.String())
			}
			if !strings.Contains(html.UnescapeString(out.String()), shown) && (format != "text" || name == "a plan") {
				t.Errorf("%s as %s: it is not shown:\n%s", name, format, out.String())
			}
		}
	}
}

// planOf returns a plan in which each text that is not the engine's own is the given one.
func planOf(text string) *plans.Plan {
	condition := plans.Condition{Type: v1alpha1.ConditionStalled, Reason: text, Message: text}
	upgraded := plans.Variant{Namespace: "a", Name: text, Repo: text, Package: text, Action: plans.Upgrade, Condition: condition,
		Upstream: &plans.Upstream{From: text, To: text + "2"}, Unmet: []plans.Condition{condition}, Unforeseen: []string{text},
		Steps:     []plans.Step{{Do: "Approve", Revision: text, Text: text}},
		Conflicts: []v1alpha1.Conflict{{File: text, Resource: text, Field: text, Original: text, Local: text, Updated: text}},
		Drafts:    []plans.Draft{{Name: text, Workspace: text, Compared: text, Files: []plans.File{{Path: text, Change: "changed"}}}}}
	other := upgraded
	other.Namespace, other.Drafts = "b", []plans.Draft{{Name: text + "2", Compared: text, Files: upgraded.Drafts[0].Files}}
	plan := &plans.Plan{About: plans.About{Over: text, Namespace: text, Time: time.Unix(0, 0)}, Notes: []string{text},
		Sets: []plans.Set{
			{Namespace: "a", Name: text, Condition: condition, Waves: []plans.Wave{{Name: text, State: text, Message: text}}},
			{Namespace: "b", Name: text, Error: text, Other: true}},
		Variants: []plans.Variant{upgraded, other, {Namespace: "a", Name: text, Action: plans.Fail, Error: text},
			{Namespace: "a", Name: text, Set: text, Action: plans.Wait, Stalled: plans.Still, Condition: condition}}}
	for i, conflict := range []bool{true, false} {
		plan.Changes = append(plan.Changes, &changes.Change{Conflict: conflict, Packages: []string{text}, Files: []string{text},
			Lines: []string{"+ " + strings.ReplaceAll(text, "\n", " ")}, Values: map[string]map[string]int{text: {text: i}}})
	}
	plan.Count()
	return plan
}

var (
	tagged  = regexp.MustCompile(`="[^"]*"|>[^<]*`)
	changed = regexp.MustCompile(`(?:<span class="line add">[^<]*</span>)+`)
)

// bare returns what a format has beside the texts of a plan.
func bare(format, out string) string {
	switch format {
	case "markdown":
		return markdowntest.Bare(out)
	case "html":
		return tagged.ReplaceAllString(changed.ReplaceAllString(out, "<add>"), "")
	}
	return fmt.Sprint(strings.Count(out, "\n") - strings.Count(out, "\n+"))
}

// TestHostileTexts checks that no text of others changes what an output consists of: not the rows of a table, not the
// elements of a page, and not what a forge makes of Markdown.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"text", "markdown", "html"} {
		printed := func(text string) (plan, failure string) {
			var all, failed bytes.Buffer
			if err := errors.Join(Print(&all, format, planOf(text), Options{}),
				Failure(&failed, format, &plans.About{Over: text, Time: time.Unix(0, 0)}, errors.New(text))); err != nil {
				t.Fatal(err)
			}
			return all.String(), failed.String()
		}
		wantPlan, wantFailure := printed("x")
		for _, text := range markdowntest.Texts {
			plan, failure := printed(text)
			for what, is := range map[string][2]string{"plan": {wantPlan, plan}, "failure": {wantFailure, failure}} {
				if diff := cmp.Diff(bare(format, is[0]), bare(format, is[1])); diff != "" {
					t.Errorf("%s of %q as %s (-want +got):\n%s", what, text, format, diff)
				}
				if found := markdowntest.Found(is[1]); format == "markdown" && len(found) > 0 {
					t.Errorf("%s of %q: a forge finds %q in:\n%s", what, text, found, is[1])
				}
			}
		}
	}
}
