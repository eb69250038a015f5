// SPDX-License-Identifier: Apache-2.0

package render

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/e2e/internal/tree"

	"github.com/google/go-cmp/cmp"
	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
)

// variantPackage is a package of kpt's tests that all functions which edit a package run on. A required injection point
// of it stays unmet.
func variantPackage(t *testing.T) tree.Tree {
	t.Helper()
	return byImage(tree.Load(t, "..", "kpt", "testdata", "pipelines", "all-of-one-variant"))
}

// setPackage is a package of kpt's tests that expand-variantset runs on.
func setPackage(t *testing.T) tree.Tree {
	t.Helper()
	return byImage(tree.Load(t, "..", "kpt", "testdata", "pipelines", "expand-variantset"))
}

// TestFailures saves packages on which a function fails. Porch must refuse each, and leave the draft as it is; the user
// of porchctl reads what is in testdata/failures/<case>.txt, the user of kubectl the same sentences.
func TestFailures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files           func(*testing.T) tree.Tree
		file, text, new string
		sentences       []string
	}{
		"apply-package-context": {variantPackage, "package-context.yaml", "name: kptfile.kpt.dev", "name: context", []string{
			`Kptfile: Kptfile "web": the package has no package context: add a ConfigMap named kptfile.kpt.dev to it (kpt pkg ` +
				`init writes one to package-context.yaml), and let no selector hide it`,
		}},
		"prepend-pipeline": {variantPackage, "variant.yaml", "name: first", "name: the.first", []string{
			`variant.yaml: PackageVariant "eu.web": spec.pipeline.mutators[0].name: is "the.first", but must have no dot: ` +
				`its name in the Kptfile is read by the dots`,
		}},
		"inject-config": {variantPackage, "points.yaml", "config-injection: optional", "config-injection: perhaps", []string{
			`points.yaml: Team "team": metadata.annotations.kpt.dev/config-injection: ` +
				`is "perhaps", but must be "required" or "optional"`,
		}},
		"expand-variantset": {setPackage, "cluster/web.yaml", "revision: 2", "revision: 1", []string{
			`config.yaml: PackageVariantSet "web": spec.upstream: there is no PackageRevision of blueprints/web with revision 2 in ` +
				`namespace "default": correct the upstream, or add the PackageRevision to the snapshot`,
		}},
		"two-mistakes": {variantPackage, "variant.yaml", "added: \"yes\"", "added: 1\n      replicas: 3", []string{
			`variant.yaml: PackageVariant "eu.web": spec.packageContext.data.added: is a number, but must be a string: ` +
				`put it in quotes`,
			`variant.yaml: PackageVariant "eu.web": spec.packageContext.data.replicas: is a number, but must be a string: ` +
				`put it in quotes`,
		}},
		"unknown-image": {variantPackage, "Kptfile", "inject-config:" + images.Version, "inject-config:v9", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDraft(t, "web")
			good := c.files(t)
			d.put(t, good)
			before := d.save(t)

			bad := tree.Load(t, d.dir)
			if bad[c.file] = strings.Replace(bad[c.file], c.text, c.new, 1); bad[c.file] == before[c.file] {
				t.Fatalf("%s has no %q:\n%s", c.file, c.text, before[c.file])
			}
			d.put(t, bad)
			out, err := d.porchctl(t, "rpkg", "push", d.name, d.dir)
			if err == nil {
				t.Errorf("porchctl says that it works:\n%s", out)
			}
			golden(t, filepath.Join("failures", name+".txt"), out)

			out, err = d.patch(t, c.file, bad[c.file])
			if err == nil {
				t.Errorf("kubectl says that it works:\n%s", out)
			}
			if sentences := strings.Join(c.sentences, "\n"); !strings.Contains(out, sentences) {
				t.Errorf("kubectl does not print\n%s\nbut\n%s", sentences, out)
			}
			expectEqual(t, "the draft was changed", before, d.Files(d.name))
		})
	}
}

// patch changes one file of the draft with kubectl, which prints the render status of the answer.
func (d *draft) patch(t *testing.T, file, content string) (string, error) {
	t.Helper()
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"resources": map[string]string{file: content}}})
	if err != nil {
		t.Fatal(err)
	}
	return shared.Kubectl(t.Context(), "patch", "packagerevisionresources", d.name, "--namespace="+d.Namespace,
		"--type=merge", "--patch="+string(patch), "--output=jsonpath={.status.renderStatus}")
}

// TestWarnings saves a package with injection points that cannot be filled: no failure, but the user is to know.
// porchctl prints testdata/warnings.txt, and kubectl finds the same in the render status.
func TestWarnings(t *testing.T) {
	t.Parallel()
	d := newDraft(t, "web")
	d.put(t, variantPackage(t))
	golden(t, "warnings.txt", d.must(t, "rpkg", "push", d.name, d.dir))

	out, err := d.patch(t, "added.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: added\n")
	if err != nil {
		t.Fatal(err)
	}
	var status porchapi.RenderStatus
	if err := json.Unmarshal([]byte(out), &status); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var messages []string
	for _, item := range status.Result.Items {
		for _, result := range item.Results {
			messages = append(messages, result.Severity+" "+item.Image+": "+result.Message)
		}
	}
	want := []string{"warning " + images.Ref("inject-config") +
		`: points.yaml: Unknown "unmet": required injection point not filled (NoResourceSelected): ` +
		`no example.com/v1 Unknown named "eu-team" in namespace "default"`}
	if diff := cmp.Diff(want, messages); diff != "" || status.Err != "" {
		t.Errorf("render status with error %q and results (-want +got):\n%s", status.Err, diff)
	}
}
