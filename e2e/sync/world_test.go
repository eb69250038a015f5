// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/e2e/internal/controller"
	"github.com/package-variants/package-variants/e2e/internal/fleet"
	"github.com/package-variants/package-variants/e2e/internal/proxy"
	"github.com/package-variants/package-variants/e2e/stack"
	"github.com/package-variants/package-variants/e2e/stack/stacktest"

	"github.com/google/go-cmp/cmp"
)

// world is where one test takes place.
type world struct {
	*fleet.Fleet
	t          *testing.T
	stack      *stack.Stack
	proxy      *proxy.Proxy
	kubeconfig string
	dir        string
	// runtime are the controllers' arguments for how functions run.
	runtime []string
	// probes is how often Porch was made to read a Repository again.
	probes int
	// planned is the plan of what was applied last; nil once it was compared with the outcome.
	planned *plan
	// came is how many plans were compared with what came.
	came int
	// busy is whether something was applied and the test has not waited yet for its outcome.
	busy bool
}

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// newWorld returns a namespace with the Repositories blueprints and edge. No controller runs yet.
func newWorld(t *testing.T) *world {
	t.Helper()
	t.Parallel()
	if err := installed(); err != nil {
		t.Fatal(err)
	}
	return newWorldOn(t, shared)
}

// newWorldApart is newWorld on a stack of its own, for tests that keep Porch from its other work: it handles one
// Repository at a time, and tries an unreachable one for ten seconds, over and over.
func newWorldApart(t *testing.T) *world {
	t.Helper()
	t.Parallel()
	apart := stacktest.Start(t, stack.Options{Functions: functions()})
	if err := controller.Install(t.Context(), apart); err != nil {
		t.Fatal(err)
	}
	return newWorldOn(t, apart)
}

func newWorldOn(t *testing.T, s *stack.Stack) *world {
	t.Helper()
	w := newWorldWithout(t, s)
	w.Repository("blueprints", nil, false)
	w.Repository("edge", nil, true)
	return w
}

// newWorldBehind is newWorld, except that Porch reaches the Repository edge through a server of the test.
func newWorldBehind(t *testing.T) (*world, *gitServer) {
	t.Helper()
	t.Parallel()
	if err := installed(); err != nil {
		t.Fatal(err)
	}
	w := newWorldWithout(t, shared)
	w.Repository("blueprints", nil, false)
	git := w.gitProxy()
	w.repositoryBehind(git, "edge")
	return w, git
}

// newWorldWithout returns a namespace without Repositories.
func newWorldWithout(t *testing.T, s *stack.Stack) *world {
	t.Helper()
	namespace := strings.Trim(notInNames.ReplaceAllString(strings.ToLower(t.Name()), "-"), "-")
	w := &world{t: t, stack: s, Fleet: fleet.New(t, s, namespace), dir: t.TempDir(),
		runtime: runtimeArgs(runtime, s.FunctionRunner())}
	w.tellFailure()
	w.Client = voiding{w.Client, w.void}
	t.Cleanup(w.comparedPlans)
	w.proxy, w.kubeconfig = proxy.StartFor(t, s.Config, proxy.Options{ImpersonateUser: controller.Account,
		ImpersonateGroups: []string{"system:serviceaccounts", "system:authenticated"}})
	t.Cleanup(func() { noteAccesses(w.proxy) })
	return w
}

// start starts a controller for the namespace.
func (w *world) start(args ...string) *controller.Process {
	w.t.Helper()
	p := controller.Start(w.t, w.options(append([]string{"--log-level=debug"}, args...)...))
	p.WaitReady(w.t.Context())
	return p
}

// kubectl runs kubectl as the administrator does.
func (w *world) kubectl(args ...string) {
	w.t.Helper()
	w.void()
	if out, err := w.stack.Kubectl(w.t.Context(), args...); err != nil {
		w.t.Fatalf("%v\n%s", err, out)
	}
}

// options are those of a controller for the namespace.
func (w *world) options(args ...string) controller.Options {
	return controller.Options{
		Kubeconfig: w.kubeconfig, Namespaces: []string{w.Namespace}, Args: slices.Concat([]string{"--log-format=text"},
			w.runtime, args), Dir: w.dir,
	}
}

// drafts returns the names of the revisions of a downstream package that are not published, and of those that are.
func (w *world) drafts(pkg string) (drafts, published []string) {
	w.t.Helper()
	drafts, published, err := w.listDrafts(pkg)
	if err != nil {
		w.t.Fatal(err)
	}
	return drafts, published
}

// listDrafts is drafts for use in a retried check.
func (w *world) listDrafts(pkg string) (drafts, published []string, err error) {
	revisions, err := w.ListRevisions("edge", pkg)
	for _, r := range revisions {
		if r.IsPublished() {
			published = append(published, r.Name)
		} else {
			drafts = append(drafts, r.Name)
		}
	}
	return drafts, published, err
}

// expectDrafts fails the test unless these are the drafts of a downstream package. It waits for a draft that Porch does
// not find for a moment, but not for a draft to be deleted.
func (w *world) expectDrafts(pkg string, want ...string) {
	w.t.Helper()
	w.Eventually(fmt.Sprintf("%s has the drafts %v", pkg, want), func() error {
		got, _, err := w.listDrafts(pkg)
		if err != nil {
			return err
		}
		diff := cmp.Diff(want, got)
		if diff != "" && len(got) < len(want) {
			return fmt.Errorf("drafts (-want +got):\n%s", diff)
		}
		if diff != "" {
			w.t.Errorf("drafts of %s (-want +got):\n%s", pkg, diff)
		}
		return nil
	})
}

// waitOneDraft waits until a downstream package has one draft.
func (w *world) waitOneDraft(pkg string) {
	w.t.Helper()
	w.Eventually(pkg+" has one draft", func() error {
		drafts, _, err := w.listDrafts(pkg)
		if err == nil && len(drafts) != 1 {
			err = fmt.Errorf("there are %v", drafts)
		}
		return err
	})
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

// seesPublished waits until the variant's status says that its target is published.
func (w *world) seesPublished(name string) {
	w.t.Helper()
	w.Eventually("the variant "+name+" sees that its target is published", func() error {
		targets := w.Ready(name).Status.DownstreamTargets
		if len(targets) != 1 || targets[0].Lifecycle != "Published" {
			return fmt.Errorf("it has the targets %v", targets)
		}
		return nil
	})
}

// waitTarget waits until the variant is ready with that target.
func (w *world) waitTarget(name, target string) {
	w.t.Helper()
	w.Eventually(name+" has the target "+target, func() error {
		targets := w.Ready(name).Status.DownstreamTargets
		if len(targets) != 1 || targets[0].Name != target {
			return fmt.Errorf("it has %v", targets)
		}
		return nil
	})
}

// waitFile waits until a file of a revision has a text in it.
func (w *world) waitFile(revision, file, text string) {
	w.t.Helper()
	w.Eventually(revision+" has "+text+" in "+file, func() error {
		files, err := w.GetFiles(revision)
		if err == nil && !strings.Contains(files[file], text) {
			err = fmt.Errorf("it is:\n%s", files[file])
		}
		return err
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
		if slices.ContainsFunc(list.Items,
			func(pv v1alpha1.PackageVariant) bool { return pv.Namespace == w.Namespace && pv.Name == name }) {
			return fmt.Errorf("it is there")
		}
		return nil
	})
	w.reached(name, func(v *plannedVariant) bool { return v.Condition.Reason == "" })
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

func isCreate(r proxy.Request) bool { return r.Verb == "create" && r.Resource == "packagerevisions" }

func isSave(r proxy.Request) bool {
	return r.Verb == "update" && r.Resource == "packagerevisionresources"
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
