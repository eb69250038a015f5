// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/e2e/internal/controller"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// mark begins each value that must not be shown.
const mark = "s3cr3t"

// secretFile is a Secret in a package, with values that must not be shown.
func secretFile(value string) string {
	return `apiVersion: v1
kind: Secret
metadata:
  name: db
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: '{"stringData":{"password":"` + mark + value + `"}}'
stringData:
  password: ` + mark + value + `
`
}

// secretSet is a set that selects Secrets, with an expression that fails.
const secretSet = `apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata:
  name: secrets
spec:
  upstream: {repo: blueprints, package: web, revision: v1}
  targets:
  - objectSelector: {apiVersion: v1, kind: Secret, matchLabels: {of: fleet}}
    template:
      downstream: {repo: edge}
      packageContext: {dataExprs: [{key: a, valueExpr: "EXPRESSION"}]}
`

// TestNoSecretTold has Secrets where values are read, merged and evaluated. It checks that none of their values is in
// an Event, a status, a metric, or the log at its highest verbosity. The controller may read Secrets here.
func TestNoSecretTold(t *testing.T) {
	w := newWorld(t)
	w.allow("secrets")
	w.Apply(&corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "db", Labels: map[string]string{"of": "fleet"}, Annotations: map[string]string{
			"kubectl.kubernetes.io/last-applied-configuration": `{"data":{"password":"` + mark + `"}}`}},
		StringData: map[string]string{"password": mark},
	})
	w.Publish("blueprints", "web", "v1", map[string]string{"secret.yaml": secretFile("-1")})
	w.Publish("blueprints", "web", "v2", map[string]string{"secret.yaml": secretFile("-2")})
	w.Publish("blueprints", "point", "v1", map[string]string{"point.yaml": pointOf("v1", "Secret", "db", "required")})
	w.Push("blueprints", "main", "broken", map[string]string{"Kptfile": kptfile("broken"),
		"secret.yaml": secretFile("-3") + " more: [" + mark + "\n"})
	w.readAnew("blueprints")
	version, kind := "v1", "Secret"
	of := func(pkg string) func(*variant.Spec) {
		return func(s *variant.Spec) { s.Upstream.Package = pkg }
	}
	taken, stopped := onConflict(variant.OnConflictTakeUpstream), onConflict(variant.OnConflictStop)
	w.Apply(newVariant("taken", plain, taken), newVariant("stopped", plain, stopped),
		newVariant("injected", of("point"), func(s *variant.Spec) {
			s.PackageContext, s.Injectors = nil, []variant.InjectionSelector{{Version: &version, Kind: &kind, Name: "db"}}
		}),
		newVariant("failing", plain, func(s *variant.Spec) {
			s.Pipeline = &variant.Pipeline{Mutators: []variant.Function{{Name: "f", Image: contextImage,
				ConfigMap: map[string]string{"name": "mine"}}}}
		}),
		newVariant("broken", plain, of("broken"), func(s *variant.Spec) { s.Upstream.Revision = variant.RevisionNumber(-1) }))
	p := w.start()
	for _, name := range []string{"taken", "stopped"} {
		draft := w.target(name)
		w.WriteFiles(draft, map[string]string{"secret.yaml": strings.ReplaceAll(w.Files(draft)["secret.yaml"], mark+"-1",
			mark+"-mine")})
	}
	w.Apply(newVariant("taken", plain, taken, revision(2)), newVariant("stopped", plain, stopped, revision(2)))
	w.expectCondition("taken", v1alpha1.ConditionConflicted, "True", "UpstreamTaken")
	w.waitFile("edge.taken.packagevariant-1", "secret.yaml", mark+"-2")
	w.WaitReason("stopped", "Conflicted")
	for _, name := range []string{"taken", "stopped"} {
		for _, c := range w.Variant(name).Status.Conflicts {
			if c.Local != "(not shown)" || c.Original != c.Local || c.Updated != c.Local {
				t.Errorf("conflict of %s: %+v", name, c)
			}
		}
		if n := len(w.Variant(name).Status.Conflicts); n != 2 {
			t.Errorf("%s has %d conflicts, want those about the password and the annotation", name, n)
		}
	}
	w.expectUnmet("injected", "config.injection.Secret.db")
	w.WaitReason("failing", "RenderFailed")
	if w.stack.Foreign() {
		w.refusesPushed("broken")
	} else {
		w.WaitReason("broken", "PackageRefused")
	}
	for name, expression := range map[string]string{
		"annotation": "target.annotations['kubectl.kubernetes.io/last-applied-configuration']",
		"data":       "target.data.password",
		"index":      "{'a': 'b'}[target.annotations.map(k, target.annotations[k]).join('')]",
	} {
		set := newSet(t, strings.Replace(secretSet, "EXPRESSION", expression, 1))
		set.Name = name
		w.Apply(set)
		w.waitSetReason(name, "ExpansionFailed")
	}
	w.expectUntold(p)
}

// waitSetReason waits until a set is not ready for a reason.
func (w *world) waitSetReason(name, reason string) {
	w.t.Helper()
	w.Eventually(name+" has the reason "+reason, func() error {
		var set v1alpha2.PackageVariantSet
		err := w.Client.Get(w.t.Context(), client.ObjectKey{Namespace: w.Namespace, Name: name}, &set)
		if c := meta.FindStatusCondition(set.Status.Conditions, v1alpha1.ConditionReady); err == nil && (c == nil || c.Reason != reason) {
			return fmt.Errorf("it is %+v", c)
		}
		return err
	})
	w.reachedSet(name, reason)
}

// expectUntold fails the test if a controller has written a value with the mark anywhere.
func (w *world) expectUntold(p *controller.Process) {
	w.t.Helper()
	metrics, err := p.Metrics()
	if err != nil {
		w.t.Fatal(err)
	}
	told := map[string]string{"the log": p.Log(), "the metrics": fmt.Sprint(metrics)}
	for what, list := range map[string]client.ObjectList{"Events": &corev1.EventList{},
		"PackageVariants": &v1alpha1.PackageVariantList{}, "PackageVariantSets": &v1alpha2.PackageVariantSetList{}} {
		if err := w.Client.List(context.Background(), list, client.InNamespace(w.Namespace)); err != nil {
			w.t.Fatal(err)
		}
		text, err := json.Marshal(list)
		if err != nil {
			w.t.Fatal(err)
		}
		told[what] = string(text)
	}
	for where, text := range told {
		if len(text) < 1000 {
			w.t.Errorf("%s are nearly empty: %s", where, text)
		}
		if i := strings.Index(text, mark); i >= 0 {
			w.t.Errorf("%s have a value of a Secret: …%s…", where, text[max(0, i-300):min(len(text), i+100)])
		}
	}
}
