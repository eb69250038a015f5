// SPDX-License-Identifier: Apache-2.0

package sets_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/memory/memorytest"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
	"github.com/package-variants/package-variants/functions/krm"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/yaml"
)

// applies applies the set fleet with a spec.
func (f *fleet) applies(lines ...string) {
	f.T.Helper()
	var spec v1alpha2.PackageVariantSetSpec
	f.Must(yaml.UnmarshalStrict([]byte(strings.Join(lines, "\n")), &spec))
	if len(f.sets()) == 0 {
		f.Objects.Add(&v1alpha2.PackageVariantSet{ObjectMeta: memorytest.Meta("fleet"), Spec: spec,
			Status: v1alpha2.PackageVariantSetStatus{ObservedGeneration: -1}})
		return
	}
	f.edits(func(set *v1alpha2.PackageVariantSet) { set.Spec = spec })
}

// edits changes the set fleet.
func (f *fleet) edits(edit func(*v1alpha2.PackageVariantSet)) {
	f.T.Helper()
	f.EditSet("fleet", edit)
}

// deletes deletes the set fleet.
func (f *fleet) deletes() {
	f.T.Helper()
	f.Objects.Drop(v1alpha2.GroupVersion.WithKind(v1alpha2.PackageVariantSetKind).GroupKind(), memorytest.Key("fleet"))
}

// orphans deletes the set fleet as with --cascade=orphan: Kubernetes takes the owner from what it owns.
func (f *fleet) orphans() {
	f.T.Helper()
	for _, pv := range f.Objects.AllVariants() {
		f.EditVariant(pv.Name, func(pv *v1alpha1.PackageVariant) { pv.OwnerReferences = nil })
	}
	f.deletes()
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
	f.EditRepository(repository, func(r *objects.Repository) { r.Labels = labelled(labels) })
}

// unregisters deletes a Repository.
func (f *fleet) unregisters(name string) {
	f.T.Helper()
	f.Unregisters(name)
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
	f.Objects.Add(cm)
}

// secondRevision publishes another revision of the blueprint web.
func (f *fleet) secondRevision() { f.Blueprint("web", 2, memorytest.Files("web", "green")) }

// tier labels a revision.
func tier(value string) func(*revision.Revision) {
	return func(pr *revision.Revision) { pr.Labels = labelled("tier=" + value) }
}

// retiers gives a revision of a blueprint another label.
func (f *fleet) retiers(name, value string) {
	f.T.Helper()
	f.EditRevision(name, tier(value))
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
	f.Objects.Add(pv)
}

// editsVariant changes the variant of the package web in a Repository.
func (f *fleet) editsVariant(repository string, edit func(*v1alpha1.PackageVariant)) {
	f.T.Helper()
	f.EditVariant(nameIn(repository), edit)
}

// deletesVariant deletes the variant of the package web in a Repository.
func (f *fleet) deletesVariant(repository string) {
	f.T.Helper()
	f.Must(f.Objects.Delete(f.T.Context(), &v1alpha1.PackageVariant{ObjectMeta: metav1.ObjectMeta{
		Namespace: memorytest.Namespace, Name: nameIn(repository)}}))
}

// nameIn returns the name of the set's variant of the package web in a Repository.
func nameIn(repository string) string { return expansion.Name("fleet", repository, "web") }

// first returns the name of the first draft of the package web in a Repository.
func first(repository string) string { return repository + ".web.packagevariant-1" }

// second returns the name of the second one.
func second(repository string) string { return repository + ".web.packagevariant-2" }

// refuses has the API server refuse variants of packages in a Repository; "" for none.
func (f *fleet) refuses(repository string) {
	f.Objects.Admit = func(_ context.Context, pv *v1alpha1.PackageVariant) error {
		if pv.Spec.Downstream.Repo == repository {
			return fmt.Errorf(`PackageVariant.config.porch.kpt.dev %q is invalid: spec: Invalid value: 1: not here`, pv.Name)
		}
		return nil
	}
}

// configMaps are the kind of the objects that hasObject adds.
var configMaps = schema.GroupKind{Kind: "ConfigMap"}

// migrates has the packages of a Repository served by another version of Porch's API.
func (f *fleet) migrates(repository string) {
	f.T.Helper()
	f.EditRepository(repository, func(r *objects.Repository) {
		r.Migrated = true
	})
}

// unavailable is a Runtime in which no function can run.
type unavailable struct{}

// Run implements mutate.Runtime.
func (unavailable) Run(context.Context, string, *kyaml.RNode, []*kyaml.RNode) (krm.Output, error) {
	return krm.Output{}, &mutate.UnavailableError{Message: "the function-runner does not answer", Err: errors.New("down")}
}

// unreadable is why the objects of a kind cannot be read.
type unreadable struct {
	kind error
	text string
}

func (u *unreadable) Error() string { return u.text }

func (u *unreadable) Unwrap() error { return u.kind }

// passes lets time pass.
func (*fleet) passes(d time.Duration) { time.Sleep(d) }

// setsBack sets back the clock of the controllers: all times that they wrote are that much later by it.
func (f *fleet) setsBack(by time.Duration) {
	f.T.Helper()
	later := func(o metav1.Object) {
		text, err := json.Marshal(o)
		f.Must(err)
		text = timestamp.ReplaceAllFunc(text, func(at []byte) []byte {
			t, err := time.Parse(time.RFC3339, string(at))
			f.Must(err)
			return []byte(t.Add(by).Format(time.RFC3339))
		})
		f.Must(json.Unmarshal(text, o))
		f.Objects.Add(o)
	}
	for _, pv := range f.made() {
		later(pv.DeepCopy())
	}
	for _, set := range f.sets() {
		later(set.DeepCopy())
	}
}

// timestamp is a time as an API server writes it.
var timestamp = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)
