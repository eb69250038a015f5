// SPDX-License-Identifier: Apache-2.0

// Package fleettest has a fleet for tests: one git repository with its manifests and all of its packages.
package fleettest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/local/git/gittest"
)

// World is one git repository with a fleet and all of its packages, and a person who works in a clone of it.
type World struct {
	*testing.T
	Remote *gittest.Remote
	People *gittest.Clone
	// Cache is a directory for clones.
	Cache string
}

// Repositories are the manifests of two Repositories. ADDRESS is their git repository.
const Repositories = `
apiVersion: config.porch.kpt.dev/v1alpha1
kind: Repository
metadata: {name: blueprints}
spec: {type: git, git: {repo: ADDRESS, branch: main, directory: blueprints}}
---
apiVersion: config.porch.kpt.dev/v1alpha1
kind: Repository
metadata: {name: edge, labels: {tier: edge}}
spec: {type: git, deployment: true, git: {repo: ADDRESS, branch: main, directory: edge}}
`

// Web is a variant of the blueprint web. What it says of itself is added.
const Web = `
apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata: {name: web}
spec:
  upstream: {repo: blueprints, package: web, revision: latest}
  downstream: {repo: edge, package: web}
  packageContext: {data: {region: north}}
`

// WebSet is a set with a variant of the blueprint web for each Repository of the tier edge.
const WebSet = `
apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata: {name: webs}
spec:
  upstream: {repo: blueprints, package: web, revision: latest}
  targets:
  - objectSelector: {apiVersion: config.porch.kpt.dev/v1alpha1, kind: Repository, matchLabels: {tier: edge}}
    template: {downstream: {package: web}}
`

// Settings returns a file of the blueprint web.
func Settings(size string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  size: " + size +
		"\n  a: a\n  b: b\n  c: c\n  zone: none\n"
}

// New returns a world with manifests and version 1 of the blueprint.
func New(t *testing.T, manifests string) *World {
	t.Helper()
	w := &World{T: t, Remote: gittest.NewRemote(t, "world"), Cache: t.TempDir()}
	w.People = w.Remote.Clone()
	w.People.Commit("Begin", map[string]string{
		"fleet/repositories.yaml":      strings.ReplaceAll(Repositories, "ADDRESS", w.Remote.Address()),
		"fleet/web.yaml":               manifests,
		"blueprints/web/Kptfile":       "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\n",
		"blueprints/web/settings.yaml": Settings("small"),
	})
	w.People.Git("push", "-q", "origin", "HEAD:refs/heads/main", "HEAD:refs/tags/blueprints/web/v1")
	return w
}

// Push has a person commit files to a branch.
func (w *World) Push(branch, message string, files map[string]string, more ...string) {
	w.Helper()
	w.People.Update()
	w.People.Checkout(branch)
	w.People.Push(message, files, append([]string{"HEAD:refs/heads/" + branch}, more...)...)
	w.People.Update()
}

// Merge has a person merge a branch.
func (w *World) Merge(branch string) {
	w.Helper()
	w.People.Update()
	w.People.Merge(branch)
	w.People.Git("push", "-q", "origin", "HEAD:refs/heads/main")
}

// Refs returns the refs of packages and of the state.
func (w *World) Refs() (all []string) {
	w.Helper()
	for _, ref := range w.Remote.Names() {
		if name := strings.TrimPrefix(ref, "refs/"); !strings.Contains(name, "blueprints") && name != "heads/main" {
			all = append(all, name)
		}
	}
	return all
}

// Equal compares what came of something.
func (w *World) Equal(what string, want, got any) {
	w.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		w.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
