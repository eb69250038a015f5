// SPDX-License-Identifier: Apache-2.0

package merging

import (
	"encoding/json"
	"errors"
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
		root = yaml.CopyYNode(r.local.root)
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

// kptfileLists has the merge keys of the lists in a Kptfile.
const kptfileLists = `{"type": "object", "properties": {
	"pipeline": {"type": "object", "properties": {
		"mutators": {"type": "array",
			"x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "name"},
		"validators": {"type": "array",
			"x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "name"}}},
	"info": {"type": "object", "properties": {
		"readinessGates": {"type": "array",
			"x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "conditionType"}}},
	"status": {"type": "object", "properties": {
		"conditions": {"type": "array",
			"x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "type"}}}}}`

var kptfileSchema = sync.OnceValue(func() *openapi.ResourceSchema {
	schema := &spec.Schema{}
	if err := json.Unmarshal([]byte(kptfileLists), schema); err != nil {
		panic(err) // a constant
	}
	return &openapi.ResourceSchema{Schema: schema}
})
