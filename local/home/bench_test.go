// SPDX-License-Identifier: Apache-2.0

package home

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/local/git/gittest"
	"github.com/package-variants/package-variants/local/manifests"
)

// blueprint returns the files of a package with 22 of them.
func blueprint() map[string]string {
	files := map[string]string{"Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\n"}
	for i := range 21 {
		files[fmt.Sprintf("deployments/%d.yaml", i)] = fmt.Sprintf("apiVersion: apps/v1\nkind: Deployment\nmetadata:\n"+
			"  name: web-%d\nspec:\n  replicas: 1\n  template:\n    spec:\n      containers:\n", i) +
			strings.Repeat("      - name: web\n        image: registry.example.com/web:v1\n", 5)
	}
	return files
}

// BenchmarkFleet makes a draft for each of many variants of one blueprint and pushes them, and then looks at all of them
// from the beginning, as a second run does.
func BenchmarkFleet(b *testing.B) {
	for _, variants := range []int{250, 1000} {
		dir := b.TempDir()
		repositories := fleet(b)
		b.Run(fmt.Sprintf("first/%d", variants), func(b *testing.B) {
			for i := range b.N {
				h := New(Options{Cache: filepath.Join(dir, fmt.Sprint(i)), Fleet: "fleet", Repositories: fleet(b)})
				firstRun(b, h, variants)
			}
			b.ReportMetric(peak(b), "peak-MB")
		})
		h := New(Options{Cache: filepath.Join(dir, "cache"), Fleet: "fleet", Repositories: repositories})
		firstRun(b, h, variants)
		b.Run(fmt.Sprintf("second/%d", variants), func(b *testing.B) {
			for range b.N {
				again := New(Options{Cache: filepath.Join(dir, "cache"), Fleet: "fleet", Repositories: repositories, Ledger: h.Ledger()})
				secondRun(b, again, variants)
			}
		})
	}
}

// peak returns how much memory the process has had, without the git processes that it has started.
func peak(b *testing.B) float64 {
	b.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Skip(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kilobytes, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
	if err != nil {
		b.Fatal(err)
	}
	return kilobytes / 1024
}

func fleet(b *testing.B) (all []manifests.Repository) {
	b.Helper()
	for _, name := range []string{"blueprints", "edge"} {
		remote := gittest.NewRemote(b, name)
		if name == "blueprints" {
			remote.Clone().Push("Publish", gittest.Files("web", blueprint()), "HEAD:refs/heads/main", "HEAD:refs/tags/web/v1")
		}
		all = append(all, repositoryAt(name, "https://git.example.com/"+name, remote.Address()))
	}
	return all
}

func firstRun(b *testing.B, h *Home, variants int) {
	b.Helper()
	must := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	must(h.Fetch(b.Context()))
	for i := range variants {
		name := fmt.Sprintf("web-%d", i)
		r, err := h.Ask(b.Context(), packages.Draft{Namespace: namespace, Package: revision.Package{Repo: "edge", Name: name},
			Workspace: "packagevariant-1", Owner: revision.Owner{Name: name},
			Task: revision.Task{Type: revision.Clone, Source: "blueprints.web.v1"}})
		must(err)
		read, err := h.Read(b.Context(), namespace, r.Name)
		must(err)
		files := maps.Clone(read.Files)
		for file, text := range files {
			files[file] = strings.ReplaceAll(text, "replicas: 1", fmt.Sprintf("replicas: %d", i))
		}
		_, err = h.Save(b.Context(), read, files)
		must(err)
	}
	outcomes := h.Push(b.Context())
	for _, o := range outcomes {
		must(o.Err)
	}
	if len(outcomes) != variants {
		b.Fatalf("%d revisions were pushed", len(outcomes))
	}
	must(h.Close())
}

func secondRun(b *testing.B, h *Home, variants int) {
	b.Helper()
	if err := h.Fetch(b.Context()); err != nil {
		b.Fatal(err)
	}
	if _, err := h.Settle(b.Context()); err != nil {
		b.Fatal(err)
	}
	for i := range variants {
		found, err := h.List(b.Context(), namespace, revision.Package{Repo: "edge", Name: fmt.Sprintf("web-%d", i)})
		if err != nil || len(found) != 1 {
			b.Fatal(found, err)
		}
		if _, err := h.Read(b.Context(), namespace, found[0].Name); err != nil {
			b.Fatal(err)
		}
	}
	if outcomes := h.Push(b.Context()); len(outcomes) > 0 {
		b.Fatal(outcomes)
	}
	if err := h.Close(); err != nil {
		b.Fatal(err)
	}
}
