// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"fmt"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// sites is a set whose canary has to be approved before its other targets get the package.
const sites = `apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata: {name: sites}
spec:
  upstream: {repo: blueprints, package: web, revision: latest}
  targets:
  - repositorySelector: {matchExpressions: [{key: wave, operator: Exists}]}
  rollout:
    waves:
    - {name: canary, selector: {matchLabels: {wave: canary}}, after: {approval: true}}
`

// waitWave waits until a wave of a set is in a state, and its message has these words.
func (w *world) waitWave(of, name string, state v1alpha2.WaveState, words string) {
	w.t.Helper()
	w.Eventually(fmt.Sprintf("the wave %s is %s", name, state), func() error {
		var set v1alpha2.PackageVariantSet
		key := client.ObjectKey{Namespace: w.Namespace, Name: of}
		if err := w.Client.Get(w.t.Context(), key, &set); err != nil || set.Status.Rollout == nil {
			return fmt.Errorf("there is no rollout: %v, %w", set.Status.Conditions, err)
		}
		for _, wave := range set.Status.Rollout.Waves {
			if wave.Name == name && wave.State == state && strings.Contains(wave.Message, words) {
				return nil
			}
		}
		return fmt.Errorf("the waves are %+v", set.Status.Rollout.Waves)
	})
}

// variantIn waits until the variant of a package in a Repository is ready, and returns its name.
func (w *world) variantIn(repo, pkg string) (name string) {
	w.t.Helper()
	w.Eventually("there is a variant in "+repo, func() error {
		var list v1alpha1.PackageVariantList
		if err := w.Client.List(w.t.Context(), &list, client.InNamespace(w.Namespace)); err != nil {
			return err
		}
		for i := range list.Items {
			if list.Items[i].Spec.Downstream.Repo == repo {
				name = list.Items[i].Name
				return nil
			}
		}
		return fmt.Errorf("there are %d others", len(list.Items))
	})
	w.target(name, repo+"."+pkg+".packagevariant-1")
	return name
}

// TestWave approves a rollout by its waves.
func TestWave(t *testing.T) {
	w := newWorld(t, "waves")
	w.Repository("alpha", map[string]string{"wave": "canary"}, false)
	w.Repository("north", map[string]string{"wave": "others"}, false)
	w.Publish("blueprints", "web", "v1", settings("1", "web:1"))
	set := &v1alpha2.PackageVariantSet{}
	if err := yaml.UnmarshalStrict([]byte(sites), set); err != nil {
		t.Fatal(err)
	}
	w.Apply(set)
	w.variantIn("alpha", "web")
	w.waitWave("sites", "canary", v1alpha2.WaveProgressing, "1 waiting for a person")
	w.expect(answer{"", `error: the rollout of the PackageVariantSet "sites" has no wave "canry": did you mean "canary"?` +
		"\n", 2}, "approve", "--set=sites", "--wave=canry")
	w.expect(answer{"", `error: the PackageVariantSet "sites" has no PackageVariant in the wave rest` + "\n", 2},
		"approve", "--set=sites", "--wave=rest")
	w.shows(0, "trace", "packagevariantset/sites")
	w.shows(0, "status", "--set", "sites")
	if got := w.kubectl("variants", "diff", "--set", "sites"); got.code != 1 || !strings.Contains(got.out, ": alpha/web, in settings.yaml\n") {
		t.Errorf("the changes of the set: %+v", got)
	}
	w.shows(0, "approve", "--set=sites", "--wave=canary", "--yes")
	w.waitWave("sites", "canary", v1alpha2.WaveComplete, "")
	north := w.variantIn("north", "web")
	if got := w.kubectl("variants", "approve", "--set=sites", "--wave=rest", "--yes"); got.code != 0 || !strings.Contains(got.out,
		"the wave rest of sites needs no approval of its own\npackagerevision/north.web.packagevariant-1 approved\n") {
		t.Errorf("the last wave: %+v", got)
	}
	w.Eventually("it is published", func() error { return lifecycleIs(w.Variant(north), "Published") })
	w.waitWave("sites", "rest", v1alpha2.WaveComplete, "")
	w.expect(answer{"packagevariantset/sites suspended: INC-1\n", "", 0}, "suspend", "packagevariantset/sites",
		"--reason=INC-1")
	w.expect(answer{"packagevariantset/sites is suspended already: INC-1\n", "", 0}, "suspend", "pkgvarset/sites",
		"--reason=INC-1")
	w.Eventually("the set says so", func() error {
		if got := w.kubectl("variants", "trace", "packagevariantset/sites"); !strings.Contains(got.out, " INC-1; ") {
			return fmt.Errorf("%+v", got)
		}
		return nil
	})
}
