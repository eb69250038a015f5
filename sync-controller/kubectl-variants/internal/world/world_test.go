// SPDX-License-Identifier: Apache-2.0

package world

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/scheme"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/snapshot"
)

// object returns a document of a kind with a name, in a namespace unless that is empty.
func object(apiVersion, kind, namespace string) string {
	text := "---\napiVersion: " + apiVersion + "\nkind: " + kind + "\nmetadata:\n  name: one\n"
	if namespace != "" {
		text += "  namespace: " + namespace + "\n"
	}
	if kind == "PackageRevision" {
		text += "  resourceVersion: abc\n"
	}
	if kind == "PackageVariant" {
		return text + "spec: {upstream: {repo: blueprints, package: web, revision: 1}, downstream: {repo: edge, package: web}}\n"
	}
	return text + "spec: {}\n"
}

const (
	ours   = "config.porch.kpt.dev/v1alpha1"
	theirs = "porch.kpt.dev/v1alpha1"
)

// fileOf writes a file.
func fileOf(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "objects.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestNamespace checks which namespace a plan over a snapshot is for, and that it is never guessed.
func TestNamespace(t *testing.T) {
	t.Parallel()
	one, two := object(ours, "Repository", "shop"), object(ours, "Repository", "bank")
	revision := object(theirs, "PackageRevision", "shop")
	for name, c := range map[string]struct{ text, asked, want, message string }{
		"the only one": {text: one + revision, want: "shop"},
		"one of two":   {text: one + two, asked: "bank", want: "bank"},
		"two": {text: one + two, message: "the snapshot FILE has Repositories in more than one namespace, bank, shop: set " +
			"--namespace"},
		"another": {text: one, asked: "other",
			message: `the snapshot FILE has no Repositories in the namespace "other", but in shop: set --namespace`},
		"no Repositories": {text: revision, message: "the snapshot FILE has no Repositories: write them to it by: " +
			"kubectl get repositories -o yaml, or set --namespace"},
		"no Repositories, asked": {text: revision, asked: "shop", want: "shop"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			types, err := scheme.New()
			if err != nil {
				t.Fatal(err)
			}
			file := fileOf(t, c.text)
			w, err := FromFiles(types, file, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := w.Namespace(t.Context(), c.asked, file)
			message := ""
			if err != nil {
				message = strings.ReplaceAll(err.Error(), file, "FILE")
			}
			if diff := cmp.Diff([]string{c.want, c.message}, []string{got, message}); diff != "" {
				t.Errorf("namespace and message (-want +got):\n%s", diff)
			}
		})
	}
}

// TestKinds checks that objects of misspelled kinds or unknown versions are refused, even among good ones.
func TestKinds(t *testing.T) {
	t.Parallel()
	meant := func(kind, of, want string) string {
		return "FILE, line 9: there is no kind " + kind + " of " + of + ": did you mean " + want + "?"
	}
	for name, c := range map[string]struct{ apiVersion, kind, want string }{
		"variant":          {ours, "PackageVarient", meant("PackageVarient", ours, "PackageVariant of "+ours)},
		"set":              {"config.porch.kpt.dev/v1alpha2", "PackageVariantset", meant("PackageVariantset", "config.porch.kpt.dev/v1alpha2", "PackageVariantSet of config.porch.kpt.dev/v1alpha2")},
		"repository":       {ours, "Repositry", meant("Repositry", ours, "Repository of "+ours)},
		"lower case":       {ours, "packagevariant", meant("packagevariant", ours, "PackageVariant of "+ours)},
		"version":          {"config.porch.kpt.dev/v9", "PackageVariant", "FILE, line 9: PackageVariant one is of config.porch.kpt.dev/v9, which is another API: write it as " + ours},
		"group":            {"config.porch.ktp.dev/v1alpha1", "PackageVariant", meant("PackageVariant", "config.porch.ktp.dev/v1alpha1", "PackageVariant of "+ours)},
		"no group":         {"v1alpha1", "PackageVariant", meant("PackageVariant", "v1alpha1", "PackageVariant of "+ours)},
		"both":             {"config.porch.kpt.dev/v9", "PackageVarient", meant("PackageVarient", "config.porch.kpt.dev/v9", "PackageVariant of "+ours)},
		"of somebody else": {"ecr.example.com/v1", "Repository", ""},
		"far":              {"apps/v1", "Deployment", ""},
		"good":             {ours, "Repository", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			types, err := scheme.New()
			if err != nil {
				t.Fatal(err)
			}
			file := fileOf(t, object(ours, "PackageVariant", "shop")+object(c.apiVersion, c.kind, "shop"))
			manifests, err := snapshot.ReadFiles(types, file, true)
			if err != nil {
				t.Fatal(err)
			}
			_, laid := newWorld(nil, nil, nil).Overlay(t.Context(), manifests.Objects, "shop")
			there, err := FromFiles(types, fileOf(t, object(ours, "PackageVariant", "shop")+object(ours, "Repository", "shop")), nil)
			if err != nil {
				t.Fatal(err)
			}
			_, deleted := there.Delete(t.Context(), manifests.Objects, "shop")
			snap := fileOf(t, object(ours, "Repository", "bank")+object(c.apiVersion, c.kind, "shop"))
			_, read := FromFiles(types, snap, nil)
			for what, err := range map[string]error{"overlay": laid, "delete": deleted, "snapshot": read} {
				got := ""
				if err != nil {
					got = strings.NewReplacer(file, "FILE", snap, "FILE").Replace(err.Error())
				}
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", what, diff)
				}
			}
		})
	}
}

// TestNewest checks that each time of an object counts, so that a snapshot is at most as old as is said.
func TestNewest(t *testing.T) {
	t.Parallel()
	const condition = "status: {conditions: [{type: Ready, status: \"True\", reason: a, message: a, lastTransitionTime: \"TIME\"}]}\n"
	const early, late = "2026-11-01T10:00:00Z", "2026-11-20T10:00:00Z"
	timed := func(group, kind, created, more, at string) string {
		text := strings.Replace(object(group, kind, "fleet"), "  name: one\n", "  name: one\n  creationTimestamp: "+created+"\n", 1)
		return text + strings.ReplaceAll(more, "TIME", at)
	}
	for name, text := range map[string]string{
		"a Repository that is ready":   timed(ours, "Repository", early, condition, late),
		"a variant that was made":      timed(ours, "PackageVariant", late, condition, early),
		"a variant that became ready":  timed(ours, "PackageVariant", early, condition, late),
		"a set that became ready":      timed("config.porch.kpt.dev/v1alpha2", "PackageVariantSet", early, condition, late),
		"a revision that was made":     timed(theirs, "PackageRevision", late, "", ""),
		"a revision that is published": timed(theirs, "PackageRevision", early, "status: {publishTimestamp: \"TIME\"}\n", late),
	} {
		types, err := scheme.New()
		if err != nil {
			t.Fatal(err)
		}
		w, err := FromFiles(types, fileOf(t, object(ours, "Repository", "other")+text), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := w.Newest.UTC().Format(time.RFC3339); got != late {
			t.Errorf("%s: the newest is of %s, want %s", name, got, late)
		}
	}
}
