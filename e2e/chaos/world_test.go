// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/e2e/internal/controller"
	"github.com/package-variants/package-variants/e2e/internal/fleet"
	"github.com/package-variants/package-variants/e2e/internal/proxy"
	"github.com/package-variants/package-variants/e2e/stack"
	"github.com/package-variants/package-variants/e2e/stack/stacktest"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// world is the fleet.
type world struct {
	*fleet.Fleet
	t     *testing.T
	stack *stack.Stack
	proxy *proxy.Proxy
	// kubeconfig gives the controllers the rights that they have in a cluster.
	kubeconfig string
	replicas   *replicas
	diary      diary
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
	w.proxy, w.kubeconfig = proxy.StartFor(t, s.Config, proxy.Options{ImpersonateUser: controller.Account,
		ImpersonateGroups: []string{"system:serviceaccounts", "system:authenticated"}})
	t.Cleanup(w.tell) // before the directories go
	w.Repository("blueprints", nil, false)
	w.Repository("edge", nil, true)
	w.Repository("alpha", map[string]string{"wave": "canary"}, false)
	w.Repository("north", map[string]string{"wave": "sites"}, false)
	w.Repository("south", map[string]string{"wave": "sites"}, false)
	return w
}

// tell logs the state of the fleet and how it got there, if the test has failed.
func (w *world) tell() {
	if !w.t.Failed() {
		return
	}
	w.t.Logf("what was done:\n%s", &w.diary)
	const status = `jsonpath={range .items[*]}{.metadata.name}: {.status}{"\n"}{end}`
	for _, what := range [][]string{{"packagerevisions"}, {"packagevariants", "--output=wide"},
		{"packagevariants", "--output=" + status}, {"packagevariantsets", "--output=" + status}} {
		args := append([]string{"get", "--namespace=" + w.Namespace}, what...)
		out, err := w.stack.Kubectl(context.Background(), args...) // the test's context has ended
		w.t.Logf("%v: %v\n%s", args, err, out)
	}
	if w.replicas == nil {
		return
	}
	for i := range w.replicas.running {
		log, err := os.ReadFile(filepath.Join(w.replicas.logs(i), "sync-controller.log"))
		lines := strings.Split(strings.TrimSpace(string(log)), "\n")
		w.t.Logf("the end of the log of controller %d: %v\n%s", i, err,
			strings.Join(lines[max(0, len(lines)-logLines):], "\n"))
	}
}

// logLines is how much of the log of a controller a failed test shows.
const logLines = 100

// blueprint makes the blueprint and the fact.
func (w *world) blueprint() {
	w.t.Helper()
	w.Publish("blueprints", "web", "v1", map[string]string{"region.yaml": point, "settings.yaml": settings(1)})
	w.Apply(w.fact(0))
}

// populate makes the blueprint, the fact and the variants.
func (w *world) populate() {
	w.t.Helper()
	w.blueprint()
	for _, name := range alone {
		w.Apply(newVariant(name, policies[name]))
	}
	var s v1alpha2.PackageVariantSet
	if err := yaml.UnmarshalStrict([]byte(set), &s); err != nil {
		w.t.Fatal(err)
	}
	w.Apply(&s)
}

// meta returns the metadata of an object of the namespace.
func (w *world) meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: w.Namespace, Name: name}
}

func (w *world) key(name string) client.ObjectKey {
	return client.ObjectKey{Namespace: w.Namespace, Name: name}
}

// fact is what is injected.
func (w *world) fact(round int) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: w.meta("eu"), Data: map[string]string{"api": strconv.Itoa(round)}}
}

// revisionOf returns the name of a version of the blueprint.
func revisionOf(version int) string { return fmt.Sprintf("blueprints.web.v%d", version) }

// packageOf returns the package of a revision, with its Repository.
func packageOf(r *porchapi.PackageRevision) string {
	return r.Spec.RepositoryName + "/" + r.Spec.PackageName
}

// number returns the number of the controller's workspace.
func number(r *porchapi.PackageRevision) (n int) {
	_, _ = fmt.Sscanf(r.Spec.WorkspaceName, "packagevariant-%d", &n)
	return n
}

// downstreams returns the revisions of all packages but the blueprint, those of a package in the order in which they
// were made, without those that follow a branch.
func (w *world) downstreams(ctx context.Context) ([]porchapi.PackageRevision, error) {
	var list porchapi.PackageRevisionList
	if err := w.Client.List(ctx, &list, client.InNamespace(w.Namespace)); err != nil {
		return nil, err
	}
	out := slices.DeleteFunc(list.Items, func(r porchapi.PackageRevision) bool {
		return r.Spec.RepositoryName == "blueprints" || r.Spec.Revision == -1
	})
	slices.SortFunc(out, func(a, b porchapi.PackageRevision) int {
		return cmp.Or(cmp.Compare(packageOf(&a), packageOf(&b)), cmp.Compare(number(&a), number(&b)))
	})
	return out, nil
}

// files returns the files of a revision.
func (w *world) files(name string) (map[string]string, error) {
	var resources porchapi.PackageRevisionResources
	err := w.Client.Get(w.t.Context(), w.key(name), &resources)
	return resources.Spec.Resources, err
}

// settled returns why the fleet is not in its desired state; nil if it is.
func (w *world) settled(d *deeds) error {
	ctx := w.t.Context()
	var variants v1alpha1.PackageVariantList
	if err := w.Client.List(ctx, &variants, client.InNamespace(w.Namespace)); err != nil {
		return err
	}
	if want := len(alone) + ofSet; len(variants.Items) != want {
		return fmt.Errorf("there are %d variants, want %d", len(variants.Items), want)
	}
	for i := range variants.Items {
		pv := &variants.Items[i]
		ready := meta.FindStatusCondition(pv.Status.Conditions, v1alpha1.ConditionReady)
		if ready == nil || ready.Status != "True" || ready.ObservedGeneration != pv.Generation {
			return fmt.Errorf("PackageVariant %s is not ready: %+v", pv.Name, ready)
		}
	}
	var set v1alpha2.PackageVariantSet
	if err := w.Client.Get(ctx, w.key("fleet"), &set); err != nil {
		return err
	}
	want := revisionOf(d.version)
	if r := set.Status.Rollout; r == nil || r.Phase != "Complete" || r.Revision.Name != want {
		return fmt.Errorf("the rollout of %s is not complete: %+v", want, r)
	}
	revisions, err := w.downstreams(ctx)
	if err != nil {
		return err
	}
	o := &outcome{revisions: revisions}
	for _, r := range o.newest() {
		if !r.IsPublished() {
			return fmt.Errorf("%s is %s", r.Name, r.Spec.Lifecycle)
		}
		files, err := w.files(r.Name)
		if err != nil {
			return err
		}
		if lacking := d.lacks(packageOf(r), files); len(lacking) > 0 {
			return fmt.Errorf("%s has not %s", r.Name, lacking[0])
		}
	}
	return nil
}

// addAsked adds the revisions that the controllers asked Porch to publish, whether it answered or not.
func (w *world) addAsked(d *deeds) {
	for _, r := range w.proxy.Requests() {
		if r.Resource == "packagerevisions" && r.Subresource == "approval" && proxy.IsWrite(r) {
			d.asked[r.Name] = true
		}
	}
}

// outcome returns what there is.
func (w *world) outcome() *outcome {
	w.t.Helper()
	o := &outcome{variants: map[string]types.UID{}, files: map[string]map[string]string{},
		references: map[string][]string{}}
	var variants v1alpha1.PackageVariantList
	if err := w.Client.List(w.t.Context(), &variants, client.InNamespace(w.Namespace)); err != nil {
		w.t.Fatal(err)
	}
	for i := range variants.Items {
		downstream := variants.Items[i].Spec.Downstream
		o.variants[downstream.Repo+"/"+downstream.Package] = variants.Items[i].UID
		o.references[downstream.Repo] = w.references(downstream.Repo)
	}
	var err error
	if o.revisions, err = w.downstreams(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	for i := range o.revisions {
		o.files[o.revisions[i].Name] = w.Files(o.revisions[i].Name)
	}
	return o
}

// references returns the branches and tags that git has of a Repository, without the branch that is published.
func (w *world) references(repository string) (names []string) {
	w.t.Helper()
	command := exec.CommandContext(w.t.Context(), "git", "ls-remote", w.stack.GitURL(w.Namespace+"-"+repository))
	out, err := command.Output()
	if err != nil {
		w.t.Fatalf("%s: %v", command, err)
	}
	for line := range strings.Lines(string(out)) {
		if _, name, _ := strings.Cut(strings.TrimSpace(line), "\t"); name != "HEAD" && name != "refs/heads/main" {
			names = append(names, name)
		}
	}
	return names
}
