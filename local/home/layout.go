// SPDX-License-Identifier: Apache-2.0

package home

import (
	"encoding/json"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/package-variants/package-variants/engine/revision"
)

// How Porch's cache in custom resources lays out packages in git: drafts are branches, published revisions are tags.
// Removals are our own.
const (
	branches = "refs/heads/"
	drafts   = branches + "drafts/"
	removals = branches + "removals/"
	tags     = "refs/tags/"
)

// StateBranch is the branch that has the states of fleets, in a git repository that may have packages, too.
const StateBranch = branches + "package-variants"

// maxNumber is the largest number of a published revision: one more has to fit into the API, too.
const maxNumber = 999_999_999

// kptfile is the name of the file that makes a directory a package.
const kptfile = "Kptfile"

// place is what a ref holds: a package, by its directory in the git repository, as a draft or a published revision.
type place struct {
	// path is the directory.
	path string
	// workspace is that of a draft, number that of a published revision.
	workspace string
	number    int
}

// placeOf returns what a ref holds; false if that is no revision of a package. In workspaces there are no dots, and no
// number has more than nine digits.
func placeOf(ref string) (place, bool) {
	if name, isDraft := strings.CutPrefix(ref, drafts); isDraft {
		dir, workspace := path.Split(name)
		return place{path: strings.TrimSuffix(dir, "/"), workspace: workspace},
			dir != "" && !strings.Contains(workspace, ".")
	}
	name, isTag := strings.CutPrefix(ref, tags)
	dir, version := path.Split(name)
	number, err := strconv.Atoi(strings.TrimPrefix(version, "v"))
	if !isTag || dir == "" || err != nil || number < 1 || number > maxNumber || version != "v"+strconv.Itoa(number) {
		return place{}, false
	}
	return place{path: strings.TrimSuffix(dir, "/"), number: number}, true
}

// ref returns the ref of a place.
func (p *place) ref() string {
	if p.number > 0 {
		return tags + p.path + "/v" + strconv.Itoa(p.number)
	}
	return drafts + p.path + "/" + p.workspace
}

// annotation is the line of a commit by which Porch finds package, workspace and task again.
type annotation struct {
	Package   string `json:"package,omitempty"`
	Workspace string `json:"workspaceName,omitempty"`
	Revision  string `json:"revision,omitempty"`
	Task      *task  `json:"task,omitempty"`
}

// task is a task in Porch's API.
type task struct {
	Type    string       `json:"type"`
	Clone   *cloneTask   `json:"clone,omitempty"`
	Edit    *editTask    `json:"edit,omitempty"`
	Upgrade *upgradeTask `json:"upgrade,omitempty"`
}

type reference struct {
	Name string `json:"name"`
}

type cloneTask struct {
	Upstream struct {
		Ref reference `json:"upstreamRef"`
	} `json:"upstreamRef"`
}

type editTask struct {
	Source reference `json:"sourceRef"`
}

type upgradeTask struct {
	Old   reference `json:"oldUpstreamRef"`
	New   reference `json:"newUpstreamRef"`
	Local reference `json:"localPackageRevisionRef"`
}

// taskOf returns a task in the words of Porch's API.
func taskOf(t revision.Task) *task {
	out := &task{Type: string(t.Type)}
	switch t.Type {
	case revision.Clone:
		out.Clone = &cloneTask{}
		out.Clone.Upstream.Ref.Name = t.Source
	case revision.Edit:
		out.Edit = &editTask{reference{t.Source}}
	case revision.Upgrade:
		out.Upgrade = &upgradeTask{Old: reference{t.Base}, New: reference{t.Source}, Local: reference{t.Local}}
	}
	return out
}

// known returns a task, which may be nil, as the engine knows it.
func (t *task) known() revision.Task {
	switch {
	case t == nil:
	case t.Clone != nil:
		return revision.Task{Type: revision.Clone, Source: t.Clone.Upstream.Ref.Name}
	case t.Edit != nil:
		return revision.Task{Type: revision.Edit, Source: t.Edit.Source.Name}
	case t.Upgrade != nil:
		return revision.Task{Type: revision.Upgrade, Base: t.Upgrade.Old.Name, Source: t.Upgrade.New.Name,
			Local: t.Upgrade.Local.Name}
	}
	return revision.Task{}
}

// made says by whom a draft was made and saved: the trailers of its commits.
type made struct {
	// fleet names the manifests, variant the variant among them, and tree what it saved.
	fleet, variant, tree string
}

// The trailers.
const (
	fleetTrailer   = "Package-Variants-Fleet: "
	variantTrailer = "Package-Variant: "
	treeTrailer    = "Package-Tree: "
)

// subjectOf returns the first line of the message of a draft, by the task that makes it.
func subjectOf(place string, t revision.Task) string {
	return fmt.Sprintf("Draft %s: %s of %s", place, t.Type, t.Source)
}

// messageOf returns the message of a commit, with lines for Porch.
func messageOf(subject string, by made, lines ...annotation) (string, error) {
	var message strings.Builder
	message.WriteString(subject + "\n\n")
	for i := range lines {
		line, err := json.Marshal(&lines[i])
		if err != nil {
			return "", err
		}
		message.WriteString("kpt:" + string(line) + "\n")
	}
	if by.fleet != "" || by.variant != "" {
		message.WriteString("\n" + trailersOf(by))
	}
	return message.String(), nil
}

// trailersOf returns the trailers of a commit.
func trailersOf(by made) (text string) {
	if by.fleet != "" {
		text += fleetTrailer + by.fleet + "\n"
	}
	if by.variant != "" {
		text += variantTrailer + by.variant + "\n"
	}
	if by.tree != "" {
		text += treeTrailer + by.tree + "\n"
	}
	return text
}

// annotationsOf returns the lines for Porch in a message. A squash has those of several commits.
func annotationsOf(message string) (all []annotation) {
	for line := range strings.Lines(message) {
		text, ok := strings.CutPrefix(strings.TrimSpace(line), "kpt:")
		var a annotation
		if !ok || json.Unmarshal([]byte(text), &a) != nil {
			continue
		}
		if a.Workspace == "" {
			a.Workspace = a.Revision // as old versions of Porch wrote it
		}
		all = append(all, a)
	}
	return all
}

// madeBy returns what the trailers of a message say.
func madeBy(message string) (by made) {
	for line := range strings.Lines(message) {
		for prefix, into := range map[string]*string{fleetTrailer: &by.fleet, variantTrailer: &by.variant,
			treeTrailer: &by.tree} {
			if text, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), prefix); ok {
				*into = text
			}
		}
	}
	return by
}
