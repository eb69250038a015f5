// SPDX-License-Identifier: Apache-2.0

package memorytest

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
)

// Newer is a home that refuses drafts as newer Porch does: over a package that exists, of a branch, inside another
// package, and of a package at the top that has the last name of one in a directory.
type Newer struct {
	packages.Home
	Of *Cluster
}

// Ask implements packages.Home.
func (n Newer) Ask(ctx context.Context, d packages.Draft) (revision.Revision, error) {
	if err := n.refusal(ctx, &d); err != nil {
		n.Of.Events = append(n.Of.Events, "refused: create")
		return revision.Revision{}, err
	}
	return n.Home.Ask(ctx, d)
}

// refusal returns why a draft is refused; nil if it is not.
func (n Newer) refusal(ctx context.Context, d *packages.Draft) error {
	refused := func(means func(error) v1alpha1.Condition, format string, args ...any) error {
		err := fmt.Errorf("cannot %s %s: Internal error occurred: "+format, append([]any{d.Task.Type, d.Package}, args...)...)
		return &packages.Error{Kind: packages.ErrRefused, Condition: means(err), Err: err}
	}
	if source, err := n.Get(ctx, d.Namespace, d.Task.Source); err == nil && source.Main() {
		return refused(packages.Placeholder, "upstream revision may not be the placeholder package revision %s/%s",
			source.Package.Repo, source.Name)
	}
	if d.Task.Type != revision.Clone {
		return nil
	}
	var namesake, outer string
	for _, r := range n.Of.Revisions() {
		switch name := r.Package.Name; {
		case r.Package.Repo != d.Package.Repo:
		case name == d.Package.Name:
			return refused(packages.Exists, "`clone` cannot create a new revision for package %q that already exists in "+
				"repo %q; make subsequent revisions using `copy`", name, r.Package.Repo)
		case path.Base(name) == d.Package.Name:
			namesake = r.Package.Repo
		case strings.HasPrefix(d.Package.Name, path.Base(name)+"/"):
			outer = path.Base(name)
		}
	}
	if namesake != "" {
		return refused(packages.Nests, "package revision workspaceNames must be unique; package revision with name %s in "+
			"repo %s with workspaceName %s already exists", d.Package.Name, namesake, d.Workspace)
	}
	if outer != "" {
		return refused(packages.Nests, "package path %q conflicts with existing package %q: packages cannot be nested",
			d.Package.Name, outer)
	}
	return nil
}
