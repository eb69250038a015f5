// SPDX-License-Identifier: Apache-2.0

package kpt

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/engine/revision"
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

// TestClone checks what Porch makes of a clone: name, upstream and lock in the Kptfile, marks on the resources, and a
// package context in a deployment Repository.
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
	broken := map[string]string{"Kptfile": blueprint, "sub/Kptfile": "pipeline:\n  mutators: [x, {exec: f}]\n  validators: 1\n"}
	if diff := cmp.Diff([]string{"set-labels:v1", "f"}, Pipelines(broken)); diff != "" {
		t.Errorf("pipelines (-want +got):\n%s", diff)
	}
}

func lockText(l *revision.Lock) string {
	return l.Repo + " " + l.Directory + " " + l.Ref + " " + l.Commit
}

// TestSave checks that Porch brings back the comments of what is saved without them.
func TestSave(t *testing.T) {
	t.Parallel()
	const with = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a # the name\ndata:\n  b: \"1\" # one\n"
	const without = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  b: \"2\"\n"
	const want = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a # the name\ndata:\n  b: \"2\" # one\n"
	got, err := NewMemo().Save(map[string]string{"a.yaml": with}, map[string]string{"a.yaml": without})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"a.yaml": want}, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// TestRendered reads what newer Porch says in a Kptfile of the last render, and takes it over into nothing.
func TestRendered(t *testing.T) {
	t.Parallel()
	const rendered = "status:\n  conditions:\n  - type: Rendered\n    status: \"True\"\n"
	const steps = "  renderStatus:\n    mutationSteps:\n    - image: set-labels:v1\n      exitCode: 0\n"
	want, err := Touch(map[string]string{"Kptfile": blueprint + rendered})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Touch(map[string]string{"Kptfile": blueprint + rendered + steps})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// TestUnknown checks that what kpt's types do not know stays, and that what they know of the upstream's upstream goes.
func TestUnknown(t *testing.T) {
	t.Parallel()
	const read = `apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: web # lost
upstream:
  type: git
  preserveExplicitNull: true
pipeline:
  mutators:
  - image: a:v1
  - image: b:v1
    when: "true" # c
    selectors:
    - kind: A
      resourceFileRegexp: ^a/
info:
  newer: {a: [1]}
status:
  other: 1
newest: 1
`
	const stays = `pipeline:
  mutators:
  - image: a:v1
  - image: b:v1
    selectors:
    - kind: A
      resourceFileRegexp: ^a/
    when: "true" # c
status:
  other: 1
newest: 1
`
	touched, err := Touch(map[string]string{"Kptfile": read})
	if err != nil {
		t.Fatal(err)
	}
	want := "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\nupstream:\n  type: git\n  preserveExplicitNull: true\n" +
		"info:\n  newer: {a: [1]}\n" + stays
	if diff := cmp.Diff(want, touched["Kptfile"]); diff != "" {
		t.Errorf("touched (-want +got):\n%s", diff)
	}
	cloned, err := Clone(map[string]string{"Kptfile": read}, "eu", lock, false)
	if err != nil {
		t.Fatal(err)
	}
	want = `apiVersion: kpt.dev/v1
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
info:
  newer: {a: [1]}
` + stays
	if diff := cmp.Diff(want, cloned["Kptfile"]); diff != "" {
		t.Errorf("cloned (-want +got):\n%s", diff)
	}
}

// TestWithContexts checks which package contexts a clone has in a Repository for deployments: one for each package,
// with its name and the path of the root, whatever there was.
func TestWithContexts(t *testing.T) {
	t.Parallel()
	const kptfile, old = "kind: Kptfile\nmetadata:\n  name: web\n", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: kptfile.kpt.dev\n"
	type files = map[string]string
	context := contextOf("web", "eu")
	for name, c := range map[string]struct{ files, want files }{
		"none":         {files{"Kptfile": kptfile}, files{"Kptfile": kptfile, "package-context.yaml": context}},
		"its own":      {files{"Kptfile": kptfile, "package-context.yaml": old}, files{"Kptfile": kptfile, "package-context.yaml": context}},
		"another file": {files{"Kptfile": kptfile, "a/b.yaml": old}, files{"Kptfile": kptfile, "package-context.yaml": context}},
		"a subpackage": {files{"Kptfile": kptfile, "sub/Kptfile": kptfile}, files{"Kptfile": kptfile, "sub/Kptfile": kptfile,
			"package-context.yaml": context, "sub/package-context.yaml": context}},
		"no resources": {files{"Kptfile": kptfile, "a.txt": old, "b.yaml": "a: [\n"}, files{"Kptfile": kptfile, "a.txt": old,
			"b.yaml": "a: [\n", "package-context.yaml": context}},
	} {
		before := maps.Clone(c.files)
		got, err := WithContexts(c.files, "eu")
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v, files (-want +got):\n%s", name, err, diff)
		}
		if diff := cmp.Diff(before, c.files); diff != "" {
			t.Errorf("%s: the files given were changed (-want +got):\n%s", name, diff)
		}
	}
}

// TestWithoutNestedContexts leaves the package context of the root package only.
func TestWithoutNestedContexts(t *testing.T) {
	t.Parallel()
	clone, err := Clone(map[string]string{"Kptfile": blueprint, "sub/Kptfile": blueprint}, "eu", lock, true)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"Porch v1.5": {clone, []string{"Kptfile", "package-context.yaml", "sub/Kptfile", "sub/package-context.yaml"}},
		"newer":      {WithoutNestedContexts(clone), []string{"Kptfile", "package-context.yaml", "sub/Kptfile"}},
	} {
		if diff := cmp.Diff(c.want, sorted(c.files)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestLock gives Kptfiles another lock: their comments stay, and what the lock does not say.
func TestLock(t *testing.T) {
	t.Parallel()
	const before = `# ours
apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: eu # a region
upstream:
  type: git
  git:
    repo: https://git.example.com/old
    directory: web
    ref: web/v1 # the first
  updateStrategy: resource-merge
pipeline:
  mutators:
    - image: set-labels:v1
`
	const after = `# ours
apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: eu # a region
upstream:
  type: git
  git:
    repo: https://git.example.com/blueprints
    directory: web
    ref: web/v1 # the first
  updateStrategy: resource-merge
pipeline:
  mutators:
    - image: set-labels:v1
upstreamLock:
  type: git
  git:
    repo: https://git.example.com/blueprints
    directory: web
    ref: web/v1
    commit: "123456"
`
	got, err := Lock(before, &revision.Lock{Repo: lock.Repo, Directory: "/web", Ref: lock.Ref, Commit: "123456"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(after, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	got, err = Lock(after, &revision.Lock{Repo: lock.Repo, Directory: "/web", Ref: lock.Ref})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Replace(after, "    commit: \"123456\"\n", "", 1), got); diff != "" {
		t.Errorf("without a commit (-want +got):\n%s", diff)
	}
	if _, err := Lock("a: [", lock); err == nil {
		t.Error("a Kptfile that is none has another lock")
	}
}
