// SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/e2e/internal/tree"
)

// versioned makes versions of packages. The text of what a version does not change is the same in all versions.
type versioned struct {
	randomPackage
	name string // of the package, and in the names of all its resources
	made int    // resources and secret values so far, for names that stand once
}

// version is a version of a package: its Kptfile and its files by path.
type version struct {
	kptfile *resource
	files   map[string]*file
}

// file holds resources, as people write several of them into one file.
type file struct {
	lead, separator, foot string
	crlf                  bool
	resources             []*resource
}

// resource is a resource in sections. Those that are elements of a list can come, go and change places.
type resource struct {
	kind, open string
	sections   []section
}

// section is a map in a resource. Its first field always stays, so that the map does.
type section struct {
	open, indent string
	element      bool
	fields       []entry
}

// entry is a field with its comments.
type entry struct{ key, text string }

// secretMark is in each value of a Secret, and nowhere else.
const secretMark = "s3cr3t"

func (v *versioned) next() int {
	v.made++
	return v.made
}

func (v *versioned) pick(values ...string) string { return values[v.IntN(len(values))] }

// value returns a value for a field of a resource of the given kind.
func (v *versioned) value(kind, indent string) string {
	text := v.scalar()
	switch {
	case kind == "Secret":
		text = fmt.Sprintf(v.pick("%s-%d", "'%s-%d'", "|\n%%s  %s-%d\n%%s  end"), secretMark, v.next())
	case kind == "Deployment":
		text = v.pick("1", "2", "3", "0x10", "'007'", "web:v1", "\"web:v2\"", "日本語")
	case kind == "Widget" && v.one(2):
		text = v.pick("5", "5.0", "1e3", "0o7", "true", "\"true\"", "[]", "[a, b]", "[[1, [2, []]], {}]",
			"\n%s- a # first\n%s# last\n%s- b", "[{name: a, list: [x]}]",
			"\n%s- - 1\n%s  - 2\n%s- []", "2001-01-01", ".inf", "-0")
	}
	return strings.ReplaceAll(text, "%s", indent)
}

// entry returns a field with a new value.
func (v *versioned) entry(kind, indent, key string) entry {
	value, behind := v.value(kind, indent), v.behind()
	if strings.Contains(value, "\n") {
		behind = ""
	}
	colon := ": "
	if strings.HasPrefix(value, "\n") {
		colon = ":"
	}
	return entry{key, v.head(indent) + indent + key + colon + value + behind + "\n"}
}

// keys are of each map, the ends of ConfigMaps' and custom resources' not as plain as the others.
var keys = []string{"a", "b", "c", "d.e", "F_g"}

func (v *versioned) section(kind, open, indent string) section {
	s := section{open: open, indent: indent}
	for _, key := range keys[:1+v.IntN(len(keys))] {
		s.fields = append(s.fields, v.entry(kind, indent, key))
	}
	return s
}

func (v *versioned) container(name string) section {
	s := v.section("Deployment", "      - name: "+name+v.behind()+"\n", "        ")
	s.element = true
	return s
}

func (v *versioned) resource() *resource {
	r := &resource{kind: v.pick("ConfigMap", "Secret", "Widget", "Deployment")}
	group := map[string]string{"Widget": "example.com/v1", "Deployment": "apps/v1"}[r.kind]
	if group == "" {
		group = "v1"
	}
	r.open = fmt.Sprintf("apiVersion: %s\nkind: %s\n%smetadata:%s\n%s  name: %s-%d%s\n", group, r.kind, v.head(""),
		v.behind(), v.head("  "), v.name, v.next(), v.behind())
	if v.one(3) {
		r.open += "  namespace: " + v.pick("one", "two") + "\n"
	}
	switch r.kind {
	case "ConfigMap":
		r.sections = []section{v.section(r.kind, v.head("")+"data:"+v.behind()+"\n", "  ")}
	case "Secret":
		r.sections = []section{v.section(r.kind, "type: Opaque\nstringData:\n", "  ")}
	case "Widget":
		r.sections = []section{v.section(r.kind, "spec:"+v.behind()+"\n", "  "), v.section(r.kind, "  inner:\n", "    ")}
		if v.one(4) { // with an alias
			r.sections[1].open = "  anchor: &it [x, y]\n  alias: *it\n" + r.sections[1].open
		}
	case "Deployment":
		r.sections = []section{v.section(r.kind, "spec:\n", "  "),
			{open: "  template:\n    spec:\n      containers:" + v.behind() + "\n"}}
		for i := range 1 + v.IntN(3) {
			r.sections = append(r.sections, v.container(fmt.Sprint("c", i)))
		}
	}
	return r
}

func (r *resource) text() string {
	b := strings.Builder{}
	b.WriteString(r.open)
	for _, s := range r.sections {
		b.WriteString(s.open)
		for _, e := range s.fields {
			b.WriteString(e.text)
		}
	}
	return b.String()
}

func (f *file) text() string {
	texts := make([]string, len(f.resources))
	for i, r := range f.resources {
		texts[i] = r.text()
	}
	text := f.lead + strings.Join(texts, f.separator) + f.foot
	if f.crlf {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

// files returns the version as files. The package has its own Kptfile, with more in it.
func (p *version) tree() tree.Tree {
	t := tree.Tree{"Kptfile": p.kptfile.text()}
	for name, f := range p.files {
		t[name] = f.text()
	}
	return t
}

// first returns the first version of a package.
func (v *versioned) first() *version {
	p := &version{files: map[string]*file{}, kptfile: &resource{kind: "Kptfile",
		open:     "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: " + v.name + v.behind() + "\n",
		sections: []section{{open: v.head("") + "info:" + v.behind() + "\n", fields: []entry{v.emails()}}}}}
	for i := range 1 + v.IntN(2) {
		p.files[v.pick("", "sub dir/", "ü/")+fmt.Sprintf("f%d.yaml", i)] = v.file()
	}
	return p
}

func (v *versioned) emails() entry {
	value := v.pick("[a@example.com]", "[b@example.com, a@example.com]", "[]", "[\"\"]")
	return entry{"emails", v.head("  ") + "  emails: " + value + v.behind() + "\n"}
}

func (v *versioned) file() *file {
	f := &file{lead: v.pick("", "", "---\n", "# lead\n", "# only a comment\n---\n"),
		separator: v.pick("---\n", "---\n", "--- # behind\n", "---\n# in between\n", "\n---\n\n"),
		foot:      v.pick("", "", "---\n", "\n"), crlf: v.one(6)}
	for range 1 + v.IntN(2) {
		f.resources = append(f.resources, v.resource())
	}
	return f
}

func (p *version) clone() *version {
	c := &version{kptfile: p.kptfile.clone(), files: map[string]*file{}}
	for name, f := range p.files {
		g := *f
		g.resources = nil
		for _, r := range f.resources {
			g.resources = append(g.resources, r.clone())
		}
		c.files[name] = &g
	}
	return c
}

func (r *resource) clone() *resource {
	c := *r
	c.sections = slices.Clone(r.sections)
	for i := range c.sections {
		c.sections[i].fields = slices.Clone(c.sections[i].fields)
	}
	return &c
}

// changed returns a copy with some changes. Only the upstream moves things.
func (v *versioned) changed(p *version, upstream bool) *version {
	c := p.clone()
	for range v.IntN(15) {
		names := slices.Sorted(maps.Keys(c.files))
		f := c.files[names[v.IntN(len(names))]]
		i := v.IntN(len(f.resources))
		switch v.IntN(20) {
		case 0:
			f.resources = slices.Insert(f.resources, 1+v.IntN(len(f.resources)), v.resource())
		case 1:
			if i > 0 { // the first one stays: a package has something in common with its upstream
				f.resources = slices.Delete(f.resources, i, i+1)
			}
		case 2:
			c.files[fmt.Sprintf("new-%d.yaml", v.next())] = v.file()
		case 3:
			f.crlf = !f.crlf
		case 4:
			c.kptfile.sections[0].fields[0] = v.emails()
		case 5:
			v.addShared(c)
		case 6:
			if other := c.files[names[v.IntN(len(names))]]; upstream && other != f && len(f.resources) > 1 {
				other.resources = append(other.resources, f.resources[i])
				f.resources = slices.Delete(f.resources, i, i+1)
			}
		default:
			v.change(f.resources[i], upstream)
		}
	}
	return c
}

// addShared adds a resource that the other side may add too, if it is not there yet.
func (v *versioned) addShared(p *version) {
	if p.files["shared.yaml"] == nil {
		r := &resource{kind: "ConfigMap", open: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: " + v.name + "-shared\n"}
		r.sections = []section{v.section(r.kind, "data:\n", "  ")}
		p.files["shared.yaml"] = &file{separator: "---\n", resources: []*resource{r}}
	}
}

// change makes a change in a resource.
func (v *versioned) change(r *resource, upstream bool) {
	i := v.IntN(len(r.sections))
	s := &r.sections[i]
	if s.element && v.one(4) {
		v.changeList(r, i, upstream)
		return
	}
	if len(s.fields) == 0 {
		return
	}
	key := keys[v.IntN(len(keys))]
	at := slices.IndexFunc(s.fields, func(e entry) bool { return e.key == key })
	switch {
	case at < 0:
		s.fields = append(s.fields, v.entry(r.kind, s.indent, key))
	case at > 0 && v.one(3):
		s.fields = slices.Delete(s.fields, at, at+1)
	default:
		s.fields[at] = v.entry(r.kind, s.indent, key)
	}
}

// changeList changes the list of which a section is an element.
func (v *versioned) changeList(r *resource, i int, upstream bool) {
	switch first, last := 2, len(r.sections)-1; {
	case i > first && v.one(2):
		r.sections = slices.Delete(r.sections, i, i+1)
	case upstream && v.one(2):
		r.sections[i], r.sections[last] = r.sections[last], r.sections[i]
	default:
		r.sections = append(r.sections, v.container(fmt.Sprint("n", v.next())))
	}
}
