// SPDX-License-Identifier: Apache-2.0

package install

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/e2e/internal/controller"
	"github.com/package-variants/package-variants/e2e/internal/fleet"
	"github.com/package-variants/package-variants/e2e/internal/proxy"
	"github.com/package-variants/package-variants/e2e/stack"
)

// accountOf returns the user name of a team's controller in Kubernetes.
func accountOf(team string) string { return account + "-" + team }

// TestNamespaces does what the manual says for controllers of single namespaces, and runs two of them with the rights
// of their accounts.
func TestNamespaces(t *testing.T) {
	t.Parallel()
	g := newGuide(t, stack.Options{})
	teams := map[string]*fleet.Fleet{"team-a": nil, "team-b": nil, "team-c": nil}
	for team := range teams {
		teams[team] = fleet.New(t, g.Stack, team)
	}
	g.follow(t, "A controller for some namespaces")
	g.run(t, established)
	t.Run("kpt reads the package", func(t *testing.T) { g.run(t, "kpt fn render sync-controller/namespaced") })
	t.Run("access", func(t *testing.T) {
		resources := served(t, g)
		for in, want := range map[string]rights{
			"team-a": union(working, questions), "team-b": questions, namespace: union(home, questions),
		} {
			if diff := cmp.Diff(want, may(t, g, accountOf("team-a"), in, resources)); diff != "" {
				t.Errorf("rights in %s (-want +got):\n%s", in, diff)
			}
		}
	})
	t.Run("policies", func(t *testing.T) {
		config := rest.CopyConfig(g.Config)
		config.Impersonate = rest.ImpersonationConfig{UserName: accountOf("team-a")}
		a := attempt{in: "team-a", spec: newVariant("approvalPolicy: Automatic, adoptionPolicy: adoptExisting, " +
			"injectors: [{name: x}]")}
		expect(t, "what a set asks for", a.try(t, client(t, config), 0), "")
	})
	for _, team := range []string{"team-a", "team-b"} {
		teams[team].Repository("blueprints", nil, false)
		teams[team].Repository("edge", nil, true)
		teams[team].Publish("blueprints", "web", "v1", nil)
	}
	planned(t, g, "team-b")
	besideEachOther(t, g, teams)
	withoutRights(t, g, teams)
}

// besideEachOther checks that each controller makes the packages of its namespace, and makes no request for another.
func besideEachOther(t *testing.T, g *guide, teams map[string]*fleet.Fleet) {
	t.Helper()
	seen := map[string]*proxy.Proxy{}
	for _, team := range []string{"team-a", "team-b"} {
		running, requests := g.start(t, team)
		defer running.Stop() // which gives the lease back
		seen[team] = requests
		teams[team].Apply(variantOf("web"))
	}
	teams["team-c"].Apply(variantOf("web"))
	for _, team := range []string{"team-a", "team-b"} {
		teams[team].Ready("web")
		if drafts := teams[team].Revisions("edge", "web"); len(drafts) != 1 {
			t.Errorf("%s has %d revisions of the package, want a draft", team, len(drafts))
		}
		for _, r := range seen[team].Requests() {
			elsewhere := r.Namespace != team && r.Namespace != namespace && r.Resource != "selfsubjectaccessreviews"
			if r.Resource != "" && (elsewhere || r.Status == http.StatusForbidden) {
				t.Errorf("the controller of %s asks for what is not its own: %+v", team, r)
			}
		}
	}
	idle(t, teams["team-c"])
}

// withoutRights checks that a controller works where it has rights when it starts, and names the namespace where it has
// none. Started again with the rights, it works there, too.
func withoutRights(t *testing.T, g *guide, teams map[string]*fleet.Fleet) {
	t.Helper()
	p, _ := g.start(t, "team-a", "--namespace=team-c")
	teams["team-a"].Apply(variantOf("shop"))
	teams["team-a"].Ready("shop")
	idle(t, teams["team-c"])
	const said = "the controller does nothing in namespace team-c, because it may not list packagevariants." +
		"config.porch.kpt.dev, packagevariantsets.config.porch.kpt.dev, repositories.config.porch.kpt.dev, " +
		"packagerevisions.porch.kpt.dev there"
	if !strings.Contains(p.Log(), said) {
		t.Errorf("the log does not say %q", said)
	}
	if p.Metric("package_variant_namespaces_left_out", map[string]string{"namespace": "team-c"}) != 1 {
		t.Error("no metric names the namespace")
	}
	g.run(t, "kubectl -n team-c create rolebinding rights --clusterrole=package-variants-sync-controller "+
		"--serviceaccount="+namespace+":sync-controller-team-a")
	p.Stop()
	g.start(t, "team-a", "--namespace=team-c")
	teams["team-c"].WaitReason("web", v1alpha1.ReasonRepositoryNotFound)
}

// start runs the controller of a team as its Deployment has it, and further arguments, with the rights of its account.
// It is killed when the test ends.
func (g *guide) start(t *testing.T, team string, more ...string) (*controller.Process, *proxy.Proxy) {
	t.Helper()
	var args []string
	out := g.run(t, "kubectl -n "+namespace+" get deployment sync-controller-"+team+
		" -o jsonpath='{.spec.template.spec.containers[0].args}'")
	if err := json.Unmarshal([]byte(out), &args); err != nil {
		t.Fatal(err)
	}
	p, kubeconfig := proxy.StartFor(t, g.Config, proxy.Options{ImpersonateUser: accountOf(team)})
	args = append(args, "--leader-election-namespace="+namespace)
	return controller.Start(t, controller.Options{Kubeconfig: kubeconfig, Args: append(args, more...)}), p
}

// idle checks that no controller has worked on the variant of a namespace.
func idle(t *testing.T, f *fleet.Fleet) {
	t.Helper()
	if pv := f.Variant("web"); len(pv.Status.Conditions)+len(pv.Finalizers) > 0 {
		t.Errorf("the variant of %s has been worked on: %v %+v", f.Namespace, pv.Finalizers, pv.Status)
	}
}

// variantOf returns a variant of the blueprint web, with a downstream of its own name.
func variantOf(name string) *v1alpha1.PackageVariant {
	return &v1alpha1.PackageVariant{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: variant.Spec{
			Upstream:   &variant.Upstream{Repo: "blueprints", Package: "web", Revision: variant.RevisionNumber(1)},
			Downstream: &variant.Downstream{Repo: "edge", Package: name},
		},
	}
}
