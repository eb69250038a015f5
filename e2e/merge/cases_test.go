// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"strings"

	"github.com/package-variants/package-variants/e2e/internal/tree"
)

// change is a change of a blueprint by the upstream and by a user.
type change struct {
	// files are the blueprint's beside those that every package has, upstream what its next revision has in their place;
	// empty for a file that is removed.
	files, upstream tree.Tree
	// local are replacements in the files of the package that was made of the blueprint, old and new in turn; none for a
	// file that is removed. A file that is not there is made of the second text.
	local map[string][]string
	// conflicts are those that we find, as "file field".
	conflicts []string
	// because says why Porch and kpt have a different result. The difference is in testdata.
	because string
}

// notByPorch are those of the changes that Porch cannot render.
var notByPorch = map[string]bool{"functions-without-names": true, "function-prepended": true, "file-of-values": true}

// edits returns the files that a user changes in a package; empty those that are removed.
func (c change) edits(files map[string]string) map[string]string {
	edits := map[string]string{}
	for file, replacements := range c.local {
		edits[file] = ""
		switch {
		case files[file] != "" && replacements != nil:
			edits[file] = edited(files[file], replacements...)
		case replacements != nil:
			edits[file] = replacements[1]
		}
	}
	return edits
}

const (
	settings = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  a: one\n  b: two\n"
	other    = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: other\ndata:\n  a: one\n"
	web      = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 1 # enough for tests
  template:
    spec:
      containers:
      - name: web
        image: nginx:1.27
        args: [a, b]
        resources:
          limits:
            cpu: 100m
            memory: 1Gi
        ports:
        - containerPort: 80
          name: http
      - name: sidecar
        image: side:1
      volumes:
      - name: tmp
        emptyDir: {}
`
	values   = "image: web:1\nreplicas: 1\n"
	mutators = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\npipeline:\n  mutators:\n" +
		"  - image: a:v1\n  - image: b:v1\n"
	siteOf = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: kptfile.kpt.dev\n  annotations:\n" +
		"    config.kubernetes.io/local-config: \"true\"\ndata:\n  name: example\n  site: none\n"
	endpoints = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: endpoints\n  annotations:\n" +
		"    kpt.dev/config-injection: required\ndata:\n  api: none\n"
	custom = "apiVersion: example.com/v1\nkind: Fleet\nmetadata:\n  name: fleet\nspec:\n  sites:\n  - name: fra\n" +
		"    size: 1\n  - name: muc\n    size: 1\n"
)

// edited returns a text with replacements, old and new in turn.
func edited(text string, replacements ...string) string {
	return strings.NewReplacer(replacements...).Replace(text)
}

var changes = map[string]change{
	"nothing-here": {tree.Tree{"a.yaml": settings}, tree.Tree{"a.yaml": edited(settings, "one", "two")}, nil, nil,
		""},
	"nothing-upstream": {tree.Tree{"a.yaml": settings}, tree.Tree{"b.yaml": other},
		map[string][]string{"a.yaml": {"one", "mine"}}, nil, ""},
	"different-fields": {tree.Tree{"a.yaml": settings}, tree.Tree{"a.yaml": edited(settings, "one", "two")},
		map[string][]string{"a.yaml": {"b: two", "b: mine # my own"}}, nil, ""},
	"same-field": {tree.Tree{"a.yaml": settings}, tree.Tree{"a.yaml": edited(settings, "one", "two")},
		map[string][]string{"a.yaml": {"one", "mine"}}, []string{"a.yaml data.a"}, ""},
	"same-change": {tree.Tree{"a.yaml": settings}, tree.Tree{"a.yaml": edited(settings, "one", "two")},
		map[string][]string{"a.yaml": {"one", "two"}}, nil, ""},
	"field-added": {tree.Tree{"a.yaml": settings}, tree.Tree{"a.yaml": settings + "  c: three\n"},
		map[string][]string{"a.yaml": {"  b: two", "  b: two\n  d: mine"}}, nil, ""},
	"field-removed": {tree.Tree{"a.yaml": settings}, tree.Tree{"a.yaml": edited(settings, "  a: one\n", "")},
		map[string][]string{"a.yaml": {"b: two", "b: mine"}}, nil, ""},
	"field-removed-here": {tree.Tree{"a.yaml": settings}, tree.Tree{"a.yaml": edited(settings, "b: two", "b: three")},
		map[string][]string{"a.yaml": {"  a: one\n", ""}}, nil, ""},
	"container-image": {tree.Tree{"a.yaml": web}, tree.Tree{"a.yaml": edited(web, "1.27", "1.28")},
		map[string][]string{"a.yaml": {"replicas: 1", "replicas: 3"}}, nil, ""},
	"container-conflict": {tree.Tree{"a.yaml": web},
		tree.Tree{"a.yaml": edited(web, "1.27", "1.28", "replicas: 1", "replicas: 2")},
		map[string][]string{"a.yaml": {"1.27", "mine", "replicas: 1", "replicas: 3"}},
		[]string{"a.yaml spec.replicas", "a.yaml spec.template.spec.containers[name=web].image"}, ""},
	"container-added": {tree.Tree{"a.yaml": web},
		tree.Tree{"a.yaml": edited(web, "      volumes:", "      - name: log\n        image: log:1\n      volumes:")},
		map[string][]string{"a.yaml": {"      - name: sidecar",
			"      - name: mine\n        image: mine:1\n      - name: sidecar"}}, nil, ""},
	"container-removed-upstream": {tree.Tree{"a.yaml": web},
		tree.Tree{"a.yaml": edited(web, "      - name: sidecar\n        image: side:1\n", "")},
		map[string][]string{"a.yaml": {"replicas: 1", "replicas: 3"}}, nil, ""},
	"container-removed-here": {tree.Tree{"a.yaml": web}, tree.Tree{"a.yaml": edited(web, "1.27", "1.28")},
		map[string][]string{"a.yaml": {"      - name: sidecar\n        image: side:1\n", ""}}, nil, ""},
	"container-removed-there-changed-here": {tree.Tree{"a.yaml": web},
		tree.Tree{"a.yaml": edited(web, "      - name: sidecar\n        image: side:1\n", "")},
		map[string][]string{"a.yaml": {"image: side:1", "image: side:mine\n        tty: true"}},
		[]string{"a.yaml spec.template.spec.containers[name=sidecar]"},
		"the upstream removed the container: merge3 leaves what was added to it here, a container without an image"},
	"container-removed-here-changed-there": {tree.Tree{"a.yaml": web},
		tree.Tree{"a.yaml": edited(web, "image: side:1", "image: side:2\n        tty: true")},
		map[string][]string{"a.yaml": {"      - name: sidecar\n        image: side:1\n", ""}},
		[]string{"a.yaml spec.template.spec.containers[name=sidecar]"}, ""},
	"map-removed-here-changed-there": {tree.Tree{"a.yaml": web},
		tree.Tree{"a.yaml": edited(web, "cpu: 100m", "cpu: 200m")},
		map[string][]string{"a.yaml": {"        resources:\n          limits:\n            cpu: 100m\n" +
			"            memory: 1Gi\n", ""}},
		[]string{"a.yaml spec.template.spec.containers[name=web].resources"},
		"what comes back comes back whole: merge3 brings back only the fields that the upstream changed, here a limit " +
			"without the other"},
	"map-removed-here": {tree.Tree{"a.yaml": web}, tree.Tree{"a.yaml": edited(web, "1.27", "1.28")},
		map[string][]string{"a.yaml": {"        resources:\n          limits:\n            cpu: 100m\n" +
			"            memory: 1Gi\n", ""}}, nil, "what was removed here stays away: merge3 brings it back as an empty map"},
	"list-without-keys": {tree.Tree{"a.yaml": web}, tree.Tree{"a.yaml": edited(web, "[a, b]", "[a, c]")},
		map[string][]string{"a.yaml": {"args: [a, b]", "args: [a, b, mine]", "        - b\n",
			"        - b\n        - mine\n"}}, []string{"a.yaml spec.template.spec.containers[name=web].args"}, ""},
	"list-looks-other": {tree.Tree{"a.yaml": web}, tree.Tree{"a.yaml": edited(web, "[a, b]", "[\"a\", 'b']")},
		map[string][]string{"a.yaml": {"args: [a, b]", "args: [a, b, mine]", "        - b\n",
			"        - b\n        - mine\n"}}, nil,
		"the upstream changed no more than how the list looks: " +
			"merge3 takes that for a change, and the user's element is lost"},
	"volume-of-a-kind": {tree.Tree{"a.yaml": web},
		tree.Tree{"a.yaml": edited(web, "emptyDir: {}", "configMap:\n          name: c")},
		map[string][]string{"a.yaml": {"replicas: 1", "replicas: 3"}}, nil,
		"what the upstream removed goes: merge3 leaves an empty map, here a volume of two kinds"},
	"port-gets-protocol": {tree.Tree{"a.yaml": web},
		tree.Tree{"a.yaml": edited(web, "- containerPort: 80\n", "- containerPort: 80\n          protocol: TCP\n")},
		map[string][]string{"a.yaml": {"replicas: 1", "replicas: 3"}}, nil,
		"a port that gets a protocol is the same port: merge3 makes two of it"},
	"custom-list": {tree.Tree{"a.yaml": custom},
		tree.Tree{"a.yaml": edited(custom, "fra\n    size: 1", "fra\n    size: 2")},
		map[string][]string{"a.yaml": {"muc\n    size: 1", "muc\n    size: 3"}}, []string{"a.yaml spec.sites"}, ""},
	"resource-added": {tree.Tree{"a.yaml": settings},
		tree.Tree{"b.yaml": web, "a.yaml": settings + "---\n" + other}, map[string][]string{"a.yaml": {"one", "mine"}}, nil,
		""},
	"resource-added-twice": {tree.Tree{"a.yaml": settings}, tree.Tree{"b.yaml": other},
		map[string][]string{"b.yaml": {"", edited(other, "one", "mine")}}, []string{"b.yaml data.a"},
		"Porch notes in the resource that it is the upstream's, which ours notes only in what it adds"},
	"resource-removed": {tree.Tree{"a.yaml": settings, "b.yaml": other}, tree.Tree{"b.yaml": ""},
		map[string][]string{"a.yaml": {"one", "mine"}}, nil,
		"what the upstream removed goes: Porch takes its own comment and annotation for a change by a user"},
	"resource-removed-changed": {tree.Tree{"a.yaml": settings, "b.yaml": other}, tree.Tree{"b.yaml": ""},
		map[string][]string{"b.yaml": {"one", "mine"}}, []string{"b.yaml "}, ""},
	"resource-removed-here": {tree.Tree{"a.yaml": settings, "b.yaml": other},
		tree.Tree{"a.yaml": edited(settings, "one", "two"), "b.yaml": edited(other, "one", "two")},
		map[string][]string{"b.yaml": nil}, []string{"b.yaml "}, ""},
	"resource-moved": {tree.Tree{"a.yaml": settings, "b.yaml": other},
		tree.Tree{"b.yaml": "", "c.yaml": edited(other, "one", "two")},
		map[string][]string{"b.yaml": {"  a: one", "  a: one\n  b: mine"}}, nil,
		"a resource that moved to another file is the same resource: Porch makes two of it"},
	"namespace-moved": {tree.Tree{"a.yaml": edited(settings, "name: settings", "name: settings\n  namespace: a")},
		tree.Tree{"a.yaml": edited(settings, "name: settings", "name: settings\n  namespace: b", "one", "two")},
		map[string][]string{"a.yaml": {"b: two", "b: mine"}}, nil,
		"a resource that the upstream gave another namespace is the same resource: Porch and kpt make two of it"},
	"namespace-moved-here": {tree.Tree{"a.yaml": edited(settings, "name: settings", "name: settings\n  namespace: a")},
		tree.Tree{"a.yaml": edited(settings, "name: settings", "name: settings\n  namespace: a", "one", "two")},
		map[string][]string{"a.yaml": {"namespace: a", "namespace: mine"}}, nil, ""},
	"namespace-moved-on-both-sides": {
		tree.Tree{"a.yaml": edited(settings, "name: settings", "name: settings\n  namespace: a")},
		tree.Tree{"a.yaml": edited(settings, "name: settings", "name: settings\n  namespace: b", "one", "two")},
		map[string][]string{"a.yaml": {"namespace: a", "namespace: mine"}}, []string{"a.yaml metadata.namespace"},
		"a resource that got a namespace from each side is the same resource: Porch and kpt make two of it"},
	"resource-renamed": {tree.Tree{"a.yaml": settings}, tree.Tree{"a.yaml": edited(settings, "one", "two")},
		map[string][]string{"a.yaml": {"name: settings", "name: mine"}}, nil, ""},
	"type-changed": {tree.Tree{"a.yaml": custom},
		tree.Tree{"a.yaml": edited(custom, "name: fleet", "name: fleet\n  labels: {a: b}")},
		map[string][]string{"a.yaml": {"size: 1", "size: small"}}, nil, ""},
	"file-changed": {tree.Tree{"a.yaml": settings, "n.txt": "1\n"}, tree.Tree{"n.txt": "2\n"},
		map[string][]string{"a.yaml": {"one", "mine"}}, nil, ""},
	"file-conflict": {tree.Tree{"a.yaml": settings, "n.txt": "1\n"}, tree.Tree{"n.txt": "2\n"},
		map[string][]string{"n.txt": {"1", "mine"}}, []string{"n.txt "},
		"TakeUpstream is for files, too: Porch keeps a file that was changed here"},
	"file-removed-here": {tree.Tree{"a.yaml": settings, "n.txt": "1\n"},
		tree.Tree{"a.yaml": edited(settings, "one", "two")}, map[string][]string{"n.txt": nil}, nil,
		"a file that was removed here stays away: Porch brings it back"},
	"package-context": {tree.Tree{"a.yaml": settings, "package-context.yaml": siteOf},
		tree.Tree{"package-context.yaml": edited(siteOf, "site: none", "site: any\n  zone: a")},
		map[string][]string{"package-context.yaml": {"site: none", "site: fra"}}, nil,
		"what the variant set in the package context stays until its functions run again"},
	"injected": {tree.Tree{"a.yaml": settings, "e.yaml": endpoints},
		tree.Tree{"e.yaml": edited(endpoints, "api: none", "api: any\n  log: none")},
		map[string][]string{"e.yaml": {"api: none", "api: eu", "    kpt.dev/config",
			"    kpt.dev/injected-resource-name: eu\n    kpt.dev/config"}}, nil,
		"what was injected stays until it is injected again"},
	"functions-without-names": {tree.Tree{"Kptfile": mutators}, tree.Tree{"Kptfile": edited(mutators, "a:v1", "a:v2")},
		map[string][]string{"Kptfile": {"- image: b:v1", "- image: b:v1\n    - image: mine:v1"}}, nil, ""},
	"function-prepended": {tree.Tree{"Kptfile": mutators}, tree.Tree{"Kptfile": edited(mutators, "a:v1", "a:v2")},
		map[string][]string{"Kptfile": {"- image: a:v1", "- image: p:v1\n      name: PackageVariant.pv..0\n    - image: a:v1",
			"- image: b:v1", "- image: b:v1\n    - image: mine:v1"}}, nil,
		"functions without names are merged one by one also behind those of a variant, which have names: " +
			"kpt replaces the whole list, and both the variant's and the user's function are lost"},
	"order-changed": {tree.Tree{"a.yaml": web}, tree.Tree{"a.yaml": edited(web,
		"      containers:\n", "      containers:\n      - name: sidecar\n        image: side:1\n",
		"      - name: sidecar\n        image: side:1\n      volumes:", "      volumes:")},
		map[string][]string{"a.yaml": {"replicas: 1", "replicas: 3"}}, nil,
		"the upstream's order comes through where the package has not changed it"},
	"element-in-front": {tree.Tree{"a.yaml": web}, tree.Tree{"a.yaml": edited(web,
		"      containers:\n", "      containers:\n      - name: first\n        image: first:1\n")},
		map[string][]string{"a.yaml": {"replicas: 1", "replicas: 3"}}, nil,
		"an element comes where it is upstream"},
	"alternative-replaced": {tree.Tree{"a.yaml": web}, tree.Tree{"a.yaml": edited(web, "emptyDir: {}", "hostPath: {path: /a}")},
		map[string][]string{"a.yaml": {"emptyDir: {}", "emptyDir: {medium: Memory}"}},
		[]string{"a.yaml spec.template.spec.volumes[name=tmp]"}, "a volume has one source"},
	"subpackage-removed": {
		tree.Tree{"a.yaml": settings, "s/Kptfile": edited(blueprintKptfile, "web", "s"), "s/b.yaml": other},
		tree.Tree{"s/Kptfile": "", "s/b.yaml": ""}, map[string][]string{"a.yaml": {"one", "mine"}}, nil,
		"Porch keeps a resource that nobody changed, and with it the subpackage"},
	"file-of-values": {tree.Tree{"a.yaml": settings, "values.yaml": values},
		tree.Tree{"values.yaml": edited(values, "web:1", "web:2")},
		map[string][]string{"values.yaml": {"replicas: 1", "replicas: 3"}}, nil, ""},
}
