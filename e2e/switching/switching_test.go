// SPDX-License-Identifier: Apache-2.0

package switching

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/e2e/internal/controller"
	"github.com/package-variants/package-variants/e2e/internal/fleet"
	"github.com/package-variants/package-variants/e2e/internal/process"
	"github.com/package-variants/package-variants/e2e/internal/proxy"
	"github.com/package-variants/package-variants/e2e/stack"
	"github.com/package-variants/package-variants/e2e/stack/stacktest"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

const (
	namespace = "fleet"
	point     = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: region\n  annotations:\n" +
		"    kpt.dev/config-injection: required\ndata:\n  api: none\n"
	more = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: more\n"
	// What a user of Porch's controllers has on the cluster.
	manifests = `apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata: {name: web}
spec:
  upstream: {repo: blueprints, package: web, revision: 1}
  targets:
  - repositorySelector: {matchLabels: {env: prod}}
    template:
      packageContext: {data: {tier: gold}, dataExprs: [{key: region, valueExpr: "repository.labels['region']"}]}
      injectors: [{kind: ConfigMap, nameExpr: "repository.labels['region']"}]
---
apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata: {name: shop}
spec:
  upstream: {repo: blueprints, package: web, revision: 1}
  downstream: {repo: edge-1, package: shop}
  injectors: [{name: eu}]
`
)

var (
	root       = filepath.Join("..", "..")
	thisConfig = filepath.Join(root, "sync-controller", "config") // the installation of this version
)

// world is a stack with a fleet in it.
type world struct {
	*fleet.Fleet
	t     *testing.T
	stack *stack.Stack
	proxy *proxy.Proxy
	// kubeconfig leads to the proxy.
	kubeconfig string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	s := stacktest.Start(t, stack.Options{})
	w := &world{Fleet: fleet.New(t, s, namespace), t: t, stack: s}
	w.proxy, w.kubeconfig = proxy.StartFor(t, s.Config, proxy.Options{})
	w.Repository("blueprints", nil, false)
	w.Repository("edge-1", map[string]string{"env": "prod", "region": "eu"}, true)
	w.Repository("edge-2", map[string]string{"env": "prod", "region": "us"}, true)
	w.Publish("blueprints", "web", "v1", map[string]string{"region.yaml": point})
	w.Apply(configMap("eu", "eu"), configMap("us", "us"))
	return w
}

func configMap(name, api string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"api": api}}
}

// start starts this project's controller.
func (w *world) start(args ...string) *controller.Process {
	w.t.Helper()
	p := controller.Start(w.t, controller.Options{Kubeconfig: w.kubeconfig,
		Args: append([]string{"--log-format=text"}, args...)})
	p.WaitReady(w.t.Context())
	return p
}

// variants returns the names of the variants, and the reasons of their condition Ready.
func (w *world) variants() map[string]string {
	w.t.Helper()
	var list v1alpha1.PackageVariantList
	if err := w.Client.List(w.t.Context(), &list, client.InNamespace(namespace)); err != nil {
		w.t.Fatal(err)
	}
	out := map[string]string{}
	for _, pv := range list.Items {
		out[pv.Name] = ""
		if c := meta.FindStatusCondition(pv.Status.Conditions, v1alpha1.ConditionReady); c != nil {
			out[pv.Name] = c.Reason
		}
	}
	return out
}

// packages returns all revisions of the edges with their files.
func (w *world) packages() map[string]map[string]string {
	w.t.Helper()
	out := map[string]map[string]string{}
	for _, place := range [][2]string{{"edge-1", "web"}, {"edge-2", "web"}, {"edge-1", "shop"}, {"edge-2", "life"},
		{"edge-1", "roll"}, {"edge-2", "roll"}, {"edge-1", "still"}, {"edge-1", "asked"}, {"edge-2", "torn"}} {
		for _, r := range w.Revisions(place[0], place[1]) {
			out[fmt.Sprintf("%s (%s of %s)", r.Name, r.Spec.Lifecycle, r.OwnerReferences[0].Name)] = w.Files(r.Name)
		}
	}
	return out
}

func (w *world) expectReasons(want map[string]string) {
	w.t.Helper()
	w.Eventually("the variants are ready", func() error {
		if diff := cmp.Diff(want, w.variants()); diff != "" {
			return fmt.Errorf("-want +got:\n%s", diff)
		}
		return nil
	})
}

// applyText applies manifests.
func (w *world) applyText(text string) {
	w.t.Helper()
	applyText(w.t, w.stack, text)
}

// applyText applies manifests to a stack.
func applyText(t *testing.T, s *stack.Stack, text string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "manifests.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := s.Kubectl(t.Context(), "apply", "--namespace="+namespace, "--filename="+file); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// startPorchs starts Porch's own controllers.
func (w *world) startPorchs() *process.Process {
	w.t.Helper()
	p, err := process.Start(w.t.TempDir(), "porch-controllers",
		filepath.Join(os.Getenv("TOOLS_BIN"), "porch-controllers"),
		[]string{"KUBECONFIG=" + w.stack.Kubeconfig}, "--reconcilers=*")
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(p.Kill)
	return p
}

// upgrades raises the upstream's revision and waits until the last revision of each package has what is new, and what
// was injected.
func (w *world) upgrades() {
	w.t.Helper()
	w.Publish("blueprints", "web", "v2", map[string]string{"region.yaml": point, "more.yaml": more})
	w.applyText(strings.ReplaceAll(manifests, "revision: 1}", "revision: 2}"))
	for place, api := range map[[2]string]string{{"edge-1", "web"}: "eu", {"edge-2", "web"}: "us-2", {"edge-1", "shop"}: "eu"} {
		w.Eventually(fmt.Sprintf("%v is upgraded", place), func() error {
			revisions, err := w.ListRevisions(place[0], place[1])
			if err != nil || len(revisions) == 0 {
				return fmt.Errorf("there are %d revisions, %w", len(revisions), err)
			}
			files, err := w.GetFiles(revisions[len(revisions)-1].Name)
			if err == nil && (files["more.yaml"] == "" || injected(files["region.yaml"]) != api) {
				err = fmt.Errorf("the variants are %v; more.yaml is %q, region.yaml is\n%s", w.variants(), files["more.yaml"],
					files["region.yaml"])
			}
			return err
		})
	}
}

// switchesBack runs Porch's own controllers on what this project's left: no package is lost or made a second time. They
// do not merge into open drafts, as this project's does, so they wait until the upgraded drafts are published.
func (w *world) switchesBack() {
	w.t.Helper()
	before, uids := w.lifecycles(), w.uids()
	reasons := map[string]string{}
	for name := range uids {
		reasons[name] = "Error"
	}
	w.startPorchs()
	w.expectReasons(reasons)
	if diff := cmp.Diff(before, w.lifecycles()); diff != "" {
		w.t.Errorf("Porch's controllers have other packages (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(uids, w.uids()); diff != "" {
		w.t.Errorf("Porch's controllers have other variants (-before +after):\n%s", diff)
	}
}

// lifecycles returns the lifecycles of all revisions of the edges.
func (w *world) lifecycles() map[string]string {
	w.t.Helper()
	out := map[string]string{}
	for _, place := range [][2]string{{"edge-1", "web"}, {"edge-2", "web"}, {"edge-1", "shop"}} {
		for _, r := range w.Revisions(place[0], place[1]) {
			out[r.Name] = string(r.Spec.Lifecycle)
		}
	}
	return out
}

// TestSwitch runs Porch's own controllers, then this project's on what they left, and theirs again: the objects and
// packages are the same, this project's controller makes and writes nothing before something changes, and it finds the
// base of what theirs have made.
func TestSwitch(t *testing.T) {
	w := newWorld(t)
	w.applyText(manifests)
	porch := w.startPorchs()
	names := map[string]string{"web-edge-1-web": "UpToDate", "web-edge-2-web": "UpToDate", "shop": "UpToDate"}
	// One is published. Porch's controllers never settle, and report an error whenever two of their writes conflict:
	// the test waits for their writes, and not for their reports. After some conflicts, a minute passes before they try
	// again.
	w.Timeout = 4 * time.Minute
	w.Eventually("the drafts are injected", func() error {
		for _, name := range []string{"edge-1.web.packagevariant-1", "edge-2.web.packagevariant-1",
			"edge-1.shop.packagevariant-1"} {
			files, err := w.GetFiles(name)
			if err != nil {
				return fmt.Errorf("%w; the variants are %v", err, w.variants())
			}
			if !slices.Contains([]string{"eu", "us"}, injected(files["region.yaml"])) {
				return fmt.Errorf("%s has:\n%s", name, files["region.yaml"])
			}
		}
		return nil
	})
	porch.Kill()
	w.Propose("edge-2.web.packagevariant-1")
	w.Approve("edge-2.web.packagevariant-1")
	before := w.packages()
	uids := w.uids()

	c := w.start()
	w.expectReasons(names)
	w.Eventually("the set is ready", func() error {
		var set v1alpha2.PackageVariantSet
		if err := w.Client.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: "web"}, &set); err != nil {
			return err
		}
		if set.Status.Ready != 2 {
			return fmt.Errorf("its status is %+v", set.Status)
		}
		return nil
	})
	if diff := cmp.Diff(before, w.packages()); diff != "" {
		t.Errorf("the packages have changed (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(uids, w.uids()); diff != "" {
		t.Errorf("the variants are others (-before +after):\n%s", diff)
	}
	for _, r := range w.proxy.Requests() {
		if proxy.IsWrite(r) && r.Group == "porch.kpt.dev" {
			t.Errorf("a package was written: %s", r)
		}
	}
	// And they follow what changes.
	w.Apply(configMap("us", "us-2"))
	w.Eventually("the published package is edited", func() error {
		revisions, err := w.ListRevisions("edge-2", "web")
		if err == nil && len(revisions) != 2 {
			err = fmt.Errorf("there is no draft")
		}
		return err
	})
	w.upgrades()
	c.Stop()
	w.switchesBack()
}

// injected returns the value of the injected key.
func injected(text string) string {
	var cm struct {
		Data map[string]string `json:"data"`
	}
	if err := yaml.Unmarshal([]byte(text), &cm); err != nil {
		return ""
	}
	return cm.Data["api"]
}

func (w *world) uids() map[string]string {
	w.t.Helper()
	out := map[string]string{}
	for name := range w.variants() {
		out[name] = string(w.Variant(name).UID)
	}
	return out
}

// TestPorchRestarts stops Porch itself for a while in which objects change and variants come, and starts it again.
func TestPorchRestarts(t *testing.T) {
	w := newWorld(t)
	pv := func(name string) *v1alpha1.PackageVariant {
		var pv v1alpha1.PackageVariant
		text := "metadata: {name: " + name + "}\nspec:\n  upstream: {repo: blueprints, package: web, revision: 1}\n" +
			"  downstream: {repo: edge-1, package: " + name + "}\n  injectors: [{name: eu}]\n"
		if err := yaml.UnmarshalStrict([]byte(text), &pv); err != nil {
			t.Fatal(err)
		}
		return &pv
	}
	w.Apply(pv("web"))
	c := w.start()
	w.Ready("web")
	if err := w.stack.StopPorch(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.Apply(configMap("eu", "eu-2"), pv("shop"))
	w.WaitReason("web", "PorchUnavailable")
	w.WaitReason("shop", "PorchUnavailable")
	if err := w.stack.StartPorch(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.Ready("shop")
	w.Ready("web")
	for _, name := range []string{"web", "shop"} {
		revisions := w.Revisions("edge-1", name)
		if len(revisions) != 1 {
			t.Fatalf("%s has %d revisions", name, len(revisions))
		}
		if got := injected(w.Files(revisions[0].Name)["region.yaml"]); got != "eu-2" {
			t.Errorf("%s has %q injected", revisions[0].Name, got)
		}
	}
	if code := c.Stop(); code != 0 {
		t.Errorf("the controller ends with code %d", code)
	}
}
