// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"strings"
	"testing"
)

// TestSetRefused checks what the API server refuses to store.
func TestSetRefused(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", simple())
	w.prods("edge-1")
	for _, c := range []struct{ fields, template, want string }{
		{"  maxDeletions: 101%\n", "", "must be a number from 0, or a percentage from 0% to 100%"},
		{"  maxDeletions: -1\n", "", "must be a number from 0, or a percentage from 0% to 100%"},
		{"  maxDeletions: abc\n", "", "must be a number from 0, or a percentage from 0% to 100%"},
		{"  upstreams: [{repo: blueprints, package: web, revision: 1}]\n", "",
			"exactly one of upstream, upstreams and upstreamSelector must be set"},
		{"  upstreamSelector: {}\n", "", "exactly one of upstream, upstreams and upstreamSelector must be set"},
		{"", "revisionHistoryLimit: 0", "should be greater than or equal to 1"},
		{"", "approvalPolicy: Automatic, annotations: {approval.nephio.org/policy: always}",
			"approvalPolicy and the annotation approval.nephio.org/policy name two approvers: leave out one of them"},
	} {
		set := simpleSet(t, c.fields, c.template)
		set.Namespace = w.Namespace
		if err := w.Client.Create(t.Context(), set); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s%s: error %v, want %s", c.fields, c.template, err, c.want)
		}
	}
}
