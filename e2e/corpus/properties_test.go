// SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// editors are the functions that edit a package by a PackageVariant.
var editors = []string{"apply-package-context", "prepend-pipeline", "inject-config"}

// takenBack is the variant of randomPackage.variant that removes what that one adds, except what is injected.
const takenBack = `apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata:
  name: eu.web
  namespace: default
spec:
  packageContext:
    removeKeys: [new-a, new-b]
`

// TestProperties checks properties of every package and variant, on random packages (PROPERTIES=n, 15 by default): a
// function has the same result when it runs twice, the functions may run in any order, removing an addition restores
// the package, a function leaves everything else as it is, byte for byte, and the real kpt renders the result.
func TestProperties(t *testing.T) {
	t.Parallel()
	for seed := range count(15) {
		t.Run(strconv.Itoa(seed), func(t *testing.T) {
			t.Parallel()
			r := &randomPackage{Rand: rand.New(rand.NewPCG(uint64(seed), 17))}
			p := newProperties(t, r)
			changing, adding := r.variant(true), r.variant(false)
			p.idempotent(t, changing)
			p.commuting(t, changing)
			p.untouched(t, changing)
			p.reversible(t, adding)
			p.renders(t, changing)
		})
	}
}

// count returns how many random packages there are to be, n by default.
func count(n int) int {
	if asked, err := strconv.Atoi(os.Getenv("PROPERTIES")); err == nil {
		return asked
	}
	return n
}

// properties is a package, as kpt hands it to functions.
type properties struct {
	corpusCase
	list string // the ResourceList, after a function that does nothing
	// made is what each run returned, by its function, config and list.
	made map[string]string
}

func newProperties(t *testing.T, r *randomPackage) *properties {
	t.Helper()
	p := &properties{corpusCase: corpusCase{start: r.files()}, made: map[string]string{}}
	source, err := tool.Source(p.write(t, p.start), "")
	if err != nil {
		t.Fatal(err)
	}
	p.list = p.run(t, source.Stdout, "noop", takenBack)
	return p
}

// run returns the items that a function makes of the items of a ResourceList. Each function runs once over the same
// list with the same config.
func (p *properties) run(t *testing.T, list, function, config string) string {
	t.Helper()
	key := strings.Join([]string{function, config, list}, "\x00")
	if made, ran := p.made[key]; ran {
		return made
	}
	out, err := tool.Feed(function, items(list)+"\nfunctionConfig:\n"+indent(config))
	if err != nil {
		t.Fatalf("%v\nof the package\n%s", err, list)
	}
	before, _, _ := strings.Cut(items(out.Stdout), "\nresults:\n")
	p.made[key] = strings.TrimSuffix(before, "\n")
	return p.made[key]
}

func (p *properties) idempotent(t *testing.T, variant string) {
	t.Helper()
	for _, function := range editors {
		once := p.run(t, p.list, function, variant)
		same(t, function+" run twice", once, p.run(t, once, function, variant))
	}
}

func (p *properties) commuting(t *testing.T, variant string) {
	t.Helper()
	all := func(order ...string) (list string) {
		list = p.list
		for _, function := range order {
			list = p.run(t, list, function, variant)
		}
		return list
	}
	a, b, c := editors[0], editors[1], editors[2]
	want := all(a, b, c)
	for _, order := range [][]string{{a, c, b}, {b, a, c}, {b, c, a}, {c, a, b}, {c, b, a}} {
		same(t, fmt.Sprint("in the order ", order), want, all(order...))
	}
}

// untouched checks that a function leaves every item as it is except those that it edits.
func (p *properties) untouched(t *testing.T, variant string) {
	t.Helper()
	for _, function := range editors {
		after := split(p.run(t, p.list, function, variant))
		for _, item := range split(p.list) {
			if !concerns(function, item) && !slices.Contains(after, item) {
				t.Errorf("%s has changed\n%s", function, item)
			}
		}
	}
}

// concerns reports whether a function may change an item.
func concerns(function, item string) bool {
	switch function {
	case "apply-package-context":
		return strings.Contains(item, "name: kptfile.kpt.dev")
	case "prepend-pipeline":
		return strings.Contains(item, "kind: Kptfile")
	default:
		return strings.Contains(item, "kind: Kptfile") || strings.Contains(item, "kpt.dev/config-injection:")
	}
}

// reversible checks that a package is as before when what a variant adds is removed again. Injection is an exception:
// its conditions and gates go when the points do.
func (p *properties) reversible(t *testing.T, adding string) {
	t.Helper()
	for _, function := range editors[:2] {
		same(t, function+" taken back", p.list, p.run(t, p.run(t, p.list, function, adding), function, takenBack))
	}
	injected := p.run(t, p.list, editors[2], adding)
	same(t, "the points are gone again", withoutPoints(p.list),
		p.run(t, withoutPoints(injected), editors[2], adding))
}

// withoutPoints returns a ResourceList without its injection points.
func withoutPoints(list string) string {
	kept := slices.DeleteFunc(split(list), func(item string) bool {
		return strings.Contains(item, "kpt.dev/config-injection:")
	})
	return strings.TrimSuffix(strings.Join(kept, ""), "\n")
}

// renders checks that the real kpt accepts what the functions make of the package, and runs what they prepend.
func (p *properties) renders(t *testing.T, variant string) {
	t.Helper()
	dir := p.write(t, p.start)
	config := filepath.Join(t.TempDir(), "variant.yaml")
	if err := os.WriteFile(config, []byte(variant), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, function := range editors {
		if _, err := tool.Eval(dir, function, config); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := tool.Render(dir); err != nil {
		t.Errorf("%v\nof the Kptfile\n%s", err, read(t, dir)["Kptfile"])
	}
}

var itemStart = regexp.MustCompile(`(?m)^- `)

// split returns the head of a ResourceList and its items.
func split(list string) []string {
	list += "\n"
	var parts []string
	at := 0
	for _, start := range itemStart.FindAllStringIndex(list, -1) {
		parts = append(parts, list[at:start[0]])
		at = start[0]
	}
	return append(parts, list[at:])
}

func same(t *testing.T, what, want, got string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s\nof\n%s", what, diff, got)
	}
}
