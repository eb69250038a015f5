// SPDX-License-Identifier: Apache-2.0

package merging_test

// removals are resources of which a side removed a map or a list that the other side changed.
var removals = map[string]conflicting{
	"map removed here, key removed upstream": {deploy + "spec:\n  r: {cpu: 1, memory: {a: 1, b: 1}}\n",
		deploy + "spec:\n  r: {memory: {b: 1}}\n", deploy + "spec:\n  x: 1\n", deploy + "spec:\n  x: 1\n",
		deploy + "spec:\n  x: 1\n", nil},
	"map removed here, key added upstream": {deploy + "spec:\n  r: {cpu: 1}\n", deploy + "spec:\n  r: {memory: 1}\n",
		deploy + "spec:\n  x: 1\n", deploy + "spec:\n  x: 1\n  r: {memory: 1}\n", deploy + "spec:\n  x: 1\n",
		[]string{`spec.r: {"cpu":1} | (removed) | {"memory":1}`}},
	"containers removed here, one upstream": {named("web", "side"), named("side"), deploy + "spec: {paused: true}\n",
		deploy + "spec: {paused: true}\n", deploy + "spec: {paused: true}\n", nil},
	"map removed upstream, key added here": {deploy + "spec:\n  r: {cpu: 1}\n", deploy + "spec: {}\n",
		deploy + "spec:\n  r: {cpu: 1, memory: 1}\n", deploy + "spec:\n  r: {memory: 1}\n",
		deploy + "spec:\n  r: {memory: 1}\n", nil},
	"probe removed upstream, field added here": {probe("httpGet: {path: /a}\n          ", 1), pod + "      - name: web\n",
		probe("httpGet: {path: /a}\n          failureThreshold: 3\n          ", 1), pod + "      - name: web\n",
		probe("httpGet: {path: /a}\n          failureThreshold: 3\n          ", 1), []string{probePath +
			`: {"httpGet":{"path":"/a"},"periodSeconds":1} | ` +
			`{"failureThreshold":3,"httpGet":{"path":"/a"},"periodSeconds":1} | (removed)`}},
	"probe removed upstream, field removed here": {probe("httpGet: {path: /a}\n          ", 1), pod + "      - name: web\n",
		pod + "      - name: web\n        livenessProbe:\n          httpGet: {path: /a}\n", pod + "      - name: web\n",
		pod + "      - name: web\n", nil},
	"limits removed upstream, one added here": {pod + "      - name: web\n        resources: {limits: {cpu: 1}}\n",
		pod + "      - name: web\n        resources: {}\n", pod + "      - name: web\n        resources: {limits: {cpu: 1, memory: 1}}\n",
		pod + "      - name: web\n        resources: {limits: {memory: 1}}\n",
		pod + "      - name: web\n        resources: {limits: {memory: 1}}\n", nil},
	"labels removed upstream, one added here": {cm + "  labels: {a: b}\n", cm, cm + "  labels: {a: b, c: d}\n",
		cm + "  labels: {c: d}\n", cm + "  labels: {c: d}\n", nil},
	"key removed upstream, comment changed here": {cm + "data:\n  a: one\n  # c\n  b: x\n", cm + "data:\n  a: one\n",
		cm + "data:\n  a: one\n  # c, and why\n  b: x # mine\n", cm + "data:\n  a: one\n",
		cm + "data:\n  a: one\n  # c, and why\n  b: x # mine\n",
		[]string{"data.b: x | commented # c, and why, # mine | (removed)"}},
	"key removed upstream, comment removed here": {cm + "data:\n  a: one\n  b: x # c\n", cm + "data:\n  a: one\n",
		cm + "data:\n  a: one\n  b: x\n", cm + "data:\n  a: one\n", cm + "data:\n  a: one\n", nil},
	"element without a key removed upstream, commented here": {work + "  args:\n  - a\n  - b # c\n",
		work + "  args:\n  - a\n  - d\n", work + "  args:\n  - a\n  - b # c, and why\n",
		work + "  args:\n  - a\n  - d\n", work + "  args:\n  - a\n  - b # c, and why\n",
		[]string{`spec.args: ["b"] | commented # c, and why | ["d"]`}},
	"container removed upstream, commented here": {named("web", "side"), named("web"), named("web", "side # mine"),
		named("web"), named("web", "side # mine"), []string{"spec.template.spec.containers[name=side]: " +
			`{"name":"side"} | commented # mine | (removed)`}},
	"list without keys removed here, an element upstream": {pod + "      - name: web\n        args: [a, b]\n",
		pod + "      - name: web\n        args: [a]\n", pod + "      - name: web\n",
		pod + "      - name: web\n        args: [a]\n", pod + "      - name: web\n",
		[]string{`spec.template.spec.containers[name=web].args: ["a","b"] | (removed) | ["a"]`}},
}
