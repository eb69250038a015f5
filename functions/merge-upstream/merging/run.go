// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"cmp"
	"errors"
	"path"
	"strconv"
	"strings"

	"github.com/kptdev/krm-functions-sdk/go/fn"
	"github.com/package-variants/package-variants/functions/internal/node"
	"github.com/package-variants/package-variants/functions/internal/pkgtree"
	"github.com/package-variants/package-variants/functions/krm"
	"sigs.k8s.io/kustomize/kyaml/kio/kioutil"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Run is the function: the package among the items is merged with the upstreams of the config. Conflicts are results.
func Run(config *yaml.RNode, items []*yaml.RNode) (krm.Output, error) {
	c, err := decode(config, items)
	if err != nil {
		return krm.Output{}, err
	}
	if err := errors.Join(inPackage("original", c.Original.Resources),
		inPackage("updated", c.Updated.Resources)); err != nil {
		return krm.Output{}, krm.Wrap(config, err)
	}
	l, err := local(items)
	if err != nil {
		return krm.Output{}, err
	}
	if err := l.inTheWay(items, c.Updated.Resources); err != nil {
		return krm.Output{}, err
	}
	v := versions{original: read(c.Original.Resources, nil), local: l.pkg, resourcesOnly: true}
	v.updated = read(c.Updated.Resources, v.original)
	v.settleWholeFiles()
	v.giveTexts()
	stop := OnConflict(c.OnConflict) == Stop
	m, err := v.merge(Options{OnConflict: OnConflict(c.OnConflict), Upstream: c.Upstream, UpstreamLock: c.UpstreamLock})
	if ke := (*krm.Error)(nil); err != nil && !errors.As(err, &ke) {
		err = krm.Errorf(nil, "", "%s", err)
	}
	if err != nil {
		return krm.Output{}, err
	}
	if stop && len(m.conflicts) > 0 {
		errs := make([]error, len(m.conflicts))
		for i, c := range m.conflicts {
			errs[i] = c.result(true)
		}
		return krm.Output{}, errors.Join(errs...)
	}
	out, err := l.items(m, items)
	if err != nil {
		return krm.Output{}, err
	}
	return krm.Output{Items: out, Results: m.notes(c, v)}, nil
}

// notes returns the results of a run that did its work.
func (m *merged) notes(c Config, v versions) fn.Results {
	var out fn.Results
	source := cmp.Or(c.Updated.Name, "the updated upstream")
	for _, c := range m.conflicts {
		out = append(out, c.result(false).Result(fn.Warning))
	}
	for _, name := range m.unseen {
		happened, remedy := "changed", "copy it from "+source
		switch {
		case v.updated[name] == nil:
			happened, remedy = "removed", "delete it, unless the package needs it"
		case v.original[name] == nil:
			happened = "added"
		}
		e := &krm.Error{File: name,
			Reason: happened + " upstream, but is not among the resources that a function gets: " + remedy}
		out = append(out, e.Result(fn.Warning))
	}
	out = append(out, m.hiddenChanges(v, source)...)
	if c.UpstreamLock == nil {
		e := &krm.Error{File: pkgtree.KptfileName, Field: "upstreamLock",
			Reason: "stays as it is, because the config has none: without it, the next merge has no right original"}
		out = append(out, e.Result(fn.Warning))
	}
	return out
}

// localPackage is the package that the items of a ResourceList are of.
type localPackage struct {
	pkg  pkg
	root string // the directory of the root Kptfile
	// prefix is what the paths of new items begin with: in a render nothing, because paths begin at the package.
	prefix string
	of     map[*yaml.RNode]*document
}

// local turns the items into documents.
func local(items []*yaml.RNode) (*localPackage, error) {
	tree, err := pkgtree.Read(items)
	if err != nil {
		return nil, err
	}
	root := items[tree.Root]
	l := &localPackage{
		pkg: pkg{}, root: path.Dir(fullPath(root)), prefix: path.Dir(krm.Identify(root).File),
		of: map[*yaml.RNode]*document{},
	}
	for _, item := range items {
		if isFiles(item) {
			continue
		}
		id := krm.Identify(item)
		if id.File == "" {
			return nil, krm.Errorf(item, "",
				"does not say which file it is from, and the files of a package are merged by their paths: "+
					"run the function by kpt, not by kustomize")
		}
		d, err := l.document(item, id)
		if err != nil {
			return nil, err
		}
		if l.pkg[d.file] == nil {
			l.pkg[d.file] = &file{}
		}
		f := l.pkg[d.file]
		f.docs = append(f.docs, d)
		l.of[item] = d
	}
	return l, nil
}

// inTheWay returns an error if a PackageRevisionResources is saved in a file that the updated upstream has, too.
func (l *localPackage) inTheWay(items []*yaml.RNode, updated map[string]string) error {
	for _, item := range items {
		if _, taken := updated[strings.TrimPrefix(fullPath(item), l.root+"/")]; taken && isFiles(item) {
			return krm.Errorf(item, "",
				"is saved where the updated upstream has a file of its own: save it in another file")
		}
	}
	return nil
}

// fullPath returns the path of an item's file: in a render, paths begin at the item's own package.
func fullPath(item *yaml.RNode) string {
	id := krm.Identify(item)
	return path.Join(id.Package, id.File)
}

func (l *localPackage) document(item *yaml.RNode, id krm.Identity) (*document, error) {
	body := yaml.CopyYNode(item.YNode())
	removeAnnotations(body, krm.IsInternalAnnotation)
	d := &document{
		file: strings.TrimPrefix(fullPath(item), l.root+"/"), index: id.Index, item: item,
		root: &yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{body}},
	}
	text, err := encode(d.root)
	if err != nil {
		return nil, krm.Errorf(item, "", "cannot be written: %s", err)
	}
	d.text = text
	return d, nil
}

// items returns the items of the merged package. An item that could not be read back is an error.
func (l *localPackage) items(m *merged, items []*yaml.RNode) ([]*yaml.RNode, error) {
	by := map[*document]*result{}
	for i, r := range m.results {
		if r.local != nil {
			by[r.local] = &m.results[i]
		}
	}
	out := make([]*yaml.RNode, 0, len(items))
	var staying []result
	stay := func(r result, item *yaml.RNode) {
		r.item = item
		out, staying = append(out, item), append(staying, r)
	}
	for _, item := range items {
		r := by[l.of[item]]
		switch {
		case r == nil:
			out = append(out, item)
		case r.outcome == keep:
			stay(*r, item)
		case r.outcome == taken || r.outcome == changed:
			stay(*r, l.item(*r, item))
		}
	}
	for _, r := range m.results {
		if r.local == nil && r.outcome != keep {
			stay(r, withHidden(r.document()))
		}
	}
	for i := range staying {
		if r := staying[i]; r.outcome != keep && !krm.QuoteBlocks(r.item) {
			return nil, krm.Errorf(r.item, "", "%s", errUnreadable)
		}
	}
	return l.place(staying, out), nil
}

// item returns a merged resource with the annotations by which an orchestrator knows it.
func (l *localPackage) item(r result, before *yaml.RNode) *yaml.RNode {
	item := yaml.NewRNode(yaml.CopyYNode(r.document().Content[0]))
	was := node.Get(before.YNode(), "metadata", "annotations")
	for _, key := range keysOf(was) {
		if krm.IsInternalAnnotation(key) {
			annotate(item, key, node.GetString(was, key))
		}
	}
	return item
}

// document returns the document node of a resource after the merge.
func (r result) document() *yaml.Node {
	switch r.outcome {
	case changed:
		return r.root
	case taken:
		return r.updated.root
	}
	return r.local.root
}

// place returns the items with their files and positions in the files.
func (l *localPackage) place(staying []result, items []*yaml.RNode) []*yaml.RNode {
	files := map[string][]result{}
	for _, r := range staying {
		files[r.file()] = append(files[r.file()], r)
	}
	placed := map[*yaml.RNode]*yaml.RNode{}
	for name, list := range files {
		last := -1
		for _, r := range inOrder(name, list) {
			at := last + 1
			stays := r.local != nil && !r.moved() && r.local.before == ""
			if stays && r.local.index > last {
				at = r.local.index
			}
			if last = at; !stays || r.local.index != at {
				placed[r.item] = l.placedAt(r.item, name, at)
			}
		}
	}
	for i, item := range items {
		if placed[item] != nil {
			items[i] = placed[item]
		}
	}
	return items
}

// placedAt returns a copy of an item with another place.
func (l *localPackage) placedAt(item *yaml.RNode, name string, index int) *yaml.RNode {
	item = yaml.NewRNode(yaml.CopyYNode(item.YNode()))
	annotations := map[string]string{
		kioutil.PathAnnotation: path.Join(l.prefix, name), kioutil.IndexAnnotation: strconv.Itoa(index),
	}
	for _, key := range []string{kioutil.PathAnnotation, kioutil.IndexAnnotation} {
		annotate(item, key, annotations[key])
	}
	for old, key := range map[string]string{
		//nolint:staticcheck // kpt still sets them
		kioutil.LegacyPathAnnotation: kioutil.PathAnnotation, kioutil.LegacyIndexAnnotation: kioutil.IndexAnnotation,
	} {
		if krm.Annotation(item, old) != "" {
			annotate(item, old, annotations[key])
		}
	}
	return item
}

// annotate sets an annotation of an item, which must be a copy.
func annotate(item *yaml.RNode, key, value string) {
	metadata := ensure(item.YNode(), "metadata")
	list := ensure(metadata, "annotations")
	remove(list, key)
	quoted := node.String(value)
	list.Content = append(list.Content, node.String(key), quoted)
}

// ensure returns the mapping of a key, and makes it if it is missing.
func ensure(m *yaml.Node, key string) *yaml.Node {
	if n := present(m, key); n != nil {
		return n
	}
	remove(m, key)
	n := &yaml.Node{Kind: yaml.MappingNode, Tag: yaml.NodeTagMap}
	m.Content = append(m.Content, node.String(key), n)
	return n
}
