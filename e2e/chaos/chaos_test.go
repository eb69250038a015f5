// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/e2e/internal/controller"
	"github.com/package-variants/package-variants/e2e/internal/fleet"
	"github.com/package-variants/package-variants/e2e/internal/proxy"
	"github.com/package-variants/package-variants/e2e/stack"
	"github.com/package-variants/package-variants/e2e/stack/stacktest"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

const (
	// shortRun is how long a run is where CHAOS_FOR says nothing.
	shortRun = 20 * time.Second
	// settle is how long the fleet may take in the end: Porch reads a repository anew every ten seconds, and what failed
	// is tried again after some minutes at the latest.
	settle = 4 * time.Minute
	image  = "registry.example.com/set-namespace:v1"
)

// manual and automatic are the variants without a set, whose drafts people approve, and the controller.
var manual, automatic = []string{"manual-0", "manual-1"}, []string{"auto-0", "auto-1"}

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

// world is the fleet.
type world struct {
	*fleet.Fleet
	t     *testing.T
	stack *stack.Stack
	// kubeconfig is by which the controllers reach the Kubernetes API, with the rights that they have in a cluster.
	kubeconfig string
}

// TestChaos ends with a verdict on all packages; see the package's documentation.
func TestChaos(t *testing.T) {
	duration, seed := fromEnv(t, "CHAOS_FOR", shortRun, time.ParseDuration),
		fromEnv(t, "CHAOS_SEED", 1, func(s string) (uint64, error) { return strconv.ParseUint(s, 10, 64) })
	t.Logf("for %s, with the seed %d", duration, seed)
	w := newWorld(t)
	w.populate()
	replicas := newReplicas(w)
	people := newPeople(w, rand.New(rand.NewPCG(seed, 1)))
	faults := newFaults(w, replicas, rand.New(rand.NewPCG(seed, 2)))

	end := time.Now().Add(duration)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		faults.until(end)
	}()
	people.until(end)
	<-stopped
	if t.Failed() {
		return
	}
	t.Logf("people did %v\nkilled were %v", people.done, faults.killed)
	people.finish()
	w.judge(people)
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

// newWorld returns a namespace in a stack of its own, with the Repositories.
func newWorld(t *testing.T) *world {
	t.Helper()
	s := stacktest.Start(t, stack.Options{Functions: map[string]string{
		image: filepath.Join(os.Getenv("TOOLS_BIN"), "set-namespace"),
	}})
	w := &world{Fleet: fleet.New(t, s, "chaos"), t: t, stack: s}
	w.Timeout = settle
	if err := controller.Install(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if out, err := s.Kubectl(t.Context(), "create", "rolebinding", "approver", "--namespace="+w.Namespace,
		"--clusterrole=package-variants-approver", "--user="+controller.Account); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Cleanup(w.tell)
	w.kubeconfig = filepath.Join(t.TempDir(), "kubeconfig")
	p, err := proxy.Start(s.Config, proxy.Options{ImpersonateUser: controller.Account, ImpersonateGroups: []string{
		"system:serviceaccounts", "system:authenticated"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	if err := p.Kubeconfig(w.kubeconfig); err != nil {
		t.Fatal(err)
	}
	w.Repository("blueprints", nil, false)
	w.Repository("edge", nil, true)
	w.Repository("alpha", map[string]string{"wave": "canary"}, false)
	w.Repository("north", map[string]string{"wave": "sites"}, false)
	w.Repository("south", map[string]string{"wave": "sites"}, false)
	return w
}

// tell tells how the fleet stands, if the test has failed.
func (w *world) tell() {
	if !w.t.Failed() {
		return
	}
	for _, what := range [][]string{{"packagerevisions"}, {"packagevariants", "--output=wide"},
		{"packagevariants,packagevariantsets", "--output=yaml"}} {
		args := append([]string{"get", "--namespace=" + w.Namespace}, what...)
		out, err := w.stack.Kubectl(context.Background(), args...) // the test's context has ended
		w.t.Logf("%v: %v\n%s", args, err, out)
	}
}

// populate makes the blueprint, the fact and the variants.
func (w *world) populate() {
	w.t.Helper()
	w.Publish("blueprints", "web", "v1", map[string]string{"region.yaml": point, "settings.yaml": settings(1)})
	w.Apply(fact(0))
	for _, name := range manual {
		w.Apply(newVariant(name, variant.ApprovalPolicyManual))
	}
	for _, name := range automatic {
		w.Apply(newVariant(name, variant.ApprovalPolicyAutomatic))
	}
	var s v1alpha2.PackageVariantSet
	if err := yaml.UnmarshalStrict([]byte(set), &s); err != nil {
		w.t.Fatal(err)
	}
	w.Apply(&s)
}

// settings is what a version of the blueprint says.
func settings(version int) string {
	return fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  a: \"1\" # one\n"+
		"  version: \"%d\"\n", version)
}

// fact is what is injected.
func fact(round int) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "eu"}, Data: map[string]string{"api": strconv.Itoa(round)}}
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

// isAutomatic reports whether the controller approves the drafts of a downstream package.
func isAutomatic(pkg string) bool { return !strings.HasPrefix(pkg, "manual") }
