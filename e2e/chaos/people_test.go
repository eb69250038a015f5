// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// patience is how long people try something that fails, which it does while a component is down.
const patience = 2 * time.Minute

// people do what people do with a fleet, one thing after the other. What a component refuses, or does not answer, they
// try again.
type people struct {
	w      *world
	random *rand.Rand
	// version is the newest of the blueprint, round the fact's, notes how many files they have written.
	version, round, notes int
	// contexts are the values in the package contexts of variants, by the variant.
	contexts map[string]string
	// written are the packages that they have written files to, by the file.
	written map[string]string
	// approved are the revisions that they meant to approve.
	approved map[string]bool
	// done counts what they did.
	done map[string]int
}

func newPeople(w *world, random *rand.Rand) *people {
	return &people{w: w, random: random, version: 1, contexts: map[string]string{}, written: map[string]string{},
		approved: map[string]bool{}, done: map[string]int{}}
}

// until does one thing after the other, each of them at least once.
func (p *people) until(end time.Time) {
	things := []struct {
		name string
		do   func()
	}{
		{"publish", p.publish}, {"fact", p.change}, {"edit", p.edit}, {"approve", p.approve}, {"context", p.context},
		{"suspend", p.suspend}, {"edit", p.edit}, {"approve", p.approve},
	}
	for first := true; first || time.Now().Before(end); first = false {
		p.random.Shuffle(len(things), func(i, j int) { things[i], things[j] = things[j], things[i] })
		for _, thing := range things {
			if p.w.t.Failed() {
				return
			}
			p.done[thing.name]++
			thing.do()
			time.Sleep(time.Duration(p.random.Int64N(int64(time.Second))))
		}
	}
}

// try does something until it succeeds.
func (p *people) try(what string, do func(context.Context) error) {
	p.w.t.Helper()
	ctx, cancel := context.WithTimeout(p.w.t.Context(), patience)
	defer cancel()
	for {
		attempt, end := context.WithTimeout(ctx, 20*time.Second)
		err := do(attempt)
		end()
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			p.w.t.Fatalf("cannot %s: %v", what, err)
		case <-time.After(200 * time.Millisecond):
		}
	}
}

func (p *people) key(name string) client.ObjectKey {
	return client.ObjectKey{Namespace: p.w.Namespace, Name: name}
}

// publish publishes a new version of the blueprint.
func (p *people) publish() {
	p.version++
	workspace := fmt.Sprintf("v%d", p.version)
	name := "blueprints.web." + workspace
	draft := &porchapi.PackageRevision{
		ObjectMeta: metav1.ObjectMeta{Namespace: p.w.Namespace},
		Spec: porchapi.PackageRevisionSpec{RepositoryName: "blueprints", PackageName: "web", WorkspaceName: workspace,
			Lifecycle: porchapi.PackageRevisionLifecycleDraft, Tasks: []porchapi.Task{{Type: porchapi.TaskTypeEdit,
				Edit: &porchapi.PackageEditTaskSpec{Source: &porchapi.PackageRevisionRef{
					Name: fmt.Sprintf("blueprints.web.v%d", p.version-1)}}}}},
	}
	p.try("make "+name, func(ctx context.Context) error {
		if err := p.w.Client.Get(ctx, p.key(name), &porchapi.PackageRevision{}); !apierrors.IsNotFound(err) {
			return err
		}
		return p.w.Client.Create(ctx, draft.DeepCopy())
	})
	p.write(name, "settings.yaml", settings(p.version))
	p.publishDraft(name)
}

// write writes a file of a draft, and reports false if it is no draft any more.
func (p *people) write(draft, file, content string) (written bool) {
	p.try("write "+file+" of "+draft, func(ctx context.Context) error {
		var resources porchapi.PackageRevisionResources
		if err := p.w.Client.Get(ctx, p.key(draft), &resources); err != nil {
			return err
		}
		if resources.Spec.Resources[file] == content || hasNote(resources.Spec.Resources, file) {
			written = true // by a call whose answer was lost
			return nil
		}
		var revision porchapi.PackageRevision
		if err := p.w.Client.Get(ctx, p.key(draft), &revision); err != nil {
			return err
		}
		if revision.Spec.Lifecycle != porchapi.PackageRevisionLifecycleDraft {
			return nil
		}
		resources.Spec.Resources[file] = content
		return p.w.Client.Update(ctx, &resources)
	})
	return written || p.has(draft, file)
}

// hasNote reports whether the files have a note, which Porch may have put into another form.
func hasNote(files map[string]string, file string) bool {
	return strings.HasPrefix(file, "note-") && strings.Contains(files[file], strings.TrimSuffix(file, ".yaml"))
}

// has reports whether a revision has a file.
func (p *people) has(name, file string) (has bool) {
	p.try("read "+name, func(ctx context.Context) error {
		var resources porchapi.PackageRevisionResources
		err := p.w.Client.Get(ctx, p.key(name), &resources)
		has = resources.Spec.Resources[file] != ""
		return err
	})
	return has
}

// publishDraft proposes and approves a draft, unless that is done.
func (p *people) publishDraft(name string) {
	p.approved[name] = true
	p.try("publish "+name, func(ctx context.Context) error {
		var revision porchapi.PackageRevision
		if err := p.w.Client.Get(ctx, p.key(name), &revision); err != nil {
			return err
		}
		switch revision.Spec.Lifecycle {
		case porchapi.PackageRevisionLifecycleDraft:
			revision.Spec.Lifecycle = porchapi.PackageRevisionLifecycleProposed
			if err := p.w.Client.Update(ctx, &revision); err != nil {
				return err
			}
			return fmt.Errorf("it is proposed, not approved")
		case porchapi.PackageRevisionLifecycleProposed:
			revision.Spec.Lifecycle = porchapi.PackageRevisionLifecyclePublished
			return p.w.Client.SubResource("approval").Update(ctx, &revision)
		default:
			return nil
		}
	})
}

// change changes the fact that is injected.
func (p *people) change() {
	p.round++
	p.try("change the fact", func(ctx context.Context) error {
		var eu corev1.ConfigMap
		if err := p.w.Client.Get(ctx, p.key("eu"), &eu); err != nil {
			return err
		}
		eu.Data["api"] = strconv.Itoa(p.round)
		return p.w.Client.Update(ctx, &eu)
	})
}

// anyVariant returns one of the variants without a set.
func (p *people) anyVariant() string {
	all := append(append([]string{}, manual...), automatic...)
	return all[p.random.IntN(len(all))]
}

// context changes what a variant says of its package.
func (p *people) context() {
	name := p.anyVariant()
	p.contexts[name] = strconv.Itoa(p.notes*1000 + p.round)
	p.variant(name, func(pv *v1alpha1.PackageVariant) { pv.Spec.PackageContext.Data["round"] = p.contexts[name] })
}

// suspend suspends a variant for a while.
func (p *people) suspend() {
	name := p.anyVariant()
	p.variant(name, func(pv *v1alpha1.PackageVariant) { pv.Spec.Suspend = true })
	time.Sleep(time.Duration(p.random.Int64N(int64(time.Second))))
	p.variant(name, func(pv *v1alpha1.PackageVariant) { pv.Spec.Suspend = false })
}

// variant changes a variant.
func (p *people) variant(name string, change func(*v1alpha1.PackageVariant)) {
	p.try("change PackageVariant "+name, func(ctx context.Context) error {
		var pv v1alpha1.PackageVariant
		if err := p.w.Client.Get(ctx, p.key(name), &pv); err != nil {
			return err
		}
		change(&pv)
		return p.w.Client.Update(ctx, &pv)
	})
}

// open returns the drafts of downstream packages.
func (p *people) open() (drafts []porchapi.PackageRevision) {
	p.try("list the drafts", func(ctx context.Context) error {
		revisions, err := p.w.downstreams(ctx)
		drafts = nil
		for _, r := range revisions {
			if !r.IsPublished() {
				drafts = append(drafts, r)
			}
		}
		return err
	})
	return drafts
}

// edit adds a file to one of the open drafts, but not to those of the set.
func (p *people) edit() {
	for _, draft := range p.open() {
		if draft.Spec.RepositoryName != "edge" || p.random.IntN(2) == 0 {
			continue
		}
		p.notes++
		name := fmt.Sprintf("note-%d", p.notes)
		file := name + ".yaml"
		if p.write(draft.Name, file, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: "+name+"\n") {
			p.written[file] = draft.Spec.PackageName
		}
		return
	}
}

// approve publishes one of the open drafts.
func (p *people) approve() {
	for _, draft := range p.open() {
		if draft.Spec.RepositoryName == "edge" && p.random.IntN(2) == 0 {
			p.publishDraft(draft.Name)
			return
		}
	}
}

// finish publishes whatever waits for people, until nothing does.
func (p *people) finish() {
	p.w.Eventually("everything is published that is to be", func() error {
		for _, draft := range p.open() {
			if p.waitsForPeople(&draft) && p.w.complete(p, draft.Name, draft.Spec.PackageName) == nil {
				p.publishDraft(draft.Name)
			}
		}
		return p.w.settled(p)
	})
}

// waitsForPeople reports whether the controller will not publish a draft: so says its variant's policy, or its
// condition, where people wrote to the draft, or may have: the controller was killed before it knew its own write.
func (p *people) waitsForPeople(draft *porchapi.PackageRevision) bool {
	if !isAutomatic(draft.Spec.PackageName) {
		return true
	}
	for _, owner := range draft.OwnerReferences {
		if p.w.Condition(owner.Name, v1alpha1.ConditionApproved).Reason == v1alpha1.ReasonEditedByOthers {
			return true
		}
	}
	return false
}
