// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/e2e/internal/proxy"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestClone checks what a new variant gets: one draft, owned, labelled, with the mutations applied and rendered.
func TestClone(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", blueprint())
	w.Publish("blueprints", "web", "v2", map[string]string{"settings.yaml": strings.Replace(settings, "2", "3", 1)})
	w.Apply(configMap("eu", map[string]string{"api": "api.eu.example.com", "n": "1"}),
		newVariant("web", func(s *variant.Spec) {
			s.Labels, s.Annotations = map[string]string{"team": "a"}, map[string]string{"note": "b"}
			s.Pipeline = &variant.Pipeline{Mutators: []variant.Function{{Name: "context", Image: contextImage,
				ConfigMap: map[string]string{"rendered": "yes"}}}}
		}))
	w.start()
	pv := w.Ready("web")

	w.expectDrafts("web", "edge.web.packagevariant-1")
	r := w.Revision("edge.web.packagevariant-1")
	controller := true
	wantMeta := metav1.ObjectMeta{
		Name: "edge.web.packagevariant-1", Namespace: w.Namespace,
		Labels: map[string]string{"team": "a"}, Annotations: map[string]string{"note": "b"},
		OwnerReferences: []metav1.OwnerReference{{
			APIVersion: "config.porch.kpt.dev/v1alpha1", Kind: "PackageVariant", Name: "web", UID: pv.UID,
			Controller: &controller,
		}},
	}
	ignored := cmpopts.IgnoreFields(metav1.ObjectMeta{}, "UID", "ResourceVersion", "CreationTimestamp")
	if diff := cmp.Diff(wantMeta, r.ObjectMeta, ignored); diff != "" {
		t.Errorf("metadata (-want +got):\n%s", diff)
	}
	if r.Spec.Lifecycle != porchapi.PackageRevisionLifecycleDraft || r.Status.UpstreamLock.Git.Ref != "web/v1" {
		t.Errorf("the draft is %s of %s, want Draft of web/v1, although there is a web/v2", r.Spec.Lifecycle,
			r.Status.UpstreamLock.Git.Ref)
	}
	files := w.Files(r.Name)
	for file, texts := range map[string][]string{
		"package-context.yaml": {"region: eu", "rendered: \"yes\""},
		"region.yaml": {"# what the region knows", "name: region # of the edge", "api: api.eu.example.com",
			"kpt.dev/injected-resource-name: eu"},
		"settings.yaml": {`a: "1" # one`, `b: "2"`},
		"Kptfile":       {"name: PackageVariant.web.context.0", "reason: ConfigInjected"},
	} {
		for _, text := range texts {
			if !strings.Contains(files[file], text) {
				t.Errorf("%s has no %q:\n%s", file, text, files[file])
			}
		}
	}
	targets := pv.Status.DownstreamTargets
	if len(targets) != 1 || targets[0].Name != r.Name || targets[0].Lifecycle != "Draft" ||
		targets[0].RenderStatus == nil || targets[0].RenderStatus.Err != "" {
		t.Errorf("targets %+v, want the draft with its render status", targets)
	}
	want := []string{"patch packagevariants", "patch packagevariants/status", "create packagerevisions",
		"update packagerevisionresources", "patch packagevariants/status"}
	if diff := cmp.Diff(want, w.work(proxy.IsWrite)); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
}
