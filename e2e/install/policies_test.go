// SPDX-License-Identifier: Apache-2.0

package install

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/package-variants/package-variants/e2e/stack"
)

// attempt is something that each of the people tries.
type attempt struct {
	name    string
	kind    string // variants if empty
	in      string // the namespace; default if empty
	on      string // the object of the administrator that is changed or deleted; created if empty
	cascade metav1.DeletionPropagation
	spec    string // in YAML: the spec of a new object, or what is merged into that of one
	object  string // in YAML, in place of spec: what is merged into all of the object
	refused string // the people who are refused, of "writer editor owner"
	missing string // what the refusal says
}

const (
	sets    = "packagevariantsets"
	publish = "kubectl auth can-i patch packagerevisions.porch.kpt.dev --subresource=approval --namespace=default"
	remove  = "kubectl auth can-i delete packagerevisions.porch.kpt.dev --namespace=default"
	noOwner = "writer editor"
	all     = "writer editor owner"
)

// people are the users of testdata/people.yaml.
var people = []string{"writer", "editor", "owner"}

// TestPolicies checks what three people with different rights may have the controller do: each makes every attempt.
func TestPolicies(t *testing.T) {
	t.Parallel()
	g := newGuide(t, stack.Options{ControllerManager: true})
	g.run(t, "kubectl apply -f sync-controller/config/crds")
	g.run(t, established)
	g.run(t, "kubectl apply -f "+fixture(t, "policed.yaml")) // which is older than the policies
	g.follow(t, "Install")
	g.run(t, "kubectl apply -f "+fixture(t, "people.yaml"))
	admin := client(t, g.Config)
	users := map[string]dynamic.Interface{}
	for _, name := range people {
		users[name] = g.user(t, name)
	}
	for _, right := range []string{"create %s --as=editor", "create %s --as=manager", "list %s --as=viewer"} {
		g.run(t, "until kubectl auth can-i "+fmt.Sprintf(right, "packagevariants.config.porch.kpt.dev")+"; do sleep 0.2; done")
	}
	awaitPolicies(t, users["writer"])
	t.Run("in force", func(t *testing.T) { tried(t, g, "denied request") })
	t.Run("matrix", func(t *testing.T) {
		for i, a := range attempts() {
			for _, name := range people {
				want := ""
				if strings.Contains(a.refused, name) {
					want = a.missing
				}
				expect(t, a.name+" by "+name, a.try(t, users[name], i), want)
			}
			expect(t, a.name+" by the administrator", a.try(t, admin, i), "")
		}
	})
	t.Run("a large set", func(t *testing.T) { large(t, g, admin, users["writer"]) })
	t.Run("controllers", func(t *testing.T) { exempt(t, g) })
	t.Run("a warning", func(t *testing.T) { warned(t, g) })
	t.Run("commands of refusals", func(t *testing.T) { asking(t, g, users["writer"]) })
	t.Run("roles", func(t *testing.T) { roles(t, g) })
	t.Run("the garbage collector", func(t *testing.T) { collected(t, g, admin) })
	t.Run("in the foreground", func(t *testing.T) { foreground(t, g) })
	t.Run("an older API server", func(t *testing.T) { older(t, g) })
	t.Run("a plan", func(t *testing.T) { planRefusals(t, g) })
	t.Run("a namespace", func(t *testing.T) { leaving(t, g) })
}

// TestPoliciesOff checks that the manual's commands detect an API server that does not apply the policies.
func TestPoliciesOff(t *testing.T) {
	t.Parallel()
	g := newGuide(t, stack.Options{NoPolicies: true})
	g.follow(t, "Install")
	g.run(t, established)
	tried(t, g, "created (server dry run)")
}

// tried runs the manual's check whether the policies are in force.
func tried(t *testing.T, g *guide, want string) {
	t.Helper()
	var out strings.Builder
	for _, command := range g.commands(t, "Which rights users need") {
		out.WriteString(g.run(t, command))
	}
	if !strings.Contains(out.String(), want) {
		t.Errorf("the commands do not say %q:\n%s", want, out.String())
	}
}

// expect compares an answer with the end of the command that is to be in the refusal; none means that it is allowed.
func expect(t *testing.T, what string, err error, missing string) {
	t.Helper()
	switch {
	case missing == "" && err != nil:
		t.Errorf("%s is refused: %v", what, err)
	case missing != "" && err == nil:
		t.Errorf("%s is allowed", what)
	case missing != "" && (!apierrors.IsForbidden(err) || !strings.Contains(err.Error(), missing) ||
		!strings.Contains(err.Error(), "in the namespace default")):
		t.Errorf("%s is refused by %v, want 403 with %q", what, err, missing)
	}
}

// try makes the attempt as a dry run, to which the policies apply as well.
func (a *attempt) try(t *testing.T, c dynamic.Interface, i int) error {
	t.Helper()
	resource, kind, version := "packagevariants", "PackageVariant", "v1alpha1"
	if a.kind != "" {
		resource, kind, version = sets, "PackageVariantSet", "v1alpha2"
	}
	objects := c.Resource(schema.GroupVersionResource{
		Group: "config.porch.kpt.dev", Version: version, Resource: resource}).Namespace(cmp.Or(a.in, "default"))
	var content map[string]any
	text := a.object
	if text == "" {
		text = "spec: " + a.spec
	}
	if err := yaml.Unmarshal([]byte(text), &content); err != nil {
		t.Fatalf("%s: %v", a.name, err)
	}
	dry := []string{metav1.DryRunAll}
	var err error
	switch {
	case a.on == "":
		o := &unstructured.Unstructured{Object: content}
		o.SetAPIVersion("config.porch.kpt.dev/" + version)
		o.SetKind(kind)
		o.SetName(fmt.Sprintf("attempt-%d", i))
		_, err = objects.Create(t.Context(), o, metav1.CreateOptions{DryRun: dry})
	case a.spec+a.object == "":
		options := metav1.DeleteOptions{DryRun: dry}
		if a.cascade != "" {
			options.PropagationPolicy = &a.cascade
		}
		err = objects.Delete(t.Context(), a.on, options)
	default:
		body, failed := yaml.YAMLToJSON([]byte(text))
		if failed != nil {
			t.Fatal(failed)
		}
		_, err = objects.Patch(t.Context(), a.on, types.MergePatchType, body, metav1.PatchOptions{DryRun: dry})
	}
	return err
}

// user returns a client of a user with a certificate.
func (g *guide) user(t *testing.T, name string) dynamic.Interface {
	t.Helper()
	config, err := g.As(name)
	if err != nil {
		t.Fatal(err)
	}
	return client(t, config)
}

// client returns a client that prints no warnings, unless the config handles them.
func client(t *testing.T, config *rest.Config) dynamic.Interface {
	t.Helper()
	if config.WarningHandler == nil {
		config = rest.CopyConfig(config)
		config.WarningHandler = rest.NoWarnings{}
	}
	c, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// awaitPolicies waits until each of the policies that refuse does so: the API server reads them one by one.
func awaitPolicies(t *testing.T, c dynamic.Interface) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for _, a := range []attempt{
		{name: "publish", spec: newVariant("approvalPolicy: Automatic")},
		{name: "read", spec: newVariant("injectors: [{kind: ConfigMap, name: secret}]")},
		{name: "remove", on: "plain"},
	} {
		for a.try(t, c, 0) == nil && time.Now().Before(deadline) {
			time.Sleep(200 * time.Millisecond)
		}
	}
}
