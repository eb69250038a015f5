// SPDX-License-Identifier: Apache-2.0

package merging_test

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
)

const (
	kptfile = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\n"
	cm      = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n"
	deploy  = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n"
)

type files = map[string]string

// with returns the files of a package, with a Kptfile unless there is one.
func with(f files) files {
	out := files{"Kptfile": kptfile}
	maps.Copy(out, f)
	return out
}

// one returns a package with one resource.
func one(text string) files { return files{"a.yaml": text} }

// mounts returns a Deployment that mounts a volume in these directories.
func mounts(directories ...string) string {
	return pod + "      - name: web\n        volumeMounts:\n        - {name: v, mountPath: /" +
		strings.Join(directories, "}\n        - {name: v, mountPath: /") + "}\n"
}

// merge merges, and checks what holds for every merge: that merging the result again changes nothing.
func merge(t *testing.T, original, updated, local files, options merging.Options) (files, []merging.Conflict) {
	t.Helper()
	original, updated, local = with(original), with(updated), with(local)
	got, conflicts, err := merging.Merge(original, updated, local, options)
	if err != nil {
		t.Fatal(err)
	}
	again, _, err := merging.Merge(original, updated, got, options)
	if err != nil {
		t.Fatalf("a second merge fails: %v", err)
	}
	if diff := cmp.Diff(got, again); diff != "" {
		t.Errorf("a second merge changes the package (-first +second):\n%s", diff)
	}
	areUnsettled(t, got, conflicts)
	return got, conflicts
}

// areUnsettled checks that nobody has decided conflicts of which nobody has touched the package.
func areUnsettled(t *testing.T, got files, conflicts []merging.Conflict) {
	t.Helper()
	for i := range conflicts {
		if merging.Settled(got, &conflicts[i]) {
			t.Errorf("%+v is settled", conflicts[i])
		}
	}
}

// TestMerge checks what becomes of a resource in which each part was changed by one side only.
func TestMerge(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ original, updated, local, want string }{
		"nothing changed upstream": {cm + "data: {a: 1}\n", cm + "data:\n  a: 1\n",
			cm + "data:\n\n  # c\n  'a': 2\n", cm + "data:\n\n  # c\n  'a': 2\n"},
		"nothing changed here": {cm + "data: {a: 1}\n", "# u\n" + cm + "data:\n\n  a: 2\n",
			cm + "data: {a: 1}\n", "# u\n" + cm + "data:\n\n  a: 2\n"},
		"different fields": {cm + "data:\n  a: one\n  b: two\n", cm + "data:\n  a: one\n  b: three\n",
			cm + "data: # mine\n  b: two # b\n  a: ONE # a\n", cm + "data: # mine\n  b: three # b\n  a: ONE # a\n"},
		"same change": {cm + "data:\n  a: one\n", cm + "data:\n  a: two\n",
			cm + "data:\n  a: 'two' # mine\n", cm + "data:\n  a: 'two' # mine\n"},
		"field added upstream": {cm + "data:\n  a: one\n", cm + "data:\n  # new\n  b: two\n  a: one\n",
			cm + "data:\n  a: ONE\n", cm + "data:\n  a: ONE\n  # new\n  b: two\n"},
		"field added here": {cm + "data:\n  a: one\n", cm + "data:\n  a: two\n",
			cm + "data:\n  a: one\n  b: mine\n", cm + "data:\n  a: two\n  b: mine\n"},
		"field removed upstream": {cm + "data:\n  a: one\n  b: two\n", cm + "data:\n  a: one\n",
			cm + "data:\n  a: ONE\n  b: two\n", cm + "data:\n  a: ONE\n"},
		"field removed here": {cm + "data:\n  a: one\n  b: two\n", cm + "data:\n  a: two\n  b: two\n",
			cm + "data:\n  a: one\n", cm + "data:\n  a: two\n"},
		"map removed here": {deploy + "spec:\n  a: one\n  b: {c: 1}\n",
			deploy + "spec:\n  a: two\n  b: {c: 1}\n", deploy + "spec:\n  a: one\n", deploy + "spec:\n  a: two\n"},
		"map removed upstream": {deploy + "spec:\n  a: one\n  b: {c: 1}\n", deploy + "spec:\n  a: one\n",
			deploy + "spec:\n  a: two\n  b: {c: 1}\n", deploy + "spec:\n  a: two\n"},
		"empty map removed upstream": {deploy + "spec:\n  emptyDir: {}\n  a: 1\n",
			deploy + "spec:\n  configMap: {name: c}\n  a: 1\n", deploy + "spec:\n  emptyDir: {}\n  a: 2\n",
			deploy + "spec:\n  a: 2\n  configMap: {name: c}\n"},
		"key added to what the upstream removes": {deploy + "spec:\n  b: {c: 1}\n", deploy + "spec: {}\n",
			deploy + "spec:\n  b: {c: 1, d: 2}\n", deploy + "spec:\n  b: {d: 2}\n"},
		"null here": {deploy + "spec:\n  a: 1\n  b: null\n",
			deploy + "spec:\n  a: 2\n  b: null\n", deploy + "spec:\n  a: 1\n  b: null # mine\n",
			deploy + "spec:\n  a: 2\n  b: null # mine\n"},
		"null upstream": {deploy + "spec:\n  a: 1\n  b: 1\n", deploy + "spec:\n  a: null\n  b: 1\n",
			deploy + "spec:\n  a: 1\n  b: 2\n", deploy + "spec:\n  a: null\n  b: 2\n"},
		"null here, value upstream": {deploy + "spec:\n  a: null\n  b: 1\n", deploy + "spec:\n  a: 1\n  b: 1\n",
			deploy + "spec:\n  a: null\n  b: 2\n", deploy + "spec:\n  a: 1\n  b: 2\n"},
		"type changes": {deploy + "spec:\n  a: one # c\n  b: 1\n",
			deploy + "spec:\n  a: {b: c}\n  b: 1\n", deploy + "spec:\n  a: one # c\n  b: 2\n",
			deploy + "spec:\n  a: {b: c}\n  b: 2\n"},
		"number becomes text": {deploy + "spec:\n  a: 1\n  b: 1\n", deploy + "spec:\n  a: \"1\"\n  b: 1\n",
			deploy + "spec:\n  a: 1\n  b: 2\n", deploy + "spec:\n  a: \"1\"\n  b: 2\n"},
		"API version changes": {"apiVersion: apps/v1beta1\nkind: Deployment\nmetadata: {name: web}\n" +
			"spec: {replicas: 1}\n", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n" +
			"spec: {replicas: 1}\n", "apiVersion: apps/v1beta1\nkind: Deployment\nmetadata: {name: web}\n" +
			"spec: {replicas: 2}\n", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 2}\n"},
		"word that needs quotes": {cm + "data:\n  a: on-off\n  b: x\n", cm + "data:\n  a: \"yes\"\n  b: x\n",
			cm + "data:\n  a: on-off\n  b: y1\n", cm + "data:\n  a: \"yes\"\n  b: y1\n"},
		"quotes of the package": {cm + "data:\n  a: one\n  b: x\n", cm + "data:\n  a: two\n  b: x\n",
			cm + "data:\n  a: 'one'\n  b: y1\n", cm + "data:\n  a: 'two'\n  b: y1\n"},
		"text of several lines": {cm + "data:\n  a: |\n    one\n  b: x\n",
			cm + "data:\n  a: |\n    one\n    two\n  b: x\n", cm + "data:\n  a: \"one\\n\"\n  b: y1\n",
			cm + "data:\n  a: |\n    one\n    two\n  b: y1\n"},
		"folded text": {cm + "data:\n  b: x\n", cm + "data:\n  b: y1\n",
			cm + "data:\n  a: >-\n    one\n\n      two\n  b: x\n", cm + "data:\n  a: >-\n    one\n\n      two\n  b: y1\n"},
		"folded text, nothing changed upstream": {cm + "data:\n  b: x\n", cm + "data:\n  b: x\n",
			cm + "data:\n  a: >-\n    one\n\n      two\n  b: y1\n", cm + "data:\n  a: >-\n    one\n\n      two\n  b: y1\n"},
		"folded text of the upstream": {cm + "data:\n  b: x\n",
			cm + "data:\n  a: >-\n    one\n\n      two\n  b: x\n", cm + "data:\n  b: y1\n",
			cm + "data:\n  b: y1\n  a: \"one\\n\\n  two\"\n"},
		"comment changes upstream": {cm + "data:\n  a: one # old\n  b: x\n",
			cm + "data:\n  a: two # new\n  b: x\n", cm + "data:\n  a: one # old\n  b: y1\n",
			cm + "data:\n  a: two # new\n  b: y1\n"},
		"list changes upstream": {deploy + "spec:\n  args: [a, b]\n  b: 1\n",
			deploy + "spec:\n  args:\n  - a\n  - c\n  b: 1\n", deploy + "spec:\n  args: [a, b]\n  b: 2\n",
			deploy + "spec:\n  args:\n  - a\n  - c\n  b: 2\n"},
		"list only looks different upstream": {deploy + "spec:\n  args: [a, b]\n  b: 1\n",
			deploy + "spec:\n  args:\n  - a # x\n  - b\n  b: 3\n", deploy + "spec:\n  args: [a, b, mine]\n  b: 1\n",
			deploy + "spec:\n  args: [a, b, mine]\n  b: 3\n"},
		"alias": {deploy + "x: &a {b: 1}\nspec: *a\n", deploy + "x: &a {b: 2}\nspec: *a\n",
			deploy + "x: &a {b: 1} # mine\nspec: *a\n", deploy + "x: &a {b: 2} # mine\nspec: *a\n"},
		"no kind": {"a: 1\nb: 1\n", "a: 2\nb: 1\n", "a: 1\nb: 3\n", "a: 2\nb: 3\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, conflicts := merge(t, one(c.original), one(c.updated), one(c.local), merging.Options{})
			if diff := cmp.Diff(with(one(c.want)), got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if len(conflicts) > 0 {
				t.Errorf("conflicts: %+v", conflicts)
			}
		})
	}
}

const pod = deploy + "spec:\n  template:\n    spec:\n      containers:\n"

// TestLists checks how lists with merge keys are merged.
func TestLists(t *testing.T) {
	t.Parallel()
	const web, sidecar = "      - name: web\n        image: web:1\n", "      - name: side\n        image: side:1\n"
	for name, c := range map[string]struct{ original, updated, local, want string }{
		"element added on each side": {pod + web, pod + web + sidecar,
			pod + web + "      - name: mine\n        image: mine:1\n",
			pod + web + "      - name: mine\n        image: mine:1\n" + sidecar},
		"element removed upstream": {pod + web + sidecar, pod + web,
			pod + "      - name: web\n        image: web:mine\n" + sidecar,
			pod + "      - name: web\n        image: web:mine\n"},
		"element removed here": {pod + web + sidecar, pod + "      - name: web\n        image: web:2\n" + sidecar,
			pod + web, pod + "      - name: web\n        image: web:2\n"},
		"fields of an element": {pod + web, pod + "      - name: web\n        image: web:2\n",
			pod + "      - image: web:1 # pinned\n        name: web\n        tty: true\n",
			pod + "      - image: web:2 # pinned\n        name: web\n        tty: true\n"},
		"other order upstream": {pod + web + sidecar, pod + sidecar + "      - name: web\n        image: web:2\n",
			pod + "      # first\n" + web + sidecar + "      - name: mine\n",
			pod + sidecar + "      # first\n      - name: web\n        image: web:2\n      - name: mine\n"},
		"ports of two protocols": {
			pod + web + "        ports:\n        - containerPort: 53\n          protocol: UDP\n",
			pod + web + "        ports:\n        - containerPort: 53\n          protocol: UDP\n          name: dns\n" +
				"        - containerPort: 53\n          protocol: TCP\n",
			pod + web + "        ports:\n        - containerPort: 53\n          protocol: UDP\n          hostPort: 53\n",
			pod + web + "        ports:\n        - containerPort: 53\n          protocol: UDP\n          hostPort: 53\n" +
				"          name: dns\n        - containerPort: 53\n          protocol: TCP\n",
		},
		"protocol only upstream": {
			pod + web + "        ports:\n        - containerPort: 80\n", pod + web +
				"        ports:\n        - containerPort: 80\n          protocol: TCP\n          name: http\n",
			pod + web + "        ports:\n        - containerPort: 80\n          hostPort: 80\n", pod + web +
				"        ports:\n        - containerPort: 80\n          hostPort: 80\n          protocol: TCP\n" +
				"          name: http\n",
		},
		"a port with another number here": {service("port: 2"), service("port: 2, targetPort: 5"), service("port: 4"),
			service("port: 4, targetPort: 5")},
		"a port with another number upstream": {service("port: 2"), service("port: 3"), service("port: 2, targetPort: 5"),
			service("port: 3, targetPort: 5")},
		"a port whose number another one gets upstream": {service("port: 2"),
			service("port: 3") + "  - {name: c, port: 2}\n", service("port: 2, nodePort: 30002"),
			service("port: 3, nodePort: 30002") + "  - {name: c, port: 2}\n"},
		"a port with another number upstream, and that number here": {service("port: 2"), service("port: 3"),
			service("port: 2") + "  - {name: c, port: 3, protocol: UDP}\n",
			service("port: 3") + "  - {name: c, port: 3, protocol: UDP}\n"},
		"a port with another name here and another number upstream": {ports("{name: b, port: 2}"),
			ports("{name: b, port: 3}"), ports("{name: mine, port: 2}"), ports("{name: mine, port: 3}")},
		"the only port with another number upstream": {ports("{port: 2}"), ports("{port: 3}"),
			ports("{port: 2, nodePort: 30002}"), ports("{port: 3, nodePort: 30002}")},
		"the number of a port with the other protocol": {service("port: 2"),
			service("port: 2") + "  - {name: c, port: 2, protocol: UDP}\n",
			service("port: 2, nodePort: 30002") + "  - {name: d, port: 4}\n",
			service("port: 2, nodePort: 30002") + "  - {name: d, port: 4}\n  - {name: c, port: 2, protocol: UDP}\n"},
		"the number of a container's port with the other protocol": {pod + web + "        ports:\n        - containerPort: 53\n",
			pod + web + "        ports:\n        - containerPort: 53\n        - containerPort: 53\n          protocol: UDP\n",
			pod + web + "        ports:\n        - containerPort: 53\n          hostPort: 53\n",
			pod + web + "        ports:\n        - containerPort: 53\n          hostPort: 53\n        - containerPort: 53\n" +
				"          protocol: UDP\n"},
		"a mount of another volume": {mounts("a", "b"), mounts("a"),
			mounts("a", "b") + "        - {name: w, mountPath: /c}\n", mounts("a") + "        - {name: w, mountPath: /c}\n"},
		"mounts of one volume": {mounts("a", "b"), mounts("a", "c"), mounts("a", "b", "d"), mounts("a", "d", "c")},
		"a key twice": {
			pod + web + "        env:\n        - name: A\n        - name: A\n", pod + web +
				"        env:\n        - name: A\n          value: x\n        - name: A\n",
			pod + web + "        env:\n        - name: A\n        - name: A\n        tty: true\n", pod + web +
				"        env:\n        - name: A\n          value: x\n        - name: A\n        tty: true\n",
		},
		"finalizers": {
			deploy + "  finalizers: [a, b]\n", deploy + "  finalizers: [a, b, c]\n", deploy +
				"  finalizers: [b, mine]\n", deploy + "  finalizers: [b, mine, c]\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, conflicts := merge(t, one(c.original), one(c.updated), one(c.local), merging.Options{})
			if diff := cmp.Diff(with(one(c.want)), got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if len(conflicts) > 0 {
				t.Errorf("conflicts: %+v", conflicts)
			}
		})
	}
}

// TestStop checks that a conflict, and nothing else, stops a merge with Stop.
func TestStop(t *testing.T) {
	t.Parallel()
	o, u, l := with(one(cm+"data: {a: one}\n")), with(one(cm+"data: {a: two}\n")), with(one(cm+"data: {a: three}\n"))
	got, conflicts, err := merging.Merge(o, u, l, merging.Options{OnConflict: merging.Stop})
	want := []merging.Conflict{{File: "a.yaml", Resource: `ConfigMap "settings"`, Field: "data.a", Original: "one",
		Local: "three", Updated: "two", Taken: "local"}}
	if diff := cmp.Diff(want, conflicts); diff != "" || got != nil || !errors.Is(err, merging.ErrConflicts) {
		t.Errorf("files %v, %v, conflicts -want +got:\n%s", got, err, diff)
	}
	if got, conflicts := merge(t, o, u, o, merging.Options{OnConflict: merging.Stop}); got["a.yaml"] != u["a.yaml"] ||
		len(conflicts) > 0 {
		t.Errorf("%v, %v", got, conflicts)
	}
}
