// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/engine/plans"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/base"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/manifestfile"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/world"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// changes are the changes that -f and --base ask for.
type changes struct {
	manifests []manifestfile.Object
	// base is the base, nil without --base. gone are the objects that only the base has; named sets it.
	base *base.Base
	gone []manifestfile.Object
}

// read reads what -f and --base name.
func (o *options) read(types *runtime.Scheme) (*changes, error) {
	c := &changes{}
	if o.base != "" {
		var err error
		if c.base, err = base.Read(o.base); err != nil {
			return nil, err
		}
	}
	for _, path := range o.files {
		read, err := o.manifests(types, path)
		if err != nil {
			return nil, err
		}
		c.manifests = append(c.manifests, read...)
	}
	return c, nil
}

// manifests reads the manifests at a path of -f. With a base, the path may be gone.
func (o *options) manifests(types *runtime.Scheme, path string) ([]manifestfile.Object, error) {
	info, err := os.Stat(path)
	if o.base != "" && path != "-" && errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var read *manifestfile.Files
	name := path
	if path == "-" {
		name = "the standard input"
		read, err = manifestfile.ReadManifests(types, name, o.env.In)
	} else {
		read, err = manifestfile.ReadFiles(types, path)
	}
	if err != nil {
		return nil, err
	}
	if read.Count == 0 && o.base == "" {
		if name == path && info != nil && info.IsDir() {
			name += ": in a directory, objects are read from files that end in .yaml, .yml or .json"
		}
		return nil, fmt.Errorf("there are no manifests in %s", name)
	}
	return read.Objects, nil
}

// world returns the world for the plan, and the plan's namespace; an empty namespace stands for all.
func (o *options) world(ctx context.Context, render world.Render) (*world.World, string, error) {
	namespace := metav1.NamespaceAll
	if !o.all {
		var err error
		if namespace, err = o.env.Namespace(); err != nil {
			return nil, "", err
		}
	}
	cluster, err := o.env.Client()
	if err != nil {
		return nil, "", err
	}
	w, err := world.FromCluster(ctx, cluster, namespace, render)
	return w, namespace, err
}

// named applies the changes of -f and --base to the world, and returns what the plan is about.
func (o *options) named(ctx context.Context, w *world.World, c *changes, namespace string) (world.Named, error) {
	switch {
	case len(o.files) == 0:
		return world.Named{Keys: w.All(namespace)}, nil
	case o.delete:
		return w.Delete(ctx, c.manifests, namespace)
	}
	named, err := w.Overlay(ctx, c.manifests, namespace)
	if err != nil || c.base == nil {
		return named, err
	}
	c.gone = c.base.Gone(c.manifests, namespace)
	removed, err := w.Remove(ctx, c.gone, namespace)
	if err != nil {
		return named, err
	}
	named.Sets, named.Variants = append(named.Sets, removed.Sets...), append(named.Variants, removed.Variants...)
	named.Owned = removed.Owned
	named.Notes = slices.Concat(named.Notes, c.base.Notes)
	if len(c.gone) > 0 {
		names := make([]string, len(c.gone))
		for i, g := range c.gone {
			names[i] = g.GetObjectKind().GroupVersionKind().Kind + " " + g.GetName()
		}
		named.Notes = append(named.Notes, fmt.Sprintf("These objects are in %s and not in %s any more, and are treated as "+
			"deleted: %s", o.base, strings.Join(o.files, ", "), strings.Join(names, ", ")))
	}
	return named, nil
}

// others returns all sets and variants that may change, with or without being named; none without -f.
func (o *options) others(w *world.World, namespace string) plans.Keys {
	if len(o.files) == 0 {
		return plans.Keys{}
	}
	return w.All(namespace)
}

// unused returns the note about manifests that no set and no variant uses: they name only objects that did not exist
// before, and nothing follows from them.
func unused(plan *plans.Plan, named world.Named) []string {
	if len(plan.Sets)+len(plan.Variants) > 0 || named.Known > 0 || len(named.Used) == 0 {
		return nil
	}
	return []string{"No set and no variant uses what -f names: " + strings.Join(named.Used, ", ")}
}
