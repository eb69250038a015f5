// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/functions/internal/node"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// isPipeline reports whether a field of a Kptfile is a list of functions.
func isPipeline(path string) bool {
	return path == "pipeline.mutators" || path == "pipeline.validators"
}

// function is what identifies a function of a pipeline.
type function struct {
	// image has no tag or digest, base is the last part of image, content is the whole function as JSON, untagged the
	// same without the tag, and config where its config is. Each is empty if the function does not have it.
	name, kind, image, base, content, untagged, config string
}

// functionOf reads a function of a pipeline.
func functionOf(n *yaml.Node) function {
	f := function{name: node.GetString(n, "name"), kind: "image", image: node.GetString(n, "image")}
	if exec := node.GetString(n, "exec"); exec != "" {
		f.kind, f.image = "exec", exec
	} else {
		dir, base := path.Split(f.image)
		base, _, _ = strings.Cut(base, "@")
		base, _, _ = strings.Cut(base, ":")
		f.image, f.base = dir+base, base
	}
	var value map[string]any
	if err := n.Decode(&value); err == nil {
		f.content = asJSON(value)
		if f.image != "" {
			value["image"] = f.image
		}
		f.untagged = asJSON(value)
		config := []any{value["configPath"], value["configMap"], value["configRef"]}
		if slices.ContainsFunc(config, func(c any) bool { return c != nil }) {
			f.config = asJSON(append(config, f.kind, f.base))
		}
	}
	return f
}

// asJSON returns a value as JSON; "" if JSON cannot express it. Then a function is paired by its image.
func asJSON(value any) string {
	text, _ := json.Marshal(value) //nolint:errchkjson // as above
	return string(text)
}

// functionRow is a function in the three versions.
type functionRow struct {
	row
	as [3]function
}

// functionRows pairs the functions of a pipeline: by name, else by content, by image, or by the last part of the image,
// always in their order in the list. It returns false if this is not a list of functions. Functions that a variant put
// in front of the package's are left unpaired.
func functionRows(s sources) ([]row, bool) {
	var rows []*functionRow
	for _, version := range []int{originalVersion, updatedVersion, localVersion} {
		list := contentOf(s.versions()[version])
		all := make([]function, len(list))
		for i, n := range list {
			if n.Kind != yaml.MappingNode {
				return nil, false
			}
			all[i] = functionOf(n)
		}
		rows = pairFunctions(rows, version, list, all)
	}
	return labelled(rows), true
}

// pass is a way to pair the functions of two versions: by a text that both have, unless it is empty.
type pass struct {
	of, with func(function) string
	// guess says that the two may be different functions, unless both versions have as many with this text.
	guess bool
	// added says that the functions are the same even if both sides added them.
	added bool
	// in says in which versions to look for the other function, which must have the same text in all of them.
	in []int
}

func passes() []pass {
	of := func(named bool, text func(function) string) func(function) string {
		return func(f function) string {
			if named != (f.name != "") {
				return ""
			}
			return text(f)
		}
	}
	image := func(f function) string { return f.kind + " " + f.image }
	name := func(f function) string { return f.name }
	content := of(false, func(f function) string { return f.content })
	untagged := of(false, func(f function) string { return f.untagged })
	config := of(false, func(f function) string { return f.config })
	base := of(false, func(f function) string { return f.base })
	imageOnly, namedImage := of(false, image), of(true, image)
	upstreams, either := []int{originalVersion, updatedVersion}, []int(nil)
	return []pass{
		{name, name, false, true, either},
		{content, content, false, true, upstreams},
		{content, content, false, true, []int{updatedVersion}},
		{content, content, false, true, []int{originalVersion}},
		{untagged, untagged, false, false, either},
		{config, config, false, false, either},
		{imageOnly, imageOnly, true, false, either},
		{base, base, true, false, either},
		{imageOnly, namedImage, true, false, either},
		{namedImage, imageOnly, true, false, either},
	}
}

// pairFunctions adds the functions of a version to the rows.
func pairFunctions(rows []*functionRow, version int, list []*yaml.Node, all []function) []*functionRow {
	paired := make([]bool, len(list))
	for _, p := range passes() {
		p.pair(rows, version, list, all, paired)
	}
	for i, f := range all {
		if !paired[i] {
			r := &functionRow{row: newRow()}
			r.set(version, i, list[i])
			r.as[version] = f
			rows = append(rows, r)
		}
	}
	return rows
}

// candidates returns the rows that lack a version by the texts by which their functions can be found, and how many of
// them the original has.
func (p pass) candidates(rows []*functionRow, version int) (by map[string][]*functionRow, known map[string]int) {
	times := map[string]int{} // upstream, of what cannot be told apart
	for _, r := range rows {
		times[r.as[updatedVersion].content]++
	}
	by, known = map[string][]*functionRow{}, map[string]int{}
	for _, r := range rows {
		isAdded := !r.has(originalVersion) && times[r.as[updatedVersion].content] < 2
		if r.has(version) || isAdded && !p.added {
			continue
		}
		for _, key := range p.keys(r) {
			by[key] = append(by[key], r)
			if r.has(originalVersion) {
				known[key]++
			}
		}
	}
	return by, known
}

// pair pairs the functions of a version that are not paired yet with rows that lack one.
func (p pass) pair(rows []*functionRow, version int, list []*yaml.Node, all []function, paired []bool) {
	candidates, known := p.candidates(rows, version)
	fewer := p.fewer(rows, all)
	wanting := map[string]int{}
	for i, f := range all {
		if !paired[i] {
			wanting[p.of(f)]++
		}
	}
	for i, f := range all {
		key := p.of(f)
		left := slices.DeleteFunc(candidates[key], func(r *functionRow) bool { return r.has(version) })
		candidates[key] = left
		if paired[i] || key == "" || len(left) == 0 || fewer(f) {
			continue
		}
		r := left[0]
		r.set(version, i, list[i])
		candidates[key], r.as[version], paired[i] = left[1:], f, true
		r.uncertain = r.uncertain || p.guess && known[key] > 0 && known[key] != wanting[key]
	}
}

// fewer returns whether the original has more functions like one than this version or the upstream's new one, and as
// many of its image as this version. Then some of those that were alike have been changed, and which only their order
// tells.
func (p pass) fewer(rows []*functionRow, all []function) func(function) bool {
	original, updated, here := map[string]int{}, map[string]int{}, map[string]int{}
	count := func(of map[string]int, f function) {
		if f.name == "" {
			of[p.of(f)]++
			of[f.group()]++
		}
	}
	for _, r := range rows {
		count(original, r.as[originalVersion])
		count(updated, r.as[updatedVersion])
	}
	for _, f := range all {
		count(here, f)
	}
	isUpdated := !slices.ContainsFunc(rows, func(r *functionRow) bool { return r.has(updatedVersion) })
	return func(f function) bool {
		text := p.of(f)
		return !p.guess && f.name == "" && original[f.group()] == here[f.group()] &&
			(original[text] > here[text] || !isUpdated && original[text] > updated[text])
	}
}

// group returns what the functions have in common that are told apart by their order where nothing else does it.
func (f function) group() string { return "group " + f.kind + " " + cmp.Or(f.base, f.image) }

// keys returns the texts by which a function of the row can be found.
func (p pass) keys(r *functionRow) []string {
	var keys []string
	for _, version := range []int{originalVersion, updatedVersion} {
		if !r.has(version) || len(p.in) > 0 && !slices.Contains(p.in, version) {
			continue
		}
		if key := p.with(r.as[version]); key != "" && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	if len(p.in) > 1 && (len(keys) > 1 || !r.has(originalVersion) || !r.has(updatedVersion)) {
		return nil
	}
	return keys
}

// labelled returns the rows with their labels, and notes which functions a variant put in front.
func labelled(rows []*functionRow) []row {
	images := map[string]int{}
	for _, r := range rows {
		if r.shown().name == "" {
			images[r.shown().kind+r.shown().image]++
		}
	}
	isOurs := func(f function) bool { return strings.HasPrefix(f.name, variantNames) }
	prepended := false // by a variant that the upstream does not know
	position := map[string]int{}
	for _, r := range rows {
		f := r.shown()
		prepended = prepended || isOurs(f) && r.has(localVersion) && !r.has(originalVersion) && !r.has(updatedVersion)
		if f.name != "" {
			r.label = "name=" + f.name
			continue
		}
		r.unnamed, r.label = true, f.kind+"="+f.image
		key := f.kind + f.image
		if position[key]++; images[key] > 1 {
			r.label += fmt.Sprintf(",position=%d", position[key])
		}
	}
	out := make([]row, len(rows))
	for i, r := range rows {
		r.front = prepended && r.has(localVersion) && isOurs(r.as[localVersion])
		out[i] = r.row
	}
	return out
}

// shown returns the function that the path names: the package's, or else the upstream's.
func (r *functionRow) shown() function {
	for _, version := range []int{localVersion, updatedVersion} {
		if r.has(version) {
			return r.as[version]
		}
	}
	return r.as[originalVersion]
}
