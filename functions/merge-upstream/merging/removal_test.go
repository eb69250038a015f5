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
	"list without keys removed here, an element upstream": {pod + "      - name: web\n        args: [a, b]\n",
		pod + "      - name: web\n        args: [a]\n", pod + "      - name: web\n",
		pod + "      - name: web\n        args: [a]\n", pod + "      - name: web\n",
		[]string{`spec.template.spec.containers[name=web].args: ["a","b"] | (removed) | ["a"]`}},
}
