// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestColumns checks what kubectl shows.
func TestColumns(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", simple())
	w.Repository("edge-1", prod("eu"), true)
	w.Apply(newVariant("web", plain), newVariant("shop", plain), newSet(t, strings.Split(fleetSet, "    template:")[0]))
	w.start()
	draft := w.target("shop")
	w.target("web")
	w.expectSet("VariantsReady", [3]int32{1, 1, 1}, "edge-1/web", "edge/shop", "edge/web")
	w.publish(draft)
	w.Eventually("the published variant has no draft", func() error {
		if got := w.Variant("shop").Status.DownstreamTargets; len(got) != 1 || got[0].Lifecycle != "Published" {
			return fmt.Errorf("targets %+v", got)
		}
		return nil
	})
	age := regexp.MustCompile(` +[0-9]+s\n`)
	for kinds, want := range map[string]string{
		"packagevariants": `NAME                        UPSTREAM   REVISION   REPOSITORY   DOWNSTREAM   DRAFT                         READY   INJECTED   AGE
fleet-edge-1-web-jhnfhz8tr2   web        latest     edge-1       web          edge-1.web.packagevariant-1   True    True
shop                          web        1          edge         shop                                       True    True
web                           web        1          edge         web          edge.web.packagevariant-1     True    True
`,
		"packagevariantsets": `NAME    UPSTREAM   REVISION   DESIRED   CURRENT   READY VARIANTS   INJECTED   READY   AGE
fleet   web        latest     1         1         1                1          True
`,
	} {
		out, err := w.stack.Kubectl(t.Context(), "get", kinds, "--namespace", w.Namespace)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.Fields(want), strings.Fields(age.ReplaceAllString(out, "\n"))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", kinds, diff)
		}
	}
}

// TestInjectedColumns checks that kubectl shows what is injected, for all names of the columns.
func TestInjectedColumns(t *testing.T) {
	w := newWorld(t)
	for crd, path := range map[string]string{
		"packagevariants.config.porch.kpt.dev":    `.status.conditions[?(@.type=="ConfigInjected")].status`,
		"packagevariantsets.config.porch.kpt.dev": ".status.injected",
	} {
		out, err := w.stack.Kubectl(t.Context(), "get", "crd", crd, "-o",
			"jsonpath={.spec.versions[*].additionalPrinterColumns[*].jsonPath}")
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(strings.Fields(out), path) {
			t.Errorf("%s has no column of %s: %s", crd, path, out)
		}
	}
}
