// SPDX-License-Identifier: Apache-2.0

package install

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

var variants = schema.GroupVersionResource{
	Group: "config.porch.kpt.dev", Version: "v1alpha1", Resource: "packagevariants"}

// canI is the command in a refusal.
var canI = regexp.MustCompile(`kubectl auth can-i .* --namespace=[a-z-]+`)

// exempt checks that the controller may write for a set what it has no right to itself, and works on what is older than
// the policies: it may not approve here, and may not read objects of all kinds. Nor are Kubernetes' own controllers in
// need of rights to packages.
func exempt(t *testing.T, g *guide) {
	config := rest.CopyConfig(g.Config)
	config.Impersonate = rest.ImpersonationConfig{UserName: account}
	const kube = "system:serviceaccount:kube-system:"
	as := map[string]dynamic.Interface{account: client(t, config)}
	for _, name := range []string{kube + "generic-garbage-collector", kube + "namespace-controller",
		"system:kube-controller-manager"} {
		as[name] = g.user(t, name)
	}
	for user, attempts := range map[string][]attempt{
		account: {
			{name: "all at once", spec: newVariant(
				"approvalPolicy: Automatic, adoptionPolicy: adoptExisting, injectors: [{name: x}]")},
			{name: "another content of an older variant", on: "full", spec: "{packageContext: {data: {a: b}}}"},
			{name: "the end of an older variant", on: "orphan", object: "{metadata: {finalizers: null}}"},
			{name: "an older variant that is not wanted", on: "plain"},
		},
		kube + "generic-garbage-collector": {
			{name: "a deletion", on: "plain"},
			{name: "a deletion in the foreground", on: "orphan", cascade: metav1.DeletePropagationForeground},
			{name: "the end of finalizers", on: "orphan", object: "{metadata: {finalizers: null}}"},
		},
		kube + "namespace-controller":    {{name: "a deletion", on: "plain"}},
		"system:kube-controller-manager": {{name: "a deletion", on: "plain"}},
	} {
		for _, a := range attempts {
			expect(t, a.name+" by "+user, a.try(t, as[user], 0), "")
		}
	}
}

// asking checks that what refusals say to run asks for the right that is missing, whatever files are there.
func asking(t *testing.T, g *guide, writer dynamic.Interface) {
	for _, spec := range []string{"approvalPolicy: Automatic", "adoptionPolicy: adoptExisting", "injectors: [{name: x}]",
		"injectors: [{kind: Gateway, name: x}]"} {
		a := attempt{name: spec, spec: newVariant(spec)}
		err := a.try(t, writer, 0)
		command := canI.FindString(fmt.Sprint(err))
		if command == "" {
			t.Errorf("%s: %v names no command", spec, err)
			continue
		}
		g.run(t, command)
		if out := g.run(t, command+" --as=writer || true"); !strings.HasSuffix(out, "no\n") {
			t.Errorf("%s as writer prints %q, want no", command, out)
		}
	}
}

// roles checks what Kubernetes' roles view and admin allow: admin is asked for rights as edit is.
func roles(t *testing.T, g *guide) {
	viewer, manager := g.user(t, "viewer"), g.user(t, "manager")
	const forbidden = `cannot patch resource "packagevariantsets"`
	for resource, version := range map[string]string{"packagevariants": "v1alpha1", sets: "v1alpha2"} {
		of := schema.GroupVersionResource{Group: variants.Group, Version: version, Resource: resource}
		if _, err := viewer.Resource(of).Namespace("default").List(t.Context(), metav1.ListOptions{}); err != nil {
			t.Error(err)
		}
	}
	for _, a := range []attempt{
		{name: "suspend", kind: sets, on: "plain", spec: "{suspend: true}"}, wave,
	} {
		if err := a.try(t, viewer, 0); !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), forbidden) {
			t.Errorf("%s by viewer: %v, want %s", a.name, err, forbidden)
		}
		expect(t, a.name+" by manager", a.try(t, manager, 0), "")
	}
	a := attempt{name: "Automatic", spec: newVariant("approvalPolicy: Automatic")}
	expect(t, a.name+" by manager", a.try(t, manager, 0), publish)
}

// warnings are what the API server has warned of.
type warnings struct {
	mutex sync.Mutex
	texts []string
}

// HandleWarningHeader keeps a warning.
func (w *warnings) HandleWarningHeader(_ int, _, text string) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.texts = append(w.texts, text)
}

// warned checks who gets the warning that they request packages which they may not make themselves.
func warned(t *testing.T, g *guide) {
	const missing = "kubectl auth can-i create packagerevisions.porch.kpt.dev --namespace=default"
	for _, name := range people {
		for _, c := range []struct {
			attempt
			warns bool
		}{
			{attempt{name: "a variant", spec: newVariant("")}, true},
			{attempt{name: "a set", kind: sets, spec: newSet("")}, true},
			{attempt{name: "a newer upstream", on: "plain", spec: "{upstream: {revision: 2}}"}, true},
			{attempt{name: "a repository more", kind: sets, on: "orphan", spec: "{targets: [{repositories: [{name: fra}, " +
				"{name: lon}, {name: new}], template: {deletionPolicy: orphan}}]}"}, true},
			{attempt{name: "suspend", on: "plain", spec: "{suspend: true}"}, false},
			{attempt{name: "a label", kind: sets, on: "plain", object: "{metadata: {labels: {a: b}}}"}, false},
		} {
			config, err := g.As(name)
			if err != nil {
				t.Fatal(err)
			}
			w := &warnings{}
			config.WarningHandler = w
			expect(t, c.name+" by "+name, c.try(t, client(t, config), 0), "")
			if got, want := strings.Contains(strings.Join(w.texts, "\n"), missing), c.warns && name != "owner"; got != want {
				t.Errorf("%s: %s is warned: %t, want %t: %q", c.name, name, got, want, w.texts)
			}
		}
	}
}

// collected checks that a variant is deleted with its owner, by any user.
func collected(t *testing.T, g *guide, admin dynamic.Interface) {
	g.run(t, "kubectl create configmap owner")
	uid := g.run(t, "kubectl get configmap owner -o jsonpath='{.metadata.uid}'")
	owned, err := admin.Resource(variants).Namespace("default").Get(t.Context(), "plain", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	spec := owned.Object["spec"]
	owned = &unstructured.Unstructured{Object: map[string]any{"spec": spec, "metadata": map[string]any{
		"name": "owned", "ownerReferences": []any{map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": strings.TrimSpace(uid)}}}}}
	owned.SetAPIVersion("config.porch.kpt.dev/v1alpha1")
	owned.SetKind("PackageVariant")
	_, err = admin.Resource(variants).Namespace("default").Create(t.Context(), owned, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	g.run(t, "kubectl delete configmap owner")
	g.run(t, "kubectl wait packagevariant owned --for=delete --timeout=1m")
}

// foreground checks that who may delete packages may delete in the foreground, as Argo CD does by default, and why no one
// else may: what the variant owns goes before the variant, so that the controller cannot leave it.
func foreground(t *testing.T, g *guide) {
	uid := g.run(t, "kubectl get packagevariant orphan -o jsonpath='{.metadata.uid}'")
	file := filepath.Join(t.TempDir(), "revision.yaml")
	writeFile(t, file, "{apiVersion: v1, kind: ConfigMap, metadata: {name: revision, ownerReferences: [{apiVersion: "+
		"config.porch.kpt.dev/v1alpha1, kind: PackageVariant, name: orphan, uid: "+strings.TrimSpace(uid)+"}]}}")
	g.run(t, "kubectl create -f "+file)
	cascade := metav1.DeletePropagationForeground
	err := g.user(t, "owner").Resource(variants).Namespace("default").Delete(t.Context(), "orphan",
		metav1.DeleteOptions{PropagationPolicy: &cascade})
	if err != nil {
		t.Fatal(err)
	}
	g.run(t, "kubectl wait configmap revision --for=delete --timeout=1m")
	g.run(t, `kubectl patch packagevariant orphan --type=merge -p '{"metadata":{"finalizers":null}}'`)
	g.run(t, "kubectl wait packagevariant orphan --for=delete --timeout=1m")
}

// leaving checks that a namespace with a variant in it can be deleted, and that this needs no further rights.
func leaving(t *testing.T, g *guide) {
	for _, command := range []string{
		"kubectl create namespace going",
		"kubectl create clusterrolebinding leaver --clusterrole=package-variants-edit --user=leaver",
		"kubectl get packagevariant plain -o yaml | sed 's/namespace: default/namespace: going/' | kubectl create -f -",
		`kubectl -n going patch packagevariant plain --type=merge -p '{"metadata":{"finalizers":["example.com/x"]}}'`,
	} {
		g.run(t, command)
	}
	leaver := g.user(t, "leaver").Resource(variants).Namespace("going")
	move := func() error {
		_, err := leaver.Patch(t.Context(), "plain", types.MergePatchType,
			[]byte(`{"spec":{"downstream":{"package":"other"}}}`), metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
		return err
	}
	if err := move(); err == nil {
		t.Error("another downstream is allowed in a namespace that stays")
	}
	g.run(t, "kubectl delete namespace going --wait=false")
	g.run(t, `until kubectl -n going get packagevariant plain -o yaml | grep deletionTimestamp; do sleep 0.2; done`)
	if err := move(); err != nil {
		t.Error(err)
	}
	if err := leaver.Delete(t.Context(), "plain", metav1.DeleteOptions{}); err != nil {
		t.Error(err)
	}
	g.run(t, `kubectl -n going patch packagevariant plain --type=merge -p '{"metadata":{"finalizers":null}}'`)
	g.run(t, "kubectl wait namespace going --for=delete --timeout=1m")
}

// large checks that a set with the most possible targets, and a variant of many injectors, stay within the cost that
// Kubernetes allows an expression; beyond that it would refuse them for all users.
func large(t *testing.T, g *guide, admin, writer dynamic.Interface) {
	targets := func(n int, label string) string {
		var list strings.Builder
		for i := range n {
			fmt.Fprintf(&list, "{repositories: [{name: site-%d}], template: {labels: {a: %s}, annotationExprs: "+
				"[{key: x, valueExpr: target.repo}], injectors: [{kind: ConfigMap, name: public}]}}, ", i, label)
		}
		return "{upstream: {repo: blueprints, package: web, revision: 1}, targets: [" + list.String() + "]}"
	}
	file := filepath.Join(t.TempDir(), "large.yaml")
	text := "{apiVersion: config.porch.kpt.dev/v1alpha2, kind: PackageVariantSet, metadata: {name: large}, spec: " +
		targets(1024, "a") + "}"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	g.run(t, "kubectl create -f "+file)
	for _, a := range []attempt{
		{name: "a thousand targets", kind: sets, spec: targets(1024, "a")},
		{name: "a newer upstream of a thousand", kind: sets, on: "large", spec: "{upstream: {revision: 2}}"},
		{name: "another label for a thousand", kind: sets, on: "large", spec: targets(1024, "b"),
			refused: "writer", missing: remove},
		{name: "a target fewer than a thousand", kind: sets, on: "large", spec: targets(1023, "a"),
			refused: "writer", missing: remove},
		{name: "hundreds of injectors", spec: newVariant("injectors: [" + configMaps(500) + "]"),
			refused: "writer", missing: can("get configmaps/c0")},
	} {
		expect(t, a.name+" by the administrator", a.try(t, admin, 0), "")
		expect(t, a.name+" by writer", a.try(t, writer, 0), a.missing)
	}
}

// older checks what the manual says about an API server without such policies: here, without their version.
func older(t *testing.T, g *guide) {
	g.run(t, "cp -r sync-controller/config older && "+
		"sed -i 's#admissionregistration.k8s.io/v1$#admissionregistration.k8s.io/v0#' older/policies/*.yaml")
	for _, what := range []string{
		`no matches for kind "ValidatingAdmissionPolicy"`, "deployment.apps/sync-controller unchanged",
	} {
		g.fails(t, "kubectl apply -R -f older", what)
	}
}
