// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"k8s.io/apimachinery/pkg/types"
)

// deeds are what people and the controllers did.
type deeds struct {
	// version is the newest of the blueprint, round the fact's. changes and notes count what people did to contexts, and
	// their edits.
	version, round, changes, notes int
	// contexts are the values in the package contexts of variants, by the variant.
	contexts map[string]string
	// written are the packages of the edits that people made.
	written map[edit]string
	// approved are the revisions that people meant to approve, asked those that a controller asked Porch to.
	approved, asked map[string]bool
	// second are the drafts that were seen beside another of the same package.
	second map[string]bool
}

func newDeeds() *deeds {
	return &deeds{version: 1, contexts: map[string]string{}, written: map[edit]string{}, approved: map[string]bool{},
		asked: map[string]bool{}, second: map[string]bool{}}
}

// see records which of the current drafts exist beside another of their package.
func (d *deeds) see(drafts []porchapi.PackageRevision) {
	first := map[string]string{}
	for i := range drafts {
		pkg := packageOf(&drafts[i])
		if first[pkg] == "" {
			first[pkg] = drafts[i].Name
			continue
		}
		d.second[drafts[i].Name+" beside "+first[pkg]] = true
	}
}

// edit is what a person wrote to a file of a package: all of it, or a line.
type edit struct{ file, note string }

// line is what an edit adds to a file that comes from the blueprint.
func (e edit) line() string { return fmt.Sprintf("  %s: \"kept\" # by hand\n", e.note) }

func (e edit) ownFile() bool { return strings.HasPrefix(e.file, e.note) }

// into makes the edit in the files.
func (e edit) into(files map[string]string) {
	if e.ownFile() {
		files[e.file] = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: " + e.note + "\n"
		return
	}
	files[e.file] = strings.TrimSuffix(files[e.file], "\n") + "\n" + e.line()
}

// in reports whether the files have the edit. Porch may have reformatted a file.
func (e edit) in(files map[string]string) bool {
	if e.ownFile() {
		return strings.Contains(files[e.file], "name: "+e.note+"\n")
	}
	return strings.Contains(files[e.file], e.line())
}

var noteName = regexp.MustCompile(`note-\d+`)

// notes returns which edits the files have, by their names.
func notes(files map[string]string) map[string]bool {
	found := map[string]bool{}
	for file, content := range files {
		for _, name := range noteName.FindAllString(file+"\n"+content, -1) {
			found[name] = true
		}
	}
	return found
}

// lacks returns what the files of a package lack: the newest blueprint, the newest fact, or the variant's context.
func (d *deeds) lacks(pkg string, files map[string]string) (lacking []string) {
	want := map[string]string{
		"settings.yaml": fmt.Sprintf("version: \"%d\"", d.version), "region.yaml": fmt.Sprintf("api: \"%d\"", d.round),
	}
	if context := d.contexts[strings.TrimPrefix(pkg, "edge/")]; context != "" {
		want["package-context.yaml"] = fmt.Sprintf("round: \"%s\"", context)
	}
	for _, file := range slices.Sorted(maps.Keys(want)) {
		if !strings.Contains(files[file], want[file]) {
			lacking = append(lacking, fmt.Sprintf("%q in %s:\n%s", want[file], file, files[file]))
		}
	}
	return lacking
}

// outcome is what there is in the end.
type outcome struct {
	// variants are the UIDs of the variants, by the package that each asks for.
	variants map[string]types.UID
	// revisions are those of all packages but the blueprint, those of a package in the order in which they were made.
	revisions []porchapi.PackageRevision
	// files are the files of the revisions, by the name.
	files map[string]map[string]string
	// references are what git has: branches and tags without the branch that is published, by the Repository.
	references map[string][]string
}

// newest returns the newest revision of each package that has one, by the package.
func (o *outcome) newest() map[string]*porchapi.PackageRevision {
	newest := map[string]*porchapi.PackageRevision{}
	for i := range o.revisions {
		newest[packageOf(&o.revisions[i])] = &o.revisions[i]
	}
	return newest
}

// verdict returns what is wrong in the end, independent of what happened on the way; nothing if all is right.
func verdict(o *outcome, d *deeds) (wrong []string) {
	for _, rule := range []func(*outcome, *deeds) []string{right, kept, single, owned, permitted} {
		wrong = append(wrong, rule(o, d)...)
	}
	return wrong
}

// right checks that the newest revision of each package is published, and is what its variant asks for.
func right(o *outcome, d *deeds) (wrong []string) {
	newest := o.newest()
	for _, pkg := range slices.Sorted(maps.Keys(o.variants)) {
		r := newest[pkg]
		if r == nil {
			wrong = append(wrong, pkg+" has no revision")
			continue
		}
		if !r.IsPublished() {
			wrong = append(wrong, fmt.Sprintf("%s is %s", r.Name, r.Spec.Lifecycle))
		}
		for _, lacking := range d.lacks(pkg, o.files[r.Name]) {
			wrong = append(wrong, r.Name+" has not "+lacking)
		}
	}
	return wrong
}

// kept checks that every edit is in the newest revision of its package.
func kept(o *outcome, d *deeds) (wrong []string) {
	newest := o.newest()
	for e, pkg := range d.written {
		if r := newest[pkg]; r == nil || !e.in(o.files[r.Name]) {
			wrong = append(wrong, fmt.Sprintf("%s is lost, which people wrote to %s of %s", e.note, e.file, pkg))
		}
	}
	slices.Sort(wrong)
	return wrong
}

// single checks that no package ever had two drafts, and that no draft is left over, in Porch or in git.
func single(o *outcome, d *deeds) (wrong []string) {
	for _, second := range slices.Sorted(maps.Keys(d.second)) {
		wrong = append(wrong, "there was "+second)
	}
	newest := o.newest()
	for i := range o.revisions {
		if r := &o.revisions[i]; !r.IsPublished() && newest[packageOf(r)] != r {
			wrong = append(wrong, fmt.Sprintf("%s is %s, beside what is newer", r.Name, r.Spec.Lifecycle))
		}
	}
	for _, repository := range slices.Sorted(maps.Keys(o.references)) {
		for _, reference := range o.references[repository] {
			if strings.HasPrefix(reference, "refs/heads/") {
				wrong = append(wrong, "the git repository of "+repository+" has the branch "+reference)
			}
		}
	}
	return wrong
}

// owned checks that each revision is owned by the variant that asks for its package, and by no other, and that git has
// the published ones and no others.
func owned(o *outcome, _ *deeds) (wrong []string) {
	published := map[string]bool{}
	for i := range o.revisions {
		r := &o.revisions[i]
		if owners := r.OwnerReferences; len(owners) != 1 || owners[0].UID != o.variants[packageOf(r)] {
			var names []string
			for _, owner := range owners {
				names = append(names, owner.Name)
			}
			wrong = append(wrong, fmt.Sprintf("%s is owned by %q", r.Name, names))
		}
		if r.IsPublished() {
			published[fmt.Sprintf("%s refs/tags/%s/v%d", r.Spec.RepositoryName, r.Spec.PackageName, r.Spec.Revision)] = true
		}
	}
	for _, repository := range slices.Sorted(maps.Keys(o.references)) {
		for _, reference := range o.references[repository] {
			tag := repository + " " + reference
			if strings.HasPrefix(reference, "refs/tags/") && !published[tag] {
				wrong = append(wrong, "the git repository has what Porch does not know: "+tag)
			}
			delete(published, tag)
		}
	}
	for _, tag := range slices.Sorted(maps.Keys(published)) {
		wrong = append(wrong, "the git repository has not "+tag)
	}
	return wrong
}

// permitted checks that the controller approved nothing that a rule leaves to people: by the policy of a variant,
// because people edited it, or because it waits for a readiness gate.
func permitted(o *outcome, d *deeds) (wrong []string) {
	before := map[string]map[string]bool{} // the edits in the revision before, by the package
	for i := range o.revisions {
		r := &o.revisions[i]
		pkg, found := packageOf(r), notes(o.files[r.Name])
		switch {
		case d.asked[r.Name] && isManual(pkg):
			wrong = append(wrong, "the controller has asked to approve "+r.Name+", in spite of approvalPolicy Manual")
		case d.asked[r.Name] && isInitial(pkg) && r.Spec.Revision > 1:
			wrong = append(wrong, "the controller has asked to approve "+r.Name+", in spite of approvalPolicy Initial")
		}
		if r.IsPublished() && !d.approved[r.Name] {
			wrong = append(wrong, published(r, d, newNotes(before[pkg], found))...)
		}
		if r.IsPublished() {
			before[pkg] = found
		}
	}
	return wrong
}

// published returns why only people may have published a revision.
func published(r *porchapi.PackageRevision, d *deeds, edits []string) (wrong []string) {
	if !d.asked[r.Name] {
		wrong = append(wrong, r.Name+" was approved by nobody")
	}
	if len(edits) > 0 {
		wrong = append(wrong, fmt.Sprintf("the controller has approved %s, in which people wrote %v", r.Name, edits))
	}
	if !porchapi.PackageRevisionIsReady(r.Spec.ReadinessGates, r.Status.Conditions) {
		wrong = append(wrong, fmt.Sprintf("the controller has approved %s, of which the readiness gates are not met", r.Name))
	}
	return wrong
}

// newNotes returns the edits that were made between two revisions.
func newNotes(before, after map[string]bool) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if !before[name] {
			names = append(names, name)
		}
	}
	return names
}
