// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"encoding/json"
	"errors"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/package-variants/package-variants/functions/internal/node"
	"github.com/package-variants/package-variants/functions/internal/pkgtree"
	"github.com/package-variants/package-variants/functions/krm"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/kustomize/kyaml/openapi"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Upstream is the field upstream of a Kptfile: where the package's upstream is.
type Upstream struct {
	Type           string `json:"type,omitempty"`
	Git            *Git   `json:"git,omitempty"`
	UpdateStrategy string `json:"updateStrategy,omitempty"`
}

// Git is a directory in a git repository at a branch or tag.
type Git struct {
	Repo      string `json:"repo,omitempty"`
	Directory string `json:"directory,omitempty"`
	Ref       string `json:"ref,omitempty"`
}

// UpstreamLock is the field upstreamLock of a Kptfile: which version of its upstream a package is on.
type UpstreamLock struct {
	Type string   `json:"type,omitempty"`
	Git  *GitLock `json:"git,omitempty"`
}

// GitLock is a directory in a git repository at a commit.
type GitLock struct {
	Repo      string `json:"repo,omitempty"`
	Directory string `json:"directory,omitempty"`
	Ref       string `json:"ref,omitempty"`
	Commit    string `json:"commit,omitempty"`
}

// setUpstream writes the upstream and the lock into the root Kptfile.
func (m *merged) setUpstream(r result) (result, error) {
	root := r.root
	if root == nil {
		root = copyNode(r.local.root)
	}
	editor := node.Edit(root.Content[0])
	set := func(section, key string, value any) error {
		field, err := editor.Top(section)
		if err != nil {
			return err
		}
		if field, err = field.Sub(key); err != nil {
			return err
		}
		n, err := node.FromValue(value)
		if err != nil {
			return err
		}
		return field.Set(n, pkgtree.KptfileOrder...)
	}
	var all []entry
	if u := m.options.Upstream; u != nil {
		all = append(all, entry{"upstream", "type", u.Type}, entry{"upstream", "git", u.Git})
		if u.UpdateStrategy != "" {
			all = append(all, entry{"upstream", "updateStrategy", u.UpdateStrategy})
		}
	}
	if l := m.options.UpstreamLock; l != nil {
		all = append(all, entry{"upstreamLock", "type", l.Type}, entry{"upstreamLock", "git", l.Git})
	}
	for _, e := range all {
		if err := set(e.section, e.key, e.value); err != nil {
			return r, inKptfile(err)
		}
	}
	r.outcome, r.root = changed, root
	return m.compared(r)
}

// inKptfile returns an error about a field of the root Kptfile.
func inKptfile(err error) error {
	e := &krm.Error{File: pkgtree.KptfileName, Reason: err.Error()}
	if field := (*node.Error)(nil); errors.As(err, &field) {
		e.Field, e.Reason = field.Path, field.Reason
	}
	return e
}

type entry struct {
	section, key string
	value        any
}

// kptfileLists is what tells merge3 how the elements of the lists of a Kptfile are told apart.
const kptfileLists = `{"type": "object", "properties": {
	"pipeline": {"type": "object", "properties": {
		"mutators": {"type": "array", "items": {"type": "object"},
			"x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "name"},
		"validators": {"type": "array", "items": {"type": "object"},
			"x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "name"}}},
	"info": {"type": "object", "properties": {
		"readinessGates": {"type": "array", "items": {"type": "object"},
			"x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "conditionType"}}},
	"status": {"type": "object", "properties": {
		"conditions": {"type": "array", "items": {"type": "object"},
			"x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "type"}}}}}`

var kptfileSchema = sync.OnceValue(func() *openapi.ResourceSchema {
	schema := &spec.Schema{}
	if err := json.Unmarshal([]byte(kptfileLists), schema); err != nil {
		panic(err) // a constant
	}
	return &openapi.ResourceSchema{Schema: schema}
})

// madeUpName begins the names that functions without one get while they are merged, as kpt does it.
const madeUpName = "_kpt-merge_"

// nameFunctions gives the functions of pipelines that have no name one made of their image, if that tells them apart,
// so that they can be merged one by one. The function that it returns removes these names.
func nameFunctions(s sources) (restore func(kptfile *yaml.Node)) {
	versions := []*yaml.Node{s.original, s.local, s.updated}
	for _, list := range []string{"mutators", "validators"} {
		lists := make([]*yaml.Node, 0, len(versions))
		for _, v := range versions {
			lists = append(lists, present(present(v, "pipeline"), list))
		}
		if slices.ContainsFunc(lists, func(l *yaml.Node) bool { return !nameable(l) }) {
			continue
		}
		for _, l := range lists {
			for _, f := range contentOf(l) {
				if node.GetString(f, "name") == "" {
					remove(f, "name")
					f.Content = append(f.Content, node.String("name"), node.String(madeUp(f)))
				}
			}
		}
	}
	return func(kptfile *yaml.Node) {
		for _, list := range []string{"mutators", "validators"} {
			for _, f := range contentOf(present(present(kptfile, "pipeline"), list)) {
				if f.Kind == yaml.MappingNode && strings.HasPrefix(node.GetString(f, "name"), madeUpName) {
					remove(f, "name")
				}
			}
		}
	}
}

// nameable reports whether each function of a list has a name, or an image that no other has.
func nameable(list *yaml.Node) bool {
	if list == nil {
		return true
	}
	if list.Kind != yaml.SequenceNode {
		return false
	}
	seen := map[string]bool{}
	for _, f := range list.Content {
		if f.Kind != yaml.MappingNode {
			return false
		}
		name := node.GetString(f, "name")
		if name == "" {
			name = madeUp(f)
		}
		if name == madeUpName || seen[name] {
			return false
		}
		seen[name] = true
	}
	return true
}

func madeUp(f *yaml.Node) string {
	if exec := node.GetString(f, "exec"); exec != "" {
		return madeUpName + exec
	}
	image := node.GetString(f, "image")
	dir, base := path.Split(image)
	base, _, _ = strings.Cut(base, "@")
	base, _, _ = strings.Cut(base, ":")
	return madeUpName + dir + base
}
