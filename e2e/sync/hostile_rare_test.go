// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/e2e/internal/fleet"
	"github.com/package-variants/package-variants/e2e/internal/proxy"
	"github.com/package-variants/package-variants/e2e/stack"
	"github.com/package-variants/package-variants/functions/bounds"

	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// memoryLimit is that of the Deployment in config, in bytes.
	memoryLimit = 1 << 30
	// tenants are the hostile namespaces.
	tenants = 6
)

// hostilePackages are packages that take memory out of proportion if nothing bounds it, by the reason for which the
// controller refuses them. Two are just within the bounds: their variants are suspended, so that the functions run over
// them, and Porch gets no request for them.
func hostilePackages() (files map[string]string, reasons map[string]string) {
	const (
		head     = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\n"
		function = "  - image: example.com/f:v1\n    configMap: {a: b}\n"
	)
	bomb := head + "data:\n  a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := range 9 {
		bomb += fmt.Sprintf("  a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 10), ", "))
	}
	var large strings.Builder
	large.WriteString(head + "  annotations:\n    kpt.dev/config-injection: optional\ndata:\n")
	for i := range 145_000 {
		fmt.Fprintf(&large, "  k%d: v\n", i)
	}
	files = map[string]string{
		"functions/Kptfile": kptfile("functions") + "pipeline:\n  mutators:\n" +
			strings.Repeat(function, 1+bounds.KptfileBytes/len(function)), // Porch v1.5 parses it for each of its lists
		"resources/all.yaml": strings.Repeat(head+"data:\n  a: b\n---\n", 40_000),
		"deep/deep.yaml":     head + "data: " + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000) + "\n",
		"bomb/bomb.yaml":     bomb,
		"itself/itself.yaml": head + "data: &a\n  b: *a\n",
		"large/large.yaml":   large.String(),
		"text/text.txt":      strings.Repeat(strings.Repeat("x", 99)+"\n", 60<<10),
		"answer/answer.txt":  strings.Repeat(strings.Repeat("x", 99)+"\n", 100<<10),
	}
	reasons = map[string]string{"functions": "PackageTooLarge", "resources": "PackageTooLarge", "deep": "PackageTooLarge",
		"bomb": "PackageTooLarge", "itself": "PackageTooLarge", "answer": "PackageTooLarge", "large": "Suspended",
		"text": "Suspended"}
	for pkg := range reasons {
		if pkg != "functions" {
			files[pkg+"/Kptfile"] = kptfile(pkg)
		}
	}
	return files, reasons
}

// hostileSets are sets that would do the same: one with 100,000 targets, one with as many regular expressions as a list
// may have, and one with a million pairs of a few bytes each.
func hostileSets(t *testing.T) []*v1alpha2.PackageVariantSet {
	targets, patterns, values := simpleSet(t, "", ""), simpleSet(t, "", ""), simpleSet(t, "", "")
	targets.Name, patterns.Name, values.Name = "targets", "patterns", "values"
	targets.Spec.Targets[0].RepositorySelector, targets.Spec.Targets[0].Repositories = nil, nil
	for i := range 10 {
		of := v1alpha2.RepositoryTarget{Name: fmt.Sprintf("edge-%d", i)}
		for j := range 10_000 {
			of.PackageNames = append(of.PackageNames, fmt.Sprintf("p%d", j))
		}
		targets.Spec.Targets[0].Repositories = append(targets.Spec.Targets[0].Repositories, of)
	}
	only := patterns.Spec.Targets[0]
	patterns.Spec.Targets = nil
	for i := range 36 {
		target, template := *only.DeepCopy(), &v1alpha2.PackageContextTemplate{}
		for j := range 250 { // the API server takes 256
			key, expr := fmt.Sprintf("k%d", j), fmt.Sprintf("''.matches('a{1000}%d-%d') ? 'a' : 'b'", i, j)
			template.DataExprs = append(template.DataExprs, v1alpha2.MapExpr{Key: &key, ValueExpr: &expr})
		}
		target.Template = &v1alpha2.PackageVariantTemplate{PackageContext: template}
		target.RepositorySelector = nil
		target.Repositories = []v1alpha2.RepositoryTarget{{Name: "edge", PackageNames: []string{fmt.Sprintf("p%d", i)}}}
		patterns.Spec.Targets = append(patterns.Spec.Targets, target)
	}
	of := v1alpha2.RepositoryTarget{Name: "edge"}
	pairs := map[string]string{}
	for i := range 1_000 {
		of.PackageNames = append(of.PackageNames, fmt.Sprintf("p%d", i))
		pairs[fmt.Sprintf("k%d", i)] = "v"
	}
	values.Spec.Targets[0].RepositorySelector = nil
	values.Spec.Targets[0].Repositories = []v1alpha2.RepositoryTarget{of}
	values.Spec.Targets[0].Template = &v1alpha2.PackageVariantTemplate{
		PackageContext: &v1alpha2.PackageContextTemplate{Data: pairs}}
	return []*v1alpha2.PackageVariantSet{targets, patterns, values}
}

// tenant is a namespace whose users write hostile objects.
type tenant struct {
	*fleet.Fleet
	t *testing.T
}

// newTenant returns a tenant with the blueprints of a world.
func (w *world) newTenant(name string) *tenant {
	w.t.Helper()
	other := &tenant{fleet.New(w.t, w.stack, w.Namespace+"-"+name), w.t}
	other.Timeout = w.Timeout
	if err := w.stack.RegisterRepository(w.t.Context(), stack.Repository{Namespace: other.Namespace, Name: "blueprints",
		Git: w.Namespace + "-blueprints"}); err != nil {
		w.t.Fatal(err)
	}
	other.Repository("edge", nil, true)
	return other
}

// hostileVariant returns a variant of a package on the branch of the blueprints.
func hostileVariant(pkg, reason string) *v1alpha1.PackageVariant {
	return newVariant(pkg, func(s *variant.Spec) {
		s.Upstream = &variant.Upstream{Repo: "blueprints", Package: pkg, Revision: variant.RevisionNumber(-1)}
		s.Suspend = reason == "Suspended"
	})
}

// plan has the plugin plan an object of a tenant, which has to say one of the reasons, and to take no more memory than
// the controller has. The system counts the memory of this process, which starts the plugin, as well.
func (n *tenant) plan(w *world, object client.Object, reasons ...string) {
	n.t.Helper()
	object.SetNamespace(n.Namespace)
	manifest := filepath.Join(n.t.TempDir(), "manifest.yaml")
	if err := os.WriteFile(manifest, w.manifest([]client.Object{object}), 0o600); err != nil {
		n.t.Fatal(err)
	}
	began := time.Now()
	command := exec.CommandContext(n.t.Context(), plugin(), "plan", "-f", manifest, "--namespace", n.Namespace,
		"--kubeconfig", w.stack.Kubeconfig)
	command.Env = append(os.Environ(), fmt.Sprintf("GOMEMLIMIT=%d", memoryLimit))
	out, err := command.CombinedOutput()
	if _, is := errors.AsType[*exec.ExitError](err); err != nil && !is {
		n.t.Fatal(err)
	}
	if !slices.ContainsFunc(reasons, func(reason string) bool { return strings.Contains(string(out), reason) }) {
		n.t.Errorf("the plan of %s ends with %v, want one of %s:\n%.2000s", object.GetName(), err, reasons, out)
	}
	used, is := command.ProcessState.SysUsage().(*syscall.Rusage)
	if !is {
		return
	}
	n.t.Logf("the plan of %s took %.1f s and %d MiB", object.GetName(), time.Since(began).Seconds(), used.Maxrss>>10)
	if used.Maxrss<<10 >= memoryLimit {
		n.t.Errorf("the plan of %s took %d MiB, and may take %d", object.GetName(), used.Maxrss>>10, memoryLimit>>20)
	}
}

// waitSetStalled waits until a set is Stalled.
func (n *tenant) waitSetStalled(name string) {
	n.t.Helper()
	n.Eventually("the set "+name+" is stalled", func() error {
		var set v1alpha2.PackageVariantSet
		if err := n.Client.Get(n.t.Context(), client.ObjectKey{Namespace: n.Namespace, Name: name}, &set); err != nil {
			return err
		}
		if !meta.IsStatusConditionTrue(set.Status.Conditions, v1alpha1.ConditionStalled) {
			return fmt.Errorf("its conditions are %+v", set.Status.Conditions)
		}
		return nil
	})
}

// TestHostileManifests has tenants write what once killed controllers, one after the other and then all at once, with
// the memory limit of the Deployment. Each stalls with its reason, and a plan of it says so; a neighbor's changes are
// drafted meanwhile, and the controller keeps running within the limit. Porch gets no request for any of the packages.
// How long the neighbor waits is printed.
func TestHostileManifests(t *testing.T) {
	rare(t)
	w := newWorldApart(t)
	w.Timeout = 3 * time.Minute // Porch v1.5 reads the Repositories of all tenants before it answers the first list
	files, reasons := hostilePackages()
	w.Publish("blueprints", "web", "v1", simple())
	w.Push("blueprints", "main", ".", files)
	w.readAnew("blueprints")
	var all []*tenant
	args := []string{"--log-format=text"}
	for i := range tenants {
		all = append(all, w.newTenant(fmt.Sprintf("tenant-%d", i)))
		args = append(args, "--namespace="+all[i].Namespace)
	}
	c := startLimited(t, w.options(args...))
	n := w.newNeighbor()
	for range 3 {
		n.change("nothing")
	}
	for pkg, reason := range reasons {
		all[0].plan(w, hostileVariant(pkg, reason), reason)
		all[0].Apply(hostileVariant(pkg, reason))
		n.change(pkg)
		all[0].WaitReason(pkg, reason)
	}
	for _, set := range hostileSets(t) {
		all[0].plan(w, set.DeepCopy(), "InvalidSpec", "ExpansionFailed")
		all[0].Apply(set)
		n.change("the set " + set.Name)
		all[0].waitSetStalled(set.Name)
	}
	for _, tenant := range all[1:] {
		for pkg, reason := range reasons {
			tenant.Apply(hostileVariant(pkg, reason))
		}
		for _, set := range hostileSets(t) {
			tenant.Apply(set)
		}
	}
	n.change("all of them")
	for _, tenant := range all[1:] {
		for pkg, reason := range reasons {
			tenant.WaitReason(pkg, reason)
		}
		for _, set := range hostileSets(t) {
			tenant.waitSetStalled(set.Name)
		}
	}
	n.change("nothing")
	expectAlive(t, c)
	made := func(isNeighbors bool) int {
		return proxy.Count(w.proxy.Requests(), func(r proxy.Request) bool {
			return isCreate(r) && !r.Failed() && (r.Namespace == w.Namespace) == isNeighbors
		})
	}
	if made(true) != 1 || made(false) != 0 {
		t.Errorf("Porch was asked for %d drafts of the neighbor and %d of tenants, want 1 and none", made(true), made(false))
	}
}
