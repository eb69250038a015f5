// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"bytes"
	stdcmp "cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"

	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// plan is the plan of the kubectl plugin, decoded.
type plan struct {
	Counts   map[string]int
	Variants []plannedVariant
	Sets     []plannedSet
	Notes    []string

	dir string
}

// plannedCondition is the condition that an object is predicted to have.
type plannedCondition struct{ Type, Reason, Message string }

type plannedVariant struct {
	Name, Action, Error string
	Condition           plannedCondition
	Unmet               []plannedCondition
	Drafts              []struct{ Name, Lifecycle string }
	Steps               []struct{ Do, Revision string }
	Unforeseen          []string
}

type plannedSet struct {
	Name, Error               string
	Created, Updated, Deleted []string
	Condition                 plannedCondition
	Waves                     []plannedWave
}

type plannedWave struct {
	Name, State                                  string
	Targets, Updated, Reached, Failed, Suspended int
}

// plan has the plugin plan objects that are going to be applied, or with --delete to be deleted. The plugin reads the
// cluster as the administrator.
func (w *world) plan(args []string, objects ...client.Object) *plan {
	w.t.Helper()
	dir, err := os.MkdirTemp(w.dir, "plan")
	if err != nil {
		w.t.Fatal(err)
	}
	p := &plan{dir: filepath.Join(dir, "packages")}
	manifest := filepath.Join(dir, "manifest.yaml")
	if err := os.WriteFile(manifest, w.manifest(objects), 0o600); err != nil {
		w.t.Fatal(err)
	}
	args = slices.Concat([]string{"plan", "-f", manifest, "--namespace", w.Namespace, "--kubeconfig", w.stack.Kubeconfig,
		"-o", "json", "--write-to", p.dir}, args)
	var out, said bytes.Buffer
	command := exec.CommandContext(w.t.Context(), plugin(), args...)
	command.Stdout, command.Stderr = &out, &said
	err = command.Run()
	code := command.ProcessState.ExitCode()
	if _, is := errors.AsType[*exec.ExitError](err); is && out.Len() > 0 {
		err = nil // there are changes, or it says what would fail
	}
	if err == nil {
		err = json.Unmarshal(out.Bytes(), p)
	}
	if err != nil {
		w.t.Fatalf("kubectl variants %s: %v\n%s%s", strings.Join(args, " "), err, &said, &out)
	}
	if want := p.exitCode(); code != want {
		w.t.Errorf("the exit code is %d, want %d:\n%s%s", code, want, &said, &out)
	}
	return p
}

// plugin returns the path of the plugin.
func plugin() string {
	return stdcmp.Or(os.Getenv("KUBECTL_VARIANTS"),
		filepath.Join(filepath.Dir(os.Getenv("SYNC_CONTROLLER")), "kubectl-variants"))
}

// exitCode returns the exit code of a plan, as its manual says.
func (p *plan) exitCode() int {
	code := 0
	for action := range p.Counts {
		switch action {
		case "fail":
			return 2
		case "unchanged", "wait", "stalled":
		default:
			code = 1
		}
	}
	for _, s := range p.Sets {
		if len(s.Created)+len(s.Updated)+len(s.Deleted) > 0 {
			code = 1
		}
	}
	return code
}

// manifest returns objects as a user writes them.
func (w *world) manifest(objects []client.Object) []byte {
	w.t.Helper()
	var out bytes.Buffer
	for _, o := range objects {
		kind, err := w.Client.GroupVersionKindFor(o)
		if err != nil {
			w.t.Fatal(err)
		}
		content, err := apiruntime.DefaultUnstructuredConverter.ToUnstructured(o)
		if err != nil {
			w.t.Fatal(err)
		}
		content["apiVersion"], content["kind"] = kind.GroupVersion().String(), kind.Kind
		delete(content, "status")
		text, err := yaml.Marshal(content)
		if err != nil {
			w.t.Fatal(err)
		}
		fmt.Fprintf(&out, "---\n%s", text)
	}
	return out.Bytes()
}

// smoke are the tests in which what comes is compared with plans, as long as nothing else changes meanwhile: see void.
// They have the main lives of packages and sets. A plan does not foresee what fails in the pipeline of a package.
var smoke = map[string]bool{
	"TestAdopt": true, "TestApprovalAutomatic": true, "TestBigPackage": true, "TestClone": true, "TestDelete": true,
	"TestEditDraft": true, "TestEditPublished": true, "TestInjectionOfOtherKinds": true, "TestMergeIntoDraft": true,
	"TestMergeNamespace": true, "TestRequests": true, "TestRollout": true, "TestSet": true, "TestUpgrade": true,
}

// test returns the name of the test function, without those of its parts.
func (w *world) test() string {
	name, _, _ := strings.Cut(w.t.Name(), "/")
	return name
}

// isPlanned reports whether an object is one that plans are about.
func isPlanned(o client.Object) bool {
	switch o.(type) {
	case *v1alpha1.PackageVariant, *v1alpha2.PackageVariantSet:
		return true
	}
	return false
}

// Apply applies objects. In a smoke test, it has the plugin plan them first, unless the controller is still busy with the
// objects applied before. With functions that run by image, it makes no plan.
func (w *world) Apply(objects ...client.Object) {
	w.t.Helper()
	if !slices.ContainsFunc(objects, isPlanned) {
		w.Fleet.Apply(objects...)
		return
	}
	w.planned = w.planOf(nil, objects, w.Fleet.Apply)
}

// Delete deletes an object. Like Apply, it has the plugin plan it first.
func (w *world) Delete(object client.Object) {
	w.t.Helper()
	if !isPlanned(object) {
		w.Fleet.Delete(object)
		return
	}
	there, ok := object.DeepCopyObject().(client.Object)
	if !ok {
		w.t.Fatalf("the copy of a %T is no object", object)
	}
	// Tests name the object, and a manifest has all of it.
	key := client.ObjectKey{Namespace: w.Namespace, Name: object.GetName()}
	if err := w.Client.Get(w.t.Context(), key, there); err != nil {
		w.t.Fatal(err)
	}
	w.planned = w.planOf([]string{"--delete"}, []client.Object{there}, func(...client.Object) { w.Fleet.Delete(object) })
}

// planOf returns the plan of objects with which the test then does something; nil if there is none, as in a test that is
// no smoke test.
func (w *world) planOf(args []string, objects []client.Object, do func(...client.Object)) *plan {
	w.t.Helper()
	if !smoke[w.test()] {
		do(objects...)
		return nil
	}
	var p *plan
	if runtime == "" && !w.busy {
		p = w.planAtRest(args, objects)
	}
	do(objects...)
	w.busy = true // until the test has waited for something of it
	return p
}
