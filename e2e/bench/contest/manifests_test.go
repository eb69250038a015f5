// SPDX-License-Identifier: Apache-2.0

package contest

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/e2e/internal/fleet"
	"github.com/package-variants/package-variants/e2e/internal/harness"
	"github.com/package-variants/package-variants/e2e/internal/postgres"
	"github.com/package-variants/package-variants/e2e/internal/proxy"
	"github.com/package-variants/package-variants/e2e/stack"
	"github.com/package-variants/package-variants/e2e/stack/stacktest"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// clusters are the namespaces that all get the manifests of a catalog.
var clusters = []string{"first", "second", "third"}

// TestManifests has this project's controller, and then Porch's, make the variants of the PackageVariants that a
// public catalog has, in three namespaces, on both of Porch's caches: CATALOG is a clone of its git repository. All
// become ready with both, and this project's controller writes nothing after that. It logs how long each takes.
func TestManifests(t *testing.T) {
	dir := os.Getenv("CATALOG")
	if dir == "" {
		t.Skip("CATALOG names no clone of a catalog: run make manifests CATALOG=DIR")
	}
	c := readCatalog(t, dir)
	for _, cache := range []stack.Cache{stack.CRCache, stack.DBCache} {
		t.Run(string(cache), func(t *testing.T) {
			if cache == stack.DBCache {
				postgres.Require(t)
			}
			t.Run("ours", func(t *testing.T) {
				a, fleets := c.arena(t, cache)
				ours := startOurs(a)
				c.apply(ours, fleets)
				ours.quiet()
				ours.proxy.Reset()
				ours.sleep(reread[stack.CRCache])
				if n := proxy.Count(ours.proxy.Requests(), isWork); n > 0 {
					t.Errorf("%d writes at rest", n)
				}
			})
			t.Run("porchs", func(t *testing.T) {
				a, fleets := c.arena(t, cache)
				c.apply(startPorchs(a), fleets)
			})
		})
	}
}

// isWork reports whether a request is a write of a controller's actual work.
func isWork(r proxy.Request) bool { return proxy.IsWrite(r) && !proxy.IsBookkeeping(r) }

// catalog is a clone of the git repository of a catalog.
type catalog struct {
	dir string
	// variants are its PackageVariants whose upstream it has itself, with the branch as upstream.
	variants []*v1alpha1.PackageVariant
	// injected are the objects that they inject.
	injected []*unstructured.Unstructured
}

// readCatalog reads the manifests of a clone.
func readCatalog(t *testing.T, dir string) *catalog {
	t.Helper()
	c := &catalog{dir: dir}
	var all []*unstructured.Unstructured
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".yaml" {
			return err
		}
		all = append(all, documents(path)...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	wanted := map[string]bool{}
	for _, u := range all {
		if v := c.variant(t, u); v != nil {
			c.variants = append(c.variants, v)
			for _, injector := range v.Spec.Injectors {
				if injector.Kind != nil {
					wanted[*injector.Kind+" "+injector.Name] = true
				}
			}
		}
	}
	for _, u := range all {
		if wanted[u.GetKind()+" "+u.GetName()] {
			c.injected = append(c.injected, u)
		}
	}
	if len(c.variants) == 0 {
		t.Fatalf("%s has no PackageVariant of a package that it has", dir)
	}
	return c
}

// documents returns the objects of a file, without those that are templates or otherwise no YAML.
func documents(path string) (objects []*unstructured.Unstructured) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	for {
		u := &unstructured.Unstructured{}
		if err := decoder.Decode(&u.Object); err != nil {
			return objects // io.EOF at the end
		}
		objects = append(objects, u)
	}
}

// variant returns the PackageVariant that an object is, with the branch as its upstream: a clone of a catalog has no
// published revisions. It returns nil for another object, and where the catalog does not have the upstream.
func (c *catalog) variant(t *testing.T, u *unstructured.Unstructured) *v1alpha1.PackageVariant {
	t.Helper()
	if u.GetKind() != "PackageVariant" || u.GetAPIVersion() != v1alpha1.GroupVersion.String() {
		return nil
	}
	v := &v1alpha1.PackageVariant{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, v); err != nil {
		t.Logf("left out: %s: %v", u.GetName(), err)
		return nil
	}
	if _, err := os.Stat(filepath.Join(c.dir, v.Spec.Upstream.Package, "Kptfile")); err != nil {
		t.Logf("left out: %s: the catalog has no package %s", u.GetName(), v.Spec.Upstream.Package)
		return nil
	}
	v.Spec.Upstream.Revision, v.Spec.Upstream.WorkspaceName = variant.Revision{}, "main"
	return v
}

// arena starts a stack with the catalog, the Repositories that the manifests name, and the objects that they inject, in
// each of the clusters. The public catalog's set-annotations is no Go module, so a program that changes nothing runs in
// its place, for both contenders.
func (c *catalog) arena(t *testing.T, cache stack.Cache) (*arena, []*fleet.Fleet) {
	t.Helper()
	images, err := functions()
	if err != nil {
		t.Fatal(err)
	}
	if images["gcr.io/kpt-fn/set-annotations:v0.1.4"], err = exec.LookPath("cat"); err != nil {
		t.Fatal(err)
	}
	s := stacktest.Start(t, stack.Options{Functions: images, Cache: cache})
	var fleets []*fleet.Fleet
	for _, namespace := range clusters {
		f := fleet.New(t, s, namespace)
		fleets = append(fleets, f)
		for _, u := range c.injected {
			c.define(t, f, u)
			f.Apply(u.DeepCopy())
		}
		upstreams, downstreams := map[string]bool{}, map[string]bool{}
		for _, v := range c.variants {
			upstreams[v.Spec.Upstream.Repo], downstreams[v.Spec.Downstream.Repo] = true, true
		}
		for repository := range upstreams {
			c.push(t, s, namespace+"-"+repository)
			f.Repository(repository, nil, false)
		}
		for _, repository := range slices.Sorted(maps.Keys(downstreams)) {
			f.Repository(repository, nil, true)
		}
	}
	return &arena{Fleet: fleets[0], t: t, stack: s}, fleets
}

// unpacked keeps git from packing objects in the git server's repositories, where it would no longer find them.
const unpacked = "[receive]\n\tautogc = false\n\tunpackLimit = 1000000\n"

// push makes the catalog the main branch of a git repository of the stack.
func (c *catalog) push(t *testing.T, s *stack.Stack, repository string) {
	t.Helper()
	config := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(config, []byte(unpacked), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"ls-remote", s.GitURL(repository)}, // the first request creates it
		{"push", "--force", filepath.Join(s.Dir, "git", repository), "HEAD:refs/heads/main"},
	} {
		git := exec.CommandContext(t.Context(), "git", append([]string{"-C", c.dir}, args...)...)
		git.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+config)
		if out, err := git.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args[0], err, out)
		}
	}
}

// define creates the kind of an object, with any fields.
func (c *catalog) define(t *testing.T, f *fleet.Fleet, u *unstructured.Unstructured) {
	t.Helper()
	kind, plural := u.GroupVersionKind(), strings.ToLower(u.GetKind())+"s"
	anything := map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}
	f.Apply(&unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": plural + "." + kind.Group},
		"spec": map[string]any{
			"group": kind.Group, "scope": "Namespaced",
			"names": map[string]any{"kind": kind.Kind, "plural": plural, "singular": strings.ToLower(kind.Kind)},
			"versions": []any{map[string]any{
				"name": kind.Version, "served": true, "storage": true,
				"schema": map[string]any{"openAPIV3Schema": anything},
			}},
		},
	}})
	f.Eventually(kind.Kind+" is served", func() error {
		_, err := f.Client.IsObjectNamespaced(u)
		return err
	})
}

// apply applies all manifests in all clusters, waits until all variants are ready, and then until each has one draft
// with all functions and injections, and logs how long both took.
func (c *catalog) apply(with *contender, fleets []*fleet.Fleet) {
	with.t.Helper()
	began := time.Now()
	for _, f := range fleets {
		f.Timeout = patience
		for _, v := range c.variants {
			f.Apply(v.DeepCopy())
		}
	}
	after := func(check func(*fleet.Fleet) error) float64 {
		for _, f := range fleets {
			f.Eventually("all are as they should be", func() error { return check(f) })
		}
		return time.Since(began).Seconds()
	}
	ready := after(func(f *fleet.Fleet) error { return c.ready(with.t, f) })
	right := after(func(f *fleet.Fleet) error { return c.right(f) })
	with.t.Logf("%d variants of %d manifests: ready after %.1f s, seen to be right after %.1f s", len(fleets)*len(c.variants),
		len(c.variants), ready, right)
}

// right returns an error unless each variant of a Fleet has one revision, with its functions and injections.
func (c *catalog) right(f *fleet.Fleet) error {
	for _, v := range c.variants {
		revisions := f.Revisions(v.Spec.Downstream.Repo, v.Spec.Downstream.Package)
		if n := len(revisions); n != 1 {
			return fmt.Errorf("%s/%s: %d revisions, not 1", f.Namespace, v.Name, n)
		}
		files, err := f.GetFiles(revisions[0].Name)
		if err != nil {
			return err
		}
		for _, function := range v.Spec.Pipeline.Mutators {
			if !strings.Contains(files["Kptfile"], function.Image) {
				return fmt.Errorf("%s/%s: its Kptfile has no %s", f.Namespace, v.Name, function.Image)
			}
		}
		injected := strings.Count(strings.Join(slices.Collect(maps.Values(files)), "\n"), "kpt.dev/injected-resource")
		if injected < len(v.Spec.Injectors) {
			return fmt.Errorf("%s/%s: %d objects are injected, not %d", f.Namespace, v.Name, injected, len(v.Spec.Injectors))
		}
	}
	return nil
}

// ready returns an error unless all variants of a Fleet are ready.
func (c *catalog) ready(t harness.T, f *fleet.Fleet) error {
	var variants v1alpha1.PackageVariantList
	if err := f.Client.List(t.Context(), &variants, client.InNamespace(f.Namespace)); err != nil {
		return err
	}
	if len(variants.Items) != len(c.variants) {
		return fmt.Errorf("%d variants, not %d", len(variants.Items), len(c.variants))
	}
	for i := range variants.Items {
		if v := &variants.Items[i]; !meta.IsStatusConditionTrue(v.Status.Conditions, v1alpha1.ConditionReady) {
			return fmt.Errorf("%s: %v", v.Name, v.Status.Conditions)
		}
	}
	return nil
}
