// SPDX-License-Identifier: Apache-2.0

package picture

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const root = "../.."

// planned returns the plan of the example plan-of-a-fleet.
func planned(t *testing.T) *Plan {
	t.Helper()
	plugin := os.Getenv("KUBECTL_VARIANTS")
	if plugin == "" {
		t.Fatal("the environment variable KUBECTL_VARIANTS must name the plugin: run this by make, which builds and sets it")
	}
	example := filepath.Join(root, "examples", "plan-of-a-fleet")
	command := exec.CommandContext(t.Context(), plugin, "plan", "-f", filepath.Join(example, "fleet"), "--from",
		filepath.Join(example, "snapshot"), "-o", "json")
	var out, said bytes.Buffer
	command.Stdout, command.Stderr = &out, &said
	if exit, is := errors.AsType[*exec.ExitError](command.Run()); !is || exit.ExitCode() != 1 {
		t.Fatalf("the plan: %v\n%s", exit, &said)
	}
	p := &Plan{}
	if err := json.Unmarshal(out.Bytes(), p); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPicture checks that the pictures in docs/fleet are what the example's plan is drawn as; UPDATE_GOLDEN redraws
// them.
func TestPicture(t *testing.T) {
	t.Parallel()
	p := planned(t)
	for name, theme := range map[string]*Theme{"fleet.svg": Light, "fleet-dark.svg": Dark} {
		got := Draw(p, theme, "What one pull request changes in a fleet, as kubectl variants plan says of examples/plan-of-a-fleet")
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
