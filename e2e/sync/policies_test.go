// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"

	"github.com/google/go-cmp/cmp"
	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func orphan(s *variant.Spec) { s.DeletionPolicy = variant.DeletionPolicyOrphan }

func adopt(s *variant.Spec) { s.AdoptionPolicy = variant.AdoptionPolicyAdoptExisting }

// state is the state in which a policy leaves a revision.
type state struct {
	Lifecycle porchapi.PackageRevisionLifecycle
	Owners    int
}

// listStates is states for use in a retried check.
func (w *world) listStates(pkg string) (map[string]state, error) {
	revisions, err := w.ListRevisions("edge", pkg)
	out := map[string]state{}
	for _, r := range revisions {
		out[r.Spec.WorkspaceName] = state{r.Spec.Lifecycle, len(r.OwnerReferences)}
	}
	return out, err
}

func (w *world) expectStates(pkg string, want map[string]state) {
	w.t.Helper()
	w.Eventually("the revisions of "+pkg+" are as the policy says", func() error {
		return w.areStates(pkg, want)
	})
}

// areStates returns an error unless these are the revisions of a downstream package.
func (w *world) areStates(pkg string, want map[string]state) error {
	got, err := w.listStates(pkg)
	if err != nil {
		return err
	}
	if diff := cmp.Diff(want, got); diff != "" {
		return fmt.Errorf("-want +got:\n%s", diff)
	}
	return nil
}

const (
	isDraft     = porchapi.PackageRevisionLifecycleDraft
	isPublished = porchapi.PackageRevisionLifecyclePublished
	isDeletion  = porchapi.PackageRevisionLifecycleDeletionProposed
)

// threeRevisions returns a world whose variant has two published revisions, of which the first is proposed for
// deletion, and a draft.
func threeRevisions(t *testing.T, changes ...func(*variant.Spec)) *world {
	t.Helper()
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", blueprint())
	w.Apply(configMap("eu", map[string]string{"api": "0"}), newVariant("web", changes...))
	w.start()
	for i := 1; i <= 3; i++ {
		draft := fmt.Sprintf("edge.web.packagevariant-%d", i)
		w.waitTarget("web", draft)
		if i < 3 {
			w.publish(draft)
			w.Apply(configMap("eu", map[string]string{"api": fmt.Sprint(i)}))
		}
	}
	w.ProposeDeletion("edge.web.packagevariant-1")
	return w
}

func TestDelete(t *testing.T) {
	w := threeRevisions(t)
	w.Delete(newVariant("web"))
	w.waitGone("web")
	w.expectStates("web", map[string]state{"packagevariant-1": {isDeletion, 0}, "packagevariant-2": {isDeletion, 0}})
}

// kptfileStays skips the comparison with the plan where Porch is newer: it leaves the Kptfile as it is when an owner
// changes, while the plan says that the controller has to restore it.
func (w *world) kptfileStays() {
	if w.stack.Foreign() {
		w.void()
	}
}

// TestAdopt takes over what the orphaning of another variant left behind, with comments that Porch would drop.
func TestAdopt(t *testing.T) {
	w := threeRevisions(t, orphan)
	w.Delete(newVariant("web"))
	w.waitGone("web")
	kptfile := "# mine\n" + w.Files("edge.web.packagevariant-3")["Kptfile"]
	kptfile = strings.Replace(kptfile, "info:", "info: # about", 1)
	w.WriteFiles("edge.web.packagevariant-3", map[string]string{"Kptfile": kptfile})
	before := w.Files("edge.web.packagevariant-3")

	again := func(s *variant.Spec) {
		s.Downstream.Package = "web"
		s.Labels, s.Annotations = map[string]string{"team": "a"}, map[string]string{"note": "b"}
	}
	w.Apply(newVariant("again", again))
	w.expectMessage("again", "DownstreamExists",
		"the package edge/web exists (edge.web.packagevariant-2 is Published) and is not this variant's: "+
			"set spec.adoptionPolicy to adoptExisting, or name another package in spec.downstream")
	w.Apply(newVariant("again", again, adopt))
	w.kptfileStays()
	w.waitTarget("again", "edge.web.packagevariant-3")
	w.expectStates("web", map[string]state{"packagevariant-1": {isDeletion, 0}, "packagevariant-2": {isPublished, 1},
		"packagevariant-3": {isDraft, 1}})
	if diff := cmp.Diff(before, w.Files("edge.web.packagevariant-3")); diff != "" {
		t.Errorf("the draft has changed when it was adopted (-before +after):\n%s", diff)
	}
	r := w.Revision("edge.web.packagevariant-3")
	if r.Labels["team"] != "a" || r.Annotations["note"] != "b" {
		t.Errorf("labels %v, annotations %v, want those of the variant", r.Labels, r.Annotations)
	}
}

// TestKeptOnDeletion deletes a variant with the draft that a person has edited, as kubectl delete --cascade=orphan does,
// and one of which people have proposed the draft. Both drafts stay, without an owner.
func TestKeptOnDeletion(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", simple())
	w.Apply(newVariant("web", plain), newVariant("shop", plain))
	w.start()
	for _, name := range []string{"web", "shop"} {
		w.WriteFiles(w.target(name), map[string]string{"mine.txt": "mine\n"})
	}
	w.Propose("edge.shop.packagevariant-1")
	orphaned := newVariant("web", plain)
	orphaned.Namespace = w.Namespace
	if err := w.Client.Delete(t.Context(), orphaned, client.PropagationPolicy(metav1.DeletePropagationOrphan)); err != nil {
		t.Fatal(err)
	}
	w.Fleet.Delete(newVariant("shop", plain))
	w.expectStates("web", map[string]state{"packagevariant-1": {isDraft, 0}})
	w.expectStates("shop", map[string]state{"packagevariant-1": {porchapi.PackageRevisionLifecycleProposed, 0}})
	w.waitGone("shop")
	// Here, nothing else takes what Kubernetes has orphaned off.
	left := client.RawPatch(types.MergePatchType, []byte(`{"metadata": {"finalizers": null}}`))
	if err := w.Client.Patch(t.Context(), orphaned, left); client.IgnoreNotFound(err) != nil {
		t.Fatal(err)
	}
	w.waitGone("web")
	if text := w.Files("edge.web.packagevariant-1")["mine.txt"]; text != "mine\n" {
		t.Errorf("the draft has %q", text)
	}
}
