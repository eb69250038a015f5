// SPDX-License-Identifier: Apache-2.0

package kpt

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/e2e/internal/tree"
)

// TestKptfileRefused checks that what this version of kpt refuses in the pipeline of a Kptfile is refused by
// prepend-pipeline before it is written there, unless a newer version takes it. These are the words of both.
func TestKptfileRefused(t *testing.T) {
	t.Parallel()
	const (
		head    = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\n"
		config  = "apiVersion: fn.kpt.dev/v1alpha1\nkind: PrependPipeline\nmetadata:\n  name: pv\n"
		outside = "which kpt takes for a path out of the package: name a file of the package, without \"..\""
		noImage = "which kpt refuses as an image: correct it, as in registry.example.com/set-labels:v0.2"
	)
	both := "a:v1@sha256:" + strings.Repeat("0", 64)
	for name, c := range map[string]struct{ function, kpt, ours string }{
		"capitals":          {"image: Up", `function name "Up" is invalid`, `image: is "Up", ` + noImage},
		"space":             {"image: a b", `function name "a b" is invalid`, `image: is "a b", ` + noImage},
		"out of it":         {"{exec: a, configPath: x/../../y.yaml}", "path must not be outside the package", `configPath: is "x/../../y.yaml", ` + outside},
		"absolute":          {"{exec: a, configPath: /y.yaml}", "path must be relative", `configPath: is "/y.yaml", ` + outside},
		"dots in a name":    {"{exec: a, configPath: a..b.yaml}", "path must not be outside the package", `configPath: is "a..b.yaml", ` + outside},
		"no path":           {"{exec: a, configPath: ' '}", "path must not be empty", `configPath: is " ", which names no file: name one, or leave configPath out`},
		"tag and digest":    {"image: " + both, `function name "` + both + `" is invalid`, ""},
		"condition":         {"{exec: noop, condition: 'true'}", "field condition not found in type v1.Function", "condition: was in no release of kpt, which has when: call it that"},
		"when":              {"{exec: noop, when: 'true'}", "field when not found in type v1.Function", ""},
		"tag":               {"{exec: noop, tag: v1}", "field tag not found in type v1.Function", ""},
		"registry and port": {"image: 127.0.0.1:1/a/b.c_d__e--f:v1.2-x", "", ""},
		"digest":            {"image: 127.0.0.1:1/a@sha256:" + strings.Repeat("0", 64), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pipeline := "pipeline:\n  mutators:\n  - " + c.function + "\n"
			out, _ := tool.Render(write(t, tree.Tree{"Kptfile": head + pipeline}))
			if c.kpt == "" && strings.Contains(out.Stderr, "invalid") || !strings.Contains(out.Stderr, c.kpt) {
				t.Errorf("kpt prints, without %q:\n%s", c.kpt, out.Stderr)
			}
			dir := write(t, tree.Tree{"Kptfile": head})
			at := write(t, tree.Tree{"config.yaml": config + pipeline})
			out, err := tool.Eval(dir, "prepend-pipeline", at+"/config.yaml")
			want := ""
			if c.ours != "" {
				want = `PrependPipeline "pv": pipeline.mutators[0].` + c.ours
			}
			if (err != nil) != (want != "") || !strings.Contains(out.Stderr, want) {
				t.Errorf("want %q, got %v:\n%s", want, err, out.Stderr)
			}
			if written := tree.Load(t, dir)["Kptfile"]; err != nil {
				if diff := cmp.Diff(head, written); diff != "" {
					t.Errorf("the Kptfile was changed (-want +got):\n%s", diff)
				}
			} else if !strings.Contains(written, "PackageVariant.pv..0") {
				t.Errorf("the function was not written:\n%s", written)
			}
		})
	}
}
