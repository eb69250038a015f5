// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/naming"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/engine/words"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Everything happened at noon; now is an hour later.
var (
	noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	now  = noon.Add(time.Hour)
)

func rev(pkg, workspace string, number int, lifecycle revision.Lifecycle) revision.Revision {
	repo, name, _ := strings.Cut(pkg, "/")
	return revision.Revision{Name: repo + "." + name + "." + workspace, Package: revision.Package{Repo: repo, Name: name},
		Workspace: workspace, Number: number, Lifecycle: lifecycle, Created: noon.Add(-time.Hour), PublishedAt: noon}
}

// draft is a draft made by an upgrade.
func draft(pkg, workspace, source string) revision.Revision {
	r := rev(pkg, workspace, 0, revision.Draft)
	r.PublishedAt, r.Task = time.Time{}, revision.Task{Type: revision.Upgrade, Source: source}
	return r
}

func conditions(of ...string) []metav1.Condition {
	var out []metav1.Condition
	for _, text := range of {
		words := strings.SplitN(text, " ", 4)
		out = append(out, metav1.Condition{Type: words[0], Status: metav1.ConditionStatus(words[1]), Reason: words[2],
			Message: words[3], LastTransitionTime: metav1.NewTime(noon)})
	}
	return out
}

// pv is a variant of a package, in the state given by its conditions.
func pv(name, upstream, downstream, set string, of ...string) v1alpha1.PackageVariant {
	from, fromPkg, _ := strings.Cut(upstream, "/")
	to, toPkg, _ := strings.Cut(downstream, "/")
	out := v1alpha1.PackageVariant{ObjectMeta: metav1.ObjectMeta{Name: name, Generation: 1}, Spec: variant.Spec{
		Upstream: &variant.Upstream{Repo: from, Package: fromPkg}, Downstream: &variant.Downstream{Repo: to, Package: toPkg}}}
	out.Status = v1alpha1.PackageVariantStatus{ObservedGeneration: 1, Conditions: conditions(of...),
		Upstream: &v1alpha1.ResolvedUpstream{Revision: 2}}
	if set != "" {
		out.OwnerReferences = []metav1.OwnerReference{{APIVersion: "config.porch.kpt.dev/v1alpha2", Kind: "PackageVariantSet",
			Name: set}}
	}
	return out
}

func pvSet(name string, of ...string) v1alpha2.PackageVariantSet {
	set := v1alpha2.PackageVariantSet{ObjectMeta: metav1.ObjectMeta{Name: name, Generation: 1}}
	set.Spec.Upstream = &variant.Upstream{Repo: "blueprints", Package: "web"}
	set.Status.ObservedGeneration, set.Status.Conditions = 1, conditions(of...)
	return set
}

const upToDate = "Ready True UpToDate all is well"

var inCluster = words.Home{Controller: "the controller", Packages: "Porch"}

// fleet has a blueprint with a set and a variant of its own, and a variant of that variant.
func fleet() *Input {
	return &Input{Home: inCluster, Sets: []v1alpha2.PackageVariantSet{pvSet("fleet", "Ready True VariantsReady 2 of 2"), pvSet("other")},
		Variants: []v1alpha1.PackageVariant{
			pv("alone", "blueprints/web", "edge/web", "", "Stalled True RenderFailed it  failed\nbadly", "Ready False RenderFailed it failed"),
			pv("fleet-a", "blueprints/web", "a/web", "fleet", upToDate, "Conflicted True UpstreamTaken a field",
				"ConfigInjected False InjectionUnmet a point", "Approved False Rejected a person"),
			pv("fleet-b", "blueprints/web", "b/web", "fleet", upToDate, "Suspended True Suspended freeze; there is nothing to do"),
			pv("leaf", "a/web", "a/leaf", "", "Reconciling True Pending soon"),
		},
		Revisions: []revision.Revision{
			rev("a/leaf", "packagevariant-1", 1, revision.DeletionProposed),
			rev("a/web", "main", -1, revision.Published),
			rev("a/web", "packagevariant-1", 1, revision.Published), rev("a/web", "packagevariant-2", 2, revision.Published),
			draft("a/web", "packagevariant-3", "blueprints.web.v2"),
			rev("blueprints/web", "v1", 1, revision.Published), rev("blueprints/web", "v2", 2, revision.Published),
		},
	}
}

// TestBuild checks the trees of all kinds of objects, as text with one space between columns.
func TestBuild(t *testing.T) {
	t.Parallel()
	const head = "OBJECT REVISION STATE REASON AGE MESSAGE\nPackage blueprints/web v2 Published - 60m\n"
	const fleetA = `PackageVariant fleet-a v2 Ready UpToDate 60m Conflicted (UpstreamTaken): a field; ConfigInjected (InjectionUnmet): a point; Approved (Rejected): a person
`
	const alone = "└─ PackageVariant alone v2 Stalled RenderFailed 60m it failed badly\n"
	const b = `PackageVariant fleet-b v2 Suspended UpToDate 60m freeze; there is nothing to do
`
	indented := func(by string, lines string) string {
		return by + strings.ReplaceAll(strings.TrimSuffix(lines, "\n"), "\n", "\n"+by) + "\n"
	}
	a := "├─ " + fleetA + `│  ├─ PackageRevision a.web.packagevariant-2 v2 Published - 60m
│  │  └─ PackageVariant leaf v2 Reconciling Pending 60m soon
│  │     └─ PackageRevision a.leaf.packagevariant-1 v1 DeletionProposed - 60m
│  └─ PackageRevision a.web.packagevariant-3 - Draft upgrade 120m made from blueprints.web.v2
`
	onlyA := strings.NewReplacer("├─ PackageVariant fleet-a", "└─ PackageVariant fleet-a", "│  ├─", "   ├─", "│  │  ", "   │  ", "│  └─", "   └─").Replace(a)
	const setRow = "PackageVariantSet fleet - Ready VariantsReady 60m\n"
	for name, c := range map[string]struct {
		of   naming.Object
		want string
	}{
		"a blueprint": {naming.Object{Kind: naming.Package, Name: "blueprints/web"}, head + "├─ " + setRow + indented("│  ", a+"└─ "+b) +
			"├─ PackageVariantSet other - Pending - - the controller has not looked at it yet\n" + alone},
		"one of its revisions": {naming.Object{Kind: naming.Revision, Name: "blueprints.web.v1"}, head + "├─ " + setRow +
			indented("│  ", a+"└─ "+b) +
			"├─ PackageVariantSet other - Pending - - the controller has not looked at it yet\n" + alone},
		"a set":                  {naming.Object{Kind: naming.Set, Name: "fleet"}, head + "└─ " + setRow + indented("   ", a+"└─ "+b)},
		"a set without variants": {naming.Object{Kind: naming.Set, Name: "other"}, head + "└─ PackageVariantSet other - Pending - - the controller has not looked at it yet\n"},
		"a variant of a set":     {naming.Object{Kind: naming.Variant, Name: "fleet-a"}, head + "└─ " + setRow + indented("   ", onlyA)},
		"a variant":              {naming.Object{Kind: naming.Variant, Name: "alone"}, head + alone},
		"what a variant made":    {naming.Object{Kind: naming.Package, Name: "a/web"}, head + "└─ " + setRow + indented("   ", onlyA)},
		"a variant that is not there": {naming.Object{Kind: naming.Variant, Name: "alon"},
			`there is no PackageVariant "alon" in the namespace "n": did you mean "alone"?`},
		"a set that is not there": {naming.Object{Kind: naming.Set, Name: "flet"},
			`there is no PackageVariantSet "flet" in the namespace "n": did you mean "fleet"?`},
		"a package that is not there": {naming.Object{Kind: naming.Package, Name: "blueprint/web"},
			`there is no Package "blueprint/web" in the namespace "n": did you mean "blueprints/web"?`},
		"a revision that is not there": {naming.Object{Kind: naming.Revision, Name: "blueprints.web.v4"},
			`there is no PackageRevision "blueprints.web.v4" in the namespace "n": did you mean "blueprints.web.v1"?`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			trees, err := Build(fleet(), c.of, "n")
			if err != nil {
				trees, c.want = nil, strings.TrimSuffix(c.want, "\n")
			}
			got := ""
			if err != nil {
				got = err.Error()
			} else {
				got = text(t, trees)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// text prints trees, with one space between columns.
func text(t *testing.T, trees []*Node) string {
	t.Helper()
	var out strings.Builder
	if err := Printers["wide"](&out, trees, now); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(out.String()) {
		indent := line[:len(line)-len(strings.TrimLeft(line, " │├└─"))]
		lines = append(lines, indent+strings.Join(strings.Fields(line[len(indent):]), " "))
	}
	return strings.Join(lines, "\n") + "\n"
}

// followed is the variant x of r/a in r/b, with a draft on a revision of its upstream.
func followed(upstream string, number int) v1alpha1.PackageVariant {
	x := pv("x", "r/a", "r/b", "", upToDate)
	x.Status.Upstream = &v1alpha1.ResolvedUpstream{Name: upstream, Revision: number}
	x.Status.DownstreamTargets = []v1alpha1.DownstreamTarget{{Name: "r.b.packagevariant-1"}}
	return x
}

// TestBuildOdd checks how a tree shows missing objects and cycles.
func TestBuildOdd(t *testing.T) {
	t.Parallel()
	const head = "OBJECT REVISION STATE REASON AGE MESSAGE\n"
	changed := pv("web", "blueprints/web", "edge/web", "", upToDate)
	changed.Generation = 2
	bare := v1alpha1.PackageVariant{ObjectMeta: metav1.ObjectMeta{Name: "web"}}
	waves := pvSet("fleet", "Reconciling True RolloutProgressing wave canary")
	waves.Status.Rollout = &v1alpha2.RolloutStatus{Waves: []v1alpha2.WaveStatus{
		{Name: "canary", State: "Progressing", Since: metav1.NewTime(noon), Targets: 2, Reached: 1, Message: "1 of 2"},
		{Name: "rest", State: "Pending", Since: metav1.NewTime(noon), Targets: 1, Message: "waits"},
	}}
	for name, c := range map[string]struct {
		in   Input
		of   naming.Object
		want string
	}{
		"a circle": {Input{Home: inCluster, Variants: []v1alpha1.PackageVariant{pv("x", "r/a", "r/b", "", upToDate), pv("y", "r/b", "r/a", "", upToDate)}},
			naming.Object{Kind: naming.Variant, Name: "x"}, head + "Package r/a - NotFound - - Porch has no revision of it\n" +
				"└─ PackageVariant x v2 Ready UpToDate 60m\n   └─ PackageVariant y v2 Ready UpToDate 60m\n"},
		"only drafts of the blueprint": {Input{Home: inCluster, Variants: []v1alpha1.PackageVariant{pv("x", "r/a", "r/b", "", upToDate)},
			Revisions: []revision.Revision{draft("r/a", "v1", "")}}, naming.Object{Kind: naming.Variant, Name: "x"},
			head + "Package r/a - Unpublished - - no revision of it is published\n└─ PackageVariant x v2 Ready UpToDate 60m\n"},
		"a branch": {Input{Home: inCluster, Variants: []v1alpha1.PackageVariant{followed("r.a.main", -1)},
			Revisions: []revision.Revision{rev("r/a", "main", -1, revision.Published)}}, naming.Object{Kind: naming.Variant, Name: "x"},
			head + "Package r/a main Branch - - the branch is the upstream; no revision of it is published\n" +
				"└─ PackageVariant x main Ready UpToDate 60m\n"},
		"a draft that was brought to another upstream": {Input{Home: inCluster, Variants: []v1alpha1.PackageVariant{followed("r.a.v2", 2)},
			Revisions: []revision.Revision{rev("r/a", "v2", 2, revision.Published), draft("r/b", "packagevariant-1", "r.a.v1")},
		}, naming.Object{Kind: naming.Variant, Name: "x"}, head + "Package r/a v2 Published - 60m\n" +
			"└─ PackageVariant x v2 Ready UpToDate 60m\n" +
			"   └─ PackageRevision r.b.packagevariant-1 - Draft upgrade 120m made from r.a.v1, and is on r.a.v2\n"},
		"another generation": {Input{Home: inCluster, Variants: []v1alpha1.PackageVariant{changed}}, naming.Object{Kind: naming.Variant, Name: "web"},
			head + "Package blueprints/web - NotFound - - Porch has no revision of it\n" +
				"└─ PackageVariant web v2 Pending - - the controller has not looked at its generation 2 yet\n"},
		"no spec": {Input{Home: inCluster, Variants: []v1alpha1.PackageVariant{bare}}, naming.Object{Kind: naming.Variant, Name: "web"},
			head + "PackageVariant web - Pending - - the controller has not looked at it yet\n"},
		"waves": {Input{
			Home: inCluster, Sets: []v1alpha2.PackageVariantSet{waves}, Variants: []v1alpha1.PackageVariant{pv("a", "blueprints/web", "a/web", "fleet", upToDate)},
		}, naming.Object{Kind: naming.Set, Name: "fleet"}, head + `Package blueprints/web - NotFound - - Porch has no revision of it
└─ PackageVariantSet fleet - Reconciling RolloutProgressing 60m wave canary
   ├─ Wave canary - Progressing 1/2 60m 1 of 2
   ├─ Wave rest - Pending 0/1 60m waits
   └─ PackageVariant a v2 Ready UpToDate 60m
`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			trees, err := Build(&c.in, c.of, "n")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, text(t, trees)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// awkward is a tree with everything that a format has to quote.
func awkward() []*Node {
	since := metav1.NewTime(noon)
	return []*Node{{Kind: "PackageVariant", Name: `a"b\c`, Revision: "v1", State: "Stalled", Reason: "RenderFailed", Since: &since,
		Message:  "<b>bold</b> &\n\"quoted\" " + strings.Repeat("é", 100),
		Children: []*Node{{Kind: "PackageRevision", Name: "x", State: "Published"}, {Kind: "PackageRevision", Name: "y", State: "Draft"}}}}
}

// TestPrint checks the formats.
func TestPrint(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 100)
	for format, want := range map[string]string{
		"text": "OBJECT                 REVISION   STATE       REASON         AGE   MESSAGE\n" +
			`PackageVariant a"b\c   v1         Stalled     RenderFailed   60m   <b>bold</b> & "quoted" ` + strings.Repeat("é", 64) + "...\n" +
			"├─ PackageRevision x   -          Published   -              -\n" +
			"└─ PackageRevision y   -          Draft       -              -\n",
		"dot": "digraph variants {\n  rankdir=LR;\n  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n" +
			`  n0 [label="PackageVariant\na\"b\\c v1\nStalled, RenderFailed, 60m", color="#c62828", tooltip="<b>bold</b> &amp;\n\"quoted\" ` + long + "\"];\n" +
			`  n1 [label="PackageRevision\nx\nPublished", color="#2e7d32", tooltip=""];` + "\n  n0 -> n1;\n" +
			`  n2 [label="PackageRevision\ny\nDraft", color="#b26a00", tooltip=""];` + "\n  n0 -> n2;\n}\n",
	} {
		var out strings.Builder
		if err := Printers[format](&out, awkward(), now); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", format, diff)
		}
	}
}

// TestPrintJSON checks that the printed JSON is the tree.
func TestPrintJSON(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := Printers["json"](&out, awkward(), now); err != nil {
		t.Fatal(err)
	}
	var got []*Node
	if err := json.Unmarshal([]byte(out.String()), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(awkward(), got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if !strings.Contains(out.String(), `"message": "<b>bold</b> &\n`) {
		t.Errorf("it is escaped for a page:\n%s", out.String())
	}
}
