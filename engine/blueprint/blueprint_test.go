// SPDX-License-Identifier: Apache-2.0

package blueprint

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// said returns what differs and what is left out, in short.
func said(b *Blueprint) (lines []string) {
	for _, d := range b.Differs {
		line := strings.Trim(d.File+" "+d.Resource+" "+d.Field, " ") + ":"
		for _, v := range d.Versions {
			line += fmt.Sprintf(" %q %s", v.Value, strings.Join(v.In, ","))
		}
		if !d.Majority {
			line += " own"
		}
		lines = append(lines, line)
	}
	for _, at := range b.Whole {
		lines = append(lines, strings.Trim("one value: "+at.File+" "+at.Resource+" "+at.Field, " "))
	}
	for _, s := range b.Secrets {
		lines = append(lines, strings.Join(strings.Fields(fmt.Sprint(s.File, " ", s.Resource, " ", s.Field, " ", strings.Join(s.In, ","))), " "))
	}
	return lines
}

// config returns a ConfigMap with fields of its data.
func config(name string, data ...string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: " + name + "\ndata:\n  " + strings.Join(data, "\n  ") + "\n"
}

const secretOf = "apiVersion: v1\nkind: Secret\nmetadata: {name: web}\nstringData: {token: a}\n"

// of makes copies in environments a, b and so on. The files of one are in one text, each after a line "== name".
func of(texts ...string) (copies []Copy) {
	for i, text := range texts {
		name := string(rune('a' + i))
		c := Copy{Name: name, Names: []string{name}, Files: map[string]string{}}
		for _, file := range strings.Split(text, "== ")[1:] {
			path, content, _ := strings.Cut(file, "\n")
			c.Files[path] = content
		}
		copies = append(copies, c)
	}
	return copies
}

// TestOf makes a blueprint of what most copies have, field by field.
func TestOf(t *testing.T) {
	t.Parallel()
	const s = "== s.yaml\n"
	containers := func(list ...string) string {
		return s + "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers:\n" + strings.Join(list, "")
	}
	checks := func(names ...string) string {
		text := s + "apiVersion: example.com/v1\nkind: Check\nmetadata: {name: web}\nspec:\n  healthChecks:\n"
		for _, name := range names {
			text += "  - {kind: D, name: " + name + "}\n"
		}
		return text
	}
	texts := func(name string) string {
		return "== README.md\n# For " + name + "\n" + s + config("s", "host: "+name+".example.com", "line: |", "  "+name, "file: |", "  host="+name, "  pool=1") +
			"---\n" + strings.TrimPrefix(checks("web-"+name, "x"), s) + "---\n" +
			strings.TrimPrefix(containers("  - name: web\n    env: [{name: E, value: "+name+"}]\n"), s)
	}
	pod := func(port int, volume, path, host string) string {
		return containers(fmt.Sprintf("  - name: web\n    ports: [{name: http, containerPort: %d}]\n    volumeMounts: [{name: %s, mountPath: %s}]\n"+
			"  hostAliases: [{ip: 1.1.1.1, hostnames: ['%s']}]\n", port, volume, path, host))
	}
	const web, side = "  - name: web # first\n    image: web:1\n", "  - name: side\n    image: side:1\n"
	for name, tt := range map[string]struct {
		copies []Copy
		files  map[string]string
		near   string
		said   []string
	}{
		"one": {of(s + config("s", "x: 1")), map[string]string{"s.yaml": config("s", "x: 1")}, "a", nil},
		"a majority": {of(s+config("s", "x: 1", "y: 1"), s+config("s", "x: 2", "y: 1"), s+config("s", "x: 2 # two", "y: 1")),
			map[string]string{"s.yaml": config("s", "x: 2", "y: 1")}, "b", []string{`s.yaml ConfigMap s data.x: "2" b,c "1" a`}},
		"no majority": {of(s+config("s", "x: 1 # one"), s+config("s", "x: 2"), s+config("s", "x: 3")),
			map[string]string{"s.yaml": config("s", "x: 1 # one")}, "a", []string{`s.yaml ConfigMap s data.x: "1" a "2" b "3" c own`}},
		"one of two": {of(s+config("s", "x: 1", "y: 1"), s+config("s", "x: 1")),
			map[string]string{"s.yaml": config("s", "x: 1", "y: 1")}, "a", []string{`s.yaml ConfigMap s data.y: "1" a "" b own`}},
		"each from another": {of(s+config("s", "x: 1", "y: 1", "z: 9"), s+config("s", "x: 1", "y: 9", "z: 1"), s+config("s", "x: 9", "y: 1", "z: 1")),
			map[string]string{"s.yaml": config("s", "x: 1", "y: 1", "z: 1")}, "a", []string{`s.yaml ConfigMap s data.x: "1" a,b "9" c`,
				`s.yaml ConfigMap s data.y: "1" a,c "9" b`, `s.yaml ConfigMap s data.z: "1" b,c "9" a`}},
		"a field that the nearest lacks": {of(s+config("s", "u: 1", "v: 1", "w: 1"), s+config("s", "u: 1", "v: 1", "x: '1'", "w: 2"), s+config("s", "u: 1", "v: 2", "w: 1", "x: '1'"), s+config("s", "u: 2", "v: 1", "w: 1", "x: '1'")),
			map[string]string{"s.yaml": config("s", "u: 1", "v: 1", "w: 1", "x: '1'")}, "a", []string{`s.yaml ConfigMap s data.u: "1" a,b,c "2" d`,
				`s.yaml ConfigMap s data.v: "1" a,b,d "2" c`, `s.yaml ConfigMap s data.w: "1" a,c,d "2" b`, `s.yaml ConfigMap s data.x: "1" b,c,d "" a`}},
		"names of environments": {of(s+config("s-a", "host: a.example.com", "n: a b"), s+config("s-b", "host: b.example.com", "n: b"), s+config("s-c", "host: c.example.com", "n: c")),
			map[string]string{"s.yaml": config("s-b", "host: b.example.com", "n: b")}, "b", []string{`s.yaml ConfigMap s-‹environment› data.n: "‹environment›" b,c "‹environment› b" a`}},
		"a list by names": {of(containers(web), containers(side, web), containers(web, strings.ReplaceAll(side, ":1", ":2"))),
			map[string]string{"s.yaml": strings.TrimPrefix(containers(side, web), s)}, "b",
			[]string{`s.yaml Pod web spec.containers[name=side]: "{image: side:1, name: side}" b,c "" a`,
				`s.yaml Pod web spec.containers[name=side].image: "side:1" b "side:2" c own`}},
		"what merges as one value": {of(texts("a"), texts("b")), map[string]string{"README.md": "# For a\n", "s.yaml": texts("a")[len("== README.md\n# For a\n"+s):]}, "a",
			[]string{"one value: README.md", "one value: s.yaml ConfigMap s data.file", "one value: s.yaml Check web spec.healthChecks"}},
		"a list that merges as one value": {of(checks("x", "y"), checks("x", "y", "own"), checks("x", "y")), map[string]string{"s.yaml": checks("x", "y")[len(s):]}, "a",
			[]string{`s.yaml Check web spec.healthChecks: "[{kind: D, name: x}, {kind: D, name: y}]" a,c "[{kind: D, name: x}, {kind: D, name: y}, {kind: D, name: own}]" b`}},
		"lists by other keys": {of(pod(80, "x", "/x", "1"), pod(81, "x", "/y", "2"), pod(81, "x", "/y", "2")), map[string]string{"s.yaml": pod(81, "x", "/y", "2")[len(s):]}, "b",
			[]string{`s.yaml Pod web spec.containers[name=web].ports[name=http].containerPort: "81" b,c "80" a`,
				`s.yaml Pod web spec.containers[name=web].volumeMounts[mountPath=/y]: "{mountPath: /y, name: x}" b,c "" a`,
				`s.yaml Pod web spec.containers[name=web].volumeMounts[mountPath=/x]: "" b,c "{mountPath: /x, name: x}" a`,
				`s.yaml Pod web spec.hostAliases[ip=1.1.1.1].hostnames: "[2]" b,c "[1]" a`}},
		"a resource that most have": {of("== s.yaml\n"+config("s", "x: 1"), "== s.yaml\n"+config("s", "x: 1")+"---\n"+config("t-b", "x: 1"),
			"== s.yaml\n"+config("s", "x: 1")+"---\n"+config("t-c", "x: 1")),
			map[string]string{"s.yaml": config("s", "x: 1") + "---\n" + config("t-b", "x: 1")}, "b", []string{`s.yaml ConfigMap t-‹environment›: "there" b,c "" a`}},
		"one that few have": {of("== s.yaml\n"+config("s", "x: 1")+"== b-a.yaml\n"+config("t", "x: 1"), "== s.yaml\n"+config("s", "x: 1"), "== s.yaml\n"+config("s", "x: 1")),
			map[string]string{"s.yaml": config("s", "x: 1")}, "b", []string{`b-‹environment›.yaml ConfigMap t: "" b,c "there" a`}},
		"files of no resources": {of("== run.sh\necho a\n== x.yaml\n- 1\n", "== run.sh\necho b\n== x.yaml\n- 1\n", "== run.sh\nexit\n== x.yaml\n{}\n"),
			map[string]string{"run.sh": "echo a\n", "x.yaml": "- 1\n"}, "a", []string{`run.sh: "a text of its own" a,b "a text of its own" c`, `x.yaml: "a text of its own" a,b "a text of its own" c`}},
		"empty files": {of("== x\n== x.yaml\n== y\n== z\n== z.yaml\n", "== x\n== x.yaml\n== y\n== z\na\n== z.yaml\n"+config("z", "x: 1"), "== x\n== x.yaml\n== z\n== z.yaml\n"),
			map[string]string{"x": "", "x.yaml": "", "y": "", "z": "", "z.yaml": ""}, "a", []string{`y: "empty" a,b "" c`, `z: "empty" a,c "a text of its own" b`,
				`z.yaml: "empty" a,c "" b`, `z.yaml ConfigMap z: "" a,c "there" b`}},
		"anchors": {of(s+config("s", "x: &x 1", "y: *x"), s+config("s", "x: 1", "y: 1"), s+config("s", "x: &x 1", "y: *x")),
			map[string]string{"s.yaml": config("s", "x: &x 1", "y: *x")}, "a", []string{`s.yaml ConfigMap s: "a text of its own" a,c "a text of its own" b`}},
		"secrets": {of(s+config("s", "x: 1")+"---\n"+secretOf+"== enc.yaml\n"+config("e", "x: ENC[AES256_GCM,data]")+"== k.pem\n-----BEGIN RSA PRIVATE KEY-----\n== v.yaml\na: 1\nsops: {}\n",
			s+"# kind: Secret\n"+config("s", "x: 1")+"== .env\nA=b\n== sealed.yaml\nkind: SealedSecret\nmetadata: {name: w}\n"),
			map[string]string{"s.yaml": config("s", "x: 1")}, "a",
			[]string{".env b", "enc.yaml ConfigMap e a", "k.pem a", "s.yaml Secret web a", "sealed.yaml SealedSecret w b", "v.yaml a"}},
		"other ways of secrets": {of(s+config("s", "x: 1")+"== age\n# created\nAGE-SECRET-KEY-1X\n== g.yaml\nkind: SecretGenerator\nmetadata: {name: g}\n"+
			"literals: [a=b]\n", s+config("s", "x: 1")), map[string]string{"s.yaml": config("s", "x: 1")}, "a",
			[]string{"age a", "g.yaml SecretGenerator g a"}},
		"not only secrets": {of(s + "kind: HelmRelease\nmetadata: {name: w}\nspec:\n  valuesFrom:\n  - kind: Secret\n    name: v\n" +
			"---\nkind: List\nitems:\n- kind: Secret\n  metadata: {name: a}\n---\n" + config("t", "a.yaml: |", "  apiVersion: v1", "  kind: Secret")),
			map[string]string{"s.yaml": "kind: HelmRelease\nmetadata: {name: w}\nspec:\n  valuesFrom:\n  - kind: Secret\n    name: v\n"}, "a",
			[]string{"s.yaml ConfigMap t a", "s.yaml List a"}},
		"a generator of secrets": {of("== kustomization.yaml\nresources: [w.yaml]\nsecretGenerator:\n- name: x\n  files: [key=token.txt]\n== token.txt\nabc\n"),
			map[string]string{"kustomization.yaml": "resources: [w.yaml]\n"}, "a", []string{"kustomization.yaml secretGenerator a", "token.txt a"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := fmt.Sprint(tt.copies)
			b := Of(tt.copies)
			if diff := cmp.Diff(tt.files, b.Files); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.said, said(b)); diff != "" || b.Nearest != tt.near {
				t.Errorf("nearest %s, said (-want +got):\n%s", b.Nearest, diff)
			}
			if fmt.Sprint(tt.copies) != before {
				t.Error("the copies are changed")
			}
			slices.Reverse(tt.copies)
			if got := Of(tt.copies); tt.said == nil && cmp.Diff(b.Files, got.Files) != "" {
				t.Error("the order counts")
			}
		})
	}
}

// TestReplaceWords finds names in texts as whole words.
func TestReplaceWords(t *testing.T) {
	t.Parallel()
	c := Copy{Names: []string{"prod", "eu-1", "2"}}
	for text, want := range map[string]string{"prod": "‹environment›", "web-prod.eu-1": "web-‹environment›.‹environment›",
		"production": "production", "eu-11": "eu-11", "prod_db=2": "‹environment›_db=2", "éprod": "éprod", "prodprod": "prodprod"} {
		if got := c.abstract(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	if got, want := c.as(&Copy{Names: []string{"qa", "us-1", "3"}}, "web-prod.eu-1 2"), "web-qa.us-1 2"; got != want {
		t.Error(got)
	}
}
