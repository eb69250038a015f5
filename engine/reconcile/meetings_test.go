// SPDX-License-Identifier: Apache-2.0

package reconcile_test

import (
	"context"
	"errors"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/memory/memorytest"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/functions/krm"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// encounters are stories in which people act just before a write of the controller, or just after.
var encounters = map[string][]act{
	"somebody edits a draft before its first save": {
		{"the variant is applied, drafts are to be published, and somebody edits the draft that is made", func(c *cluster) {
			c.after(creates, edits(first))
			c.applies(policy(variant.ApprovalPolicyAutomatic))
		}},
		{"the draft is published", func(c *cluster) { c.Publishes(first) }},
		{"its package context changes, and somebody edits the draft that is made", func(c *cluster) {
			c.after(creates, edits(second))
			c.edits(zone("b"))
		}},
		{"the draft is published", func(c *cluster) { c.Publishes(second) }},
		{"the upstream asked for is another, and somebody edits the draft that is made", func(c *cluster) {
			c.after(creates, edits("edge.web.packagevariant-3"))
			toSecond(c)
		}},
	},
	"somebody edits a draft that needs no save": {
		{"the variant is applied, drafts are to be published, and somebody edits the draft that is made", func(c *cluster) {
			c.after(creates, edits(first))
			c.applies(policy(variant.ApprovalPolicyAutomatic),
				func(pv *v1alpha1.PackageVariant) { pv.Spec.PackageContext = nil })
		}},
	},
	"somebody edits a draft before it is proposed": {
		{"the variant is applied, drafts are to be published, and somebody edits one", func(c *cluster) {
			c.before(proposes, edits(first))
			c.applies(policy(variant.ApprovalPolicyAutomatic))
		}},
		{"people publish it", func(c *cluster) { c.Publishes(first) }},
	},
	"somebody swaps a draft before its approval": {
		{"the variant is applied, drafts are to be published, and somebody rejects one, and proposes it changed", func(c *cluster) {
			c.before(approves, func(c *cluster) {
				c.Moves(first, revision.Draft)
				edits(first)(c)
				c.Moves(first, revision.Proposed)
			})
			c.applies(policy(variant.ApprovalPolicyAutomatic))
		}},
	},
	"somebody approves just before": {
		{"the variant is applied, drafts are to be published, and somebody publishes one", func(c *cluster) {
			c.before(approves, func(c *cluster) { c.Moves(first, revision.Published) })
			c.applies(policy(variant.ApprovalPolicyAutomatic))
		}},
	},
	"a gate stops being met before the proposal": {
		{"the variant is applied, drafts are to be published, and a gate stops being met", func(c *cluster) {
			all := files("red")
			all["Kptfile"] += gate("True")
			c.blueprint(2, all)
			c.before(proposes, func(c *cluster) { c.checks(first, "False") })
			c.applies(policy(variant.ApprovalPolicyAutomatic), func(pv *v1alpha1.PackageVariant) {
				pv.Spec.Upstream.Revision = variant.RevisionNumber(2)
			})
		}},
		{"it is met", func(c *cluster) { c.checks(first, "True") }},
	},
	"the variant changes before the approval, which Porch refuses": {
		{"the variant is applied, drafts are to be published, and it asks for another upstream", func(c *cluster) {
			c.before(approves, func(c *cluster) {
				toSecond(c)
				c.refuses(approves, errNo)
			})
			c.applies(policy(variant.ApprovalPolicyAutomatic))
		}},
		{"Porch refuses nothing", (*cluster).accepts},
	},
}

// refusals are stories in which Porch refuses something.
var refusals = map[string][]act{
	"Porch refuses to publish": {
		{"the variant is applied, drafts are to be published, and Porch refuses it", func(c *cluster) {
			c.refuses(approves, errNo)
			c.applies(policy(variant.ApprovalPolicyAutomatic))
		}},
		{"it depends on a variant that does not exist", func(c *cluster) {
			c.edits(func(s *variant.Spec) { s.DependsOn = []variant.Dependency{{Name: "nobody"}} })
		}},
		{"it depends on none, people publish drafts, its package context changes, and Porch refuses nothing", func(c *cluster) {
			c.accepts()
			c.edits(func(s *variant.Spec) { s.DependsOn, s.ApprovalPolicy = nil, ""; zone("b")(s) })
		}},
		{"drafts are to be published", func(c *cluster) {
			c.edits(func(s *variant.Spec) { s.ApprovalPolicy = variant.ApprovalPolicyAutomatic })
		}},
	},
	"somebody rejects what was proposed": {
		{"the variant is applied, drafts are to be published, and Porch refuses it", func(c *cluster) {
			c.refuses(approves, errNo)
			c.applies(policy(variant.ApprovalPolicyAutomatic))
		}},
		{"it is suspended", func(c *cluster) { c.edits(func(s *variant.Spec) { s.Suspend = true }) }},
		{"Porch refuses nothing, and somebody rejects the draft", func(c *cluster) {
			c.accepts()
			c.Moves(first, revision.Draft)
		}},
		{"it is resumed", func(c *cluster) { c.edits(func(s *variant.Spec) { s.Suspend = false }) }},
	},
	"Porch refuses the draft of another downstream": {
		{"the variant is applied", func(c *cluster) { c.applies() }},
		{"the draft is published", func(c *cluster) { c.Publishes(first) }},
		{"the downstream is another package, and Porch refuses its draft", func(c *cluster) {
			c.refuses(creates, errNo)
			c.edits(func(s *variant.Spec) { s.Downstream.Package = "site" })
		}},
		{"Porch refuses nothing", (*cluster).accepts},
	},
	"Porch refuses to delete a draft": {
		{"the variant is applied", func(c *cluster) { c.applies() }},
		{"it is deleted, and Porch refuses it", func(c *cluster) {
			c.refuses(func(call memorytest.Call) bool { return call.Of("delete", "") }, errNo)
			c.deletes()
		}},
		{"Porch refuses nothing", (*cluster).accepts},
	},
	"Porch makes nothing from a branch": {
		{"the variant is applied, and Porch refuses its draft", func(c *cluster) {
			c.refuses(creates, refused(v1alpha1.Stalled(v1alpha1.ReasonUpstreamIsPlaceholder,
				"this version of Porch derives no package from a branch: publish the upstream, and name its revision in "+
					"spec.upstream (cannot clone edge/web: Internal error occurred: upstream revision may not be the placeholder "+
					`package revision "blueprints.web.main")`)))
			c.applies()
		}},
		{"the upstream asked for is another, and Porch refuses nothing", func(c *cluster) {
			c.Answer = nil
			toSecond(c)
		}},
	},
	"Porch refuses a file": {
		{"the variant is applied, and Porch refuses its draft because of a file", func(c *cluster) {
			c.refuses(creates, refused(packages.FileRefused(errors.New(
				"cannot clone edge/web: Internal error occurred: illegal name 'a b.txt'"))))
			c.applies()
		}},
		{"the upstream asked for is another, and Porch refuses nothing", func(c *cluster) {
			c.Answer = nil
			toSecond(c)
		}},
	},
	"a save is too large": {
		{"the variant is applied, and Porch refuses to save its draft", func(c *cluster) {
			c.refuses(memorytest.Call.IsSave, refused(packages.TooLarge(errors.New(
				"cannot save edge.web.packagevariant-1: Request entity too large: limit is 6291456"))))
			c.applies()
		}},
		{"somebody makes the draft smaller, and Porch refuses nothing", func(c *cluster) {
			c.Answer = nil
			edits(first)(c)
		}},
	},
	"Porch does not finish a clone": {
		{"the variant is applied, and Porch does not make its draft in time", func(c *cluster) {
			c.refuses(creates, &packages.Error{Kind: packages.ErrTimeout, Err: errors.New(
				"cannot clone edge/web: Timeout: request did not complete within 60s")})
			c.applies()
		}},
		{"some time passes", (*cluster).Pass},
		{"some more time passes", (*cluster).Pass},
		{"its package context changes, and Porch refuses nothing", func(c *cluster) {
			c.Answer = nil
			c.edits(zone("b"))
		}},
	},
}

// kills are stories in which the controller is killed, and people act before it is started again.
var kills = map[string][]act{
	"the controller is killed when it has proposed": {
		{"the variant is applied, drafts are to be published, and the controller is killed", func(c *cluster) {
			c.applies(policy(variant.ApprovalPolicyAutomatic))
			c.killedAfter(proposes)
		}},
	},
	"the controller is killed when it has proposed, and the upstream changes": {
		{"the variant is applied, drafts are to be published, and the controller is killed", func(c *cluster) {
			c.applies(policy(variant.ApprovalPolicyAutomatic))
			c.killedAfter(proposes)
			toSecond(c)
		}},
	},
	"the controller is killed once a draft is made": unfinished(func(*cluster, string) {}),
	"the controller is killed once a draft is made, and somebody edits it": unfinished(func(c *cluster, draft string) {
		edits(draft)(c)
	}),
	"the controller is killed once a draft is made, and somebody publishes it": unfinished(func(c *cluster, draft string) {
		c.EditRevision(draft, func(pr *revision.Revision) { pr.Owners = nil })
		c.Publishes(draft)
	}),
	"somebody edits a draft that is to be discarded": {
		{"the variant is applied, and the controller is killed when its draft is made", func(c *cluster) {
			c.applies()
			c.killedAfter(creates)
		}},
		{"a function fails, and somebody edits the draft when the controller is about to delete it", func(c *cluster) {
			c.Removes(first)
			c.remembers(func(status *v1alpha1.PackageVariantStatus) { status.OwnedRevisions, status.LastDraft = nil, "" })
			c.edits(zone("b"))
			c.killedAfter(creates)
			c.Runtime = failing{mutate.ApplyPackageContext}
			c.Start()
			c.before(func(call memorytest.Call) bool { return call.Subresource == "status" }, edits(first))
		}},
	},
	"somebody makes the draft that was asked for": {
		{"the controller is killed before Porch hears of the draft, and somebody makes one", func(c *cluster) {
			c.applies()
			c.killedBefore(creates)
			c.has("edge", "packagevariant-1", 0, files("blue"), func(r *revision.Revision) { r.Task.Type = "init" })
		}},
	},
}

// unfinished returns the story of a variant whose controller is killed each time that it has a draft made: by a clone,
// an edit and an upgrade. People do something before another one is started.
func unfinished(then func(c *cluster, draft string)) []act {
	publishes := func(draft string) act {
		return act{What: "people publish what is open", Do: func(c *cluster) {
			if c.Revision(draft).Lifecycle == revision.Draft {
				c.Publishes(draft)
			}
		}}
	}
	return []act{
		{What: "the variant is applied, drafts are to be published, and the controller is killed", Do: func(c *cluster) {
			c.applies(policy(variant.ApprovalPolicyAutomatic))
			c.killedAfter(creates)
			then(c, first)
		}},
		publishes(first),
		{What: "the upstream asked for is another, and the controller is killed", Do: func(c *cluster) {
			toSecond(c)
			then(c, c.killedAfter(creates))
		}},
		{What: "people publish what is open", Do: func(c *cluster) { c.publishesOpen() }},
		{What: "its package context changes, and the controller is killed", Do: func(c *cluster) {
			c.edits(zone("b"))
			then(c, c.killedAfter(creates))
		}},
	}
}

// publishesOpen publishes the open draft of the variant web, if there is one.
func (c *cluster) publishesOpen() {
	c.T.Helper()
	for _, pv := range c.variants() {
		if open := pv.Status.OpenDraft; open != nil {
			c.Publishes(open.Name)
		}
	}
}

// creates, proposes and approves report whether the controller asks Porch to make, to propose, and to publish a draft,
// or to make it a draft again.
func creates(call memorytest.Call) bool  { return call.Of("create", "") }
func proposes(call memorytest.Call) bool { return call.Of("patch", "") }
func approves(call memorytest.Call) bool { return call.Of("patch", "approval") }

// errNo is an answer of Porch.
var errNo = errors.New("git says no")

// refused returns an answer of Porch, by what it means.
func refused(means v1alpha1.Condition) error {
	return &packages.Error{Kind: packages.ErrRefused, Condition: means, Err: errors.New(means.Message)}
}

// edits returns what somebody does who adds a file to a draft.
func edits(draft string) func(*cluster) {
	return func(c *cluster) { c.SavesFiles(draft, map[string]string{"mine.txt": "mine in " + draft + "\n"}) }
}

// before has people do something, once, before a write of the controller.
func (c *cluster) before(is func(memorytest.Call) bool, do func(*cluster)) {
	c.Answer = func(call memorytest.Call) error {
		if !is(call) {
			return nil
		}
		c.Answer = nil
		if do(c); c.Answer != nil {
			return c.Answer(call)
		}
		return nil
	}
}

// after has people do something, once, after a write of the controller.
func (c *cluster) after(is func(memorytest.Call) bool, do func(*cluster)) {
	c.Then = func(call memorytest.Call) {
		if is(call) {
			c.Then = nil
			do(c)
		}
	}
}

// refuses has Porch refuse a write of the controller from now on. Each time is told.
func (c *cluster) refuses(is func(memorytest.Call) bool, err error) {
	c.Answer = func(call memorytest.Call) error {
		if !is(call) {
			return nil
		}
		c.Events = append(c.Events, strings.TrimSpace("refused: "+call.Verb+" "+call.Subresource))
		return err
	}
}

// accepts has Porch refuse nothing any more, and lets time pass.
func (c *cluster) accepts() {
	c.Answer = nil
	c.Pass()
}

// killedAfter kills the controller after a write, starts another one, and returns the name of what was written.
func (c *cluster) killedAfter(is func(memorytest.Call) bool) string { return c.killed(is, true) }

// killedBefore kills the controller before a write, and starts another one.
func (c *cluster) killedBefore(is func(memorytest.Call) bool) { c.killed(is, false) }

func (c *cluster) killed(is func(memorytest.Call) bool, done bool) (name string) {
	c.T.Helper()
	c.Answer = func(call memorytest.Call) error {
		if is(call) {
			c.Answer = nil
			c.Fault = &memorytest.Fault{At: 1, Done: done, Err: memorytest.ErrKilled,
				Of: func(call memorytest.Call) bool { name = call.Name; return true }}
		}
		return nil
	}
	for tries := 0; !c.client.Killed() && tries < 10; tries++ {
		c.reconcile("web")
	}
	if !c.client.Killed() {
		c.T.Fatal("the controller was not killed")
	}
	c.Start()
	return name
}

// unavailableRuntime is a Runtime in which no function can run.
type unavailableRuntime struct{}

// Run implements mutate.Runtime.
func (unavailableRuntime) Run(context.Context, string, *yaml.RNode, []*yaml.RNode) (krm.Output, error) {
	return krm.Output{}, &mutate.UnavailableError{Message: "the function-runner does not answer", Err: errors.New("down")}
}

// replacing returns the render of a package whose pipeline replaces a text.
func replacing(from, to string) func(context.Context, map[string]string) (map[string]string, error) {
	return func(_ context.Context, files map[string]string) (map[string]string, error) {
		all := map[string]string{}
		for name, text := range files {
			all[name] = strings.ReplaceAll(text, from, to)
		}
		return all, nil
	}
}
