// SPDX-License-Identifier: Apache-2.0

package packagevariantset

import (
	"testing"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/event"
)

func TestRevisionChanged(t *testing.T) {
	for name, test := range map[string]struct {
		edit func(*porchapi.PackageRevision)
		want bool
	}{
		"its content":   {func(pr *porchapi.PackageRevision) { pr.ResourceVersion = "c2" }, false},
		"its lock":      {func(pr *porchapi.PackageRevision) { pr.Status.UpstreamLock = &porchapi.UpstreamLock{} }, false},
		"its lifecycle": {func(pr *porchapi.PackageRevision) { pr.Spec.Lifecycle = porchapi.PackageRevisionLifecyclePublished }, true},
		"its number":    {func(pr *porchapi.PackageRevision) { pr.Spec.Revision = 1 }, true},
		"a label": {func(pr *porchapi.PackageRevision) {
			pr.Labels = map[string]string{"tag.config.porch.kpt.dev/stable": "true"}
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			before := &porchapi.PackageRevision{
				ObjectMeta: metav1.ObjectMeta{Name: "blueprints.web.v1", ResourceVersion: "c1"},
				Spec:       porchapi.PackageRevisionSpec{RepositoryName: "blueprints", PackageName: "web", WorkspaceName: "v1"},
			}
			after := before.DeepCopy()
			test.edit(after)
			if got := revisionChanged().Update(event.UpdateEvent{ObjectOld: before, ObjectNew: after}); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}
