// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/engine/blueprint"
	"github.com/package-variants/package-variants/local/git/gittest"
	"github.com/package-variants/package-variants/local/manifests"
	"github.com/package-variants/package-variants/local/programs"
)

// people is a person in a clone with copies, who does what init prints.
type people struct {
	*testing.T
	clone  *gittest.Clone
	remote *gittest.Remote
	dir    string
	cache  string
}

func newPeople(t *testing.T, files map[string]string) *people {
	t.Helper()
	remote := gittest.NewRemote(t, "apps")
	clone := remote.Clone()
	p := &people{t, clone, remote, clone.Dir, t.TempDir()}
	clone.Git("checkout", "-q", "-b", "main")
	p.clone.Push("Copies", files, "HEAD:refs/heads/main")
	return p
}

// variants runs a command, and returns what it printed.
func (p *people) variants(code int, args ...string) string {
	p.Helper()
	var out bytes.Buffer
	args = append(args, "--cache", p.cache)
	if got := Run(p.Context(), args, programs.Streams{Out: &out, Err: &out}); got != code {
		p.Errorf("%v: exit code %d, want %d\n%s", args, got, code, out.String())
	}
	return strings.NewReplacer(p.remote.Dir, "REMOTE", p.dir, "CLONE").Replace(out.String())
}

// follow runs the commands that init printed, and returns what those of variants print.
func (p *people) follow(printed string) (said []string) {
	p.Helper()
	_, next, _ := strings.Cut(printed, "next:\n")
	for line := range strings.Lines(next) {
		line = strings.ReplaceAll(line, "CLONE", p.dir)
		fields := strings.Fields(line)
		if fields[0] == "#" {
			p.remote.Git("update-ref", "refs/heads/main", "refs/heads/"+fields[2])
			continue
		}
		if fields[0] == "variants" {
			code := map[string]int{"plan": exitDiffers, "sync": exitDone}[fields[1]]
			said = append(said, p.variants(code, fields[1], filepath.Join(p.dir, fields[2])))
			continue
		}
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir = p.dir
		if out, err := cmd.CombinedOutput(); err != nil {
			p.Fatal(line, err, string(out))
		}
	}
	return said
}

// link adds a symbolic link to the copies.
func (p *people) link(name, to string) {
	p.Helper()
	if err := os.Symlink(to, filepath.Join(p.dir, name)); err != nil {
		p.Fatal(err)
	}
	p.clone.Push("Link", nil, "HEAD:refs/heads/main")
}

// equal compares texts.
func (p *people) equal(what, want, got string) {
	p.Helper()
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
		p.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// draft returns what a draft changes, without context and the Kptfile.
func (p *people) draft(dir string) string {
	p.Helper()
	p.clone.Git("fetch", "-q")
	out := p.clone.Git("diff", "-U0", "--no-prefix", "origin/main", "origin/drafts/"+dir+"/packagevariant-1", "--", ":!"+dir+"/Kptfile")
	var kept strings.Builder
	for line := range strings.Lines(out) {
		if !strings.HasPrefix(line, "@@") && !strings.HasPrefix(line, "diff") && !strings.HasPrefix(line, "index") && !strings.HasPrefix(line, "+++") {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// copyIn returns the files of a copy of web.
func copyIn(name, replicas, image, more string) map[string]string {
	return gittest.Files("environments/"+name+"/web", map[string]string{
		"deployment.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web-" + name + "\n  namespace: shop\nspec:\n  replicas: " + replicas +
			" # as measured\n  template:\n    spec:\n      containers:\n      - name: web\n        image: registry.example.com/web:" + image +
			"\n        env:\n        - {name: STAGE, value: " + name + "}\n" + more,
		"service.yaml": "apiVersion: v1\nkind: Service\nmetadata:\n  name: web-" + name + "\n  namespace: shop\nspec:\n  ports:\n  - port: 80\n    targetPort: 8080\n",
		"ingress.yaml": "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata:\n  name: web\n  namespace: shop\nspec:\n  rules:\n  - host: web." + name + ".example.com\n",
		"config.yaml":  "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata:\n  log: info\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: web}\nstringData: {token: of-" + name + "}\n",
	})
}

// together returns files of several maps.
func together(all ...map[string]string) map[string]string {
	out := map[string]string{}
	for _, files := range all {
		for name, text := range files {
			out[name] = text
		}
	}
	return out
}

// TestInitEnvironments begins with copies of manifests in directories of environments, and ends with drafts of the second
// version of the blueprint.
func TestInitEnvironments(t *testing.T) {
	t.Parallel()
	p := newPeople(t, together(copyIn("dev", "1", "2.4", ""), copyIn("qa", "2", "2.3", ""),
		copyIn("prod", "6", "2.3", "        - {name: CACHE, value: large}\n"), map[string]string{"environments/README.md": "Ours\n"}))
	printed := p.variants(exitDone, "init", p.dir, "--from", "environments/*/web", "--from", "environments/*.md")
	p.equal("printed", `web: 3 environments, dev, prod, qa
  22 of 25 values are alike in all, 4 of them but for the name of the environment; nearest to what most have is qa
  merged as one value: 1 of these 4, a file, a text of several lines or a list without keys, in which each change of the blueprint is a conflict in all but qa: ingress.yaml, Ingress web, spec.rules
  differs: deployment.yaml, Deployment web-‹environment›, spec.replicas: 2 in qa; 1 in dev; 6 in prod (each keeps its own, and the blueprint has that of qa)
  differs: deployment.yaml, Deployment web-‹environment›, spec.template.spec.containers[name=web].image: registry.example.com/web:2.3 in prod, qa; registry.example.com/web:2.4 in dev (the blueprint has the first)
  differs: deployment.yaml, Deployment web-‹environment›, spec.template.spec.containers[name=web].env[name=CACHE]: none in dev, qa; {name: CACHE, value: large} in prod (the blueprint has the first)
  left out: config.yaml, Secret web, which is or may be secret, stays in dev, prod, qa
  other names: Deployment web-qa is web-dev in dev, web-prod in prod
  other names: Service web-qa is web-dev in dev, web-prod in prod
environments/README.md is no copy: it is a file, and a package is a directory: move what belongs to one environment into a directory of its own
wrote 10 files in fleet, blueprints/web and, as Kptfile, in the copies
next:
  cd CLONE
  git add fleet blueprints/web 'environments/*/web/Kptfile'
  git commit -m 'Begin a fleet'
  git tag blueprints/web/v1
  git push origin main blueprints/web/v1
  variants plan fleet
  variants sync fleet
`, printed)
	p.equal("status", "?? blueprints/\n?? environments/dev/web/Kptfile\n?? environments/prod/web/Kptfile\n?? environments/qa/web/Kptfile\n?? fleet/\n",
		p.clone.Git("status", "--porcelain"))
	p.equal("tags", "", p.clone.Git("tag"))
	qa := copyIn("qa", "2", "2.3", "")
	for name, want := range map[string]string{
		"blueprints/web/deployment.yaml": qa["environments/qa/web/deployment.yaml"],
		"blueprints/web/config.yaml":     "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata:\n  log: info\n",
		"blueprints/web/Kptfile":         "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\n",
		"environments/prod/web/Kptfile": `apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: web
  annotations:
    config.porch.kpt.dev/upstream-identifiers: |
      apps|Deployment|shop|web-prod: apps|Deployment|shop|web-qa
      |Service|shop|web-prod: |Service|shop|web-qa
upstream:
  type: git
  git:
    repo: file://REMOTE
    directory: blueprints/web
    ref: blueprints/web/v1
upstreamLock:
  type: git
  git:
    repo: file://REMOTE
    directory: blueprints/web
    ref: blueprints/web/v1
`,
		"fleet/web.yaml": `apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata:
  name: web
spec:
  upstream:
    repo: blueprints
    package: web
    revision: latest
  targets:
  - repositories:
    - name: dev
    - name: prod
    - name: qa
    template:
      adoptionPolicy: adoptExisting
`,
	} {
		data, err := os.ReadFile(filepath.Join(p.dir, name))
		if err != nil {
			t.Fatal(err)
		}
		p.equal(name, want, strings.ReplaceAll(string(data), p.remote.Dir, "REMOTE"))
	}
	said := p.follow(printed)
	if !strings.Contains(said[0], "\nPlan: 3 unchanged.\n") {
		t.Error(said[0])
	}
	p.equal("first sync", `PACKAGE   STATE     REVISION  UPSTREAM           DRAFT
dev/web   UpToDate  v1        blueprints/web v1  -
prod/web  UpToDate  v1        blueprints/web v1  -
qa/web    UpToDate  v1        blueprints/web v1  -
`, strings.Split(said[1], "dev/web: ")[0])
	p.equal("no drafts", "", p.remote.Git("for-each-ref", "refs/heads/drafts"))
	text := strings.ReplaceAll(qa["environments/qa/web/deployment.yaml"], ":2.3", ":2.5")
	p.clone.Push("Version 2", map[string]string{"blueprints/web/deployment.yaml": text, "blueprints/web/service.yaml": strings.ReplaceAll(
		qa["environments/qa/web/service.yaml"], "8080", "8081"), "blueprints/web/ingress.yaml": qa["environments/qa/web/ingress.yaml"] +
		"  - host: www.example.com\n"}, "HEAD:refs/heads/main", "HEAD:refs/tags/blueprints/web/v2")
	conflict := p.variants(exitDone, "sync", filepath.Join(p.dir, "fleet"))
	for environment, both := range map[string][]string{"qa": nil, "prod": {"spec.rules of Ingress \"web\""},
		"dev": {"spec.template.spec.containers[name=web].image of Deployment \"web-dev\"", "spec.rules of Ingress \"web\""}} {
		_, conflicts, _ := strings.Cut(conflict, "\n"+environment+"/web: with blueprints.web.v2, both sides changed ")
		conflicts, _, _ = strings.Cut(conflicts, "\n")
		for _, place := range both {
			if !strings.Contains(conflicts, place) {
				t.Error(environment, place, conflict)
			}
		}
		if both == nil && conflicts != "" {
			t.Error(environment, conflicts)
		}
	}
	const identifier = "+  annotations:\n+    internal.kpt.dev/upstream-identifier: '"
	const image = "-        image: registry.example.com/web:2.3\n+        image: registry.example.com/web:2.5\n"
	const port = "-    targetPort: 8080\n+    targetPort: 8081\n"
	p.equal("qa", "--- environments/qa/web/deployment.yaml\n"+image+"--- environments/qa/web/ingress.yaml\n+  - host: www.example.com\n"+
		"--- environments/qa/web/service.yaml\n"+port, p.draft("environments/qa/web"))
	p.equal("prod", "--- environments/prod/web/deployment.yaml\n+  annotations:\n+    internal.kpt.dev/upstream-identifier: apps|Deployment|shop|web-qa\n"+image+
		"--- environments/prod/web/service.yaml\n"+identifier+"|Service|shop|web-qa'\n"+port, p.draft("environments/prod/web"))
	p.equal("dev", "--- environments/dev/web/service.yaml\n"+identifier+"|Service|shop|web-qa'\n"+port, p.draft("environments/dev/web"))
}

// TestPrintDifference has values of several lines, and more of them and of environments than are shown.
func TestPrintDifference(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("key=value\n", 9)
	for want, values := range map[string][]string{
		"1 in a": {"1 a"},
		"1 in a, b, c and 1 more environment; none in e":                                  {"1 a b c d", " e"},
		"1 in a; 2 in b; 3 in c; 4 in d; and 1 more value":                                {"1 a", "2 b", "3 c", "4 d", "5 e"},
		"1 in a; 2 in b; 3 in c; 4 in d, e, f and 2 more environments; and 2 more values": {"1 a", "2 b", "3 c", "4 d e f g h", "5 i", "6 j"},
		`x\ny in a; x in b`: {"x\ny a", "x b"},
		`…lue\nkey=value\nlevel=1\n in a; …lue\nkey=value\nlevel=2\nmore=` + strings.Repeat("é", 33) + `… in b; none in c`: {text + "level=1\n a", text + "level=2\nmore=" + strings.Repeat("é", 99) + " b", " c"},
		`…key=value\nkey=value\n in a; …key=value\nkey=value\nend in b`:                                                    {text + " a", text + "end b"},
		strings.Repeat(`key=value\n`, 6) + "… in a; none in b":                                                             {text + " a", " b"},
		strings.Repeat(`key=value\n`, 6) + "… in a; 1 in b":                                                                {text + " a", "1 b"},
	} {
		d := blueprint.Difference{Place: blueprint.Place{File: "f"}, Majority: true}
		for _, each := range values {
			at := strings.Index(each, " ")
			d.Versions = append(d.Versions, blueprint.Version{Value: each[:at], In: strings.Fields(each[at:])})
		}
		var out strings.Builder
		printDifference(&out, &d)
		if diff := cmp.Diff("  differs: f: "+want+" (the blueprint has the first)\n", out.String()); diff != "" {
			t.Error(diff)
		}
	}
}

// TestInitOverlays begins with kustomize overlays for clusters.
func TestInitOverlays(t *testing.T) {
	t.Parallel()
	overlay := func(name, replicas, more string) map[string]string {
		return gittest.Files("shop/overlays/"+name, map[string]string{
			"kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nnamespace: shop\nresources:\n- ../../base\n" +
				"images:\n- name: web # the shop\n  newTag: \"1.4\"\npatches:\n- path: replicas.yaml\n" + more,
			"replicas.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: " + replicas + "\n"})
	}
	p := newPeople(t, together(overlay("east", "2", ""), overlay("north", "2", "commonLabels:\n  cluster: north\n"), overlay("west", "4",
		"secretGenerator:\n- name: token\n  files: [token.txt]\n"), map[string]string{"shop/overlays/west/token.txt": "abc\n", "shop/base/kustomization.yaml": "resources: []\n",
		"shop/overlays/south.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 3\n"}))
	printed := p.variants(exitDone, "init", p.dir, "--from", "shop/overlays/*")
	p.equal("printed", `shop: 3 environments, east, north, west
  10 of 12 values are alike in all, 0 of them but for the name of the environment; nearest to what most have is east
  differs: kustomization.yaml, Kustomization, commonLabels: none in east, west; {cluster: ‹environment›} in north (the blueprint has the first)
  differs: replicas.yaml, Deployment web, spec.replicas: 2 in east, north; 4 in west (the blueprint has the first)
  left out: kustomization.yaml, Kustomization, secretGenerator, which is or may be secret, stays in west
  left out: token.txt, which is or may be secret, stays in west
shop/overlays/south.yaml is no copy: it is a file, and a package is a directory: move what belongs to one environment into a directory of its own
wrote 8 files in fleet, blueprints/shop and, as Kptfile, in the copies
next:
  cd CLONE
  git add fleet blueprints/shop 'shop/overlays/*/Kptfile'
  git commit -m 'Begin a fleet'
  git tag blueprints/shop/v1
  git push origin main blueprints/shop/v1
  variants plan fleet
  variants sync fleet
`, printed)
	said := p.follow(printed)
	if !strings.Contains(said[0], "\nPlan: 3 unchanged.\n") {
		t.Error(said[0])
	}
	east := overlay("east", "3", "")
	p.clone.Push("Version 2", map[string]string{"blueprints/shop/replicas.yaml": east["shop/overlays/east/replicas.yaml"],
		"blueprints/shop/kustomization.yaml": strings.ReplaceAll(east["shop/overlays/east/kustomization.yaml"], "1.4", "1.5")},
		"HEAD:refs/heads/main", "HEAD:refs/tags/blueprints/shop/v2")
	p.variants(exitDone, "sync", filepath.Join(p.dir, "fleet"))
	const tag = "/kustomization.yaml\n-  newTag: \"1.4\"\n+  newTag: \"1.5\"\n"
	const more = "/replicas.yaml\n-  replicas: 2\n+  replicas: 3\n"
	p.equal("east", "--- shop/overlays/east"+tag+"--- shop/overlays/east"+more, p.draft("shop/overlays/east"))
	p.equal("north", "--- shop/overlays/north"+tag+"--- shop/overlays/north"+more, p.draft("shop/overlays/north"))
	p.equal("west", "--- shop/overlays/west"+tag, p.draft("shop/overlays/west"))
}

// TestInitBranch begins in a directory of a clone, on a branch, with several packages.
func TestInitBranch(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for _, dir := range []string{"eu/apps/web", "eu/apps/db", "us/apps/web"} {
		files["deploy/clusters/"+dir+"/a.yaml"] = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  region: " + dir[:2] + "\n"
	}
	p := newPeople(t, files)
	p.clone.Git("fetch", "-q")
	p.clone.Git("remote", "set-head", "origin", "main")
	p.clone.Git("checkout", "-q", "-b", "fleet")
	p.dir = filepath.Join(p.dir, "deploy")
	printed := p.variants(exitDone, "init", p.dir, "--from", "clusters/*/apps/*")
	p.equal("printed", `apps/db: 1 environment, eu
  4 of 4 values are alike in all, 1 of them but for the name of the environment; nearest to what most have is eu
apps/web: 2 environments, eu, us
  4 of 4 values are alike in all, 1 of them but for the name of the environment; nearest to what most have is eu
wrote 10 files in fleet, blueprints/apps/db, blueprints/apps/web and, as Kptfile, in the copies
next:
  cd CLONE
  git add fleet blueprints/apps/db blueprints/apps/web 'clusters/*/apps/*/Kptfile'
  git commit -m 'Begin a fleet'
  git push origin fleet
  # have fleet merged into main
  git checkout main
  git pull
  git tag deploy/blueprints/apps/db/v1
  git tag deploy/blueprints/apps/web/v1
  git push origin deploy/blueprints/apps/db/v1 deploy/blueprints/apps/web/v1
  variants plan fleet
  variants sync fleet
`, printed)
	said := p.follow(printed)
	p.equal("sync", `PACKAGE      STATE     REVISION  UPSTREAM                DRAFT
eu/apps/db   UpToDate  v1        blueprints/apps/db v1   -
eu/apps/web  UpToDate  v1        blueprints/apps/web v1  -
us/apps/web  UpToDate  v1        blueprints/apps/web v1  -
`, strings.Split(said[1], "eu/apps/db: ")[0])
}

// TestInitRoot begins with some of the directories in the root of the repository, which is then the Repository of all.
// Empty files come into the blueprint.
func TestInitRoot(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for _, name := range []string{"base", "dev", "prod"} {
		files["web-"+name+"/a.yaml"] = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  size: small\n"
	}
	p := newPeople(t, files)
	for dir := range files {
		if err := os.WriteFile(filepath.Join(p.dir, filepath.Dir(dir), "notes.txt"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p.clone.Push("Empty files", nil, "HEAD:refs/heads/main")
	p.clone.Git("remote", "rename", "origin", "forge")
	p.clone.Git("config", "branch.main.remote", "forge")
	printed := p.variants(exitDone, "init", p.dir, "--from", "web-{dev,prod}")
	for _, want := range []string{"\n  git push forge main blueprints/web/v1\n", "web: 2 environments, dev, prod\n",
		"\n  git add fleet blueprints/web web-dev/Kptfile web-prod/Kptfile\n"} {
		if !strings.Contains(printed, want) {
			t.Errorf("there is no %q in %s", want, printed)
		}
	}
	said := p.follow(printed)
	p.equal("sync", `PACKAGE        STATE     REVISION  UPSTREAM                DRAFT
root/web-dev   UpToDate  v1        root/blueprints/web v1  -
root/web-prod  UpToDate  v1        root/blueprints/web v1  -
`, strings.Split(said[1], "root/web-dev: ")[0])
	p.clone.Git("remote", "rename", "forge", "origin")
	p.clone.Push("Version 2", map[string]string{"blueprints/web/notes.txt": "Ours\n"}, "HEAD:refs/heads/main", "HEAD:refs/tags/blueprints/web/v2")
	second := p.variants(exitDone, "sync", filepath.Join(p.dir, "fleet"))
	p.equal("second version", `PACKAGE        STATE     REVISION  UPSTREAM                DRAFT
root/web-dev   UpToDate  v1        root/blueprints/web v2  packagevariant-1
root/web-prod  UpToDate  v1        root/blueprints/web v2  packagevariant-1
`, strings.Split(second, "root/web-dev: ")[0])
}

// TestInitSmallest writes the smallest fleet, whose manifests can be read.
func TestInitSmallest(t *testing.T) {
	t.Parallel()
	p := newPeople(t, map[string]string{"README.md": "Ours\n"})
	p.equal("printed", "wrote 2 files in fleet\nnext: fill in what their comments say, commit and push, and run variants plan fleet\n",
		p.variants(exitDone, "init", p.dir))
	m, err := manifests.Read(os.DirFS(filepath.Join(p.dir, "fleet")), "fleet")
	if err != nil || len(m.Repositories) != 2 || m.Repositories[1].Address != p.remote.Address() {
		t.Error(m, err)
	}
	p.equal("again", "error: files are there already: remove fleet/repositories.yaml, fleet/web.yaml, or name another directory by --fleet "+
		"or --blueprints\n", p.variants(exitError, "init", p.dir))
}
