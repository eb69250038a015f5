// SPDX-License-Identifier: Apache-2.0

package sets_test

import (
	"strings"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/memory/memorytest"
	"github.com/package-variants/package-variants/engine/revision"
)

const (
	// inWaves are the targets of a rollout: the Repositories with a wave. Their drafts are published by the controller.
	inWaves = "targets: [{repositorySelector: {matchExpressions: [{key: wave, operator: Exists}]}, " +
		"template: {approvalPolicy: Automatic}}]"
	// byPeople are the same, with drafts that people publish.
	byPeople = "targets: [{repositorySelector: {matchExpressions: [{key: wave, operator: Exists}]}}]"
	// canaryThenSites has a canary that people approve, and then sites, one after the other.
	canaryThenSites = "rollout: {waves: [{name: canary, selector: {matchLabels: {wave: canary}}, after: {approval: true}}, " +
		"{name: sites, selector: {matchLabels: {wave: sites}}, maxConcurrent: 1}]}"
	// soaking has a canary that has to stay well for a minute.
	soaking = "rollout: {waves: [{name: canary, selector: {matchLabels: {wave: canary}}, after: {minSuccessTime: 60s}}, " +
		"{name: sites, selector: {matchLabels: {wave: sites}}}]}"
	// withDeadline allows one target to fail, and gives each a minute.
	withDeadline = "rollout: {maxFailures: 1, progressDeadline: 60s, waves: [{name: sites, maxConcurrent: 2, " +
		"selector: {matchLabels: {wave: sites}}}]}"
)

// paused returns a rollout that is paused.
func paused(rollout string) string { return strings.Replace(rollout, "{", "{paused: true, ", 1) }

// waves are stories of rollouts that wait for people.
var waves = map[string][]act{
	"waves": {
		{"the set is applied over a canary and two sites", func(f *fleet) { f.rollsOut(inWaves, canaryThenSites) }},
		{"the canary is approved", func(f *fleet) { f.approves("canary@v1") }},
		{"a second revision is published", (*fleet).secondRevision},
		{"it is approved", func(f *fleet) { f.approves("canary@blueprints.web.v2") }},
		{"the first revision is to come back", func(f *fleet) {
			f.applies("upstream: {repo: blueprints, package: web, revision: 1}", inWaves, canaryThenSites)
		}},
		{"it is approved", func(f *fleet) { f.approves("canary@1") }},
		{"a site is registered", func(f *fleet) { f.sites("wave=sites", "west") }},
		{"a site loses its wave", func(f *fleet) { f.relabels("south", "wave=") }},
	},
	"a failing wave": {
		{"the set is applied, and somebody has a draft in a site", func(f *fleet) {
			f.Has(revision.Package{Repo: "north", Name: "web"}, "theirs", 0, memorytest.Files("web", "red"))
			f.rollsOut(inWaves, strings.Replace(canaryThenSites, ", after: {approval: true}", "", 1))
		}},
		{"a second revision is published", (*fleet).secondRevision},
		{"the draft is deleted", func(f *fleet) { f.Removes("north.web.theirs") }},
	},
	"a pause": {
		{"the set is applied over a canary and two sites", func(f *fleet) { f.rollsOut(inWaves, canaryThenSites) }},
		{"its rollout is paused", func(f *fleet) { f.applies(latest, inWaves, paused(canaryThenSites)) }},
		{"the canary is approved", func(f *fleet) { f.approves("canary@1") }},
		{"a second revision is published", (*fleet).secondRevision},
		{"the rollout goes on", func(f *fleet) { f.applies(latest, inWaves, canaryThenSites) }},
	},
	"a suspended rollout": {
		{"the set is applied over a canary and two sites", func(f *fleet) { f.rollsOut(inWaves, canaryThenSites) }},
		{"the set is suspended, and the canary approved", func(f *fleet) {
			f.applies(latest, inWaves, canaryThenSites, "suspend: true")
			f.approves("canary@1")
		}},
		{"it is resumed", func(f *fleet) { f.applies(latest, inWaves, canaryThenSites) }},
		{"the set is suspended again, with nothing to do", func(f *fleet) {
			f.applies(latest, inWaves, canaryThenSites, "suspend: true")
		}},
		{"it is resumed", func(f *fleet) { f.applies(latest, inWaves, canaryThenSites) }},
		{"somebody suspends the variant of a site, and a second revision is approved", func(f *fleet) {
			f.editsVariant("north", func(pv *v1alpha1.PackageVariant) { pv.Spec.Suspend = true })
			f.secondRevision()
			f.approves("canary@1,canary@2")
		}},
	},
	"a rollout to fewer targets": {
		{"the set is applied over a canary and two sites", func(f *fleet) {
			f.rollsOut(inWaves, canaryThenSites, "maxDeletions: 1")
		}},
		{"it is approved", func(f *fleet) { f.approves("canary@1") }},
		{"a second revision is published, and all sites are gone", func(f *fleet) {
			f.secondRevision()
			f.relabels("north", "")
			f.relabels("south", "")
		}},
		{"the canary is gone, too", func(f *fleet) { f.relabels("alpha", "") }},
	},
	"a rollout that comes and goes": {
		{"the set is applied without a rollout", func(f *fleet) { f.rollsOut(inWaves) }},
		{"it gets a rollout", func(f *fleet) { f.applies(latest, inWaves, canaryThenSites) }},
		{"a second revision is published", (*fleet).secondRevision},
		{"it has none any more", func(f *fleet) { f.applies(latest, inWaves) }},
	},
	"a rollout without a number": {
		{"the set is applied, and its upstream is a draft", func(f *fleet) {
			f.Has(revision.Package{Repo: "blueprints", Name: "api"}, "v1", 0, memorytest.Files("api", "red"))
			f.sites("wave=sites", "north")
			f.applies("upstream: {repo: blueprints, package: api, workspaceName: v1}", inWaves, canaryThenSites)
		}},
		{"it has no rollout", func(f *fleet) {
			f.applies("upstream: {repo: blueprints, package: api, workspaceName: v1}", inWaves)
		}},
		{"the draft is published", func(f *fleet) { f.Publishes("blueprints.api.v1") }},
	},
	"a rollout without a refused variant": {
		{"the set is applied, and the API server refuses one site", func(f *fleet) {
			f.refuses("north")
			f.rollsOut(inWaves, canaryThenSites, "errorPolicy: Continue")
			f.approves("canary@1")
		}},
		{"it refuses it no more", func(f *fleet) { f.refuses("") }},
	},
}

// waits are stories of rollouts in which time passes.
var waits = map[string][]act{
	"soaking": {
		{"the set is applied over a canary and two sites", func(f *fleet) { f.rollsOut(byPeople, soaking) }},
		{"ten seconds later people publish the draft of the canary", func(f *fleet) {
			f.passes(10 * time.Second)
			f.Publishes(first("alpha"))
		}},
		{"forty seconds pass", func(f *fleet) { f.passes(40 * time.Second) }},
		{"the template changes, so the canary gets another draft", func(f *fleet) {
			f.applies(latest, strings.Replace(byPeople, "}}]", "}, template: {packageContext: {data: {zone: b}}}}]", 1), soaking)
		}},
		{"ten seconds later people publish that", func(f *fleet) {
			f.passes(10 * time.Second)
			f.Publishes(second("alpha"))
		}},
		{"fifty-nine seconds pass", func(f *fleet) { f.passes(59 * time.Second) }},
		{"one more second passes", func(f *fleet) { f.passes(time.Second) }},
		{"people publish the drafts of the sites", func(f *fleet) {
			f.Publishes(first("north"))
			f.Publishes(first("south"))
		}},
	},
	"a deadline, and failures of two waves": {
		{"the set is applied over a canary and two sites, of which one may fail", func(f *fleet) {
			f.rollsOut(byPeople, "rollout: {maxFailures: 1, progressDeadline: 60s, waves: [{name: canary, "+
				"selector: {matchLabels: {wave: canary}}}, {name: sites, selector: {matchLabels: {wave: sites}}}]}")
		}},
		{"the canary misses its deadline", func(f *fleet) { f.passes(time.Minute) }},
		{"people publish the draft of one site, and the other misses its deadline", func(f *fleet) {
			f.Publishes(first("north"))
			f.passes(time.Minute)
		}},
		{"they publish that of the canary", func(f *fleet) { f.Publishes(first("alpha")) }},
	},
	"a deadline": {
		{"the set is applied over three sites", func(f *fleet) {
			f.sites("wave=sites", "north", "south", "west")
			f.applies(latest, byPeople, withDeadline)
		}},
		{"ten seconds later people publish one draft", func(f *fleet) {
			f.passes(10 * time.Second)
			f.Publishes(first("north"))
		}},
		{"the deadline of another passes", func(f *fleet) { f.passes(50 * time.Second) }},
		{"that of the last passes, too", func(f *fleet) { f.passes(10 * time.Second) }},
		{"people publish that of the last", func(f *fleet) { f.Publishes(first("west")) }},
		{"people publish the other", func(f *fleet) { f.Publishes(first("south")) }},
	},
}

// clocks are stories of rollouts in which the clock jumps.
var clocks = map[string][]act{
	"soaking, and the clock is set back": {
		{"the set is applied over a canary and two sites", func(f *fleet) { f.rollsOut(byPeople, soaking) }},
		{"people publish the draft of the canary", func(f *fleet) { f.Publishes(first("alpha")) }},
		{"forty seconds later the clock is set back by three hours", func(f *fleet) {
			f.passes(40 * time.Second)
			f.setsBack(3 * time.Hour)
		}},
		{"fifty-nine seconds pass", func(f *fleet) { f.passes(59 * time.Second) }},
		{"one more second passes", func(f *fleet) { f.passes(time.Second) }},
	},
	"soaking, and the clock is set forward": {
		{"the set is applied over a canary and two sites", func(f *fleet) { f.rollsOut(byPeople, soaking) }},
		{"people publish the draft of the canary", func(f *fleet) { f.Publishes(first("alpha")) }},
		{"the clock is set forward by three hours", func(f *fleet) { f.passes(3 * time.Hour) }},
	},
	"a deadline, and the clock is set back": {
		{"the set is applied over three sites", func(f *fleet) {
			f.sites("wave=sites", "north", "south", "west")
			f.applies(latest, byPeople, withDeadline)
		}},
		{"forty seconds later the clock is set back by three hours", func(f *fleet) {
			f.passes(40 * time.Second)
			f.setsBack(3 * time.Hour)
		}},
		{"one minute passes", func(f *fleet) { f.passes(time.Minute) }},
	},
	"a deadline, and the clock is set forward and back": {
		{"the set is applied over three sites", func(f *fleet) {
			f.sites("wave=sites", "north", "south", "west")
			f.applies(latest, byPeople, withDeadline)
		}},
		{"the clock is set forward by three hours", func(f *fleet) { f.passes(3 * time.Hour) }},
		{"the clock is set back by three hours", func(f *fleet) { f.setsBack(3 * time.Hour) }},
		{"people publish two drafts", func(f *fleet) {
			f.Publishes(first("north"))
			f.Publishes(first("south"))
		}},
		{"one minute passes", func(f *fleet) { f.passes(time.Minute) }},
	},
}

// rollsOut applies the set over a canary and two sites.
func (f *fleet) rollsOut(lines ...string) {
	f.T.Helper()
	f.sites("wave=canary", "alpha")
	f.sites("wave=sites", "north", "south")
	f.applies(append([]string{latest}, lines...)...)
}
