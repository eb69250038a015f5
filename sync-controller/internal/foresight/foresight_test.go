// SPDX-License-Identifier: Apache-2.0

package foresight

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/sync-controller/internal/revision"
)

const blueprint = `apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: web # lost, as Porch decodes the file
pipeline:
  mutators:
  - image: set-labels:v1
`

var lock = &revision.Lock{Repo: "https://git.example.com/blueprints", Directory: "web", Ref: "web/v1", Commit: "3f1c"}

// TestClone holds what Porch makes of a clone: name, upstream and lock in the Kptfile, marks on the resources, and a
// package context where it is to be deployed.
func TestClone(t *testing.T) {
	t.Parallel()
	const kptfile = `apiVersion: kpt.dev/v1
kind: Kptfile
metadata: # kpt-merge: /eu
  name: eu
  annotations:
    internal.kpt.dev/upstream-identifier: 'kpt.dev|Kptfile|default|eu'
upstream:
  type: git
  git:
    repo: https://git.example.com/blueprints.git
    directory: web
    ref: web/v1
upstreamLock:
  type: git
  git:
    repo: https://git.example.com/blueprints.git
    directory: web
    ref: web/v1
    commit: 3f1c
pipeline:
  mutators:
  - image: set-labels:v1
`
	const context = `apiVersion: v1
kind: ConfigMap
metadata: # kpt-merge: /kptfile.kpt.dev
  name: kptfile.kpt.dev
  annotations:
    config.kubernetes.io/local-config: "true"
    internal.kpt.dev/upstream-identifier: '|ConfigMap|default|kptfile.kpt.dev'
data:
  name: eu
  package-path: eu
`
	upstream := map[string]string{"Kptfile": blueprint, "NOTES.txt": "as it is\n\n"}
	for name, c := range map[string]struct {
		deployment bool
		want       map[string]string
	}{
		"not deployed": {false, map[string]string{"Kptfile": kptfile, "NOTES.txt": "as it is\n\n"}},
		"deployed": {true, map[string]string{"Kptfile": kptfile, "NOTES.txt": "as it is\n\n",
			"package-context.yaml": context}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Clone(upstream, "eu", lock, c.deployment)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff("https://git.example.com/blueprints.git web web/v1 3f1c", lockText(LockOf(got))); diff != "" {
				t.Errorf("lock (-want +got):\n%s", diff)
			}
		})
	}
	if diff := cmp.Diff([]string{"set-labels:v1"}, Pipelines(upstream)); diff != "" {
		t.Errorf("pipelines (-want +got):\n%s", diff)
	}
}

func lockText(l *revision.Lock) string {
	return l.Repo + " " + l.Directory + " " + l.Ref + " " + l.Commit
}

// TestSave holds that Porch brings back the comments of what is saved without them.
func TestSave(t *testing.T) {
	t.Parallel()
	const with = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a # the name\ndata:\n  b: \"1\" # one\n"
	const without = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  b: \"2\"\n"
	const want = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a # the name\ndata:\n  b: \"2\" # one\n"
	got, err := Save(map[string]string{"a.yaml": with}, map[string]string{"a.yaml": without})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"a.yaml": want}, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}
