// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	stdsync "sync"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/e2e/internal/controller"
	"github.com/package-variants/package-variants/e2e/internal/fleet"
	"github.com/package-variants/package-variants/e2e/internal/proxy"
	"github.com/package-variants/package-variants/e2e/stack"
	"github.com/package-variants/package-variants/e2e/stack/stacktest"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// registry and version are those of the images in whose place Porch runs functions: ours, and one of the catalog.
	registry, version = "registry.example.com", "v1"
	contextImage      = registry + "/apply-package-context:" + version
	namespaceImage    = registry + "/set-namespace:" + version
	// account is who the controller is.
	account = "system:serviceaccount:package-variants-system:sync-controller"
)

var shared *stack.Stack

// TestMain runs the tests four at a time, unless -parallel says otherwise: they wait more than they work.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
	functions := ours()
	functions[namespaceImage] = filepath.Join(os.Getenv("TOOLS_BIN"), "set-namespace")
	os.Exit(stacktest.Main(m, &shared, stack.Options{Functions: functions}))
}

// ours are our functions, by their images.
func ours() map[string]string {
	functions := map[string]string{}
	for _, name := range []string{"apply-package-context", "prepend-pipeline", "inject-config", "expand-variantset"} {
		functions[registry+"/"+name+":"+version] = filepath.Join(os.Getenv("FUNCTIONS_BIN"), name)
	}
	return functions
}

// runtime is how the controllers run functions: builtin, or porch, by image. All tests are run with each.
var runtime = os.Getenv("FUNCTION_RUNTIME")

// runtimeArgs are the controllers' arguments for a runtime; by image, at the function-runner.
func runtimeArgs(runtime, runner string) []string {
	if runtime == "" || runtime == "builtin" {
		return nil
	}
	return []string{"--function-runtime=" + runtime, "--function-runner=" + runner, "--function-registry=" + registry, "--function-version=" + version}
}

// install gives the controller its permissions, and to read ConfigMaps, as an administrator does. There is no controller
// here that aggregates roles, so the role is bound by itself.
var install = stdsync.OnceValue(func() error {
	ctx := context.Background()
	config := filepath.Join("..", "..", "sync-controller", "config")
	for _, args := range [][]string{
		{"apply", "--server-side", "-f", filepath.Join(config, "1-namespace.yaml"), "-f", filepath.Join(config, "2-service-account.yaml"),
			"-f", filepath.Join(config, "3-cluster-role.yaml"), "-f", filepath.Join(config, "5-leader-election-role.yaml")},
		{"create", "clusterrole", "read-configmaps", "--verb=get,list,watch", "--resource=configmaps"},
		{"create", "clusterrolebinding", "read-configmaps", "--clusterrole=read-configmaps", "--serviceaccount=package-variants-system:sync-controller"},
	} {
		if out, err := shared.Kubectl(ctx, args...); err != nil {
			return fmt.Errorf("%w\n%s", err, out)
		}
	}
	return nil
})

// world is where one test takes place.
type world struct {
	*fleet.Fleet
	t          *testing.T
	proxy      *proxy.Proxy
	kubeconfig string
	dir        string
	// runtime are the controllers' arguments for how functions run.
	runtime []string
	// random are the texts of the drafts that differ from run to run, each with what stands for it; only is how the names
	// begin of those drafts of which there are the same in each run.
	random []string
	only   string
	// compared is whether the drafts have been held against the golden file.
	compared bool
}

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// newWorld returns a namespace with the Repositories blueprints and edge. No controller runs yet.
func newWorld(t *testing.T) *world {
	t.Helper()
	t.Parallel()
	namespace := strings.Trim(notInNames.ReplaceAllString(strings.ToLower(t.Name()), "-"), "-")
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("what Porch logged last of %s:\n%s", namespace, porchLog(t, namespace))
		}
	})
	w := &world{t: t, Fleet: fleet.New(t, shared, namespace), dir: t.TempDir(), runtime: runtimeArgs(runtime, shared.FunctionRunner())}
	t.Cleanup(w.compareDrafts)
	if err := install(); err != nil {
		t.Fatal(err)
	}
	p, err := proxy.Start(shared.Config, proxy.Options{ImpersonateUser: account, ImpersonateGroups: []string{
		"system:serviceaccounts", "system:authenticated"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	w.proxy, w.kubeconfig = p, filepath.Join(w.dir, "kubeconfig")
	if err := p.Kubeconfig(w.kubeconfig); err != nil {
		t.Fatal(err)
	}
	w.Repository("blueprints", nil, false)
	w.Repository("edge", nil, true)
	return w
}

// porchLog returns the last lines of Porch's log about a namespace.
func porchLog(t *testing.T, namespace string) string {
	t.Helper()
	const last = 60
	log, err := os.ReadFile(filepath.Join(shared.Dir, "porch.log"))
	if err != nil {
		return err.Error()
	}
	var lines []string
	for line := range strings.Lines(string(log)) {
		if strings.Contains(line, namespace) && !strings.Contains(line, "httplog.go") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-last):], "")
}

// start starts a controller for the namespace.
func (w *world) start(args ...string) *controller.Process {
	w.t.Helper()
	p := controller.Start(w.t, w.options(append([]string{"--log-level=debug"}, args...)...))
	w.t.Cleanup(w.compareDrafts) // before the controller is ended
	p.WaitReady(w.t.Context())
	return p
}

// options are those of a controller for the namespace.
func (w *world) options(args ...string) controller.Options {
	return controller.Options{
		Kubeconfig: w.kubeconfig, Namespaces: []string{w.Namespace}, Args: slices.Concat([]string{"--log-format=text"}, w.runtime, args), Dir: w.dir,
	}
}

// The blueprint: an injection point and a package context, each with comments.
const (
	point = `# what the region knows
apiVersion: v1
kind: ConfigMap
metadata:
  name: region # of the edge
  annotations:
    kpt.dev/config-injection: required
data:
  api: none
`
	settings = `apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
data:
  a: "1" # one
  b: "2"
`
)

func blueprint() map[string]string {
	return map[string]string{"region.yaml": point, "settings.yaml": settings}
}

// simple is a blueprint without injection points.
func simple() map[string]string { return map[string]string{"settings.yaml": settings} }

// newVariant returns a variant of the blueprint web in the Repository edge.
func newVariant(name string, changes ...func(*variant.Spec)) *v1alpha1.PackageVariant {
	pv := &v1alpha1.PackageVariant{ObjectMeta: metav1.ObjectMeta{Name: name}}
	pv.Spec = variant.Spec{
		Upstream:       &variant.Upstream{Repo: "blueprints", Package: "web", Revision: variant.RevisionNumber(1)},
		Downstream:     &variant.Downstream{Repo: "edge", Package: name},
		PackageContext: &variant.PackageContext{Data: map[string]string{"region": "eu"}},
		Injectors:      []variant.InjectionSelector{{Name: "eu"}},
	}
	for _, change := range changes {
		change(&pv.Spec)
	}
	return pv
}

// plain leaves out all mutations.
func plain(s *variant.Spec) { s.PackageContext, s.Injectors = nil, nil }

func revision(number int) func(*variant.Spec) {
	return func(s *variant.Spec) { s.Upstream.Revision = variant.RevisionNumber(number) }
}

func tag(name string) func(*variant.Spec) {
	return func(s *variant.Spec) { s.Upstream.Revision = variant.Revision{Str: name} }
}

func configMap(name string, data map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: data}
}

// drafts returns the names of the revisions of a downstream package that are not published, and published those that
// are.
func (w *world) drafts(pkg string) (drafts, published []string) {
	w.t.Helper()
	for _, r := range w.Revisions("edge", pkg) {
		if r.IsPublished() {
			published = append(published, r.Name)
		} else {
			drafts = append(drafts, r.Name)
		}
	}
	return drafts, published
}

// expectDrafts fails the test unless these are the drafts of a downstream package.
func (w *world) expectDrafts(pkg string, want ...string) {
	w.t.Helper()
	got, _ := w.drafts(pkg)
	if diff := cmp.Diff(want, got); diff != "" {
		w.t.Errorf("drafts of %s (-want +got):\n%s", pkg, diff)
	}
}

// publish proposes and approves a draft of the variant.
func (w *world) publish(draft string) {
	w.t.Helper()
	w.Propose(draft)
	w.Approve(draft)
}

// target waits until the variant is ready and returns the name of its target.
func (w *world) target(name string) string {
	w.t.Helper()
	pv := w.Ready(name)
	if len(pv.Status.DownstreamTargets) != 1 {
		w.t.Fatalf("%s has the targets %v, want one", name, pv.Status.DownstreamTargets)
	}
	return pv.Status.DownstreamTargets[0].Name
}

// waitTarget waits until the variant is ready with that target.
func (w *world) waitTarget(name, target string) {
	w.t.Helper()
	w.Eventually(name+" has the target "+target, func() error {
		if got := w.target(name); got != target {
			return fmt.Errorf("it has %s", got)
		}
		return nil
	})
}

// waitFile waits until a file of a revision has a text in it.
func (w *world) waitFile(revision, file, text string) {
	w.t.Helper()
	w.Eventually(revision+" has "+text+" in "+file, func() error {
		if content := w.Files(revision)[file]; !strings.Contains(content, text) {
			return fmt.Errorf("it is:\n%s", content)
		}
		return nil
	})
}

// waitGone waits until a variant is deleted.
func (w *world) waitGone(name string) {
	w.t.Helper()
	w.Eventually("the PackageVariant "+name+" is deleted", func() error {
		var list v1alpha1.PackageVariantList
		if err := w.Client.List(w.t.Context(), &list); err != nil {
			return err
		}
		if slices.ContainsFunc(list.Items, func(pv v1alpha1.PackageVariant) bool { return pv.Namespace == w.Namespace && pv.Name == name }) {
			return fmt.Errorf("it is there")
		}
		return nil
	})
}

// message returns the message of the condition Ready, once it has the reason.
func (w *world) message(name, reason string) string {
	w.t.Helper()
	w.WaitReason(name, reason)
	return w.Condition(name, v1alpha1.ConditionReady).Message
}

// expectMessage fails the test unless the condition Ready gets a reason and a message.
func (w *world) expectMessage(name, reason, want string) {
	w.t.Helper()
	if got := w.message(name, reason); got != want {
		w.t.Errorf("message of %s:\ngot  %s\nwant %s", name, got, want)
	}
}

// work are the requests that say what the controller did, without discovery, Leases and Events.
func (w *world) work(filter func(proxy.Request) bool) []string {
	var out []string
	for _, r := range w.proxy.Requests() {
		if r.Resource != "" && !proxy.IsBookkeeping(r) && filter(r) {
			out = append(out, strings.TrimSuffix(r.Verb+" "+r.Resource+"/"+r.Subresource, "/"))
		}
	}
	return out
}

// fromEnv returns what an environment variable asks for, or the default if it is not set.
func fromEnv[T any](t *testing.T, name string, otherwise T, parse func(string) (T, error)) T {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	value, err := parse(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return value
}
