// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// patience is how long people try something that fails, which it does while a component is down.
	patience = 5 * time.Minute
	// attempt is how long people wait for an answer.
	attempt = 30 * time.Second
	// missing is how long a revision is not found before people take it for gone: after a start Porch has not read
	// everything, and it loses sight of revisions for a moment.
	missing = 30 * time.Second
)

// errWaits says that something is under way.
var errWaits = errors.New("it is not yet as it is to be")

// people do what people do with a fleet, one thing after the other. They retry what a component refuses or does not
// answer.
type people struct {
	w      *world
	random *rand.Rand
	// deeds are what they did, and did is how often they did each thing.
	deeds *deeds
	did   map[string]int
}

func newPeople(w *world, d *deeds, random *rand.Rand) *people {
	return &people{w: w, random: random, deeds: d, did: map[string]int{}}
}

// until does one thing after the other, each at least once. Each takes one random number, so that the next choice does
// not depend on the outcome.
func (p *people) until(end time.Time) {
	things := []struct {
		name string
		do   func(random int)
	}{
		{"publish", p.publish}, {"change the fact", p.changeFact}, {"edit", p.edit}, {"approve", p.approve},
		{"change a context", p.changeContext}, {"suspend", p.suspend}, {"edit", p.edit}, {"approve", p.approve},
		{"take the fact away", p.takeAway},
	}
	for first := true; first || time.Now().Before(end); first = false {
		p.random.Shuffle(len(things), func(i, j int) { things[i], things[j] = things[j], things[i] })
		for _, thing := range things {
			if p.w.t.Failed() || !first && time.Now().After(end) {
				return
			}
			p.did[thing.name]++
			thing.do(p.random.IntN(1 << 30))
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
		each, end := context.WithTimeout(ctx, attempt)
		err := do(each)
		end()
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			p.w.t.Fatalf("cannot %s within %s: %v", what, patience, err)
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// publish publishes a new version of the blueprint. If Porch is killed over a draft, it makes a new one.
func (p *people) publish(int) {
	version := p.deeds.version + 1
	name := revisionOf(version)
	draft := &porchapi.PackageRevision{ObjectMeta: p.w.meta("")}
	draft.Spec = porchapi.PackageRevisionSpec{RepositoryName: "blueprints", PackageName: "web",
		WorkspaceName: fmt.Sprintf("v%d", version), Lifecycle: porchapi.PackageRevisionLifecycleDraft,
		Tasks: []porchapi.Task{{Type: porchapi.TaskTypeEdit,
			Edit: &porchapi.PackageEditTaskSpec{Source: &porchapi.PackageRevisionRef{Name: revisionOf(p.deeds.version)}}}}}
	p.try("make "+name, func(ctx context.Context) error {
		var resources porchapi.PackageRevisionResources
		err := p.w.Client.Get(ctx, p.w.key(name), &resources)
		switch files := resources.Spec.Resources; {
		case apierrors.IsNotFound(err):
			return errors.Join(p.w.Client.Create(ctx, draft.DeepCopy()), errWaits)
		case err != nil:
			return err
		case files["Kptfile"] == "" || files["region.yaml"] == "":
			return errors.Join(p.w.Client.Delete(ctx, &porchapi.PackageRevision{ObjectMeta: p.w.meta(name)}), errWaits)
		case files["settings.yaml"] != settings(version):
			resources.Spec.Resources["settings.yaml"] = settings(version)
			return p.w.Client.Update(ctx, &resources)
		}
		return nil
	})
	p.publishDraft(name)
	p.deeds.version = version
	p.w.diary.note("published %s", name)
}

// publishDraft proposes and approves a draft, unless that is done. It does not approve a downstream package that has
// lost files.
func (p *people) publishDraft(name string) {
	p.deeds.approved[name] = true
	p.try("publish "+name, func(ctx context.Context) error {
		var revision porchapi.PackageRevision
		var resources porchapi.PackageRevisionResources
		err := p.w.Client.Get(ctx, p.w.key(name), &resources)
		if err == nil {
			err = p.w.Client.Get(ctx, p.w.key(name), &revision)
		}
		switch {
		case err != nil:
			return err
		case revision.Spec.RepositoryName == "edge" && !isWhole(resources.Spec.Resources),
			revision.ResourceVersion != resources.ResourceVersion:
			return errWaits
		}
		switch revision.Spec.Lifecycle {
		case porchapi.PackageRevisionLifecycleDraft:
			revision.Spec.Lifecycle = porchapi.PackageRevisionLifecycleProposed
			return errors.Join(p.w.Client.Update(ctx, &revision), errWaits)
		case porchapi.PackageRevisionLifecycleProposed:
			revision.Spec.Lifecycle = porchapi.PackageRevisionLifecyclePublished
			return p.w.Client.SubResource("approval").Update(ctx, &revision)
		default:
			return nil
		}
	})
}

// isWhole reports whether the files of a package that is deployed are all there.
func isWhole(files map[string]string) bool {
	for _, name := range []string{"Kptfile", "package-context.yaml", "region.yaml", "settings.yaml"} {
		if files[name] == "" {
			return false
		}
	}
	return true
}

// changeFact changes the fact that is injected.
func (p *people) changeFact(int) {
	p.deeds.round++
	p.tellFact()
	p.w.diary.note("changed the fact to %d", p.deeds.round)
}

// tellFact sets the fact to its value.
func (p *people) tellFact() {
	p.try("tell the fact", func(ctx context.Context) error {
		err := p.w.Client.Update(ctx, p.w.fact(p.deeds.round))
		if apierrors.IsNotFound(err) {
			return p.w.Client.Create(ctx, p.w.fact(p.deeds.round))
		}
		return err
	})
}

// takeAway deletes the fact for a while, during which the controller must not publish a draft that needs it.
func (p *people) takeAway(random int) {
	p.try("take the fact away", func(ctx context.Context) error {
		return client.IgnoreNotFound(p.w.Client.Delete(ctx, p.w.fact(p.deeds.round)))
	})
	p.w.diary.note("took the fact away")
	time.Sleep(time.Duration(random) % (3 * time.Second))
	p.tellFact()
	p.w.diary.note("brought the fact back")
}

// changeContext changes what a variant says of its package.
func (p *people) changeContext(random int) {
	name := alone[random%len(alone)]
	p.deeds.changes++
	p.deeds.contexts[name] = strconv.Itoa(p.deeds.changes)
	p.variant(name, func(pv *v1alpha1.PackageVariant) {
		pv.Spec.PackageContext.Data["round"] = p.deeds.contexts[name]
	})
	p.w.diary.note("changed the context of %s to %s", name, p.deeds.contexts[name])
}

// suspend suspends a variant for a while.
func (p *people) suspend(random int) {
	name := alone[random%len(alone)]
	p.variant(name, func(pv *v1alpha1.PackageVariant) { pv.Spec.Suspend = true })
	p.w.diary.note("suspended %s", name)
	time.Sleep(time.Duration(random) % time.Second)
	p.variant(name, func(pv *v1alpha1.PackageVariant) { pv.Spec.Suspend = false })
	p.w.diary.note("resumed %s", name)
}

// variant changes a variant.
func (p *people) variant(name string, change func(*v1alpha1.PackageVariant)) {
	p.try("change PackageVariant "+name, func(ctx context.Context) error {
		var pv v1alpha1.PackageVariant
		if err := p.w.Client.Get(ctx, p.w.key(name), &pv); err != nil {
			return err
		}
		change(&pv)
		return p.w.Client.Update(ctx, &pv)
	})
}

// open returns the drafts, and what is proposed, of downstream packages. Of each package there may be one.
func (p *people) open() (drafts []porchapi.PackageRevision) {
	p.try("list the drafts", func(ctx context.Context) error {
		revisions, err := p.w.downstreams(ctx)
		drafts = nil
		for i := range revisions {
			if !revisions[i].IsPublished() {
				drafts = append(drafts, revisions[i])
			}
		}
		return err
	})
	p.deeds.see(drafts)
	return drafts
}

// aDraft returns one of the open drafts of variants without a set, with one of the wanted lifecycles; nil if there is
// no such draft.
func (p *people) aDraft(random int, wanted ...porchapi.PackageRevisionLifecycle) *porchapi.PackageRevision {
	var drafts []porchapi.PackageRevision
	for _, draft := range p.open() {
		for _, lifecycle := range wanted {
			if draft.Spec.RepositoryName == "edge" && draft.Spec.Lifecycle == lifecycle {
				drafts = append(drafts, draft)
			}
		}
	}
	if len(drafts) == 0 {
		return nil
	}
	return &drafts[random%len(drafts)]
}

// edit edits one of the open drafts: it adds a file, or a line to a file that comes from the blueprint.
func (p *people) edit(random int) {
	draft := p.aDraft(random, porchapi.PackageRevisionLifecycleDraft)
	if draft == nil {
		return
	}
	p.deeds.notes++
	e := edit{file: "settings.yaml", note: fmt.Sprintf("note-%d", p.deeds.notes)}
	if random%2 == 0 {
		e.file = e.note + ".yaml"
	}
	switch written := p.write(draft.Name, e); {
	case written:
		p.deeds.written[e] = packageOf(draft)
		p.w.diary.note("wrote %s to %s of %s", e.note, e.file, draft.Name)
	default:
		p.w.diary.note("could not write %s to %s of %s, which is no draft any more", e.note, e.file, draft.Name)
	}
}

// write makes an edit of a draft, and reports false if it is no longer a draft.
func (p *people) write(draft string, e edit) (written bool) {
	var since time.Time          // when it was missed
	var copied map[string]string // what was to be written, as people have it on their disks
	p.try("write "+e.file+" of "+draft, func(ctx context.Context) error {
		var resources porchapi.PackageRevisionResources
		var revision porchapi.PackageRevision
		err := p.w.Client.Get(ctx, p.w.key(draft), &resources)
		if err == nil {
			err = p.w.Client.Get(ctx, p.w.key(draft), &revision)
		}
		switch {
		case apierrors.IsNotFound(err) && since.IsZero():
			since = time.Now()
			return err
		case apierrors.IsNotFound(err) && time.Since(since) > missing:
			return nil
		case err != nil:
			return err
		case copied == nil && !isWhole(resources.Spec.Resources):
			return errWaits
		}
		since = time.Time{}
		lost := putBack(resources.Spec.Resources, copied)
		if written = e.in(resources.Spec.Resources) && !lost; written { // by a call whose answer was lost
			return nil
		}
		if revision.Spec.Lifecycle != porchapi.PackageRevisionLifecycleDraft {
			return nil
		}
		if !e.in(resources.Spec.Resources) {
			e.into(resources.Spec.Resources)
		}
		copied = maps.Clone(resources.Spec.Resources)
		err = p.w.Client.Update(ctx, &resources)
		written = err == nil
		return err
	})
	return written
}

// putBack restores those files of a copy that a draft has lost because Porch was killed while it wrote them one by one,
// and reports whether there were any.
func putBack(files, copied map[string]string) (lost bool) {
	for name, text := range copied {
		if _, there := files[name]; !there {
			files[name], lost = text, true
		}
	}
	return lost
}

// approve publishes one of the open drafts.
func (p *people) approve(random int) {
	draft := p.aDraft(random, porchapi.PackageRevisionLifecycleDraft, porchapi.PackageRevisionLifecycleProposed)
	if draft == nil {
		return
	}
	p.publishDraft(draft.Name)
	p.w.diary.note("approved %s", draft.Name)
}

// finish publishes every draft that waits for people, until none does.
func (p *people) finish() {
	p.w.Eventually("everything is published that is to be", func() error {
		for _, draft := range p.open() {
			p.renew(&draft)
			files, err := p.w.files(draft.Name)
			if err == nil && p.waitsForPeople(&draft) && len(p.deeds.lacks(packageOf(&draft), files)) == 0 {
				p.publishDraft(draft.Name)
				p.w.diary.note("approved %s in the end", draft.Name)
			}
		}
		return p.w.settled(p.deeds)
	})
}

// renew deletes a draft that lacks files because Porch was killed while it wrote them, so that another one is made. What
// people wrote into it goes with it.
func (p *people) renew(draft *porchapi.PackageRevision) {
	for _, owner := range draft.OwnerReferences {
		if p.w.Condition(owner.Name, v1alpha1.ConditionReady).Reason != v1alpha1.ReasonSaveInterrupted {
			continue
		}
		p.try("delete "+draft.Name, func(ctx context.Context) error {
			return client.IgnoreNotFound(p.w.Client.Delete(ctx, draft.DeepCopy()))
		})
		maps.DeleteFunc(p.deeds.written, func(_ edit, pkg string) bool { return pkg == packageOf(draft) })
		p.w.diary.note("deleted %s, which lacked files", draft.Name)
	}
}

// waitsForPeople reports whether the controller will not publish a draft. Either its variant's policy says so, or its
// condition, because people wrote to the draft, or may have: the controller was killed before it knew its own write.
func (p *people) waitsForPeople(draft *porchapi.PackageRevision) bool {
	if isManual(packageOf(draft)) {
		return true
	}
	for _, owner := range draft.OwnerReferences {
		switch p.w.Condition(owner.Name, v1alpha1.ConditionApproved).Reason {
		case v1alpha1.ReasonEditedByOthers, v1alpha1.ReasonLaterRevision:
			return true
		}
	}
	return false
}
