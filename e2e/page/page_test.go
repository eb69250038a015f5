// SPDX-License-Identifier: Apache-2.0

package page

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"

	"github.com/package-variants/package-variants/e2e/internal/browser"
	"github.com/package-variants/package-variants/engine/plans"
	"github.com/package-variants/package-variants/engine/plans/show"
)

// plan writes the page of a plan to a file, and returns its path: of the fleet that e2e/plugin plans over a cluster, in
// whose texts a person has changed some.
func plan(t *testing.T, changed ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "plan.json"))
	if err != nil {
		t.Fatal(err)
	}
	p := &plans.Plan{}
	if err := json.Unmarshal(text, p); err != nil {
		t.Fatal(err)
	}
	for _, c := range p.Changes {
		for i := range c.Lines {
			c.Lines[i] = strings.NewReplacer(changed...).Replace(c.Lines[i])
		}
	}
	var out bytes.Buffer
	if err := show.HTML(&out, p); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "plan.html")
	if err := os.WriteFile(file, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// expectQuiet fails the test if the page has requested anything but itself, or if an error occurred in it.
func expectQuiet(t *testing.T, p *browser.Page, file string) {
	t.Helper()
	if diff := cmp.Diff([]string{"file://" + file}, p.Requests()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	if failed := p.Errors(); len(failed) > 0 {
		t.Errorf("in the page: %q", failed)
	}
}

// shown is an expression for the names of the targets that a person sees.
const shown = `[...document.querySelectorAll(".tree .leaf")].filter(e => e.checkVisibility()).map(
	e => e.querySelector(".state").innerText + " " + e.querySelector(".name").innerText)`

// TestPlan looks at the page of a plan as a person does: at what comes first, at the conflicts and changes, for
// a name, for a state, and into a draft.
func TestPlan(t *testing.T) {
	t.Parallel()
	file := plan(t)
	p := browser.Open(t, file, 1200, false)
	p.Picture("plan")
	all := []string{"upgrade can/shop", "upgrade fra/shop", "upgrade lon/shop", "create osl/shop", "wait nyc/shop",
		"wait sfo/shop", "delete ber/shop"}
	expect := func(when string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, browser.Eval[[]string](p, shown)); diff != "" {
			t.Errorf("%s, these are shown (-want +got):\n%s", when, diff)
		}
	}
	expect("at first", all...)
	if got := browser.Eval[string](p, `document.querySelector("#first p").innerText`); got != "delete ber/shop" {
		t.Errorf("what is to be looked at first is %q", got)
	}
	for _, below := range [][2]string{{"#first", "#conflicts"}, {"#conflicts", "#changes"}, {"#changes", "#fleet"}} {
		if !browser.Eval[bool](p, `document.querySelector("`+below[0]+`").getBoundingClientRect().bottom <
			document.querySelector("`+below[1]+`").getBoundingClientRect().top`) {
			t.Errorf("%s is not before %s", below[0], below[1])
		}
	}
	if got := browser.Eval[string](p, `document.querySelector("#conflicts article").innerText`); !strings.Contains(got,
		"lon/shop") || !strings.Contains(got, "spec.replicas") {
		t.Errorf("the conflict is %q", got)
	}

	search := func(text string) {
		t.Helper()
		p.Do(chromedp.Evaluate(`document.querySelector("#search").select()`, nil),
			chromedp.SendKeys("#search", kb.Backspace+text))
	}
	search("LON")
	expect("for the name LON", "upgrade lon/shop")
	search("america")
	expect("for the wave america", "wait nyc/shop", "wait sfo/shop")
	for _, section := range []string{"#first", "#conflicts"} {
		if browser.Eval[bool](p, `document.querySelector("`+section+`").checkVisibility()`) {
			t.Errorf("%s is shown, which has only others", section)
		}
	}
	search("nobody")
	expect("for nobody", []string{}...)
	if !browser.Eval[bool](p, `document.querySelector("#nothing").checkVisibility()`) {
		t.Error("that there is nothing is not said")
	}
	search("")
	p.Do(chromedp.Click(`.chip[data-state="wait"]`))
	expect("for the state wait", "wait nyc/shop", "wait sfo/shop")
	p.Do(chromedp.Click(`.chip[data-state="wait"]`))
	expect("in the end", all...)

	const files = `document.querySelector("#fleet .draft figure").checkVisibility()`
	if browser.Eval[bool](p, files) {
		t.Error("the files of a draft are unfolded at first")
	}
	p.Do(chromedp.Click("#fleet .draft > summary"))
	if !browser.Eval[bool](p, files) {
		t.Error("the files do not unfold")
	}
	p.Picture("plan-unfolded")
	p.Do(chromedp.Click("#fold"))
	expect("when all is folded", "delete ber/shop") // which is in no wave
	p.Do(chromedp.Click("#unfold"))
	expect("when all is unfolded", all...)
	if browser.Eval[bool](p, `[...document.querySelectorAll("figure")].some(e => !e.checkVisibility())`) {
		t.Error("not all files are unfolded")
	}
	expectQuiet(t, p, file)
}

// contrast is an expression for texts that cannot be read well: those with less than the contrast that the W3C asks for
// (WCAG 2, 4.5 to 1) to what is behind them. Nothing that is shown is transparent in parts.
const contrast = `(() => {
	const rgb = c => c.match(/[\d.]+/g).map(Number);
	const light = c => rgb(c).slice(0, 3).map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
		.reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
	const behind = e => { for (; e; e = e.parentElement) {
		const c = getComputedStyle(e).backgroundColor; if (rgb(c).length === 3 || rgb(c)[3] === 1) return c; } };
	const bad = new Set();
	for (const e of document.querySelectorAll("body *")) {
		if (!e.checkVisibility() || ![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
		const [a, b] = [light(getComputedStyle(e).color), light(behind(e))].sort((x, y) => y - x);
		if ((a + 0.05) / (b + 0.05) < 4.5) bad.add(e.className + ": " + e.innerText.slice(0, 40));
	}
	return [...bad];
})()`

// TestThemes checks that the page is light in the light and dark in the dark, can be read in both, and fits on a
// telephone.
func TestThemes(t *testing.T) {
	t.Parallel()
	file := plan(t)
	ground := map[bool]string{}
	for _, dark := range []bool{false, true} {
		p := browser.Open(t, file, 1200, dark)
		p.Do(chromedp.Click("#unfold"))
		ground[dark] = browser.Eval[string](p, "getComputedStyle(document.body).backgroundColor")
		if bad := browser.Eval[[]string](p, contrast); len(bad) > 0 {
			t.Errorf("dark %v: these cannot be read well: %q", dark, bad)
		}
		p.Picture(map[bool]string{false: "plan-light", true: "plan-dark"}[dark])
		expectQuiet(t, p, file)
	}
	if diff := cmp.Diff(map[bool]string{false: "rgb(255, 255, 255)", true: "rgb(13, 17, 23)"}, ground); diff != "" {
		t.Errorf("what is behind all, by whether it is dark (-want +got):\n%s", diff)
	}
	p := browser.Open(t, file, 360, false)
	p.Picture("plan-telephone")
	if wide := browser.Eval[int](p, "document.documentElement.scrollWidth"); wide > 360 {
		t.Errorf("on a window of 360 points the page is %d wide", wide)
	}
}

// TestNothingIsMarkup plans a package whose content is markup, and checks that the page shows it as it is.
func TestNothingIsMarkup(t *testing.T) {
	t.Parallel()
	const evil = `</pre></script><script>document.title="taken over"</script><img src="http://127.0.0.1:1/x" onerror="document.title='taken over'">`
	file := plan(t, "registry.example.com/shop:1.5", evil)
	p := browser.Open(t, file, 1200, false)
	p.Do(chromedp.Click("#unfold"))
	if !browser.Eval[bool](p, `document.querySelector("#changes").innerText.includes("onerror=")`) {
		t.Error("the content is not on the page")
	}
	if got := browser.Eval[string](p, "document.title"); got != "What is going to happen" {
		t.Errorf("the title is %q", got)
	}
	if n := browser.Eval[int](p, `document.querySelectorAll("script").length + document.querySelectorAll("img").length`); n != 1 {
		t.Errorf("the page has %d scripts and pictures, want its own script only", n)
	}
	expectQuiet(t, p, file)
}
