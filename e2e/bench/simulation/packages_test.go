// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestPackage checks the revisions of a package as it is made, published and deleted.
func TestPackage(t *testing.T) {
	t.Parallel()
	p := newPorch(t)
	step := func(what string, placeholders int, want ...Revision) {
		t.Helper()
		got := p.Package("fleet", "site", "web")
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Revision{}, "Files"), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
		for i := range got {
			if !strings.Contains(got[i].Files[kptfileName], "upstreamLock:") {
				t.Errorf("%s: the files of %s are %v", what, got[i].Name, got[i].Files)
			}
		}
		if n := p.Placeholders("fleet"); n != placeholders {
			t.Errorf("%s: there are %d placeholders, want %d", what, n, placeholders)
		}
	}
	one := Revision{Name: draft, Lifecycle: "Draft", Upstream: "web/v1"}
	step("cloned", 0, one)
	if !one.Open() {
		t.Error("a draft is not open")
	}
	if err := publish(p, draft); err != nil {
		t.Fatal(err)
	}
	one.Number, one.Lifecycle = 1, "Published"
	step("published", 1, one)
	if one.Open() {
		t.Error("a published revision is open")
	}
	if code, body := ask(p, "POST", own, clone("site", "web", "packagevariant-2",
		`{"type":"edit","edit":{"sourceRef":{"name":"`+draft+`"}}}`)); code != http.StatusCreated {
		t.Fatalf("%d: %s", code, body)
	}
	two := Revision{Name: "site.web.packagevariant-2", Lifecycle: "Draft", Upstream: "web/v1"}
	step("edited", 1, one, two)
	if n := p.ApproveDeletions("fleet"); n != 0 {
		t.Errorf("%d deletions were approved, and none is proposed", n)
	}
	retire(t, p, draft)
	one.Lifecycle = "DeletionProposed"
	step("its deletion is proposed", 1, one, two)
	if n := p.ApproveDeletions("other") + p.ApproveDeletions("fleet"); n != 1 {
		t.Errorf("%d deletions were approved, want one", n)
	}
	step("deleted", 0, two)
}

// publish proposes and approves a draft.
func publish(p *Porch, name string) error {
	return errors.Join(p.Propose("fleet", name), p.Approve("fleet", name))
}

// retire proposes the deletion of a published revision.
func retire(t *testing.T, p *Porch, name string) {
	t.Helper()
	if code, body := ask(p, "PATCH", own+"/"+name, `{"spec":{"lifecycle":"DeletionProposed"}}`); code != http.StatusOK {
		t.Fatalf("%d: %s", code, body)
	}
}

// TestApproveDeletions checks that the placeholder stays while another revision is published.
func TestApproveDeletions(t *testing.T) {
	t.Parallel()
	p := newPorch(t)
	if err := publish(p, draft); err != nil {
		t.Fatal(err)
	}
	const second = "site.web.packagevariant-2"
	ask(p, "POST", own, clone("site", "web", "packagevariant-2", `{"type":"edit","edit":{"sourceRef":{"name":"`+draft+`"}}}`))
	if err := publish(p, second); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name         string
		placeholders int
	}{{draft, 1}, {second, 0}} {
		retire(t, p, c.name)
		p.ApproveDeletions("fleet")
		if n := p.Placeholders("fleet"); n != c.placeholders {
			t.Errorf("after the deletion of %s there are %d placeholders, want %d", c.name, n, c.placeholders)
		}
	}
}

// TestTake checks that new latencies apply from the next call on.
func TestTake(t *testing.T) {
	t.Parallel()
	p := newPorch(t)
	p.Take(Latencies{Read: 50 * time.Millisecond})
	began := time.Now()
	if code, body := ask(p, "GET", own+"/"+draft, ""); code != http.StatusOK || time.Since(began) < 50*time.Millisecond {
		t.Errorf("after %s: %d %s", time.Since(began), code, body)
	}
}

// TestMergedLock checks that Porch reads a package's upstream from a Kptfile that a client saves.
func TestMergedLock(t *testing.T) {
	t.Parallel()
	p := newPorch(t)
	_, body := ask(p, "GET", files+draft, "")
	merged := strings.ReplaceAll(string(body), "ref: web/v1", "ref: web/v2")
	if code, answer := ask(p, "PUT", files+draft, merged); code != http.StatusOK {
		t.Fatalf("%d: %s", code, answer)
	}
	if got := p.Package("fleet", "site", "web"); len(got) != 1 || got[0].Upstream != "web/v2" {
		t.Errorf("the package is %+v, want it made from web/v2", got)
	}
}

// TestBlueprint checks that a blueprint runs the requested image.
func TestBlueprint(t *testing.T) {
	t.Parallel()
	for _, image := range []string{firstImage, "registry.example.com/web:1.5"} {
		got, err := Blueprint(image)
		if err != nil || strings.Count(got["deployment.yaml"], "        image: "+image+"\n") != 1 {
			t.Errorf("%s: %v, %v", image, got["deployment.yaml"], err)
		}
	}
}
