// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"testing"

	"github.com/package-variants/package-variants/e2e/internal/controller"
)

// TestReplicas runs two controllers, of which one acts until the other takes over.
func TestReplicas(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", blueprint())
	w.Apply(configMap("eu", map[string]string{"api": "eu"}), newVariant("first"))
	elect := []string{"--leader-elect", "--leader-election-namespace=package-variants-system",
		"--leader-election-lease-duration=2s",
		"--leader-election-renew-deadline=1500ms", "--leader-election-retry-period=200ms"}
	a := w.start(elect...)
	w.target("first")
	b := w.start(elect...)
	const leaderMetric = "leader_election_master_status"
	w.Eventually("the second waits for its turn", func() error {
		families, err := b.Metrics()
		if err == nil && families[leaderMetric] == nil {
			err = fmt.Errorf("it has no %s", leaderMetric)
		}
		return err
	})
	acted := func(p *controller.Process) float64 {
		return p.Metric(reconcilesMetric, nil)
	}
	w.Apply(newVariant("second"))
	w.target("second")
	if acted(a) == 0 || acted(b) != 0 {
		t.Errorf("the leader has reconciled %v times, the other %v", acted(a), acted(b))
	}
	a.Kill()
	w.Apply(newVariant("third"))
	w.target("third")
	c := w.start(elect...)
	if code := b.Stop(); code != 0 {
		t.Errorf("asked to end, the leader ends with code %d", code)
	}
	w.Apply(newVariant("fourth"))
	w.target("fourth")
	if acted(c) == 0 {
		t.Error("the last has not taken over")
	}
	for _, name := range []string{"first", "second", "third", "fourth"} {
		w.expectDrafts(name, "edge."+name+".packagevariant-1")
	}
}
