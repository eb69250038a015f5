// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/e2e/internal/proxy"
	"github.com/package-variants/package-variants/e2e/stack"
)

// TestPackageRefused has packages with files that Porch never takes. One has a bad name, which Porch reports at the
// first request; one is not text, for which the controller makes no request. With the cache in PostgreSQL, Porch cannot
// read a Repository that has the latter.
func TestPackageRefused(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", simple())
	of := func(pkg string) func(*variant.Spec) {
		return func(s *variant.Spec) {
			s.Upstream = &variant.Upstream{Repo: "blueprints", Package: pkg, Revision: variant.RevisionNumber(-1)}
		}
	}
	says := map[string]string{"name": "illegal name 'a b.txt'"}
	w.push("blueprints", "main", "name", map[string]string{"Kptfile": kptfile("name"), "a b.txt": "x\n"})
	if w.stack.Cache() == stack.CRCache {
		says["bytes"] = "blueprints.bytes.main is not worked on: logo.png is not text in UTF-8"
		w.push("blueprints", "main", "bytes", map[string]string{"Kptfile": kptfile("bytes"), "logo.png": "\x89PNG\xff"})
	}
	w.readAnew("blueprints")
	for pkg := range says {
		w.Apply(newVariant(pkg, plain, of(pkg)))
	}
	c := w.start()
	for pkg, text := range says {
		if got := w.message(pkg, "PackageRefused"); !strings.Contains(got, text) {
			t.Errorf("the message of %s is %q, want one with %q", pkg, got, text)
		}
		w.expectCondition(pkg, v1alpha1.ConditionStalled, "True", "PackageRefused")
	}
	w.quiet(c)
	if n := proxy.Count(w.proxy.Requests(), isCreate); n != 1 {
		t.Errorf("Porch was asked for %d drafts, want one, of the package with the name", n)
	}
	for _, name := range []string{"bytes", "name"} {
		w.Apply(newVariant(name, plain))
		w.target(name)
	}
}

// TestSaveTooLarge has a package within the bounds that is larger than what Porch accepts in a save: it stalls its
// variant, whose draft is saved once a person has made it smaller.
func TestSaveTooLarge(t *testing.T) {
	w := newWorld(t)
	files := map[string]string{"Kptfile": kptfile("web")}
	for i := range 6 { // Porch accepts 6 MiB, and each line feed takes two bytes
		files[fmt.Sprintf("notes-%d.txt", i)] = strings.Repeat("xxx\n", 240<<10)
	}
	w.push("blueprints", "main", "web", files)
	w.readAnew("blueprints")
	w.Apply(newVariant("web", contextOnly, tag("main")))
	c := w.start()
	const said = "nothing was saved, because all files of the package are sent in one request, and it is larger than Porch " +
		"takes: make the package smaller, or split it ("
	if got := w.message("web", "PackageTooLarge"); !strings.HasPrefix(got, said) {
		t.Errorf("the message is %q, want %q", got, said)
	}
	w.expectCondition("web", v1alpha1.ConditionStalled, "True", "PackageTooLarge")
	w.quiet(c)
	if n := proxy.Count(w.proxy.Requests(), isSave); n != 1 {
		t.Errorf("Porch was asked for %d saves, want one", n)
	}
	// A person makes the draft smaller.
	delete(files, "Kptfile")
	for name := range files {
		files[name] = "short\n"
	}
	w.WriteFiles("edge.web.packagevariant-1", files)
	w.waitFile(w.target("web"), "package-context.yaml", "region: eu")
}
