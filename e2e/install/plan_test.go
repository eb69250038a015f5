// SPDX-License-Identifier: Apache-2.0

package install

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// plugin returns the plugin's binary.
func plugin(t *testing.T) string {
	t.Helper()
	binary := os.Getenv("KUBECTL_VARIANTS")
	if binary == "" {
		t.Fatal("the environment variable KUBECTL_VARIANTS must name the plugin: run this by make, which builds and sets it")
	}
	return binary
}

// planned checks that a plan is made with the rights of the controller of a namespace, whose account it is told: nobody
// has let it approve.
func planned(t *testing.T, g *guide, team string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "published.yaml")
	writeFile(t, file, "{apiVersion: config.porch.kpt.dev/v1alpha1, kind: PackageVariant, metadata: {name: published}, "+
		"spec: {upstream: {repo: blueprints, package: web, revision: 1}, downstream: {repo: edge, package: new}, "+
		"approvalPolicy: Automatic}}")
	out := g.run(t, plugin(t)+" plan --namespace="+team+" --controller-account="+namespace+"/sync-controller-"+team+" -f "+
		file+" || true")
	if !strings.Contains(out, "Approved=False (PermissionMissing)") || strings.Contains(out, "assumes that the controller") {
		t.Errorf("the plan for %s does not say that its controller may not approve:\n%s", team, out)
	}
}

// planRefusals checks that a person's plan contains the refusals and warnings of the policies for that person, and that
// it writes nothing.
func planRefusals(t *testing.T, g *guide) {
	manifest := func(name, spec string) string {
		file := filepath.Join(t.TempDir(), name+".yaml")
		writeFile(t, file, "{apiVersion: config.porch.kpt.dev/v1alpha1, kind: PackageVariant, metadata: {name: "+name+
			"}, spec: "+spec+"}")
		return file
	}
	published, manual := manifest("published", newVariant("approvalPolicy: Automatic")), manifest("manual", newVariant(""))
	moved := manifest("plain", "{upstream: {repo: blueprints, package: web, revision: 1}, "+
		"downstream: {repo: fra, package: other}}")
	const refusal = "the API server does not take this from you"
	fails := regexp.MustCompile("(?m)^fail\\b.*" + refusal)
	plan := func(user, args string) string {
		return plugin(t) + " plan --namespace=default --as=" + user + " -f " + args
	}
	for command, missing := range map[string]string{
		plan("planner", published):         publish,
		plan("planner", moved):             remove,
		plan("planner", moved+" --delete"): remove,
	} {
		g.fails(t, command, missing)
		if out := g.run(t, command+" || true"); !fails.MatchString(out) {
			t.Errorf("%s does not count a failure:\n%s", command, out)
		}
	}
	for command, said := range map[string]string{
		plan("planner", manual): "Note: The API server warns: ",
		plan("reader", published): "Note: You may not create packagevariants in the namespace default, so it is not known " +
			"whether policies refuse them to whoever applies them: plan as that account, by --as",
	} {
		if out := g.run(t, command+" || true"); !strings.Contains(out, said) || strings.Contains(out, refusal) {
			t.Errorf("%s does not say %q:\n%s", command, said, out)
		}
	}
	g.fails(t, "kubectl get packagevariants manual", "not found")
}
