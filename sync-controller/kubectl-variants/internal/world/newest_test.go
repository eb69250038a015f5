// SPDX-License-Identifier: Apache-2.0

package world

import (
	"strings"
	"testing"
	"time"

	"github.com/package-variants/package-variants/sync-controller/internal/kube/scheme"
)

// TestNewest checks that each time of an object counts, so that a snapshot is at most as old as is said.
func TestNewest(t *testing.T) {
	t.Parallel()
	const condition = "status: {conditions: [{type: Ready, status: \"True\", reason: a, message: a, lastTransitionTime: \"TIME\"}]}\n"
	const head = "apiVersion: GROUP\nkind: KIND\nmetadata: {name: a, namespace: fleet, resourceVersion: \"1\", creationTimestamp: \"CREATED\"}\n"
	object := func(group, kind, created, more, at string) string {
		return strings.NewReplacer("GROUP", group, "KIND", kind, "CREATED", created, "TIME", at).Replace(head+more) + "---\n"
	}
	const v1, v2, revision = "config.porch.kpt.dev/v1alpha1", "config.porch.kpt.dev/v1alpha2", "porch.kpt.dev/v1alpha1"
	const early, late = "2026-11-01T10:00:00Z", "2026-11-20T10:00:00Z"
	timeless := strings.Replace(object(v1, "Repository", "", "", ""), ", creationTimestamp: \"\"", "", 1)
	for name, c := range map[string]struct{ objects, want string }{
		"no time":                      {timeless, ""},
		"a Repository that is ready":   {object(v1, "Repository", early, condition, late), late},
		"a variant that was made":      {object(v1, "Repository", early, "", "") + object(v1, "PackageVariant", late, condition, early), late},
		"a variant that became ready":  {timeless + object(v1, "PackageVariant", early, condition, late), late},
		"a set that became ready":      {timeless + object(v2, "PackageVariantSet", early, condition, late), late},
		"a revision that was made":     {object(revision, "PackageRevision", late, "", ""), late},
		"a revision that is published": {object(revision, "PackageRevision", early, "status: {publishTimestamp: \"TIME\"}\n", late), late},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			types, err := scheme.New()
			if err != nil {
				t.Fatal(err)
			}
			w, err := FromFiles(types, fileOf(t, c.objects), nil)
			if err != nil {
				t.Fatal(err)
			}
			newest, err := Newest(t.Context(), w)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if !newest.IsZero() {
				got = newest.UTC().Format(time.RFC3339)
			}
			if got != c.want {
				t.Errorf("the newest is of %q, want %q", got, c.want)
			}
		})
	}
}
