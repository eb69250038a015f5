// SPDX-License-Identifier: Apache-2.0

package merging_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
)

var portConflicts = map[string]conflicting{
	"number of the only port": {ports("{port: 2}"), ports("{port: 3}"), ports("{port: 4}"), ports("{port: 3}"),
		ports("{port: 4}"), []string{"spec.ports[port=4].port: 2 | 4 | 3"}},
	"port added with two numbers": {ports("{name: a, port: 1}"), service("port: 2"), service("port: 3"), service("port: 2"),
		service("port: 3"), []string{"spec.ports[name=b].port:  | 3 | 2"}},
	"number of a port that another one has here": {service("port: 2"), service("port: 3"),
		service("port: 2") + "  - {name: c, port: 3}\n", service("port: 3"),
		service("port: 2") + "  - {name: c, port: 3}\n", []string{
			`spec.ports: [1] {"name":"b","port":2} | [1] {"name":"b","port":2}, [2] {"name":"c","port":3} | [1] {"name":"b","port":3}`}},
	"port by its number removed upstream and another by its name": {service("port: 2"), ports("{name: a, port: 1}"),
		ports("{name: a, port: 1}", "{name: c, port: 2}", "{name: b, port: 3}"), ports("{name: a, port: 1}"),
		ports("{name: a, port: 1}", "{name: c, port: 2}", "{name: b, port: 3}"), []string{
			`spec.ports: [1] {"name":"b","port":2} | [1] {"name":"c","port":2}, [2] {"name":"b","port":3} | ` +
				`without [1] {"name":"b","port":2}`}},
	"mount removed upstream, that the package has twice": {mounted("v: a", "w: b"), mounted("v: a"),
		mounted("v: a", "w: b, readOnly: true", "w: c"), mounted("v: a", "w: c"),
		mounted("v: a", "w: b, readOnly: true", "w: c"), []string{
			`spec.template.spec.containers[name=web].volumeMounts[mountPath=b]: {"mountPath":"b","name":"w"} | ` +
				`{"mountPath":"b","name":"w","readOnly":true} | (removed)`}},
}

// TestRandomPorts merges random ports and mounts, with names and numbers that come and go: merging again changes nothing.
func TestRandomPorts(t *testing.T) {
	t.Parallel()
	for seed := range uint64(1500) {
		r := rand.New(rand.NewPCG(seed, 3))
		element, list := func(name string, number int) string {
			return fmt.Sprintf("{name: %s, %s: %d%s}", name, []string{"port", "containerPort"}[seed%2], number,
				[]string{"", ", hostPort: 1"}[r.IntN(2)])
		}, ports
		switch seed % 4 {
		case 1:
			list = containerPorts
		case 3:
			list = mounted
			element = func(name string, number int) string { return fmt.Sprintf("%c: %d", name[0]&^2|1, number) }
		}
		version := func() string {
			var all []string
			numbers := r.Perm(4)
			for _, i := range r.Perm(4)[:1+r.IntN(3)] {
				all = append(all, element([]string{"a", "b", "c", "d"}[i], 1+numbers[i]))
			}
			return list(all...)
		}
		original, updated, local := version(), version(), version()
		for _, onConflict := range []merging.OnConflict{merging.TakeUpstream, merging.KeepLocal} {
			t.Run("", func(t *testing.T) { check(t, original, updated, local, onConflict) })
		}
		if t.Failed() {
			t.Fatalf("seed %d:\n%s\n===\n%s\n===\n%s", seed, original, updated, local)
		}
	}
}

// containerPorts returns a Deployment with these ports.
func containerPorts(all ...string) string {
	out := pod + "      - name: web\n        ports:\n"
	for _, p := range all {
		out += "        - " + p + "\n"
	}
	return out
}
