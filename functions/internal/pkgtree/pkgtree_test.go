// SPDX-License-Identifier: Apache-2.0

package pkgtree_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/functions/internal/pkgtree"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// item is written as "package-path:path", or "path" alone where kpt set no package-path.
func item(s string) *yaml.RNode {
	pkg, file, rendered := strings.Cut(s, ":")
	if !rendered {
		pkg, file = "", s
	}
	kind, apiVersion := "ConfigMap", "v1"
	if strings.HasSuffix(file, "Kptfile") {
		kind, apiVersion = "Kptfile", "kpt.dev/v1"
	}
	n := yaml.MustParse("apiVersion: " + apiVersion + "\nkind: " + kind + "\nmetadata:\n  name: x\n  annotations: {}\n")
	set := func(key, value string) {
		if value != "" {
			if err := n.PipeE(yaml.SetAnnotation(key, value)); err != nil {
				panic(err)
			}
		}
	}
	set("internal.config.kubernetes.io/path", file)
	set("internal.config.kubernetes.io/package-path", pkg)
	return n
}

func TestRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		items    []string
		wantRoot string
		inRoot   []string // the items of the root package itself
		wantErr  string
	}{
		"one package": {items: []string{"Kptfile", "a.yaml", "dir/b.yaml"}, wantRoot: "Kptfile",
			inRoot: []string{"Kptfile", "a.yaml", "dir/b.yaml"}},
		"eval with subpackages": {items: []string{"sub/Kptfile", "sub/a.yaml", "sub/dir/b.yaml", "Kptfile", "dir/c.yaml",
			"subway/d.yaml"}, wantRoot: "Kptfile", inRoot: []string{"Kptfile", "dir/c.yaml", "subway/d.yaml"}},
		"eval of nested packages": {items: []string{"a/b/Kptfile", "a/b/c/Kptfile", "a/b/c.yaml", "a/b/c/d.yaml"},
			wantRoot: "a/b/Kptfile", inRoot: []string{"a/b/Kptfile", "a/b/c.yaml"}},
		"outside of the package": {items: []string{"pkg/Kptfile", "other/a.yaml"}, wantRoot: "pkg/Kptfile",
			inRoot: []string{"pkg/Kptfile"}},
		"render": {items: []string{"/p:Kptfile", "/p:a.yaml", "/p/sub:Kptfile", "/p/sub:a.yaml"},
			wantRoot: "/p:Kptfile", inRoot: []string{"/p:Kptfile", "/p:a.yaml"}},
		"render, sorted": {items: []string{"/p/sub:Kptfile", "/p/sub/deep:Kptfile", "/p:Kptfile", "/p/sub:a.yaml"},
			wantRoot: "/p:Kptfile", inRoot: []string{"/p:Kptfile"}},
		"render with a new item": {items: []string{"/p:Kptfile", "new.yaml", "/p/sub:Kptfile"}, wantRoot: "/p:Kptfile",
			inRoot: []string{"/p:Kptfile", "new.yaml"}},
		"no paths": {items: []string{"", "a.yaml"}, wantErr: "no Kptfile"},
		"no Kptfile": {items: []string{"a.yaml"},
			wantErr: "no Kptfile among the resources: run the function on a kpt package, and let no selector (--match-*, " +
				"selectors, exclude) hide its Kptfile"},
		"two roots": {items: []string{"a/Kptfile", "b/Kptfile"},
			wantErr: `b/Kptfile: Kptfile "x": could be the root package's Kptfile as well as a/Kptfile: ` +
				`run the function on one package at a time`},
		"two roots, then the root": {items: []string{"a/Kptfile", "b/Kptfile", "Kptfile"}, wantRoot: "Kptfile",
			inRoot: []string{"Kptfile"}},
		"two roots in a render": {items: []string{"/a:Kptfile", "/b:Kptfile"},
			wantErr: `Kptfile: Kptfile "x": could be the root package's Kptfile as well as /a/Kptfile: ` +
				`run the function on one package at a time`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var items []*yaml.RNode
			for _, s := range c.items {
				items = append(items, item(s))
			}
			tree, err := pkgtree.Read(items)
			if c.wantErr != "" {
				if err == nil || !strings.HasPrefix(err.Error(), c.wantErr) {
					t.Fatalf("got error %v, want %s", err, c.wantErr)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := c.items[tree.Root]; got != c.wantRoot {
				t.Errorf("root is %s, want %s", got, c.wantRoot)
			}
			var inRoot []string
			for i, n := range items {
				if tree.InRoot(n) {
					inRoot = append(inRoot, c.items[i])
				}
			}
			if diff := cmp.Diff(c.inRoot, inRoot); diff != "" {
				t.Errorf("items of the root package (-want +got):\n%s", diff)
			}
		})
	}
}

// TestReadOfKustomize checks that the package is found where the files of the items are not known: kustomize hands them
// to the first function without a path, and to the next ones with a path that it made up.
func TestReadOfKustomize(t *testing.T) {
	t.Parallel()
	const (
		kptfile = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\n"
		other   = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: db\n"
		context = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: kptfile.kpt.dev\n"
		id      = "  annotations:\n    kustomize.config.k8s.io/id: an id\n"
		path    = id + "    internal.config.kubernetes.io/path: "
		prod    = "  namespace: prod\n"
	)
	for name, c := range map[string]struct {
		items   []string
		wantErr string
	}{
		"no paths": {items: []string{kptfile + id, context + id}},
		"made-up paths": {items: []string{kptfile + path + "kptfile_web.yaml\n",
			context + path + "configmap_kptfile.kpt.dev.yaml\n"}},
		"in a namespace": {items: []string{kptfile + prod + path + "prod/kptfile_web.yaml\n",
			context + path + "configmap_kptfile.kpt.dev.yaml\n"}},
		"one without": {items: []string{kptfile + path + "kptfile_web.yaml\n", context + id}},
		"two Kptfiles": {items: []string{kptfile + path + "kptfile_web.yaml\n", other + id},
			wantErr: `Kptfile "db": could be the root package's Kptfile as well as Kptfile "web": ` +
				`run the function on one package at a time`},
		"two in a namespace": {items: []string{kptfile + prod + id, other + prod + id},
			wantErr: `Kptfile "db": could be the root package's Kptfile as well as Kptfile "web" of namespace "prod": ` +
				`run the function on one package at a time`},
		"a made-up path, but not by kustomize": {items: []string{strings.ReplaceAll(kptfile+path, "kustomize.", "") +
			"kptfile_web.yaml\n", context},
			wantErr: "no Kptfile among the resources: run the function on a kpt package, and let no selector (--match-*, " +
				"selectors, exclude) hide its Kptfile"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			items := make([]*yaml.RNode, len(c.items))
			for i, s := range c.items {
				items[i] = yaml.MustParse(s)
			}
			tree, err := pkgtree.Read(items)
			got := ""
			if err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(c.wantErr, got); diff != "" {
				t.Fatalf("error (-want +got):\n%s", diff)
			}
			if err == nil && (tree.Root != 0 || !tree.InRoot(items[1])) {
				t.Errorf("root is item %d, want 0; the package context is in it: %t", tree.Root, tree.InRoot(items[1]))
			}
		})
	}
}
