// SPDX-License-Identifier: Apache-2.0

package status

import (
	"bytes"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/markdown/markdowntest"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/engine/trace"
	"github.com/package-variants/package-variants/engine/words"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// now is when it is, and since when something is so.
var (
	now   = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	since = metav1.NewTime(now.Add(-2 * time.Hour))
)

// published returns a published revision, of an upstream's revision if that is not "".
func published(repo string, number int, upstream string) revision.Revision {
	r := revision.Revision{Name: fmt.Sprintf("%s.web.v%d", repo, number), Package: revision.Package{Repo: repo, Name: "web"},
		Number: number, Lifecycle: revision.Published}
	if upstream != "" {
		r.Lock = &revision.Lock{Ref: "blueprints/web/" + upstream}
	}
	return r
}

// fleet returns a set whose wave canary is through, and whose wave europe is not open. Each Repository has web on v1,
// and the blueprint has v2.
func fleet(repos ...string) *Input {
	in := &Input{Namespace: "default", Branch: func(r *revision.Revision) string { return "drafts/" + r.Name },
		Input: &trace.Input{Home: words.Home{Controller: "variants sync"}, Waves: map[string]trace.Waves{}}}
	set := v1alpha2.PackageVariantSet{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default"}}
	set.Status.Conditions = ready("Reconciling", "RolloutProgressing", "it is under way")
	set.Status.Rollout = &v1alpha2.RolloutStatus{Waves: []v1alpha2.WaveStatus{
		{Name: "canary", State: v1alpha2.WaveComplete, Targets: 1, Reached: 1, Since: since},
		{Name: "europe", State: v1alpha2.WavePending, Targets: 2, Since: since, Message: "waits for the wave canary"}}}
	in.Sets = []v1alpha2.PackageVariantSet{set}
	in.Revisions = []revision.Revision{published("blueprints", 1, ""), published("blueprints", 2, "")}
	var wanted []v1alpha1.PackageVariant
	for i, repo := range append(repos, "new") {
		pv := v1alpha1.PackageVariant{ObjectMeta: metav1.ObjectMeta{Name: "web-" + repo, Namespace: "default",
			Labels: map[string]string{"site": repo}, Annotations: map[string]string{v1alpha2.WaveAnnotation: "europe"},
			OwnerReferences: []metav1.OwnerReference{{Kind: "PackageVariantSet", Name: "web", Controller: new(true)}}},
			Spec: variant.Spec{Upstream: &variant.Upstream{Repo: "blueprints", Package: "web"},
				Downstream: &variant.Downstream{Repo: repo, Package: "web"}}}
		if i == 0 {
			pv.Annotations[v1alpha2.WaveAnnotation] = "canary"
		}
		pv.Status.Conditions = ready("Ready", "UpToDate", "")
		if wanted = append(wanted, pv); repo != "new" {
			in.Variants = append(in.Variants, pv)
			in.Revisions = append(in.Revisions, published(repo, 3, "v1"))
		}
	}
	in.Waves["web"] = trace.NewWaves(wanted)
	return in
}

// ready returns the conditions of an object, of which one is True.
func ready(kind, reason, message string) []metav1.Condition {
	return []metav1.Condition{{Type: kind, Status: metav1.ConditionTrue, Reason: reason, Message: message, LastTransitionTime: since}}
}

// TestStates has the states of a package, and what it waits for.
func TestStates(t *testing.T) {
	t.Parallel()
	draft := func(pv *v1alpha1.PackageVariant, in *Input) {
		pv.Status.OpenDraft = &v1alpha1.OpenDraft{Name: "fra.web.p-4", Reason: "ManualApproval", Message: "m"}
		in.Revisions = append(in.Revisions, revision.Revision{Name: "fra.web.p-4", Lifecycle: revision.Draft, Created: now.Add(-time.Hour),
			Package: revision.Package{Repo: "fra", Name: "web"}})
	}
	for name, c := range map[string]struct {
		is   func(*v1alpha1.PackageVariant, *Input)
		want string
	}{
		"behind":  {func(*v1alpha1.PackageVariant, *Input) {}, "behind v3 v1 v2"},
		"newest":  {func(_ *v1alpha1.PackageVariant, in *Input) { in.Revisions[len(in.Revisions)-1].Lock.Ref = "v2" }, "newest v3 v2 v2"},
		"a draft": {draft, "draft v3 v1 v2: a person (ManualApproval) 1h0m0s drafts/fra.web.p-4: m"},
		"gates": {func(pv *v1alpha1.PackageVariant, in *Input) {
			draft(pv, in)
			pv.Status.OpenDraft.Reason = "GatesNotMet"
		}, "draft v3 v1 v2: readiness gates (GatesNotMet) 1h0m0s drafts/fra.web.p-4: m"},
		"a conflict": {func(pv *v1alpha1.PackageVariant, in *Input) {
			draft(pv, in)
			pv.Status.Conflicts = []v1alpha1.Conflict{{File: "a"}}
		}, "conflicted v3 v1 v2: a person (ManualApproval) 1h0m0s drafts/fra.web.p-4: m"},
		"an injection": {func(pv *v1alpha1.PackageVariant, _ *Input) {
			pv.Status.Conditions = append(pv.Status.Conditions, metav1.Condition{Type: "ConfigInjected", Status: "False", Reason: "InjectionUnmet", Message: "x"})
		}, "unmet v3 v1 v2: a person (InjectionUnmet) 2h0m0s : x"},
		"stalled": {func(pv *v1alpha1.PackageVariant, _ *Input) {
			pv.Status.Conditions = ready("Stalled", "InvalidSpec", "x")
		},
			"stalled v3 v1 v2: a person (InvalidSpec) 2h0m0s : x"},
		"suspended": {func(pv *v1alpha1.PackageVariant, _ *Input) {
			pv.Status.Conditions = append(ready("Stalled", "Suspended", "x"), ready("Suspended", "Suspended", "would upgrade")...)
		}, "suspended v3 v1 v2: a person (Suspended) 2h0m0s : would upgrade"},
		"working": {func(pv *v1alpha1.PackageVariant, _ *Input) {
			pv.Status.Conditions = ready("Reconciling", "DependencyNotReady", "waits for db")
		}, "working v3 v1 v2: variants sync (DependencyNotReady) 2h0m0s : waits for db"},
		"not looked at": {func(pv *v1alpha1.PackageVariant, _ *Input) { pv.Status.Conditions = nil },
			"working v3 v1 v2: variants sync () 0s : variants sync has not looked at it yet"},
	} {
		in := fleet("fra")
		c.is(&in.Variants[0], in)
		s := Of(now, Filter{Set: "web", Wave: "canary"}, in)
		p := s.Packages[0]
		got := fmt.Sprintf("%s %s %s %s", p.State, p.Published, p.Upstream, p.Newest)
		if w := p.Waits; w != nil {
			age := time.Duration(0)
			if w.Since != nil {
				age = now.Sub(w.Since.Time)
			}
			got += fmt.Sprintf(": %s (%s) %s %s: %s", w.For, w.Reason, age, w.Branch, w.Message)
		}
		if got != c.want || s.Counts[p.State] != 1 {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestText has a fleet by waves: one package waits for its wave, and so does one that does not exist yet.
func TestText(t *testing.T) {
	t.Parallel()
	const want = `PackageVariantSet web: RolloutProgressing: it is under way
  WAVE    STATE     REACHED  SINCE  MESSAGE
  canary  Complete  1 of 1   120m
  europe  Pending   0 of 2   120m   waits for the wave canary

PACKAGE  SET  WAVE    STATE   PUBLISHED  FROM  NEWEST  WAITS FOR                      SINCE  DRAFT
fra/web  web  canary  behind  v3         v1    v2      -                              -      -
lon/web  web  europe  held    v3         v1    v2      the wave europe (WaveNotOpen)  120m   -
new/web  web  europe  held    -          -     -       the wave europe (WaveNotOpen)  120m   -
3 packages: 2 held, 1 behind
`
	printed := func(format string, filter Filter) string {
		var out bytes.Buffer
		if err := Of(now, filter, fleet("fra", "lon")).Print(&out, format); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(printed("text", Filter{}), "\n")); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	if got := printed("text", Filter{Labels: labels.SelectorFromSet(labels.Set{"site": "lon"})}); !strings.HasSuffix(got, "1 package: 1 held\n") {
		t.Errorf("by labels:\n%s", got)
	}
	page := printed("html", Filter{})
	for _, want := range []string{
		`<span class="name">web, europe</span> <span class="state quiet">Pending</span>`,
		`<a class="cell quiet" href="#n5" title="lon/web: held, v3 on v1, newest v2" aria-label="lon/web: held"`,
		`<p class="message">waits for the wave europe (WaveNotOpen) for 120m</p>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("there is no %s in:\n%s", want, page[:strings.Index(page+"<script", "<script")])
		}
	}
}

// TestDocumented checks that the help names each field of the JSON.
func TestDocumented(t *testing.T) {
	t.Parallel()
	var walk func(of reflect.Type)
	walk = func(of reflect.Type) {
		switch of.Kind() {
		case reflect.Pointer, reflect.Slice:
			walk(of.Elem())
		case reflect.Struct:
			if of == reflect.TypeFor[v1alpha1.Conflict]() {
				return
			}
			for i := range of.NumField() {
				name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
				if name == "" {
					continue
				}
				if !regexp.MustCompile(`\b` + name + `\b`).MatchString(Long) {
					t.Errorf("%s of %s is not in the help", name, of)
				}
				walk(of.Field(i).Type)
			}
		}
	}
	walk(reflect.TypeFor[Status]())
	for _, state := range States {
		if !strings.Contains(Long, string(state)) {
			t.Errorf("%s is not in the help", state)
		}
	}
}

// TestHostile checks that no text of others adds a line to the text, or is raw.
func TestHostile(t *testing.T) {
	t.Parallel()
	for _, text := range append(markdowntest.Texts, "a\x1b[2J\u202eb") {
		in := fleet("fra")
		in.Sets[0].Status.Rollout.Waves[1].Message = text
		in.Variants[0].Status.Conditions = ready("Stalled", text, text)
		in.Variants[0].Status.Conflicts = []v1alpha1.Conflict{{File: text, Local: text}}
		var out bytes.Buffer
		if err := Of(now, Filter{}, in).Print(&out, "text"); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(out.String(), "\n"); n != 11 || strings.ContainsAny(out.String(), "\x1b\u202e") {
			t.Errorf("%q: %d lines:\n%s", text, n, out.String())
		}
	}
}
