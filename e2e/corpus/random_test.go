// SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/package-variants/package-variants/e2e/internal/tree"
)

// randomPackage makes packages with comments, quoting, orders and styles as people write them, and variants of them. A
// package contains what the functions edit, and other things beside it.
type randomPackage struct {
	*rand.Rand
	comments int
}

// one reports true once in n times.
func (r *randomPackage) one(n int) bool { return r.IntN(n) == 0 }

// head returns a comment line with the given indentation, or nothing.
func (r *randomPackage) head(indent string) string {
	if !r.one(3) {
		return ""
	}
	r.comments++
	return fmt.Sprintf("%s# comment %d.\n", indent, r.comments)
}

// behind returns a comment behind a value, or nothing.
func (r *randomPackage) behind() string {
	if !r.one(4) {
		return ""
	}
	r.comments++
	return fmt.Sprintf(" # comment %d", r.comments)
}

// scalar returns a value, in one of the ways to write it.
func (r *randomPackage) scalar() string {
	values := []string{"plain", `"double"`, "'single'", `"yes"`, `"5"`, `""`, "'it''s'", "https://x.example.com/a#b",
		"|\n%s  two\n%s  lines", `"a: b"`}
	return values[r.IntN(len(values))]
}

// pair returns a key and a scalar.
func (r *randomPackage) pair(indent, key string) string {
	value := strings.ReplaceAll(r.scalar(), "%s", indent)
	if strings.Contains(value, "\n") {
		return r.head(indent) + indent + key + ": " + value + "\n"
	}
	return r.head(indent) + indent + key + ": " + value + r.behind() + "\n"
}

// pairs returns some of the pairs of the keys, at least one, in any order.
func (r *randomPackage) pairs(indent string, keys ...string) string {
	r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	var b strings.Builder
	for _, key := range keys[:1+r.IntN(len(keys))] {
		b.WriteString(r.pair(indent, key))
	}
	return b.String()
}

// files returns a package: a Kptfile, its package context, and files of injection points and of other resources.
func (r *randomPackage) files() tree.Tree {
	t := tree.Tree{"Kptfile": r.kptfile(), "noop.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: config\n"}
	context := "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: kptfile.kpt.dev\n  annotations:\n" +
		"    config.kubernetes.io/local-config: \"true\"\ndata:" + r.behind() + "\n" +
		r.pairs("  ", "name", "region", "tier", "gone", "old")
	if r.one(2) {
		t["package-context.yaml"] = context
	} else {
		t["several.yaml"] = context + "---\n" + r.resource("beside", "")
	}
	for i := range 1 + r.IntN(3) {
		var documents []string
		for j := range 1 + r.IntN(3) {
			point := []string{"", "required", "optional"}[r.IntN(3)]
			documents = append(documents, r.resource(fmt.Sprintf("r%d-%d", i, j), point))
		}
		t[fmt.Sprintf("resources-%d.yaml", i)] = r.head("") + strings.Join(documents, "---\n")
	}
	for _, name := range []string{"one", "two"} {
		t["cluster/"+name+".yaml"] = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: " + name +
			"\n  namespace: default\n  annotations:\n    kpt.dev/injection-source: \"true\"\n" +
			"    config.kubernetes.io/local-config: \"true\"\ndata:\n" + r.pairs("  ", "api", "region", "size")
	}
	return t
}

// kptfile returns a Kptfile, with a pipeline of its own, conditions and readiness gates of others, or without.
func (r *randomPackage) kptfile() string {
	sections := []string{"info:" + r.behind() + "\n" + r.pair("  ", "description")}
	if r.one(2) {
		sections[0] += "  readinessGates:\n" + r.head("  ") + "  - conditionType: theirs" + r.behind() + "\n"
	}
	if r.one(2) {
		sections = append(sections, "pipeline:"+r.behind()+"\n"+r.functions("mutators")+r.functions("validators"))
	}
	if r.one(2) {
		sections = append(sections, "status:\n  conditions:\n"+r.head("  ")+"  - type: theirs\n    status: \"True\""+
			r.behind()+"\n    reason: Good\n")
	}
	r.Shuffle(len(sections), func(i, j int) { sections[i], sections[j] = sections[j], sections[i] })
	return r.head("") + "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web" + r.behind() + "\n" +
		"  annotations:\n    config.kubernetes.io/local-config: \"true\"\n" + strings.Join(sections, "")
}

// functions returns a list of the package's own pipeline, at least one function, which does nothing.
func (r *randomPackage) functions(list string) string {
	b := strings.Builder{}
	b.WriteString("  " + list + ":" + r.behind() + "\n")
	for i := range 1 + r.IntN(2) {
		b.WriteString(r.head("  ") + "  - exec: noop" + r.behind() + "\n")
		if r.one(2) {
			fmt.Fprintf(&b, "    name: own-%d\n", i)
		}
		if r.one(3) {
			b.WriteString("    configPath: noop.yaml" + r.behind() + "\n")
		}
	}
	return b.String()
}

// resource returns a ConfigMap, which is an injection point if point says of which kind.
func (r *randomPackage) resource(name, point string) string {
	annotations := ""
	if point != "" {
		annotations = "  annotations:\n" + r.head("    ") + "    kpt.dev/config-injection: " + point + r.behind() + "\n"
	}
	return r.head("") + "apiVersion: v1\nkind: ConfigMap\nmetadata:\n" + r.head("  ") + "  name: " + name + r.behind() +
		"\n" + annotations + "data:" + r.behind() + "\n" + r.pairs("  ", "a", "b", "region")
}

// variant returns a PackageVariant for the package. Its context adds keys that no package has, and, if changing is
// asked for, changes and removes those that some have.
func (r *randomPackage) variant(changing bool) string {
	b := strings.Builder{}
	b.WriteString("apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata:\n  name: eu.web\n" +
		"  namespace: default\nspec:\n  packageContext:\n    data:\n      new-a: a\n      new-b: \"yes\"\n")
	if changing {
		b.WriteString("      region: eu\n    removeKeys: [gone, never]\n")
	}
	b.WriteString("  pipeline:\n")
	for _, list := range []string{"mutators", "validators"} {
		b.WriteString("    " + list + ":\n")
		for i := range 1 + r.IntN(3) {
			fmt.Fprintf(&b, "    - exec: noop\n      name: f%d\n", i)
		}
	}
	b.WriteString("  injectors:\n")
	for _, name := range [][]string{{"one"}, {"two", "one"}, {"missing"}}[r.IntN(3)] {
		b.WriteString("  - kind: ConfigMap\n    name: " + name + "\n")
	}
	return b.String()
}
