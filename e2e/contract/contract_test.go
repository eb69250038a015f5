// SPDX-License-Identifier: Apache-2.0

package contract

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/package-variants/package-variants/e2e/internal/fleet"
	"github.com/package-variants/package-variants/e2e/internal/proxy"
	"github.com/package-variants/package-variants/e2e/stack"
	"github.com/package-variants/package-variants/e2e/stack/stacktest"
	"github.com/package-variants/package-variants/engine/packages/contract"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/sync-controller/home"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var shared *stack.Stack

func TestMain(m *testing.M) { os.Exit(stacktest.Main(m, &shared, stack.Options{})) }

// TestContract runs the contract on the Porch of the stack.
func TestContract(t *testing.T) {
	name := strings.ToLower(string(shared.Cache()))
	if shared.Foreign() {
		name = "newer-" + name
	}
	contract.Run(t, contract.Implementation{Name: name, Differs: differs[name], Begin: begin})
}

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

func begin(t *testing.T) *contract.World {
	t.Helper()
	f := fleet.New(t, shared, strings.Trim(notInNames.ReplaceAllString(strings.ToLower(t.Name()), "-"), "-"))
	f.Repository("blueprints", nil, false)
	f.Repository("edge", nil, true)
	p, _ := proxy.StartFor(t, shared.Config, proxy.Options{})
	c, err := client.NewWithWatch(p.Config(), client.Options{Scheme: f.Client.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	others, err := client.NewWithWatch(shared.Config, client.Options{Scheme: f.Client.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	publish := func(pkg revision.Package, workspace string, files map[string]string) string {
		t.Helper()
		draft := f.Draft(pkg.Repo, pkg.Name, workspace, nil)
		changes := map[string]string{}
		for file := range f.Files(draft.Name) {
			changes[file] = "" // what the first task made
		}
		maps.Copy(changes, files)
		f.WriteFiles(draft.Name, changes)
		f.Propose(draft.Name)
		f.Approve(draft.Name)
		return draft.Name
	}
	return &contract.World{
		Lister: home.New(c), Others: home.New(others), Namespace: f.Namespace,
		Publish: publish,
		OnBranch: func(pkg revision.Package, files map[string]string) string {
			t.Helper()
			publish(pkg, "v1", files)
			return f.Revision(pkg.NameOf("main")).Name
		},
		Push: func(files map[string]string, as ...revision.Package) {
			t.Helper()
			for _, pkg := range as {
				f.Push(pkg.Repo, "main", pkg.Name, files)
			}
			f.Revision(as[len(as)-1].NameOf("main"))
		},
		Erase: func(pkg revision.Package) {
			t.Helper()
			f.Push(pkg.Repo, "main", pkg.Name, nil)
			f.Eventually("the package is not on the branch", func() error {
				_, err := f.GetRevision(pkg.NameOf("main"))
				if apierrors.IsNotFound(err) {
					return nil
				}
				return fmt.Errorf("it is there: %w", err)
			})
		},
		RegisterAnew: func(repository string) { f.RegisterAnew(repository, true) },
		Share: func(names ...string) {
			t.Helper()
			for _, name := range names {
				if err := shared.RegisterRepository(t.Context(), stack.Repository{Namespace: f.Namespace, Name: name,
					Git: f.Namespace + "-sites", Directory: name, Deployment: true}); err != nil {
					t.Fatal(err)
				}
			}
		},
		Remove:     func(name string) { f.Delete(f.Revision(name)) },
		LoseAnswer: func() { loseAnswer(p) },
	}
}

// loseAnswer has a proxy lose the answer of the next write.
func loseAnswer(p *proxy.Proxy) {
	var done atomic.Bool
	p.Handle(func(r proxy.Request, phase proxy.Phase) *metav1.Status {
		if phase == proxy.After && proxy.IsWrite(r) && done.CompareAndSwap(false, true) {
			return &apierrors.NewTimeoutError("the answer is lost", 0).ErrStatus
		}
		return nil
	})
}

// differs says what each Porch does in another way than the contract states.
var differs = map[string]map[string]string{
	"db": {
		"clone-of-branch": "the lock of a clone of a branch is on the tag of what was published there last",
		"save-bad":        "files without a Kptfile are accepted, and what the pipeline refuses is saved",
		"registered-anew": "a draft is not in git, and goes with the Repository",
		"published-anew":  "a package of which all revisions were deleted cannot be published again",
	},
}
