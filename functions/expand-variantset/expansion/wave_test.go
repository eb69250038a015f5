// SPDX-License-Identifier: Apache-2.0

package expansion_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
	"github.com/package-variants/package-variants/functions/internal/fntest"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// rolled returns a set with one target, the repository edge-2, and the given rollout.
func rolled(rollout string) string {
	return set("  - repositories: [{name: edge-2}]\n  rollout: " + rollout + "\n")
}

func TestRolloutFailures(t *testing.T) {
	t.Parallel()
	const at = `PackageVariantSet "web": spec.rollout.waves[0].`
	for name, c := range map[string]struct{ config, want string }{
		"selector": {rolled("{waves: [{name: a, selector: {matchExpressions: [{key: a, operator: Near}]}}]}"),
			at + `selector: is not valid: "Near" is not a valid label selector operator`},
		"no selector": {rolled("{waves: [{name: a}]}"),
			at + `selector: is missing: say which targets belong to the wave, by matchLabels or matchExpressions; {} selects ` +
				`all that no wave before it does`},
		"name": {rolled("{waves: [{name: rest, selector: {}}]}"),
			at + `name: is "rest", which is the last wave, of all targets that no other selects: choose another name`},
		"limits": {rolled("{maxFailures: some, progressDeadline: -1s, waves: [{name: a, selector: {}, until: Now}]}"),
			"PackageVariantSet \"web\": spec.rollout.maxFailures: is \"some\", but must be a number, or a percentage such as " +
				"10%\n" +
				"PackageVariantSet \"web\": spec.rollout.progressDeadline: is -1s, but must be a duration from 0s, such as 90s, " +
				"15m or 36h\n" + at + "until: is \"Now\", but must be Published or Ready"},
		"duration": {rolled("{progressDeadline: soon}"),
			`PackageVariantSet "web": spec.rollout.progressDeadline: cannot be read: time: invalid duration "soon"`},
		"in a config of the function's own": {"apiVersion: fn.kpt.dev/v1alpha1\nkind: ExpandVariantSet\nmetadata: {name: " +
			"web, namespace: fleet}\nupstream: {repo: blueprints, package: web, revision: 3}\n" +
			"targets: [{repositories: [{name: edge-2}]}]\nrollout: {waves: [{name: A, selector: {}}]}\nerrorPolicy: Go\n",
			"ExpandVariantSet \"web\": rollout.waves[0].name: is \"A\", but must be made of at most 63 lower-case letters, " +
				"digits and '-', of which the first and the last are no '-'\n" +
				"ExpandVariantSet \"web\": errorPolicy: is \"Go\", but must be Stop or Continue"},
		"annotation that is used elsewhere": {rolled("{}"),
			`pv.yaml: PackageVariant "mine": metadata.annotations: has a YAML anchor (&x) that is used elsewhere, so that an ` +
				`edit would change the other place too: write the values out`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fntest.Fails(t, expansion.Run, c.config, fntest.Files{"repositories.yaml": repositories,
				"revisions.yaml": revisions, "pv.yaml": "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\n" +
					"metadata:\n  name: mine\n  namespace: fleet\n  labels: {config.porch.kpt.dev/packagevariantset: web}\n" +
					"  annotations: &x {a: b}\nspec: {upstream: {}, downstream: {repo: edge-2, package: web}}\nother: *x\n"}, c.want)
		})
	}
}

// TestWaveRemoved checks that nothing is left behind where the wave was a variant's only annotation, and that a set
// without a rollout does not look at annotations: annotations that it could not edit do not matter.
func TestWaveRemoved(t *testing.T) {
	t.Parallel()
	const variant = "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata:\n  name: mine\n" +
		"  namespace: fleet\n  labels: {config.porch.kpt.dev/packagevariantset: web}\n%sspec:\n" +
		"  upstream:\n    repo: blueprints\n    package: web\n    revision: 3\n" +
		"  downstream:\n    repo: edge-2\n    package: web\n%s"
	for name, c := range map[string]struct{ has, more, want string }{
		"block": {has: "  annotations:\n    # of its set\n    config.porch.kpt.dev/wave: canary\n"},
		"flow":  {has: "  annotations: {config.porch.kpt.dev/wave: canary}\n"},
		"null":  {has: "  annotations: {config.porch.kpt.dev/wave: }\n"},
		"not there, and not to be edited": {has: "  annotations: &x {a: b}\n", more: "other: *x\n",
			want: "  annotations: &x {a: b}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := func(annotations string) string {
				return strings.Replace(strings.Replace(variant, "%s", annotations, 1), "%s", c.more, 1)
			}
			items := []*yaml.RNode{yaml.MustParse(text(c.has))}
			items = append(items, fntest.Nodes(t, snapshot)...)
			out, err := expansion.Run(yaml.MustParse(set("  - repositories: [{name: edge-2}]\n")), items)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(text(c.want), out.Items[0].MustString()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
