// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/e2e/internal/controller"
	"github.com/package-variants/package-variants/e2e/internal/fleet"
	"github.com/package-variants/package-variants/e2e/internal/machine"

	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// neighbor is a variant whose package context somebody changes while there is much to do in other namespaces.
type neighbor struct {
	w    *world
	took []time.Duration // from each change to the draft that has it
}

// newNeighbor returns a variant of blueprints/web that has its draft.
func (w *world) newNeighbor() *neighbor {
	w.t.Helper()
	w.Fleet.Apply(newVariant("web", contextOnly))
	w.target("web")
	return &neighbor{w: w}
}

// change changes the variant, waits for its draft, and prints how long that took.
func (n *neighbor) change(beside string) {
	n.w.t.Helper()
	began, zone := time.Now(), fmt.Sprintf("zone-%d", len(n.took)+1)
	n.w.Fleet.Apply(newVariant("web", contextOnly, func(s *variant.Spec) { s.PackageContext.Data["zone"] = zone }))
	n.w.waitFile("edge.web.packagevariant-1", "package-context.yaml", "zone: "+zone)
	n.took = append(n.took, time.Since(began))
	n.w.t.Logf("the neighbor's change was drafted in %.1f s beside %s", time.Since(began).Seconds(), beside)
}

// startLimited starts a controller with the memory limit of the Deployment, and waits until it is ready.
func startLimited(t *testing.T, options controller.Options) *controller.Process {
	t.Helper()
	options.Env = []string{fmt.Sprintf("GOMEMLIMIT=%d", memoryLimit)}
	c := controller.Start(t, options)
	c.WaitReady(t.Context())
	return c
}

// expectAlive fails the test if the controller has ended, or has taken more memory than its limit.
func expectAlive(t *testing.T, c *controller.Process) {
	t.Helper()
	select {
	case <-c.Ended():
		t.Fatal("the controller has ended")
	default:
	}
	usage, err := machine.Use(c.PID())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the controller had %d MiB at most", usage.PeakBytes>>20)
	if usage.PeakBytes >= memoryLimit {
		t.Errorf("the controller had %d MiB, and may have %d", usage.PeakBytes>>20, memoryLimit>>20)
	}
}

// TestManyVariants has one set make many variants in one namespace, with the memory limit of the Deployment. A
// neighbor's changes are drafted meanwhile, and all variants become ready. MANY sets how many there are, and MANY_FOR
// after what time the test ends even if not all are ready.
func TestManyVariants(t *testing.T) {
	rare(t)
	many := fromEnv(t, "MANY", 40, strconv.Atoi)
	repositories := max(20, many/100)
	limit := fromEnv(t, "MANY_FOR", time.Hour, time.ParseDuration)
	w := newWorld(t)
	other := fleet.New(t, w.stack, w.Namespace+"-other")
	w.Publish("blueprints", "web", "v1", simple())
	other.Repository("blueprints", nil, false)
	other.Publish("blueprints", "web", "v1", simple())
	var targets []v1alpha2.RepositoryTarget
	for i := range repositories {
		target := v1alpha2.RepositoryTarget{Name: fmt.Sprintf("edge-%d", i)}
		other.Repository(target.Name, nil, true)
		for j := range many / repositories {
			target.PackageNames = append(target.PackageNames, fmt.Sprintf("p%d", j))
		}
		targets = append(targets, target)
	}
	set := newSet(t, setOver("[]"))
	set.Spec.Targets[0].Repositories = targets
	options := w.options()
	options.Namespaces = append(options.Namespaces, other.Namespace)
	c := startLimited(t, options)

	n := w.newNeighbor()
	for range 5 {
		n.change("nothing")
	}
	idle := slices.Sorted(slices.Values(n.took))[2]
	n.took = nil
	other.Apply(set)
	began, ready := time.Now(), 0
	for ready < many && time.Since(began) < limit {
		ready = readyIn(t, other)
		n.change(fmt.Sprintf("%d of %d ready variants", ready, many))
	}
	took := slices.Sorted(slices.Values(n.took))
	t.Logf("%d variants were ready after %.0f s; the neighbor waited %.2f s idle, and then %.2f s, at most %.2f s",
		ready, time.Since(began).Seconds(), idle.Seconds(), took[len(took)/2].Seconds(), took[len(took)-1].Seconds())
	if _, cut := os.LookupEnv("MANY_FOR"); ready < many && !cut {
		t.Errorf("%d of %d variants are ready", ready, many)
	}
	expectAlive(t, c)
}

// readyIn returns how many variants of a fleet are ready.
func readyIn(t *testing.T, of *fleet.Fleet) (ready int) {
	t.Helper()
	var list v1alpha1.PackageVariantList
	if err := of.Client.List(t.Context(), &list, client.InNamespace(of.Namespace)); err != nil {
		t.Fatal(err)
	}
	for i := range list.Items {
		if meta.IsStatusConditionTrue(list.Items[i].Status.Conditions, v1alpha1.ConditionReady) {
			ready++
		}
	}
	return ready
}
