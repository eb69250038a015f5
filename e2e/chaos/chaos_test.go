// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/e2e/stack"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// shortRun is how long a run takes without CHAOS_FOR.
	shortRun = 20 * time.Second
	// settle is how long the fleet may take in the end: Porch reads a repository again every ten seconds, and a failure
	// is retried after some minutes at the latest.
	settle = 10 * time.Minute
	image  = "registry.example.com/set-namespace:v1"
)

// alone are the variants without a set. Their names say who approves their drafts: people, the controller, or the
// controller the first and people the others.
var alone = []string{"manual-0", "manual-1", "initial", "auto-0", "auto-1"}

// policies are the approval policies of the variants without a set.
var policies = map[string]variant.ApprovalPolicy{"manual-0": variant.ApprovalPolicyManual, "manual-1": "",
	"initial": variant.ApprovalPolicyInitial, "auto-0": variant.ApprovalPolicyAutomatic,
	"auto-1": variant.ApprovalPolicyAutomatic}

// ofSet is how many variants the set has.
const ofSet = 3

const set = `apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata:
  name: fleet
spec:
  upstream: {repo: blueprints, package: web, revision: latest}
  targets:
  - repositorySelector: {matchExpressions: [{key: wave, operator: Exists}]}
    template: {approvalPolicy: Automatic, injectors: [{name: eu}]}
  rollout:
    waves:
    - {name: canary, selector: {matchLabels: {wave: canary}}}
    - {name: sites, selector: {matchLabels: {wave: sites}}, maxConcurrent: 1}
`

// point is a part of the blueprint that is filled from the ConfigMap eu.
const point = `apiVersion: v1
kind: ConfigMap
metadata:
  name: region # of the edge
  annotations:
    kpt.dev/config-injection: required
data:
  api: none
`

// TestChaos ends with a verdict on all packages; see the package's documentation.
func TestChaos(t *testing.T) {
	duration, seed := fromEnv(t, "CHAOS_FOR", shortRun, time.ParseDuration),
		fromEnv(t, "CHAOS_SEED", 1, func(s string) (uint64, error) { return strconv.ParseUint(s, 10, 64) })
	t.Logf("for %s, with the seed %d: make chaos CHAOS_FOR=%s CHAOS_SEED=%d", duration, seed, duration, seed)
	w := newWorld(t)
	w.populate()
	w.replicas = newReplicas(w)
	d := newDeeds()
	people := newPeople(w, d, rand.New(rand.NewPCG(seed, 1)))
	faults := newFaults(w, w.replicas, rand.New(rand.NewPCG(seed, 2)))

	w.diary.began = time.Now()
	end := w.diary.began.Add(duration)
	var killing sync.WaitGroup
	killing.Go(func() { faults.until(end) })
	people.until(end)
	killing.Wait()
	if t.Failed() {
		return
	}
	t.Logf("people did %v\nkilled were %v", people.did, faults.killed)
	w.diary.note("no more is killed")
	people.finish()
	// Porch then knows what git has, and no more.
	if !faults.endAll([]string{stack.Porch}) {
		return
	}
	people.finish()
	w.addAsked(d)
	o := w.outcome()
	wrong := verdict(o, d)
	for began := time.Now(); len(wrong) > 0 && time.Since(began) < missing; time.Sleep(time.Second) {
		o = w.outcome() // Porch may not have found something for a moment
		wrong = verdict(o, d)
	}
	t.Logf("there are %d revisions, %d of which the controllers asked to approve, and %d edits", len(o.revisions),
		len(d.asked), len(d.written))
	for _, each := range wrong {
		t.Error(each)
	}
}

// fromEnv returns what an environment variable says, or else a default.
func fromEnv[T any](t *testing.T, name string, otherwise T, parse func(string) (T, error)) T {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	value, err := parse(text)
	if err != nil {
		t.Fatalf("the environment variable %s: %v", name, err)
	}
	return value
}

// settings is what a version of the blueprint says.
func settings(version int) string {
	return fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  a: \"1\" # one\n"+
		"  version: \"%d\"\n", version)
}

// newVariant returns a variant of the latest blueprint in the Repository edge, with a function that Porch runs.
func newVariant(name string, policy variant.ApprovalPolicy) *v1alpha1.PackageVariant {
	pv := &v1alpha1.PackageVariant{ObjectMeta: metav1.ObjectMeta{Name: name}}
	pv.Spec = variant.Spec{
		Upstream:       &variant.Upstream{Repo: "blueprints", Package: "web", Revision: variant.Revision{Str: "latest"}},
		Downstream:     &variant.Downstream{Repo: "edge", Package: name},
		PackageContext: &variant.PackageContext{Data: map[string]string{"round": "0"}},
		Injectors:      []variant.InjectionSelector{{Name: "eu"}},
		ApprovalPolicy: policy,
		Pipeline: &variant.Pipeline{Mutators: []variant.Function{{
			Name: "namespace", Image: image, ConfigMap: map[string]string{"namespace": name},
		}}},
	}
	return pv
}

// isManual reports whether people approve all drafts of a package, isInitial whether they approve all but the first.
func isManual(pkg string) bool  { return strings.HasPrefix(pkg, "edge/manual") }
func isInitial(pkg string) bool { return pkg == "edge/initial" }
