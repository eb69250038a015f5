// SPDX-License-Identifier: Apache-2.0

package picture

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const root = "../.."

// planned returns the plan that e2e/plugin makes over a cluster.
func planned(t *testing.T) *Plan {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "e2e", "page", "testdata", "plan.json"))
	if err != nil {
		t.Fatal(err)
	}
	p := &Plan{}
	if err := json.Unmarshal(text, p); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPicture checks that the pictures in docs/fleet are what the plan is drawn as; UPDATE_GOLDEN redraws
// them.
func TestPicture(t *testing.T) {
	t.Parallel()
	p := planned(t)
	for name, theme := range map[string]*Theme{"fleet.svg": Light, "fleet-dark.svg": Dark} {
		got := Draw(p, theme, "What one pull request changes in a fleet, as kubectl variants plan says")
		file := filepath.Join(root, "docs", "fleet", name)
		if os.Getenv("UPDATE_GOLDEN") != "" {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s is not what the plan says: make golden draws it anew (-want +got):\n%s", file, diff)
		}
	}
}

// TestDraw checks that the picture is XML whose texts are those of the plan, quoted, and that no card is drawn outside.
func TestDraw(t *testing.T) {
	t.Parallel()
	p := &Plan{Sets: []Set{{Name: "<set>", Waves: []Wave{{Name: "a&b", State: "Pending", Targets: 4}}}}}
	for _, repo := range []string{"a", "b", "c", "d"} {
		v := Variant{Set: "<set>", Wave: "a&b", Repo: repo, Package: "p", Action: "upgrade"}
		v.Upstream.From, v.Upstream.To = "x.p.v1", "x.p.v2"
		p.Variants = append(p.Variants, v)
	}
	svg := Draw(p, Dark, "of a test")
	var texts []string
	decoder := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if text, is := token.(xml.CharData); is && strings.TrimSpace(string(text)) != "" {
			texts = append(texts, string(text))
		}
	}
	want := []string{"blueprint", "x.p", "v1 → v2", "PackageVariantSet", "<set>", "4 variants", "wave a&b", "Pending, 0 of 4"}
	for _, repo := range []string{"a", "b", "c", "d"} {
		want = append(want, repo+"/p", "upgrade", "v1 → v2")
	}
	if diff := cmp.Diff(append(want, "of a test"), texts); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}
}
