// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/e2e/internal/controller"
	"github.com/package-variants/package-variants/e2e/internal/proxy"

	"github.com/google/go-cmp/cmp"
	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// fanOut is a fleet whose drafts are published by its policy, of three kinds of packages: plain ones without a pipeline,
// ones with a mutating pipeline of which a resource was removed here, and such in which both sides changed a list.
type fanOut struct {
	*world
	names []string
	// most is how many drafts may have to wait for a person, because it is not known what is in them.
	most int
	// waiting are the variants whose drafts wait so, and why.
	waiting map[string]string
}

// blueprints are the blueprints of the fleet, and the packages whose drafts nobody has to look at whatever happened.
var blueprints = []string{"plain", "removed", "listed"}

func (f *fanOut) kind(i int) string { return blueprints[i%len(blueprints)] }

const (
	extra = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: extra\ndata:\n  c: \"1\"\n"
	// listed has a list without merge keys.
	listed = "apiVersion: example.com/v1\nkind: Site\nmetadata:\n  name: site\nspec:\n  hosts:\n  - one\n"
)

// blueprintOf returns what is published of a kind of blueprints.
func blueprintOf(kind, b, host string) map[string]string {
	files := map[string]string{"settings.yaml": strings.Replace(settings, `b: "2"`, fmt.Sprintf("b: %q", b), 1)}
	if kind == "plain" {
		return files
	}
	files["Kptfile"] = kptfile(kind) + "pipeline:\n  mutators:\n  - image: " + namespaceImage +
		"\n    configMap:\n      namespace: sites\n"
	files["extra.yaml"] = extra
	files["site.yaml"] = listed
	if kind == "listed" {
		files["site.yaml"] += host
	}
	return files
}

// TestFanOut clones and upgrades a fleet (FLEET packages, 100 by default) while the controller is killed ten times, while
// a tenth of Porch's answers to requests for drafts is lost, and while a tenth of all its answers to writes is. No value
// of a person is lost, all that is published by the policy is the same in all packages of a kind, and at most as many
// drafts wait for a person as were in the making when something happened.
func TestFanOut(t *testing.T) {
	rare(t)
	size := fromEnv(t, "FLEET", 100, strconv.Atoi)
	for name, disturb := range map[string]func(*fanOut, *gitServer) (calm, end func()){
		"killed":              (*fanOut).killed,
		"no answers to asks":  func(f *fanOut, _ *gitServer) (calm, end func()) { return f.unheard(isCreate) },
		"no answers to calls": func(f *fanOut, _ *gitServer) (calm, end func()) { return f.unheard(isPorchs) },
	} {
		t.Run(name, func(t *testing.T) {
			w, git := newWorldBehind(t)
			w.compared, w.Timeout = true, 4*unanswered
			w.mayApprove()
			f := &fanOut{world: w}
			for i := range size {
				f.names = append(f.names, fmt.Sprintf("site-%d", i))
			}
			f.publish("v1", "2", "  - two\n")
			calm, end := disturb(f, git)
			f.ask(1)
			calm()
			f.settle(1)
			end()
			w.proxy.Handle(nil)
			f.edit()
			f.publish("v2", "3", "  - three\n")
			calm, _ = disturb(f, git)
			f.ask(2)
			calm()
			f.settle(3) // the second is the person's
			f.expect()
		})
	}
}

// publish publishes a revision of each blueprint.
func (f *fanOut) publish(workspace, b, host string) {
	for _, kind := range blueprints {
		f.Publish("blueprints", kind, workspace, blueprintOf(kind, b, host))
	}
}

// ask applies the fleet, of a revision of its blueprints.
func (f *fanOut) ask(number int) {
	for i, name := range f.names {
		f.Apply(newVariant(name, plain, revision(number), func(s *variant.Spec) {
			s.Upstream.Package, s.ApprovalPolicy = f.kind(i), variant.ApprovalPolicyAutomatic
		}))
	}
}

// killed runs a controller that is killed ten times, and returns what waits for that, and what ends the controller that
// lives on.
func (f *fanOut) killed(git *gitServer) (calm, end func()) {
	const kills = 10
	k := newKiller(f.world, git, len(f.names)/3, fmt.Sprintf("--concurrency=%d", workers))
	f.Timeout, f.most = 4*unanswered, kills*workers
	return func() { k.until(kills) }, func() { k.running.Stop() }
}

// workers is how many packages the controllers work on at once.
const workers = 2

// isPorchs reports whether a request writes to Porch.
func isPorchs(r proxy.Request) bool { return proxy.IsWrite(r) && r.Group == porchapi.GroupName }

// unheard runs a controller that does not get a tenth of Porch's answers to some requests, and returns what ends it. No
// draft waits for a person only because it is not known that it was made.
func (f *fanOut) unheard(of func(proxy.Request) bool) (calm, end func()) {
	random, mu := rand.New(rand.NewPCG(1, 2)), sync.Mutex{} // the same each time
	f.most = 0
	f.proxy.Handle(func(r proxy.Request, phase proxy.Phase) *metav1.Status {
		mu.Lock()
		defer mu.Unlock()
		if phase != proxy.After || r.Failed() || !of(r) || random.IntN(10) != 0 {
			return nil
		}
		if !isCreate(r) {
			f.most++
		}
		return &apierrors.NewTimeoutError("no answer", 0).ErrStatus
	})
	c := controller.Start(f.t, f.options("--log-level=error", fmt.Sprintf("--concurrency=%d", workers)))
	c.WaitReady(f.t.Context())
	return func() {}, func() { c.Stop() }
}

// settle waits until each package has a published revision of that number, or a draft that waits for a person.
func (f *fanOut) settle(number int) {
	f.t.Helper()
	waiting := map[string]string{}
	for i, name := range f.names {
		f.Eventually(name+" is settled", func() error {
			pv := f.Variant(name)
			approved := meta.FindStatusCondition(pv.Status.Conditions, v1alpha1.ConditionApproved)
			switch d := pv.Status.Downstream; {
			case approved != nil && approved.Reason == v1alpha1.ReasonEditedByOthers && pv.Status.OpenDraft != nil:
				waiting[name] = f.kind(i) + ": " + approved.Message
				return nil
			case approved != nil && approved.Reason == v1alpha1.ReasonConflicted && f.kind(i) == "listed":
				return nil
			case d != nil && d.Revision == number && pv.Status.OpenDraft == nil && pv.Status.Operation == nil:
				return nil
			}
			return fmt.Errorf("it is %+v", pv.Status)
		})
	}
	f.t.Logf("%d of %d drafts wait for a person", len(waiting), len(f.names))
	for _, name := range slices.Sorted(maps.Keys(waiting)) {
		why := waiting[name]
		f.t.Logf("%s waits: %s", name, why)
		if strings.HasPrefix(why, "plain") {
			f.t.Errorf("%s waits for a person, and nothing changes its drafts but the controller: %s", name, why)
		}
	}
	if len(waiting) > f.most {
		f.t.Errorf("%d drafts wait for a person, want at most %d", len(waiting), f.most)
	}
	f.waiting = waiting
}

// edit has a person publish each package with an edit of the value a, without the resource extra, and with a host of
// its own in the list of some. What waits for a person is published before.
func (f *fanOut) edit() {
	f.t.Helper()
	for i, name := range f.names {
		if _, waits := f.waiting[name]; waits {
			f.Propose(f.Variant(name).Status.OpenDraft.Name)
			f.Approve("edge." + name + ".packagevariant-1")
		}
		edits := map[string]string{"settings.yaml": f.changed(name, "settings.yaml", `a: "1" # one`, `a: "mine" # my own`)}
		if f.kind(i) != "plain" {
			edits["extra.yaml"] = ""
		}
		if f.kind(i) == "listed" {
			edits["site.yaml"] = f.changed(name, "site.yaml", "- two\n", "- mine\n")
		}
		f.Publish("edge", name, "mine", edits)
	}
}

// changed returns a file of the first revision of a package with another text in it.
func (f *fanOut) changed(name, file, from, to string) string {
	f.t.Helper()
	text := f.Files("edge." + name + ".packagevariant-1")[file]
	if !strings.Contains(text, from) {
		f.t.Fatalf("%s of %s has no %q:\n%s", file, name, from, text)
	}
	return strings.Replace(text, from, to, 1)
}

// expect fails the test unless what is published of each package has the person's edits, and the upstream's change if
// it is published by the policy, and all of a kind are the same then.
func (f *fanOut) expect() {
	f.t.Helper()
	first := map[string]map[string]string{}
	for i, name := range f.names {
		published := f.Variant(name).Status.Downstream.Name
		files := f.Files(published)
		want := []string{`a: "mine" # my own`, `b: "3"`}
		if _, waits := f.waiting[name]; waits || f.kind(i) == "listed" {
			want[1] = `b: "2"` // the draft with the rest waits for a person
		}
		for _, text := range want {
			if !strings.Contains(files["settings.yaml"], text) {
				f.t.Errorf("%s: settings.yaml has no %q:\n%s", published, text, files["settings.yaml"])
			}
		}
		if _, there := files["extra.yaml"]; there {
			f.t.Errorf("%s: extra.yaml was removed, and is there again", published)
		}
		if f.kind(i) == "listed" && !strings.Contains(files["site.yaml"], "- mine\n") {
			f.t.Errorf("%s: site.yaml has lost a value:\n%s", published, files["site.yaml"])
		}
		if _, waits := f.waiting[name]; waits {
			continue
		}
		for path := range files {
			files[path] = strings.ReplaceAll(files[path], name, "NAME")
		}
		if first[f.kind(i)] == nil {
			first[f.kind(i)] = files
		}
		if diff := cmp.Diff(first[f.kind(i)], files); diff != "" {
			f.t.Errorf("%s is not as the other packages of its kind are (-others +this):\n%s", published, diff)
		}
	}
}
