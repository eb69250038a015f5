// SPDX-License-Identifier: Apache-2.0

package sites

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/e2e/internal/controller"
	"github.com/package-variants/package-variants/e2e/internal/fleet"
	"github.com/package-variants/package-variants/e2e/internal/gitdaemon"
	"github.com/package-variants/package-variants/e2e/stack"
	"github.com/package-variants/package-variants/e2e/stack/stacktest"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

const (
	namespace = "fleet"
	settings  = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  a: \"%d\"\n  b: \"1\"\n"
	note      = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: note\ndata:\n  text: written here\n"
)

// packages are the packages of each site.
var packages = []string{"cache", "db", "dns", "mesh", "web"}

// world is a stack with a fleet in one git repository.
type world struct {
	*fleet.Fleet
	t     *testing.T
	stack *stack.Stack
	git   *gitdaemon.Daemon
}

// newWorld registers a Repository for each directory of one git repository, and publishes the blueprint.
func newWorld(t *testing.T, sites int) *world {
	t.Helper()
	s := stacktest.Start(t, stack.Options{SyncFrequency: time.Minute})
	w := &world{Fleet: fleet.New(t, s, namespace), t: t, stack: s, git: gitdaemon.Start(t)}
	w.Timeout = 12 * time.Minute // Porch ends a watch after ten at most, and only then tells of an owner that it has lost
	address := w.git.Repository("sites")
	for i := range sites {
		err := s.RegisterRepository(t.Context(), stack.Repository{
			Namespace: namespace, Name: site(i), Address: address, Directory: "sites/" + site(i), Deployment: true,
			Labels: map[string]string{"site": "true"},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	w.Repository("blueprints", nil, false)
	w.Publish("blueprints", "base", "v1", map[string]string{"settings.yaml": fmt.Sprintf(settings, 1)})
	return w
}

func site(i int) string { return fmt.Sprintf("site-%02d", i) }

// set is the set of all packages of all sites.
func (w *world) set(revision int, approvalPolicy string) *v1alpha2.PackageVariantSet {
	w.t.Helper()
	text := fmt.Sprintf(`apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata: {name: sites}
spec:
  upstream: {repo: blueprints, package: base, revision: %d}
  targets:
  - repositorySelector: {matchLabels: {site: "true"}, packageNames: [%s]}
    template:
      approvalPolicy: %s
      packageContext: {dataExprs: [{key: site, valueExpr: repository.name}]}
`, revision, strings.Join(packages, ", "), approvalPolicy)
	var set v1alpha2.PackageVariantSet
	if err := yaml.UnmarshalStrict([]byte(text), &set); err != nil {
		w.t.Fatal(err)
	}
	return &set
}

// askAgain is how long to leave Porch alone between two lists.
const askAgain = 5 * time.Second

// counts are what is counted of a fleet. Drafts, published revisions and those with an owner are what Porch lists,
// branches and tags what git has.
type counts struct{ ready, drafts, published, owned, branches, tags int }

// expect waits until the fleet is as wanted. It asks Porch only once the variants and git are: each list has Porch fetch
// the git repository for each site, and while it does, Porch may lose sight of what is written.
func (w *world) expect(want counts) {
	w.t.Helper()
	if w.stack.Cache() == stack.DBCache {
		want.branches = 0 // drafts are in the database
	}
	began, asked, found := time.Now(), time.Time{}, errors.New("Porch was not asked yet")
	w.Eventually(fmt.Sprintf("there are %+v", want), func() error {
		got := counts{drafts: want.drafts, published: want.published, owned: want.owned}
		others, err := w.countVariants(&got)
		if err != nil {
			return err
		}
		got.branches = len(w.git.Refs("sites", "refs/heads/drafts/")) + len(w.git.Refs("sites", "refs/heads/proposed/"))
		got.tags = len(w.git.Refs("sites", "refs/tags/"))
		if got == want {
			if time.Since(asked) < askAgain {
				return found
			}
			defer func() { asked = time.Now() }()
			got.drafts, got.published, got.owned = 0, 0, 0
			if others, err = w.countRevisions(&got); err != nil {
				return err
			}
		}
		if got == want {
			return nil
		}
		found = fmt.Errorf("there are %+v; not as wanted: %v", got, others)
		return found
	})
	w.t.Logf("%+v after %s", want, time.Since(began).Round(time.Second))
}

// countVariants counts the variants that are ready for what is asked of them, and returns what the others say. While Porch
// reads one Repository, it may report that it cannot read another one, whose variants say so: they count as ready.
func (w *world) countVariants(c *counts) (others []string, err error) {
	var list v1alpha1.PackageVariantList
	if err := w.Client.List(w.t.Context(), &list, client.InNamespace(namespace)); err != nil {
		return nil, err
	}
	for i := range list.Items {
		pv := &list.Items[i]
		ready := meta.FindStatusCondition(pv.Status.Conditions, v1alpha1.ConditionReady)
		if ready != nil && ready.ObservedGeneration == pv.Generation &&
			(ready.Status == metav1.ConditionTrue || strings.Contains(ready.Message, "ref file is empty")) {
			c.ready++
		} else if ready != nil {
			others = append(others, fmt.Sprintf("%s (%s: %s)", pv.Name, ready.Reason, ready.Message))
		}
	}
	return others, nil
}

// countRevisions counts the revisions of the sites, without the placeholders that Porch makes of the branch, and returns
// the names of those without their owner.
func (w *world) countRevisions(c *counts) (others []string, err error) {
	var list porchapi.PackageRevisionList
	if err := w.Client.List(w.t.Context(), &list, client.InNamespace(namespace)); err != nil {
		return nil, err
	}
	for i := range list.Items {
		r := &list.Items[i]
		switch {
		case r.Spec.RepositoryName == "blueprints" || r.Spec.Revision < 0:
			continue
		case r.IsPublished():
			c.published++
		default:
			c.drafts++
		}
		if len(r.OwnerReferences) == 1 && r.OwnerReferences[0].Kind == "PackageVariant" {
			c.owned++
		} else {
			others = append(others, r.Name)
		}
	}
	return others, nil
}

// edit has a person add a file to the first draft of a package that its variant has finished, and returns the draft's
// name.
func (w *world) edit(repo, pkg string) string {
	w.t.Helper()
	w.Eventually("a variant makes "+repo+"/"+pkg, func() error {
		var list v1alpha1.PackageVariantList
		if err := w.Client.List(w.t.Context(), &list, client.InNamespace(namespace)); err != nil {
			return err
		}
		for i := range list.Items {
			pv := &list.Items[i]
			if d := pv.Spec.Downstream; d.Repo == repo && d.Package == pkg && len(pv.Status.DownstreamTargets) == 1 &&
				meta.IsStatusConditionTrue(pv.Status.Conditions, v1alpha1.ConditionReady) {
				return nil
			}
		}
		return errors.New("it has not made it yet")
	})
	draft := w.Revisions(repo, pkg)[0].Name
	w.WriteFiles(draft, map[string]string{"note.yaml": note})
	return draft
}

// approve has a person publish a draft.
func (w *world) approve(draft string) {
	w.t.Helper()
	w.Propose(draft)
	w.Approve(draft)
}

// restartPorch ends Porch, and starts it again.
func (w *world) restartPorch() {
	w.t.Helper()
	if err := w.stack.StopPorch(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	if err := w.stack.StartPorch(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

// expectNote fails the test unless the revisions of a package have what a person added to its first draft.
func (w *world) expectNote(repo, pkg string) {
	w.t.Helper()
	for _, r := range w.Revisions(repo, pkg) {
		if !strings.Contains(w.Files(r.Name)["note.yaml"], "written here") {
			w.t.Errorf("%s lacks what a person added", r.Name)
		}
	}
}

// TestSites makes, publishes and upgrades the packages of all sites at once. A person edits a draft of one site while
// those of the others are made, and Porch is restarted in between.
func TestSites(t *testing.T) {
	sites := 4
	if text := os.Getenv("SITES"); text != "" {
		var err error
		if sites, err = strconv.Atoi(text); err != nil {
			t.Fatalf("SITES: %v", err)
		}
	}
	w := newWorld(t, sites)
	p := controller.Start(t, controller.Options{Kubeconfig: w.stack.Kubeconfig, Args: []string{"--log-format=text"}})
	p.WaitReady(t.Context())
	all := sites * len(packages)
	w.Apply(w.set(1, "Manual"))
	edited := w.edit(site(0), packages[0])
	w.expect(counts{ready: all, drafts: all, owned: all, branches: all})
	w.expectNote(site(0), packages[0])
	w.restartPorch()
	w.Apply(w.set(1, "Automatic"))
	w.approve(edited)
	w.expect(counts{ready: all, published: all, owned: all, tags: all})
	w.Publish("blueprints", "base", "v2", map[string]string{"settings.yaml": fmt.Sprintf(settings, 2)})
	w.Apply(w.set(2, "Automatic"))
	w.expect(counts{ready: all, published: 2 * all, owned: 2 * all, tags: 2 * all})
	w.expectNote(site(0), packages[0])
}
