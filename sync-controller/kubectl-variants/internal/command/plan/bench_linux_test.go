// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/local/programs"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/cli"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"
)

// scenario has the blueprint and the set of the benchmark of fan-outs.
const scenario = "../../../../../e2e/bench/contest/scenario"

// regions are those of the Repositories, and of the objects that are injected.
var regions = []string{"eu", "us", "asia"}

// BenchmarkPlan measures the plugin as a process: a plan over a cluster in files, of one set that selects each of n
// Repositories.
// It measures processor time, the largest resident memory, and the time that it takes.
func BenchmarkPlan(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			set, snapshot := writeFleet(b, n)
			var cpu, took time.Duration
			var peak int64
			for b.Loop() {
				process := exec.CommandContext(b.Context(), os.Args[0], "-f", set, cluster, snapshot)
				process.Env = append(os.Environ(), asPlugin+"=1")
				began := time.Now()
				if exit, is := errors.AsType[*exec.ExitError](process.Run()); !is || exit.ExitCode() != cli.ExitChanges {
					b.Fatalf("%s: %s", process, process.ProcessState)
				}
				took += time.Since(began)
				cpu += process.ProcessState.UserTime() + process.ProcessState.SystemTime()
				if usage, ok := process.ProcessState.SysUsage().(*syscall.Rusage); ok {
					peak = max(peak, usage.Maxrss*1024)
				}
			}
			b.ReportMetric(float64(cpu)/float64(b.N), "ns/process")
			b.ReportMetric(float64(took)/float64(b.N), "took-ns/process")
			b.ReportMetric(float64(peak), "peak-B/process")
		})
	}
}

// writeFleet writes a set, and the snapshot of a cluster with n Repositories for it and with its blueprint. It returns
// the paths.
func writeFleet(b *testing.B, n int) (set, snapshot string) {
	b.Helper()
	revision, content := blueprint(b)
	items := []any{repository("blueprints", nil), revision, content}
	for i := range n {
		items = append(items, repository(fmt.Sprintf("edge-%05d", i), map[string]string{
			"role": "edge", "region": regions[i%len(regions)], "env": []string{"prod", "dev"}[i%2],
		}))
	}
	for _, region := range regions {
		items = append(items, &corev1.ConfigMap{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, ObjectMeta: named("endpoints-" + region),
			Data: map[string]string{"database": "db." + region + ".example.com", "cache": "cache." + region + ".example.com"},
		})
	}
	text, err := os.ReadFile(filepath.Join(scenario, "set.yaml"))
	if err != nil {
		b.Fatal(err)
	}
	var manifest v1alpha2.PackageVariantSet
	if err := yaml.Unmarshal(text, &manifest); err != nil {
		b.Fatal(err)
	}
	manifest.Name, manifest.Namespace = "web", "fleet"
	manifest.Spec.Upstream = &variant.Upstream{Repo: "blueprints", Package: "web", Revision: variant.RevisionNumber(1)}
	manifest.Spec.Targets[0].RepositorySelector = &v1alpha2.RepositorySelector{
		LabelSelector: metav1.LabelSelector{MatchLabels: map[string]string{"role": "edge"}}}
	dir := b.TempDir()
	set, snapshot = filepath.Join(dir, "set.yaml"), filepath.Join(dir, "snapshot.yaml")
	for path, value := range map[string]any{
		set: manifest, snapshot: map[string]any{"apiVersion": "v1", "kind": "List", "items": items},
	} {
		text, err := yaml.Marshal(value)
		if err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	return set, snapshot
}

// someTime is when everything in the snapshot was made.
var someTime = metav1.Date(2026, 11, 1, 10, 0, 0, 0, time.UTC)

func named(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: "fleet", Name: name, UID: "uid-of-" + types.UID(name), ResourceVersion: "1",
		Generation: 1, CreationTimestamp: someTime}
}

// repository returns a Repository: with labels one for deployments, without any that of the blueprint.
func repository(name string, labels map[string]string) *configapi.Repository {
	meta := named(name)
	meta.Labels = labels
	return &configapi.Repository{
		TypeMeta: metav1.TypeMeta{APIVersion: configapi.GroupVersion.String(), Kind: "Repository"}, ObjectMeta: meta,
		Spec: configapi.RepositorySpec{Type: configapi.RepositoryTypeGit, Deployment: labels != nil,
			Git: &configapi.GitRepository{Repo: "https://git.example.com/" + name + ".git", Branch: "main"}},
		Status: configapi.RepositoryStatus{Conditions: []metav1.Condition{{Type: configapi.RepositoryReady,
			Status: metav1.ConditionTrue, Reason: configapi.ReasonReady, LastTransitionTime: someTime}}},
	}
}

// blueprint returns the upstream of the set, and its content.
func blueprint(b *testing.B) (*porchapi.PackageRevision, *porchapi.PackageRevisionResources) {
	b.Helper()
	meta := named("blueprints.web.v1")
	meta.ResourceVersion = "3f1c9a7be0d24c5f8a6b1d2e3f4a5b6c7d8e9f0a"
	version := porchapi.SchemeGroupVersion.String()
	revision := &porchapi.PackageRevision{
		TypeMeta: metav1.TypeMeta{APIVersion: version, Kind: "PackageRevision"}, ObjectMeta: meta,
		Spec: porchapi.PackageRevisionSpec{RepositoryName: "blueprints", PackageName: "web", WorkspaceName: "v1",
			Revision: 1, Lifecycle: porchapi.PackageRevisionLifecyclePublished},
		Status: porchapi.PackageRevisionStatus{PublishedAt: someTime},
	}
	files, err := programs.Read(filepath.Join(scenario, "blueprint"))
	if err != nil {
		b.Fatal(err)
	}
	return revision, &porchapi.PackageRevisionResources{
		TypeMeta: metav1.TypeMeta{APIVersion: version, Kind: "PackageRevisionResources"}, ObjectMeta: meta,
		Spec: porchapi.PackageRevisionResourcesSpec{RepositoryName: "blueprints", PackageName: "web", WorkspaceName: "v1",
			Resources: files},
	}
}
