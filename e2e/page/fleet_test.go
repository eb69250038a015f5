// SPDX-License-Identifier: Apache-2.0

package page

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/package-variants/package-variants/e2e/internal/browser"
	"github.com/package-variants/package-variants/engine/status"
)

// fleet writes the page of a fleet to a file, with packages in each state, and returns its path.
func fleet(t *testing.T) string {
	t.Helper()
	s := &status.Status{Time: metav1.NewTime(time.Unix(0, 0)), Counts: map[status.State]int{},
		Sets: []status.Set{{Name: "web", State: "Ready", Waves: []status.Wave{{Name: "canary", State: "Complete", Targets: 1, Reached: 1},
			{Name: "europe", State: "Progressing", Targets: 18}}}}}
	for i, state := range append(status.States, status.States...) {
		s.Counts[state]++
		s.Packages = append(s.Packages, status.Package{Set: "web", Wave: []string{"canary", "europe"}[min(i, 1)], Repository: fmt.Sprintf("s%d", i),
			Package: "web", State: state, Published: "v1", Upstream: "v1", Newest: "v2", Waits: &status.Wait{For: "a person", Draft: "d"}})
	}
	var out bytes.Buffer
	if err := s.Print(&out, "html"); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "fleet.html")
	if err := os.WriteFile(file, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestFleet looks at the page of a fleet as a person does: at the grid, for a state, and for a package, in the light and
// in the dark, and on a telephone.
func TestFleet(t *testing.T) {
	t.Parallel()
	file := fleet(t)
	const cells = `[...document.querySelectorAll("#grid .cell")].filter(e => e.checkVisibility()).map(e => e.getAttribute("aria-label"))`
	for _, dark := range []bool{false, true} {
		p := browser.Open(t, file, 1200, dark)
		if bad := browser.Eval[[]string](p, contrast); len(bad) > 0 {
			t.Errorf("dark %v: these cannot be read well: %q", dark, bad)
		}
		p.Picture(map[bool]string{false: "fleet-light", true: "fleet-dark"}[dark])
		if n := len(browser.Eval[[]string](p, cells)); n != 2*len(status.States) {
			t.Errorf("the grid has %d packages", n)
		}
		p.Do(chromedp.Click(`.chip[data-state="stalled"]`))
		if diff := cmp.Diff([]string{"s0/web: stalled", "s9/web: stalled"}, browser.Eval[[]string](p, cells)); diff != "" {
			t.Errorf("the grid for a state (-want +got):\n%s", diff)
		}
		p.Do(chromedp.Click(`#grid .cell[href="#n3"]`))
		if got := browser.Eval[string](p, `document.querySelector(":target .name").innerText`); got != "s0/web" {
			t.Errorf("a cell leads to %q", got)
		}
	}
	p := browser.Open(t, file, 360, false)
	if wide := browser.Eval[int](p, "document.documentElement.scrollWidth"); wide > 360 {
		t.Errorf("on a window of 360 points the page is %d wide", wide)
	}
	expectQuiet(t, p, file)
}
