// SPDX-License-Identifier: Apache-2.0

package reconcile_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/functions/krm"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// The drafts that the variant web makes in Porch's Repository edge, in their order.
const first, second = "edge.web.packagevariant-1", "edge.web.packagevariant-2"

// toSecond publishes the second revision of the blueprint, and has the variant ask for it.
func toSecond(c *cluster) {
	c.blueprint(2, files("green"))
	to(2)(c)
}

// toThird returns an act that publishes the third revision of the blueprint, with a value in its settings, and has the
// variant ask for it.
func toThird(value string) func(*cluster) {
	return func(c *cluster) {
		c.blueprint(3, files(value))
		to(3)(c)
	}
}

// to returns an act that has the variant ask for a revision of the blueprint.
func to(number int) func(*cluster) {
	return func(c *cluster) {
		c.edits(func(s *variant.Spec) { s.Upstream.Revision = variant.RevisionNumber(number) })
	}
}

// zone returns an edit of the package context.
func zone(value string) func(*variant.Spec) {
	return func(s *variant.Spec) { s.PackageContext.Data = map[string]string{"zone": value} }
}

// settings returns the file with a value in the settings of the package.
func settings(value string) map[string]string {
	return map[string]string{"settings.yaml": files(value)["settings.yaml"]}
}

// policy returns an edit that sets the approval policy.
func policy(p variant.ApprovalPolicy) func(*v1alpha1.PackageVariant) {
	return func(pv *v1alpha1.PackageVariant) { pv.Spec.ApprovalPolicy = p }
}

// onFirst locks a revision to the first revision of the blueprint.
func onFirst(r *revision.Revision) {
	r.Lock = &revision.Lock{Repo: "https://git.example.com/blueprints.git", Directory: "web", Ref: "web/v1"}
}

// appliesToSecond adds the variant web, of the latest revision of the blueprint, and a draft that was made from that one,
// the second, with its commit in the lock.
func (c *cluster) appliesToSecond() {
	commit := fmt.Sprintf("%040x", "blueprints.web.v2")
	c.blueprint(2, files("green"))
	made := locked()
	maps.Copy(made, settings("green"))
	made["Kptfile"] = strings.ReplaceAll(made["Kptfile"], "web/v1", "web/v2") + "    commit: " + commit + "\n"
	c.has("edge", "mine", 0, made, onFirst, func(r *revision.Revision) {
		r.Lock.Ref, r.Lock.Commit = "web/v2", commit
	})
	c.appliesLatest()
}

// known returns an edit of a revision whose home tells its commit and its tree.
func known(digit, tree string) func(*revision.Revision) {
	return func(r *revision.Revision) {
		r.Version = strings.Repeat(digit, 40)
		r.Commit, r.Tree = r.Version, tree
	}
}

// rewrites has the second revision of the blueprint at another commit, with a tree. The home knows that the one of the
// draft's lock was t.
func (c *cluster) rewrites(digit, tree, color string) {
	c.EditRevision("edge.web.mine", func(r *revision.Revision) {
		lock := *r.Lock
		lock.Tree, r.Lock = "t", &lock
	})
	c.Removes("blueprints.web.v2")
	c.has("blueprints", "v2", 2, files(color), known(digit, tree))
}

// appliesLatest adds the variant web, of the latest revision of the blueprint.
func (c *cluster) appliesLatest() {
	c.applies(func(pv *v1alpha1.PackageVariant) {
		pv.Spec.Upstream.Revision = variant.Revision{Str: variant.TagLatest}
		pv.Spec.AdoptionPolicy = variant.AdoptionPolicyAdoptExisting
	})
}

// withPoint returns the files of a package with an injection point, required or not.
func withPoint(required string) map[string]string {
	all := files("red")
	all["region.yaml"] = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: region\n  annotations:\n" +
		"    kpt.dev/config-injection: " + required + "\n"
	return all
}

// deployed returns the files of a package that people have made, with a package context.
func deployed() map[string]string {
	all := files("red")
	all["package-context.yaml"] = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: kptfile.kpt.dev\ndata:\n  name: web\n"
	return all
}

// locked returns the files of a package that was made from the first revision of the blueprint.
func locked() map[string]string {
	all := deployed()
	all["Kptfile"] += "upstream:\n  type: git\n  git:\n    repo: https://git.example.com/blueprints.git\n    directory: web\n" +
		"    ref: web/v1\nupstreamLock:\n  type: git\n  git:\n    repo: https://git.example.com/blueprints.git\n" +
		"    directory: web\n    ref: web/v1\n"
	return all
}

// leavesEmpty leaves a draft that the variant asked for as a killed Porch leaves it: without files.
func (c *cluster) leavesEmpty() {
	c.edits(zone("b"))
	c.remembers(func(status *v1alpha1.PackageVariantStatus) {
		status.Operation = &v1alpha1.Operation{Do: string(revision.Edit), Revision: second, Source: first}
	})
	pv := c.variants()[0]
	c.has("edge", "packagevariant-2", 0, nil, func(r *revision.Revision) {
		r.Owners = []metav1.OwnerReference{revision.Owner{Name: pv.Name, UID: pv.UID}.Reference()}
		r.Task = editOf(first)
	})
}

// failing is a Runtime in which one function fails.
type failing struct{ function string }

// Run implements mutate.Runtime.
func (f failing) Run(ctx context.Context, function string, config *yaml.RNode, items []*yaml.RNode) (krm.Output, error) {
	if function == f.function {
		return krm.Output{}, errors.New("no such luck")
	}
	return mutate.Builtin{}.Run(ctx, function, config, items)
}

// failsOn returns the render of a package whose pipeline fails over a text.
func failsOn(text string) func(context.Context, map[string]string) (map[string]string, error) {
	return func(_ context.Context, files map[string]string) (map[string]string, error) {
		for _, content := range files {
			if strings.Contains(content, text) {
				return nil, packages.RenderError("pkg.render: set-labels: no such luck")
			}
		}
		return files, nil
	}
}
