// SPDX-License-Identifier: Apache-2.0

package merging_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
)

// conflicting is a resource that both sides changed.
type conflicting struct {
	original, updated, local string
	// upstream and here are the outcomes with TakeUpstream and KeepLocal.
	upstream, here string
	// want are the conflicts as "field: original | local | updated"; what is taken is checked for all.
	want []string
}

const (
	probePath = "spec.template.spec.containers[name=web].livenessProbe"
	// kustomization begins a Kustomization.
	kustomization = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n"
	work          = "apiVersion: x.io/v1\nkind: Work\nmetadata: {name: a}\nspec:\n"
)

func probe(handler string, period int) string {
	return fmt.Sprintf("%s      - name: web\n        livenessProbe:\n          %speriodSeconds: %d\n", pod, handler, period)
}

// named returns a Deployment with containers of these names.
func named(names ...string) string {
	return pod + "      - name: " + strings.Join(names, "\n      - name: ") + "\n"
}

func volume(source string) string {
	return pod + "      - name: web\n      volumes:\n      - name: v\n        " + source + "\n"
}

func env(value string) string {
	return pod + "      - name: web\n        env:\n        - name: A\n          " + value + "\n"
}

// mounted returns a Deployment with mounts: volume: directory.
func mounted(mounts ...string) string {
	var out strings.Builder
	for _, m := range mounts {
		out.WriteString("        - {name: " + strings.Replace(m, ":", ", mountPath:", 1) + "}\n")
	}
	return pod + "      - name: web\n        volumeMounts:\n" + out.String()
}

// ports returns a Service with these ports.
func ports(all ...string) string {
	return "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec:\n  ports:\n  - " + strings.Join(all, "\n  - ") + "\n"
}

// service returns a Service with a port that is called b.
func service(b string) string {
	return "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec:\n  ports:\n  - {name: a, port: 1}\n  - {name: b, " +
		b + "}\n"
}

var conflicts = map[string]conflicting{
	"scalar": {cm + "data:\n  a: one # was\n  b: x\n", cm + "data:\n  a: two # was\n  b: z\n",
		cm + "data:\n  a: three # mine\n  b: x\n",
		cm + "data:\n  a: two # mine\n  b: z\n", cm +
			"data:\n  a: three # mine\n  b: z\n", []string{"data.a: one | three | two"}},
	"scalar that the upstream comments": {cm + "data:\n  a: one\n  b: x\n", cm + "data:\n  a: two # why\n  b: x # why\n",
		cm + "data:\n  a: three\n  b: y\n", cm + "data:\n  a: two # why\n  b: y # why\n",
		cm + "data:\n  a: three\n  b: y # why\n", []string{"data.a: one | three | two"}},
	"files of a Kustomization": {kustomization + "resources: [a.yaml, b.yaml]\npatches:\n- path: a.yaml\n",
		kustomization + "resources: [a.yaml, b.yaml, pdb.yaml]\npatches:\n- path: a.yaml\n- path: b.yaml\n",
		kustomization + "resources: [a.yaml, hpa.yaml]\npatches:\n- path: a.yaml\n- patch: x\n  target: {kind: Service}\n",
		kustomization + "resources: [a.yaml, hpa.yaml, pdb.yaml]\npatches:\n- path: a.yaml\n- path: b.yaml\n",
		kustomization + "resources: [a.yaml, hpa.yaml, pdb.yaml]\npatches:\n- path: a.yaml\n- patch: x\n  target: {kind: Service}\n",
		[]string{`patches: [{"path":"a.yaml"}] | [{"path":"a.yaml"},{"patch":"x","target":{"kind":"Service"}}] | ` +
			`[{"path":"a.yaml"},{"path":"b.yaml"}]`}},
	"files of a Kustomization, as names": {kustomization + "patches:\n- a.yaml\n- b.yaml\nnameSuffix: a\n",
		kustomization + "patches:\n- a.yaml\n- b.yaml\n- c.yaml\nnameSuffix: b\n",
		kustomization + "patches:\n- b.yaml\n- own.yaml\nnameSuffix: c\n",
		kustomization + "patches:\n- b.yaml\n- own.yaml\n- c.yaml\nnameSuffix: b\n",
		kustomization + "patches:\n- b.yaml\n- own.yaml\n- c.yaml\nnameSuffix: c\n",
		[]string{"nameSuffix: a | c | b"}},
	"scalar of another type": {deploy + "spec: {a: 1}\n", deploy + "spec: {a: \"1\"}\n", deploy + "spec: {a: 2}\n",
		deploy + "spec: {a: \"1\"}\n", deploy + "spec: {a: 2}\n", []string{`spec.a: 1 | 2 | "1"`}},
	"scalar removed here": {cm + "data: {a: one, b: x}\n", cm + "data: {a: two, b: x}\n", cm + "data: {b: x}\n",
		cm + "data: {b: x, a: two}\n", cm + "data: {b: x}\n", []string{"data.a: one | (removed) | two"}},
	"scalar removed upstream": {cm + "data: {a: one, b: x}\n", cm + "data: {b: x}\n", cm + "data: {a: two, b: x}\n",
		cm + "data: {b: x}\n", cm + "data: {a: two, b: x}\n", []string{"data.a: one | two | (removed)"}},
	"scalar added on both sides": {cm + "data: {b: x}\n", cm + "data: {b: x, a: one}\n", cm + "data: {a: two, b: x}\n",
		cm + "data: {a: one, b: x}\n", cm + "data: {a: two, b: x}\n", []string{"data.a:  | two | one"}},
	"null here": {cm + "data:\n  a: one\n", cm + "data:\n  a: two\n", cm + "data: # c\n  a: null # mine\n",
		cm + "data: # c\n  a: two # mine\n", cm + "data: # c\n  a: null # mine\n", []string{"data.a: one | null | two"}},
	"map added on both sides": {cm, cm + "data: {b: x, a: one}\n", cm + "data: {a: two, c: y1}\n",
		cm + "data: {a: one, c: y1, b: x}\n", cm + "data: {a: two, c: y1, b: x}\n", []string{"data.a:  | two | one"}},
	"map removed here": {deploy + "spec:\n  r: {cpu: 1, memory: 1}\n  x: 1\n",
		deploy + "spec:\n  r: {cpu: 2, memory: 1}\n  x: 1\n", deploy + "spec:\n  x: 1\n",
		deploy + "spec:\n  x: 1\n  r: {cpu: 2, memory: 1}\n", deploy +
			"spec:\n  x: 1\n", []string{`spec.r: {"cpu":1,"memory":1} | (removed) | {"cpu":2,"memory":1}`}},
	"map removed upstream": {deploy + "spec:\n  r: {cpu: 1, memory: 1}\n  x: 1\n", deploy + "spec:\n  x: 2\n",
		deploy + "spec:\n  r: {cpu: 2, memory: 1}\n  x: 1\n",
		deploy + "spec:\n  x: 2\n", deploy + "spec:\n  r: {cpu: 2}\n  x: 2\n", []string{"spec.r.cpu: 1 | 2 | (removed)"}},
	"map and scalar": {deploy + "spec:\n  x: 1\n", deploy + "spec:\n  x: {y: 1}\n", deploy + "spec:\n  x: [2]\n",
		deploy + "spec:\n  x: {y: 1}\n", deploy + "spec:\n  x: [2]\n", []string{`spec.x: 1 | [2] | {"y":1}`}},
	"list without keys": {pod + "      - name: web\n        args: [a, b, c]\n",
		pod + "      - name: web\n        args: [a, x, c, d]\n", pod + "      - name: web\n        args: [z, b, c]\n",
		pod + "      - name: web\n        args: [a, x, c, d]\n", pod + "      - name: web\n        args: [z, b, c]\n",
		[]string{`spec.template.spec.containers[name=web].args: [0] a, [1] b | [0] z, [1] b | [0] a, [1] x, [3] d`}},
	"list without keys removed upstream": {pod + "      - name: web\n        args: [a, b]\n", pod + "      - name: web\n",
		pod + "      - name: web\n        args: [a]\n",
		pod + "      - name: web\n", pod + "      - name: web\n        args: [a]\n",
		[]string{`spec.template.spec.containers[name=web].args: ["a","b"] | ["a"] | (removed)`}},
	"element removed here": {pod + "      - name: web\n      - name: side\n        image: s:1\n        tty: true\n",
		pod + "      - name: web\n      - name: side\n        image: s:2\n        tty: true\n", pod + "      - name: web\n",
		pod + "      - name: web\n      - name: side\n        image: s:2\n        tty: true\n", pod + "      - name: web\n",
		[]string{`spec.template.spec.containers[name=side]: {"image":"s:1","name":"side","tty":true} | (removed) | ` +
			`{"image":"s:2","name":"side","tty":true}`}},
	"element removed upstream": {pod + "      - name: web\n      - name: side\n        image: s:1\n",
		pod + "      - name: web\n", pod + "      - name: web\n      - name: side\n        image: s:mine\n",
		pod + "      - name: web\n", pod + "      - name: web\n      - name: side\n        image: s:mine\n",
		[]string{`spec.template.spec.containers[name=side]: ` +
			`{"image":"s:1","name":"side"} | {"image":"s:mine","name":"side"} | (removed)`}},
	"element added on both sides": {pod + "      - name: web\n",
		pod + "      - name: web\n      - name: side\n        image: s:1\n        tty: true\n",
		pod + "      - name: web\n      - name: side\n        image: s:2\n        stdin: true\n",
		pod + "      - name: web\n      - name: side\n        image: s:1\n        stdin: true\n        tty: true\n", pod +
			"      - name: web\n      - name: side\n        image: s:2\n        stdin: true\n        tty: true\n",
		[]string{"spec.template.spec.containers[name=side].image:  | s:2 | s:1"}},
	"port of a protocol": {
		pod + "      - name: dns\n        ports:\n        - {containerPort: 53, protocol: UDP, name: a}\n" +
			"        - {containerPort: 53, protocol: TCP, name: b}\n",
		pod + "      - name: dns\n        ports:\n        - {containerPort: 53, protocol: UDP, name: a}\n" +
			"        - {containerPort: 53, protocol: TCP, name: d}\n",
		pod + "      - name: dns\n        ports:\n        - {containerPort: 53, protocol: UDP, name: a}\n" +
			"        - {containerPort: 53, protocol: TCP, name: e}\n",
		pod + "      - name: dns\n        ports:\n        - {containerPort: 53, protocol: UDP, name: a}\n" +
			"        - {containerPort: 53, protocol: TCP, name: d}\n",
		pod + "      - name: dns\n        ports:\n        - {containerPort: 53, protocol: UDP, name: a}\n" +
			"        - {containerPort: 53, protocol: TCP, name: e}\n",
		[]string{"spec.template.spec.containers[name=dns].ports[containerPort=53,protocol=TCP].name: b | e | d"}},
	"number of a port": {service("port: 2"), service("port: 3"), service("port: 4"), service("port: 3"), service("port: 4"),
		[]string{"spec.ports[name=b].port: 2 | 4 | 3"}},
	"port with a number of its own removed upstream": {service("port: 2"),
		strings.TrimSuffix(service("port: 2"), "  - {name: b, port: 2}\n"), service("port: 4"),
		strings.TrimSuffix(service("port: 2"), "  - {name: b, port: 2}\n"), service("port: 4"), []string{
			`spec.ports[name=b]: {"name":"b","port":2} | {"name":"b","port":4} | (removed)`}},
	"set in another order on both sides": {cm + "  finalizers: [a, b, c]\n", cm + "  finalizers: [b, a, c]\n",
		cm + "  finalizers: [a, c, b]\n", cm + "  finalizers: [b, a, c]\n", cm + "  finalizers: [a, c, b]\n",
		[]string{"metadata.finalizers: in the order a, b, c | in the order a, c, b | in the order b, a, c"}},
	"list of a custom resource": {"apiVersion: x.io/v1\nkind: A\nmetadata: {name: a}\nspec:\n- {name: n, v: 1}\n",
		"apiVersion: x.io/v1\nkind: A\nmetadata: {name: a}\nspec:\n- {name: n, v: 2}\n",
		"apiVersion: x.io/v1\nkind: A\nmetadata: {name: a}\nspec:\n- {name: n, v: 1}\n- {name: mine}\n",
		"apiVersion: x.io/v1\nkind: A\nmetadata: {name: a}\nspec:\n- {name: n, v: 2}\n",
		"apiVersion: x.io/v1\nkind: A\nmetadata: {name: a}\nspec:\n- {name: n, v: 1}\n- {name: mine}\n",
		[]string{`spec: [{"name":"n","v":1}] | [{"name":"n","v":1},{"name":"mine"}] | [{"name":"n","v":2}]`}},
	"a key twice": {pod + "      - name: a\n      - name: a\n",
		pod + "      - name: a\n        tty: true\n      - name: a\n",
		pod + "      - name: a\n      - name: a\n        stdin: true\n",
		pod + "      - name: a\n        tty: true\n      - name: a\n", pod +
			"      - name: a\n      - name: a\n        stdin: true\n",
		[]string{`spec.template.spec.containers: [1] {"name":"a"} | [1] {"name":"a","stdin":true} | [0] {"name":"a","tty":true}`}},
	"values are shortened": {cm + "data: {a: one}\n", cm + "data: {a: \"" + strings.Repeat("ü", 300) + "\"}\n",
		cm + "data: {a: \"1\\n2\"}\n",
		cm + "data: {a: \"" + strings.Repeat("ü", 300) + "\"}\n", cm +
			"data: {a: \"1\\n2\"}\n", []string{`data.a: one | "1\n2" | ` + strings.Repeat("ü", 199) + "…"}},
	"values are shortened to where they differ": {cm + "data: {a: " + strings.Repeat("ü", 300) + "1}\n",
		cm + "data: {a: " + strings.Repeat("ü", 300) + "2}\n", cm + "data: {a: " + strings.Repeat("ü", 300) + "3" +
			strings.Repeat("ü", 300) + "}\n",
		cm + "data: {a: " + strings.Repeat("ü", 300) + "2}\n", cm + "data: {a: " + strings.Repeat("ü", 300) + "3" +
			strings.Repeat("ü", 300) + "}\n",
		[]string{"data.a: …" + strings.Repeat("ü", 39) + "1 | …" + strings.Repeat("ü", 39) + "3" +
			strings.Repeat("ü", 158) + "… | …" + strings.Repeat("ü", 39) + "2"}},
	"values of secrets": {"apiVersion: v1\nkind: Secret\nmetadata: {name: s, labels: {a: b}}\nstringData: {p: one}\n",
		"apiVersion: v1\nkind: Secret\nmetadata: {name: s, labels: {a: c}}\nstringData: {p: two}\n",
		"apiVersion: v1\nkind: Secret\nmetadata: {name: s, labels: {a: d}}\nstringData: {p: three}\n",
		"apiVersion: v1\nkind: Secret\nmetadata: {name: s, labels: {a: c}}\nstringData: {p: two}\n",
		"apiVersion: v1\nkind: Secret\nmetadata: {name: s, labels: {a: d}}\nstringData: {p: three}\n",
		[]string{"metadata.labels.a: b | d | c", "stringData.p: (not shown) | (not shown) | (not shown)"}},
	"annotations of secrets": {secretNoting("one"), secretNoting("two"), secretNoting("three"), secretNoting("two"),
		secretNoting("three"), []string{
			"metadata.annotations.kubectl.kubernetes.io/last-applied-configuration: (not shown) | (not shown) | (not shown)"}},
	"map replaced upstream": {probe("httpGet: {path: /a}\n          ", 1), probe("tcpSocket: {port: 80}\n          ", 2), probe("httpGet: {path: /a, port: 81}\n          ", 1),
		probe("tcpSocket: {port: 80}\n          ", 2), probe("httpGet: {path: /a, port: 81}\n          ", 2), []string{probePath +
			`: {"httpGet":{"path":"/a"}} | {"httpGet":{"path":"/a","port":81}} | {"tcpSocket":{"port":80}}`}},
	"map replaced here": {probe("httpGet: {path: /a}\n          ", 1), probe("httpGet: {path: /a, port: 81}\n          ", 2), probe("tcpSocket: {port: 80}\n          ", 1),
		probe("httpGet: {path: /a, port: 81}\n          ", 2), probe("tcpSocket: {port: 80}\n          ", 2), []string{probePath +
			`: {"httpGet":{"path":"/a"}} | {"tcpSocket":{"port":80}} | {"httpGet":{"path":"/a","port":81}}`}},
	"map replaced on both sides": {probe("httpGet: {path: /a}\n          ", 1), probe("tcpSocket: {port: 80}\n          ", 2), probe("exec: {command: [a]}\n          ", 1),
		probe("tcpSocket: {port: 80}\n          ", 2), probe("exec: {command: [a]}\n          ", 2), []string{probePath +
			`: {"httpGet":{"path":"/a"}} | {"exec":{"command":["a"]}} | {"tcpSocket":{"port":80}}`}},
	"volume added on both sides": {pod + "      - name: web\n      volumes: []\n", volume("emptyDir: {}"), volume("hostPath: {path: /a}"),
		volume("emptyDir: {}"), volume("hostPath: {path: /a}"), []string{
			`spec.template.spec.volumes[name=v]:  | {"hostPath":{"path":"/a"}} | {"emptyDir":{}}`}},
	"volume of another kind": {volume("emptyDir: {}"), volume("persistentVolumeClaim: {claimName: a}"),
		volume("emptyDir: {medium: Memory}"), volume("persistentVolumeClaim: {claimName: a}"),
		volume("emptyDir: {medium: Memory}"), []string{`spec.template.spec.volumes[name=v]: {"emptyDir":{}} | ` +
			`{"emptyDir":{"medium":"Memory"}} | {"persistentVolumeClaim":{"claimName":"a"}}`}},
	"value from elsewhere": {env("value: a"), env("valueFrom: {fieldRef: {fieldPath: b}}"), env("value: c"),
		env("valueFrom: {fieldRef: {fieldPath: b}}"), env("value: c"), []string{
			`spec.template.spec.containers[name=web].env[name=A]: {"value":"a"} | {"value":"c"} | ` +
				`{"valueFrom":{"fieldRef":{"fieldPath":"b"}}}`}},
	"strategy": {deploy + "spec:\n  strategy:\n    type: RollingUpdate\n    rollingUpdate: {maxSurge: 1}\n",
		deploy + "spec:\n  strategy:\n    type: Recreate\n",
		deploy + "spec:\n  strategy:\n    type: RollingUpdate\n    rollingUpdate: {maxSurge: 2}\n",
		deploy + "spec:\n  strategy:\n    type: Recreate\n",
		deploy + "spec:\n  strategy:\n    type: RollingUpdate\n    rollingUpdate: {maxSurge: 2}\n", []string{
			`spec.strategy: {"rollingUpdate":{"maxSurge":1},"type":"RollingUpdate"} | ` +
				`{"rollingUpdate":{"maxSurge":2},"type":"RollingUpdate"} | {"type":"Recreate"}`}},
	"order of a list": {named("a", "b", "c", "d"), named("a", "c", "b", "d"), named("a", "b", "d", "c"),
		named("a", "c", "b", "d"), named("a", "b", "d", "c"), []string{"spec.template.spec.containers: " +
			"in the order b, c, d | in the order b, d, c | in the order c, b, d"}},
	"order of a list of long names": {named("a", long, "b"), named(long, "b", "a"), named(long, "a", "b"),
		named(long, "b", "a"), named(long, "a", "b"), []string{"spec.template.spec.containers: " +
			"in the order …" + long[:40] + ", b | in the order …" + long[:37] + ", a, b | in the order …" + long[:37] + ", b, a"}},
	"map of a custom resource": {work + "  one: {a: 1}\n  x: 1\n", work + "  two: {b: 1}\n  x: 2\n", work + "  one: {a: 2}\n  x: 1\n",
		work + "  two: {b: 1}\n  x: 2\n", work + "  one: {a: 2}\n  x: 2\n", []string{
			`spec: {"one":{"a":1}} | {"one":{"a":2}} | {"two":{"b":1}}`}},
	"numbers in other bases": {work + "  l: [1]\n", work + "  l: [0x1]\n", work + "  l: [1.0]\n",
		work + "  l: [0x1]\n", work + "  l: [1.0]\n", []string{`spec.l: [1] | ["1.0"] | ["0x1"]`}},
	"alias": {deploy + "x: &a {b: 1}\nspec: *a\n", deploy + "x: &a {b: 2}\nspec: *a\n",
		deploy + "x: &a {b: 3}\nspec: *a\n",
		deploy + "x: &a {b: 2}\nspec: *a\n", deploy +
			"x: &a {b: 3}\nspec: *a\n",
		[]string{"x.b: 1 | 3 | 2"}},
}

// TestConflicts checks what both sides changed is named, and which of the two is taken.
func TestConflicts(t *testing.T) {
	t.Parallel()
	cases := maps.Clone(conflicts)
	maps.Copy(cases, removals)
	maps.Copy(cases, portConflicts)
	for name, c := range cases {
		for onConflict, want := range map[merging.OnConflict]string{"": c.here, merging.KeepLocal: c.here,
			merging.TakeUpstream: c.upstream} {
			t.Run(name+"/"+string(onConflict), func(t *testing.T) {
				t.Parallel()
				got, found := merge(t, one(c.original), one(c.updated), one(c.local), merging.Options{OnConflict: onConflict})
				if diff := cmp.Diff(with(one(want)), got); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
				for _, f := range found {
					taken := merging.SideLocal
					if onConflict == merging.TakeUpstream {
						taken = merging.SideUpstream
					}
					if f.File != "a.yaml" || f.Resource == "" || f.Taken != taken {
						t.Errorf("conflict %+v", f)
					}
				}
				if diff := cmp.Diff(c.want, differences(found)); diff != "" {
					t.Errorf("conflicts -want +got:\n%s", diff)
				}
			})
		}
	}
}

// TestUnknownVersion checks that lists are merged as those of the API version which the resource has in the end.
func TestUnknownVersion(t *testing.T) {
	t.Parallel()
	known, unknown := pod+"      - name: mine\n", strings.Replace(pod, "apps/v1", "apps/g1", 1)+"      - name: web\n"
	for onConflict, want := range map[merging.OnConflict]string{merging.TakeUpstream: unknown,
		merging.KeepLocal: pod + "      - name: mine\n      - name: web\n"} {
		got, _ := merge(t, one(cm), one(unknown), one(known), merging.Options{OnConflict: onConflict})
		if diff := cmp.Diff(with(one(want)), got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", onConflict, diff)
		}
	}
}

// TestRemoved checks that a conflict of any kind says of a side without a value that it removed the value.
func TestRemoved(t *testing.T) {
	t.Parallel()
	digests := map[string]string{"1": "1 bytes, sha256 6b86b273ff34", "2": "1 bytes, sha256 d4735e3a265e",
		cmv1: "80 bytes, sha256 52204d82787b", cmv2: "80 bytes, sha256 381be25d73cd"}
	for name, c := range map[string]struct {
		original, updated, local files
		want                     merging.Conflict
	}{
		"a field here": {one(cm + "data: {a: one}\n"), one(cm + "data: {a: two}\n"), one(cm),
			merging.Conflict{File: "a.yaml", Resource: `ConfigMap "settings"`, Field: "data", Original: `{"a":"one"}`,
				Local: "(removed)", Updated: `{"a":"two"}`, Taken: "local"}},
		"a field upstream": {one(cm + "data: {a: one, b: x}\n"), one(cm + "data: {b: x}\n"), one(cm + "data: {a: two, b: x}\n"),
			merging.Conflict{File: "a.yaml", Resource: `ConfigMap "settings"`, Field: "data.a", Original: "one", Local: "two",
				Updated: "(removed)", Taken: "local"}},
		"a field that says so": {one(cm + "data: {a: one}\n"), one(cm + "data: {a: two}\n"), one(cm + "data: {a: (removed)}\n"),
			merging.Conflict{File: "a.yaml", Resource: `ConfigMap "settings"`, Field: "data.a", Original: "one",
				Local: "(removed)", Updated: "two", Taken: "local"}},
		"added on both sides": {one(cm), one(cm + "data: {a: one}\n"), one(cm + "data: {a: two}\n"),
			merging.Conflict{File: "a.yaml", Resource: `ConfigMap "settings"`, Field: "data.a", Local: "two", Updated: "one",
				Taken: "local"}},
		"a resource here": {files{"a.yaml": cmv1, "b.yaml": deploy}, files{"a.yaml": cmv2, "b.yaml": deploy},
			files{"b.yaml": deploy}, merging.Conflict{File: "a.yaml", Resource: `ConfigMap "settings"`,
				Original: digests[cmv1], Local: "(removed)", Updated: digests[cmv2], Taken: "local"}},
		"a resource upstream": {files{"a.yaml": cmv1, "b.yaml": deploy}, files{"b.yaml": deploy},
			files{"a.yaml": cmv2, "b.yaml": deploy}, merging.Conflict{File: "a.yaml", Resource: `ConfigMap "settings"`,
				Original: digests[cmv1], Local: digests[cmv2], Updated: "(removed)", Taken: "local"}},
		"a secret here": {files{"a.yaml": secret("one"), "b.yaml": deploy}, files{"a.yaml": secret("two"), "b.yaml": deploy},
			files{"b.yaml": deploy}, merging.Conflict{File: "a.yaml", Resource: `Secret "settings"`, Original: "(not shown)",
				Local: "(removed)", Updated: "(not shown)", Taken: "local"}},
		"a file with a secret": {files{"a.yaml": secret("one") + "---\n" + secret("one")},
			files{"a.yaml": secret("two") + "---\n" + secret("one")}, files{"a.yaml": secret("three") + "---\n" + secret("one")},
			merging.Conflict{File: "a.yaml", Original: "(not shown)", Local: "(not shown)", Updated: "(not shown)",
				Taken: "local"}},
		"a file that is no YAML, with a secret": {files{"a.json": "{\"kind\": \"Secret\", data: [1"},
			files{"a.json": "{\"kind\": \"Secret\", data: [2"}, files{},
			merging.Conflict{File: "a.json", Original: "(not shown)", Local: "(removed)", Updated: "(not shown)", Taken: "local"}},
		"JSON that is not read": {files{"a.json": `["\/1"]`}, files{"a.json": `["\/2"]`}, files{},
			merging.Conflict{File: "a.json", Original: `7 bytes, sha256 e31e4926c0cd: it is JSON with an escape that YAML lacks, such as \/`,
				Local: "(removed)", Updated: `7 bytes, sha256 650a25171ac9: it is JSON with an escape that YAML lacks, such as \/`, Taken: "local"}},
		"a file here": {files{"n.txt": "1"}, files{"n.txt": "2"}, files{},
			merging.Conflict{File: "n.txt", Original: digests["1"], Local: "(removed)", Updated: digests["2"], Taken: "local"}},
		"a file upstream": {files{"n.txt": "1"}, files{}, files{"n.txt": "2"},
			merging.Conflict{File: "n.txt", Original: digests["1"], Local: digests["2"], Updated: "(removed)", Taken: "local"}},
		"the subpackage of a file": {files{"a.yaml": cmv1, "s/Kptfile": kptfile},
			files{"a.yaml": cmv1, "s/Kptfile": kptfile, "s/n.txt": "1"}, one(cmv1),
			merging.Conflict{File: "s/n.txt", Local: "(removed)", Updated: digests["1"], Taken: "local"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, found := merge(t, c.original, c.updated, c.local, merging.Options{})
			if diff := cmp.Diff([]merging.Conflict{c.want}, found); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// secretNoting returns a Secret with what kubectl notes of it.
func secretNoting(value string) string {
	return "apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\n  annotations:\n" +
		"    kubectl.kubernetes.io/last-applied-configuration: '{\"stringData\":{\"p\":\"" + value + "\"}}'\n"
}

func secret(value string) string {
	return strings.Replace(cm, "ConfigMap", "Secret", 1) + "stringData: {a: " + value + "}\n"
}
