// SPDX-License-Identifier: Apache-2.0

package packagevariantset

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"time"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
	"github.com/package-variants/package-variants/functions/krm"
	"github.com/package-variants/package-variants/sync-controller/internal/memory/memorytest"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/yaml"
)

// applies applies the set fleet with a spec.
func (f *fleet) applies(lines ...string) {
	f.T.Helper()
	var spec v1alpha2.PackageVariantSetSpec
	f.Must(yaml.UnmarshalStrict([]byte(strings.Join(lines, "\n")), &spec))
	if len(f.sets()) == 0 {
		f.Must(f.Add(&v1alpha2.PackageVariantSet{ObjectMeta: memorytest.Meta("fleet"), Spec: spec,
			Status: v1alpha2.PackageVariantSetStatus{ObservedGeneration: -1}}))
		return
	}
	f.edits(func(set *v1alpha2.PackageVariantSet) { set.Spec = spec })
}

// edits changes the set fleet.
func (f *fleet) edits(edit func(*v1alpha2.PackageVariantSet)) {
	f.T.Helper()
	memorytest.Edit(f.Cluster, "fleet", &v1alpha2.PackageVariantSet{}, edit)
}

// deletes deletes the set fleet.
func (f *fleet) deletes() {
	f.T.Helper()
	f.Must(f.Delete(f.T.Context(), &v1alpha2.PackageVariantSet{ObjectMeta: memorytest.Meta("fleet")}))
}

// annotates annotates the set fleet.
func (f *fleet) annotates(key, value string) {
	f.T.Helper()
	f.edits(func(set *v1alpha2.PackageVariantSet) {
		set.Annotations = map[string]string{key: value}
	})
}

// approves approves a wave of the set fleet.
func (f *fleet) approves(wave string) {
	f.T.Helper()
	f.annotates(v1alpha2.ApproveWaveAnnotation, wave)
}

// sites registers Repositories with a label: "env=prod".
func (f *fleet) sites(label string, names ...string) {
	f.T.Helper()
	for _, name := range names {
		f.Repository(name, labelled(label))
	}
}

// labelled returns the labels of a text such as "env=prod,region=eu".
func labelled(text string) map[string]string {
	labels := map[string]string{}
	for pair := range strings.SplitSeq(text, ",") {
		if key, value, found := strings.Cut(pair, "="); found {
			labels[key] = value
		}
	}
	return labels
}

// relabels gives a Repository other labels.
func (f *fleet) relabels(repository, labels string) {
	f.T.Helper()
	memorytest.Edit(f.Cluster, repository, &configapi.Repository{},
		func(r *configapi.Repository) { r.Labels = labelled(labels) })
}

// unregisters deletes a Repository.
func (f *fleet) unregisters(name string) {
	f.T.Helper()
	f.Must(f.Delete(f.T.Context(), &configapi.Repository{ObjectMeta: memorytest.Meta(name)}))
}

// hasObject adds a ConfigMap with the label site, for a package in a Repository.
func (f *fleet) hasObject(name, repository string) {
	f.T.Helper()
	cm := &unstructured.Unstructured{}
	cm.SetGroupVersionKind(configMaps.WithVersion("v1"))
	cm.SetNamespace(memorytest.Namespace)
	cm.SetName(name)
	cm.SetLabels(map[string]string{"site": "yes"})
	cm.SetAnnotations(map[string]string{"repo": repository})
	f.Must(f.Add(cm))
}

// secondRevision publishes another revision of the blueprint web.
func (f *fleet) secondRevision() { f.Blueprint("web", 2, memorytest.Files("web", "green")) }

// tier labels a revision.
func tier(value string) func(*porchapi.PackageRevision) {
	return func(pr *porchapi.PackageRevision) { pr.Labels = labelled("tier=" + value) }
}

// retiers gives a revision of a blueprint another label.
func (f *fleet) retiers(name, value string) {
	f.T.Helper()
	memorytest.Edit(f.Cluster, name, &porchapi.PackageRevision{}, tier(value))
}

// hasVariant adds a variant that no set has made, of the blueprint web.
func (f *fleet) hasVariant(name, repository, pkg string, edits ...func(*v1alpha1.PackageVariant)) {
	f.T.Helper()
	pv := &v1alpha1.PackageVariant{
		ObjectMeta: memorytest.Meta(name),
		Spec: variant.Spec{
			Upstream:   &variant.Upstream{Repo: "blueprints", Package: "web", Revision: variant.RevisionNumber(1)},
			Downstream: &variant.Downstream{Repo: repository, Package: pkg},
		},
		Status: v1alpha1.PackageVariantStatus{ObservedGeneration: -1},
	}
	for _, edit := range edits {
		edit(pv)
	}
	f.Must(f.Add(pv))
}

// editsVariant changes the variant of the package web in a Repository.
func (f *fleet) editsVariant(repository string, edit func(*v1alpha1.PackageVariant)) {
	f.T.Helper()
	memorytest.Edit(f.Cluster, nameIn(repository), &v1alpha1.PackageVariant{}, edit)
}

// nameIn returns the name of the set's variant of the package web in a Repository.
func nameIn(repository string) string { return expansion.Name("fleet", repository, "web") }

// first returns the name of the first draft of the package web in a Repository.
func first(repository string) string { return repository + ".web.packagevariant-1" }

// second returns the name of the second one.
func second(repository string) string { return repository + ".web.packagevariant-2" }

// refuses has the API server refuse variants of packages in a Repository; "" for none.
func (f *fleet) refuses(repository string) {
	f.AskFirst(func(_ context.Context, kind schema.GroupVersionKind, o client.Object) error {
		if pv, ok := o.(*v1alpha1.PackageVariant); ok && pv.Spec.Downstream.Repo == repository {
			return apierrors.NewInvalid(kind.GroupKind(), pv.Name,
				field.ErrorList{field.Invalid(field.NewPath("spec"), 1, "not here")})
		}
		return nil
	})
}

// configMaps are the kind of the objects that hasObject adds.
var configMaps = schema.GroupKind{Kind: "ConfigMap"}

// migrates has the packages of a Repository served by another version of Porch's API.
func (f *fleet) migrates(repository string) {
	f.T.Helper()
	memorytest.Edit(f.Cluster, repository, &configapi.Repository{}, func(r *configapi.Repository) {
		r.Annotations = map[string]string{"porch.kpt.dev/v1alpha2-migration": "true"}
	})
}

// unavailable is a Runtime in which no function can run.
type unavailable struct{}

// Run implements mutate.Runtime.
func (unavailable) Run(context.Context, string, *kyaml.RNode, []*kyaml.RNode) (krm.Output, error) {
	return krm.Output{}, &mutate.UnavailableError{Message: "the function-runner does not answer", Err: errors.New("down")}
}

// passes lets time pass.
func (*fleet) passes(d time.Duration) { time.Sleep(d) }

// setsBack sets back the clock of the controllers: all times that they wrote are that much later by it.
func (f *fleet) setsBack(by time.Duration) {
	f.T.Helper()
	later := func(o client.Object) {
		text, err := json.Marshal(o)
		f.Must(err)
		text = timestamp.ReplaceAllFunc(text, func(at []byte) []byte {
			t, err := time.Parse(time.RFC3339, string(at))
			f.Must(err)
			return []byte(t.Add(by).Format(time.RFC3339))
		})
		f.Must(json.Unmarshal(text, o))
		f.Must(f.Add(o))
	}
	for _, pv := range f.made() {
		later(&pv)
	}
	for _, set := range f.sets() {
		later(&set)
	}
}

// timestamp is a time as an API server writes it.
var timestamp = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)
