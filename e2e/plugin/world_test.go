// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/e2e/internal/controller"
	"github.com/package-variants/package-variants/e2e/internal/fleet"
	"github.com/package-variants/package-variants/e2e/stack"
	"github.com/package-variants/package-variants/e2e/stack/stacktest"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
)

var shared *stack.Stack

// image is that of the function that the function-runner knows.
const image = "registry.example.com/set-namespace:v1"

func TestMain(m *testing.M) {
	os.Exit(stacktest.Main(m, &shared, stack.Options{
		Functions: map[string]string{image: filepath.Join(os.Getenv("TOOLS_BIN"), "set-namespace")},
	}))
}

// world is a namespace with a controller, and a user with kubectl and the plugin.
type world struct {
	*fleet.Fleet
	t *testing.T
	// path is where the user's programs are, kubeconfig is the user's, whose context names the namespace.
	path, kubeconfig string
}

// answer is what a command has printed.
type answer struct {
	out, errOut string
	code        int
}

// newWorld returns a namespace with the Repositories blueprints and edge, and a controller.
func newWorld(t *testing.T, namespace string) *world {
	t.Helper()
	t.Parallel()
	w := &world{Fleet: fleet.New(t, shared, namespace), t: t, path: t.TempDir()}
	plugin, tools := os.Getenv("KUBECTL_VARIANTS"), os.Getenv("TOOLS_BIN")
	if plugin == "" || tools == "" {
		t.Fatal("the environment variables KUBECTL_VARIANTS and TOOLS_BIN must name the plugin and where kubectl is: " +
			"run this by make, which builds and sets them")
	}
	// The plugin is found by its name, as kubectl finds it for a user; so is what completes its arguments.
	for name, target := range map[string]string{
		"kubectl-variants": plugin, "kubectl": filepath.Join(tools, "kubectl"),
		"kubectl_complete-variants": filepath.Join(root, "sync-controller", "kubectl-variants",
			"kubectl_complete-variants"),
	} {
		absolute, err := filepath.Abs(target)
		if err == nil {
			err = os.Symlink(absolute, filepath.Join(w.path, name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	w.kubeconfig = filepath.Join(w.path, "config")
	config, err := clientcmd.LoadFromFile(shared.Kubeconfig)
	if err == nil {
		config.Contexts[config.CurrentContext].Namespace = namespace
		err = clientcmd.WriteToFile(*config, w.kubeconfig)
	}
	if err != nil {
		t.Fatal(err)
	}
	w.Repository("blueprints", nil, false)
	w.Repository("edge", nil, true)
	c := controller.Start(t, controller.Options{Kubeconfig: shared.Kubeconfig, Namespaces: []string{namespace},
		Args: []string{"--log-format=text"}})
	c.WaitReady(t.Context())
	return w
}

const root = "../.."

// kubectl runs kubectl as a user does, in the namespace.
func (w *world) kubectl(args ...string) answer {
	w.t.Helper()
	return w.kubectlWith(nil, args...)
}

// kubectlWith runs it with an environment.
func (w *world) kubectlWith(env []string, args ...string) answer {
	w.t.Helper()
	cmd := exec.CommandContext(w.t.Context(), filepath.Join(w.path, "kubectl"), args...)
	cmd.Env = append(append(os.Environ(), "KUBECONFIG="+w.kubeconfig,
		"PATH="+w.path+string(os.PathListSeparator)+os.Getenv("PATH")), env...)
	var out, errOut strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Run()
	if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended {
		w.t.Fatal(err)
	}
	return answer{out.String(), errOut.String(), cmd.ProcessState.ExitCode()}
}

// expect fails the test unless kubectl variants gives that answer.
func (w *world) expect(want answer, args ...string) {
	w.t.Helper()
	got := w.kubectl(append([]string{"variants"}, args...)...)
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(answer{})); diff != "" {
		w.t.Errorf("kubectl variants %s (-want +got):\n%s", strings.Join(args, " "), diff)
	}
}

// shows runs a command, and fails the test unless testdata/printed.txt has what it prints: ages, and the space between
// columns, differ from run to run.
func (w *world) shows(code int, args ...string) answer {
	w.t.Helper()
	got := w.kubectl(append([]string{"variants"}, args...)...)
	if got.code != code {
		w.t.Errorf("kubectl variants %s ends with %d, want %d:\n%s%s", strings.Join(args, " "), got.code, code, got.out,
			got.errOut)
	}
	checkPrinted(w.t, quoted(args), got)
	return got
}

// quoted returns a command line as a shell takes it.
func quoted(args []string) string {
	words := []string{"kubectl variants"}
	for _, arg := range args {
		if strings.ContainsAny(arg, " ") {
			name, value, _ := strings.Cut(arg, "=")
			arg = fmt.Sprintf("%s=%q", name, value)
		}
		words = append(words, arg)
	}
	return strings.Join(words, " ")
}

func newVariant(name string, changes ...func(*variant.Spec)) *v1alpha1.PackageVariant {
	pv := &v1alpha1.PackageVariant{ObjectMeta: metav1.ObjectMeta{Name: name}}
	pv.Spec = variant.Spec{
		Upstream:   &variant.Upstream{Repo: "blueprints", Package: "web", Revision: variant.Revision{Str: "latest"}},
		Downstream: &variant.Downstream{Repo: "edge", Package: name},
	}
	for _, change := range changes {
		change(&pv.Spec)
	}
	return pv
}

// settings is a blueprint with two values.
func settings(replicas, image string) map[string]string {
	return map[string]string{"settings.yaml": `apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
data:
  replicas: "` + replicas + `" # of each site
  image: "` + image + `"
`}
}

// target waits until the target of a variant is a revision, and the variant ready.
func (w *world) target(name, target string) {
	w.t.Helper()
	w.Eventually(name+" has the target "+target, func() error {
		pv := w.Ready(name)
		if got := pv.Status.DownstreamTargets; len(got) != 1 || got[0].Name != target {
			return fmt.Errorf("it has %v", got)
		}
		return nil
	})
}
