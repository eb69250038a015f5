// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/local/fleet/fleettest"
)

// environment has the manifests of web in an environment, with values and names of its own.
type environment struct {
	name, image, limit string
	replicas           int
}

var environments = []environment{{"dev", "v9", "10", 1}, {"qa", "v8", "5", 2}, {"prod", "v7", "1", 5}}

// files returns the manifests, at a level of logging.
func (e environment) files(level string) map[string]string {
	return map[string]string{
		"deployment.yaml": fmt.Sprintf(`apiVersion: apps/v1
kind: Deployment
metadata:
  name: web-%[1]s
spec:
  replicas: %[2]d
  selector:
    matchLabels: {app: web-%[1]s}
  template:
    metadata:
      labels: {app: web-%[1]s}
    spec:
      containers:
      - name: web
        image: registry.example.com/web:%[3]s # of %[1]s
        env:
          - {name: LEVEL, value: %[4]s}
`, e.name, e.replicas, e.image, level),
		"service.yaml": fmt.Sprintf(`apiVersion: v1
kind: Service
metadata:
  name: web-%[1]s
spec:
  selector: {app: web-%[1]s}
  ports:
  - port: 80
`, e.name),
		"ingress.yaml": fmt.Sprintf(`apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: web-%[1]s
spec:
  rules:
  - host: web.%[1]s.example.com
`, e.name),
		"alerts.yaml": fmt.Sprintf(`apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: web-%[1]s
spec:
  groups:
  - name: errors
    limit: %[2]s
  - name: restarts
    limit: 3
`, e.name, e.limit)}
}

// in returns files in a directory, with a Kptfile unless there is one.
func in(dir string, files map[string]string) map[string]string {
	out := map[string]string{dir + "/Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\n"}
	for name, text := range files {
		out[dir+"/"+name] = text
	}
	return out
}

// TestAdoptEnvironments adopts the copies of a package in several environments, whose blueprint was made of one of them:
// resources have the name of the environment in theirs. What the blueprint changes arrives, and nothing else changes.
func TestAdoptEnvironments(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "# no variant yet\n")
	manifests := strings.ReplaceAll(fleettest.Repositories, "ADDRESS", w.Remote.Address())
	variants := ""
	for _, e := range environments {
		manifests += "---\napiVersion: config.porch.kpt.dev/v1alpha1\nkind: Repository\nmetadata: {name: " + e.name + "}\nspec: {type: git, git: {repo: " +
			w.Remote.Address() + ", branch: main, directory: environments/" + e.name + "}}\n"
		variants += strings.NewReplacer("name: web}", "name: web-"+e.name+"}", "repo: edge", "repo: "+e.name, "  packageContext: {data: {region: north}}\n",
			"  adoptionPolicy: adoptExisting\n  upgrade: {onConflict: KeepLocal}\n").Replace("---" + fleettest.Web)
		w.Push("main", "Copy by hand", in("environments/"+e.name+"/web", e.files("info")))
	}
	w.Push("main", "A blueprint", in("blueprints/web", environments[0].files("info")), "HEAD:refs/tags/blueprints/web/v2")
	w.Push("main", "Three environments", map[string]string{"fleet/repositories.yaml": manifests})
	for _, e := range environments {
		said := w.run(exitDone, "adopt", filepath.Join(w.People.Dir, "environments", e.name, "web"), "--upstream", "blueprints/web@v2", "--yes")
		pairs := strings.ReplaceAll("its Deployment web-E is the upstream's Deployment web-dev\nits PrometheusRule web-E is the upstream's "+
			"PrometheusRule web-dev\nits Ingress web-E is the upstream's Ingress web-dev\nits Service web-E is the upstream's Service web-dev\n", "web-E", "web-"+e.name)
		if e.name == "dev" {
			pairs = ""
		}
		w.Equal("said of "+e.name, pairs+"it has no ConfigMap settings in settings.yaml: that counts as removed in the copy\n", between(said, "values\n", "diff --git"))
		w.Merge("drafts/environments/" + e.name + "/web/adopt-v2")
	}
	w.Push("main", "Log more", in("blueprints/web", environments[0].files("debug")), "HEAD:refs/tags/blueprints/web/v3")
	w.Push("main", "Variants", map[string]string{"fleet/web.yaml": variants})
	w.run(exitDone, "sync", w.dir())
	identified := "+  annotations:\n+    internal.kpt.dev/upstream-identifier: apps|Deployment|default|web-dev\n"
	for _, e := range environments {
		draft := "drafts/environments/" + e.name + "/web/packagevariant-1"
		w.Equal("what changes in "+e.name, map[bool]string{false: identified}[e.name == "dev"]+
			"-          - {name: LEVEL, value: info}\n+          - {name: LEVEL, value: debug}\n", w.changed(e, draft))
		w.Merge(draft)
	}
	next := environments[0]
	next.image, next.limit = "v10", "20"
	w.Push("main", "Another version in dev", in("blueprints/web", next.files("debug")), "HEAD:refs/tags/blueprints/web/v4")
	report := w.run(exitDone, "sync", w.dir())
	for _, e := range environments[1:] {
		w.Equal("what changes in "+e.name, "", w.changed(e, "drafts/environments/"+e.name+"/web/packagevariant-2"))
		w.Equal("what is said of "+e.name, fmt.Sprintf(`spec.groups of PrometheusRule "web-%[1]s" in alerts.yaml (here "[0] {\"limit\":%[2]s,\"name\":\"errors\"}", `+
			`upstream "[0] {\"limit\":20,\"name\":\"errors\"}"; the merge kept its own); spec.template.spec.containers[name=web].image of `+
			`Deployment "web-%[1]s" in deployment.yaml (here "registry.example.com/web:%[3]s", upstream "registry.example.com/web:v10"; the merge kept its own)`,
			e.name, e.limit, e.image), between(report, e.name+"/web: with blueprints.web.v4, both sides changed ", "\n"))
	}
}

// changed returns the lines that a draft changes in an environment, without those of the Kptfile.
func (w *world) changed(e environment, draft string) string {
	w.Helper()
	var lines strings.Builder
	for line := range strings.Lines(w.Remote.Git("diff", "main", draft, "--", "environments/"+e.name+"/web", ":!*/Kptfile")) {
		if !strings.HasPrefix(line, "+++") && !strings.HasPrefix(line, "---") && strings.ContainsAny(line[:1], "+-") {
			lines.WriteString(line)
		}
	}
	return lines.String()
}

// between returns the part of a text after the first one, and before the next other one.
func between(text, first, next string) string {
	_, text, _ = strings.Cut(text, first)
	text, _, _ = strings.Cut(text, next)
	return text
}
