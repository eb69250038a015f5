// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// refused are names of packages that Porch never takes, by the name of a variant.
var refused = map[string]string{
	"upper": "UP", "dot": "x.y", "evil": "../evil", "empty-part": "a//b", "dash": "-lead", "space": "with space",
	"long": strings.Repeat("x", 300), "long-part": "a/" + strings.Repeat("x", 64),
}

// TestNamesOfPackages has the API refuse names that Porch never takes, and only those.
func TestNamesOfPackages(t *testing.T) {
	w := newWorld(t)
	for name, pkg := range refused {
		pv := newVariant(name, downstream(pkg))
		pv.Namespace = w.Namespace
		if err := w.Client.Create(t.Context(), pv); err == nil || !strings.Contains(err.Error(), "spec.downstream.package") {
			t.Errorf("%q: got error %v, want one with spec.downstream.package", pkg, err)
		}
		set := newSet(t, setOver("[{name: edge, packageNames: [web]}]"))
		set.Namespace, set.Name, set.Spec.Targets[0].Repositories[0].PackageNames[0] = w.Namespace, name, pkg
		if err := w.Client.Create(t.Context(), set); err == nil || !strings.Contains(err.Error(), "packageNames[0]") {
			t.Errorf("%q in a set: got error %v, want one with packageNames[0]", pkg, err)
		}
	}
	w.Publish("blueprints", "web", "v1", simple())
	var variants []client.Object
	for name, pkg := range map[string]string{"one": "x", "digits": "5g-core-1", "deep": "site/eu/web",
		"long": strings.Repeat("x", 60)} {
		variants = append(variants, newVariant(name, plain, downstream(pkg)))
	}
	w.Apply(variants...)
	w.start()
	for _, name := range []string{"one", "digits", "deep", "long"} {
		w.target(name)
	}
}

// setOver returns a set with a target of these repositories.
func setOver(repositories ...string) string {
	text := strings.Split(fleetSet, "  targets:")[0] + "  targets:\n"
	for _, r := range repositories {
		text += "  - repositories: " + r + "\n"
	}
	return text
}

// expectSetCondition waits until a condition of the set has a status and a reason, and returns its message.
func (w *world) expectSetCondition(typ, status, reason string) string {
	w.t.Helper()
	var message string
	w.Eventually(fmt.Sprintf("the condition %s of the set is %s for %s", typ, status, reason), func() error {
		set := w.set()
		c := meta.FindStatusCondition(set.Status.Conditions, typ)
		if c == nil || string(c.Status) != status || c.Reason != reason || c.ObservedGeneration != set.Generation {
			return fmt.Errorf("it is %+v", c)
		}
		message = c.Message
		return nil
	})
	w.cameTrue()
	return message
}

// TestSetNames has expressions of a set make a name that Porch never takes: no variant gets it.
func TestSetNames(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", simple())
	set := newSet(t, setOver("[{name: edge, packageNames: [web]}]"))
	downstream := &v1alpha2.DownstreamTemplate{PackageExpr: new("target.package.upperAscii()")}
	set.Spec.Targets[0].Template = &v1alpha2.PackageVariantTemplate{Downstream: downstream}
	w.Apply(set)
	w.start()
	w.Eventually("the set says what is wrong", func() error {
		ready := meta.FindStatusCondition(w.set().Status.Conditions, v1alpha1.ConditionReady)
		if ready == nil || ready.Status != metav1.ConditionFalse || !strings.Contains(ready.Message, "WEB") ||
			!strings.Contains(ready.Message, "targets[0]") {
			return fmt.Errorf("the condition Ready is %+v", ready)
		}
		return nil
	})
	w.cameTrue()
	if got := w.variants(); len(got) > 0 {
		t.Errorf("it has made %v", got)
	}
}

// TestSetClaimsTwice has two targets of a set name one package: only a person can say which is meant.
func TestSetClaimsTwice(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", simple())
	w.Apply(newSet(t, setOver("[{name: edge, packageNames: [web]}]")))
	w.start()
	w.expectSet("VariantsReady", [3]int32{1, 1, 1}, "edge/web")
	w.Apply(newSet(t, setOver("[{name: edge, packageNames: [shop, web]}]", "[{name: edge, packageNames: [web]}]")))
	message := w.expectSetCondition(v1alpha1.ConditionReady, "False", "InvalidSpec")
	for _, text := range []string{"targets[0]", "targets[1]", "edge/web"} {
		if !strings.Contains(message, text) {
			t.Errorf("the message has no %q: %s", text, message)
		}
	}
	w.expectSetCondition(v1alpha1.ConditionStalled, "True", "InvalidSpec")
	if got := w.variants(); len(got) != 1 || got[0] != "edge/web" {
		t.Errorf("the variants are %v, want what there was", got)
	}
	w.Ready(w.nameOf("edge/web"))
}

// nameOf returns the name of the variant with that downstream.
func (w *world) nameOf(downstream string) string {
	w.t.Helper()
	var list v1alpha1.PackageVariantList
	if err := w.Client.List(w.t.Context(), &list, client.InNamespace(w.Namespace)); err != nil {
		w.t.Fatal(err)
	}
	for _, pv := range list.Items {
		if pv.Spec.Downstream.Repo+"/"+pv.Spec.Downstream.Package == downstream {
			return pv.Name
		}
	}
	w.t.Fatalf("there is no variant of %s", downstream)
	return ""
}
