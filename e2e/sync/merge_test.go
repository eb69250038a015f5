// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"strings"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/e2e/stack"

	"github.com/google/go-cmp/cmp"
)

// settingsOf is a blueprint whose settings have the values a and b.
func settingsOf(a, b string) map[string]string {
	return map[string]string{"settings.yaml": strings.NewReplacer(`"1" # one`, `"`+a+`" # one`, `"2"`,
		`"`+b+`"`).Replace(settings)}
}

func onConflict(o variant.OnConflict) func(*variant.Spec) {
	return func(s *variant.Spec) { s.Upgrade = &variant.Upgrade{OnConflict: o} }
}

// edit changes a value in the settings of a draft, as a person does.
func (w *world) edit(draft, from, to string) {
	w.t.Helper()
	w.WriteFiles(draft, map[string]string{"settings.yaml": strings.Replace(w.Files(draft)["settings.yaml"], from, to, 1)})
}

// waitSettings waits until a draft has these texts in its settings.
func (w *world) waitSettings(draft string, texts ...string) {
	w.t.Helper()
	for _, text := range texts {
		w.waitFile(draft, "settings.yaml", text)
	}
}

// lockOf returns the ref and the commit of a revision's upstream lock.
func (w *world) lockOf(revision string) [2]string {
	w.t.Helper()
	lock := w.Revision(revision).Status.UpstreamLock.Git
	return [2]string{lock.Ref, lock.Commit}
}

// commitOf returns the git commit of a published revision, as far as Porch tells it.
func (w *world) commitOf(name string) string {
	w.t.Helper()
	if w.stack.Cache() == stack.CRCache {
		return w.Revision(name).ResourceVersion
	}
	return ""
}

// TestMergeIntoDraft brings an open draft with a person's edit to two newer upstreams in place, publishes it, and has
// Porch upgrade what was published.
func TestMergeIntoDraft(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", blueprint())
	w.Apply(configMap("eu", map[string]string{"api": "eu"}), newVariant("web"))
	w.start()
	draft := w.target("web")
	w.edit(draft, `a: "1" # one`, `a: "mine" # my own`)
	for i, number := range []string{"2", "3"} {
		w.Publish("blueprints", "web", "v"+number, settingsOf("1", "of "+number))
		w.Apply(newVariant("web", revision(2+i)))
		w.waitSettings(draft, `a: "mine" # my own`, `b: "of `+number+`"`)
		w.Ready("web")
		want := [2]string{"web/v" + number, w.commitOf("blueprints.web.v" + number)}
		if diff := cmp.Diff(want, w.lockOf(draft)); diff != "" {
			t.Errorf("lock (-want +got):\n%s", diff)
		}
		w.expectDrafts("web", draft)
	}
	if c := w.Condition("web", v1alpha1.ConditionConflicted); c.Status != "False" || c.Reason != "NoConflicts" {
		t.Errorf("Conflicted is %s because of %s, want False because of NoConflicts", c.Status, c.Reason)
	}
	w.waitFile(draft, "region.yaml", "api: eu")

	w.publish(draft)
	w.seesPublished("web")
	w.Publish("blueprints", "web", "v4", settingsOf("1", "of 4"))
	w.Apply(newVariant("web", revision(4)))
	w.waitTarget("web", "edge.web.packagevariant-2")
	w.waitSettings("edge.web.packagevariant-2", `a: "mine" # my own`, `b: "of 4"`)
	if got := w.lockOf("edge.web.packagevariant-2")[0]; got != "web/v4" {
		t.Errorf("upgraded to %s, want web/v4", got)
	}
}

// TestMergeNamespace has the upstream's own pipeline move all of its resources to another namespace, twice: into an
// open draft, and into one that Porch makes by an upgrade. A person's edit moves along, and no resource is there twice.
func TestMergeNamespace(t *testing.T) {
	w := newWorld(t)
	in := func(namespace, b string) map[string]string {
		files := settingsOf("1", b)
		files["Kptfile"] = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\npipeline:\n  mutators:\n" +
			"    - image: " + namespaceImage + "\n      configMap:\n        namespace: " + namespace + "\n"
		return files
	}
	expect := func(draft, namespace, b string) {
		t.Helper()
		w.waitSettings(draft, "namespace: "+namespace+"\n", `b: "`+b+`"`)
		text := w.Files(draft)["settings.yaml"]
		if !strings.Contains(text, `a: "mine" # my own`) || strings.Count(text, "kind: ConfigMap") != 1 ||
			!strings.Contains(text, "# kpt-merge: "+namespace+"/settings") {
			t.Errorf("settings of %s:\n%s", draft, text)
		}
		w.expectCondition("web", v1alpha1.ConditionConflicted, "False", "NoConflicts")
	}
	w.Publish("blueprints", "web", "v1", in("ns-a", "2"))
	w.Apply(newVariant("web", plain))
	w.start()
	draft := w.target("web")
	w.edit(draft, `a: "1" # one`, `a: "mine" # my own`)
	w.Publish("blueprints", "web", "v2", in("ns-b", "of 2"))
	w.Apply(newVariant("web", plain, revision(2)))
	expect(draft, "ns-b", "of 2")

	w.Ready("web")
	w.publish(draft)
	w.seesPublished("web")
	w.Publish("blueprints", "web", "v3", in("ns-c", "of 3"))
	w.Apply(newVariant("web", plain, revision(3)))
	w.waitTarget("web", "edge.web.packagevariant-2")
	expect("edge.web.packagevariant-2", "ns-c", "of 3")
}
