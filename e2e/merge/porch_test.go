// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/e2e/internal/fleet"
	"github.com/package-variants/package-variants/e2e/internal/tree"
	"github.com/package-variants/package-variants/functions/merge-upstream/merging"

	"github.com/google/go-cmp/cmp"
	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/yaml"
)

// TestPorch checks that a merge makes of each package what Porch's upgrade makes of it, except for what testdata says.
func TestPorch(t *testing.T) {
	f := fleet.New(t, shared, "merge")
	f.Repository("blueprints", nil, false)
	f.Repository("edge", nil, true)
	unused := map[string]bool{}
	for _, file := range goldenFiles(t) {
		unused[file] = true
	}
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		c := changes[name]
		if notByPorch[name] {
			continue
		}
		p := prepare(f, name, c)
		byPorch := p.upgrade()
		got, conflicts, err := merging.Merge(p.original, p.updated, p.local,
			merging.Options{OnConflict: merging.TakeUpstream, Upstream: upstreamOf(t, byPorch), UpstreamLock: lockOf(t, byPorch)})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		expectConflicts(t, name, c.conflicts, conflicts)
		diff, err := tree.Diff(canonical(t, byPorch), canonical(t, got))
		if err != nil {
			t.Fatal(err)
		}
		if (diff != "") != (c.because != "") {
			t.Errorf("%s: the difference to Porch is %q, and the reason given is %q", name, diff, c.because)
		}
		file := filepath.Join("testdata", name+".diff")
		delete(unused, file)
		t.Run(name, func(t *testing.T) { tree.Golden(t, file, diff) })
	}
	for file := range unused {
		t.Errorf("%s is of no case", file)
	}
}

func goldenFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "*.diff"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// pkg is a package that is made of a blueprint, edited and published, and the blueprint's two revisions.
type pkg struct {
	*fleet.Fleet
	name                     string
	original, updated, local map[string]string
}

func prepare(f *fleet.Fleet, name string, c change) pkg {
	p := pkg{Fleet: f, name: name}
	p.original = f.Files(f.Publish("blueprints", name, "v1", c.files).Name)
	local := p.draft("v1", porchapi.Task{Type: porchapi.TaskTypeClone, Clone: &porchapi.PackageCloneTaskSpec{
		Upstream: porchapi.UpstreamPackage{UpstreamRef: &porchapi.PackageRevisionRef{Name: "blueprints." + name + ".v1"}},
	}})
	f.WriteFiles(local, c.edits(f.Files(local)))
	f.Propose(local)
	f.Approve(local)
	p.local = f.Files(local)
	p.updated = f.Files(f.Publish("blueprints", name, "v2", c.upstream).Name)
	return p
}

// upgrade returns the files of Porch's upgrade.
func (p pkg) upgrade() map[string]string {
	return p.Files(p.draft("v2", porchapi.Task{Type: porchapi.TaskTypeUpgrade, Upgrade: &porchapi.PackageUpgradeTaskSpec{
		OldUpstream:             porchapi.PackageRevisionRef{Name: "blueprints." + p.name + ".v1"},
		NewUpstream:             porchapi.PackageRevisionRef{Name: "blueprints." + p.name + ".v2"},
		LocalPackageRevisionRef: porchapi.PackageRevisionRef{Name: "edge." + p.name + ".v1"},
		Strategy:                porchapi.ResourceMerge,
	}}))
}

// draft makes a draft of the package and returns its name.
func (p pkg) draft(workspace string, task porchapi.Task) (name string) {
	p.Eventually("a draft "+workspace+" of "+p.name, func() error {
		r := &porchapi.PackageRevision{
			ObjectMeta: metav1.ObjectMeta{Namespace: p.Namespace},
			Spec: porchapi.PackageRevisionSpec{
				RepositoryName: "edge", PackageName: p.name, WorkspaceName: workspace,
				Lifecycle: porchapi.PackageRevisionLifecycleDraft, Tasks: []porchapi.Task{task},
			},
		}
		err := p.Client.Create(context.Background(), r)
		name = r.Name
		return err
	})
	return name
}

func expectConflicts(t *testing.T, name string, want []string, conflicts []merging.Conflict) {
	t.Helper()
	var got []string
	for _, c := range conflicts {
		got = append(got, c.File+" "+c.Field)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: conflicts -want +got:\n%s", name, diff)
	}
}

// canonical returns the files with their YAML in one form, without comments and without what a render says of itself.
func canonical(t *testing.T, files map[string]string) tree.Tree {
	t.Helper()
	out := tree.Tree{}
	for name, text := range files {
		out[name] = text
		if base := filepath.Base(name); base == "Kptfile" || strings.HasSuffix(base, ".yaml") {
			out[name] = canonicalYAML(t, name, text)
		}
	}
	return out
}

func canonicalYAML(t *testing.T, name, text string) string {
	t.Helper()
	var out bytes.Buffer
	for dec := kyaml.NewDecoder(strings.NewReader(text)); ; {
		var value map[string]any
		err := dec.Decode(&value)
		if errors.Is(err, io.EOF) {
			return out.String()
		}
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, text)
		}
		if filepath.Base(name) == "Kptfile" {
			delete(value, "status")
		}
		content, err := yaml.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		out.WriteString("---\n" + string(content))
	}
}

// kptfile is what an upgrade changes in a Kptfile.
type kptfile struct {
	Upstream     *merging.Upstream     `json:"upstream"`
	UpstreamLock *merging.UpstreamLock `json:"upstreamLock"`
}

func readKptfile(t *testing.T, files map[string]string) kptfile {
	t.Helper()
	var k kptfile
	if err := yaml.Unmarshal([]byte(files["Kptfile"]), &k); err != nil {
		t.Fatal(err)
	}
	return k
}

func upstreamOf(t *testing.T, files map[string]string) *merging.Upstream {
	t.Helper()
	return readKptfile(t, files).Upstream
}

func lockOf(t *testing.T, files map[string]string) *merging.UpstreamLock {
	t.Helper()
	return readKptfile(t, files).UpstreamLock
}
