// SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/e2e/internal/tree"
	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
	"sigs.k8s.io/yaml"
)

// merge is a package in its three versions, with what the library makes of them.
type merge struct {
	seed                     int
	original, updated, local tree.Tree
	onConflict               merging.OnConflict
	want                     tree.Tree
	conflicts                []merging.Conflict
}

// newMerge makes the versions of a package. One in four has no change of one side, and one has the same on both.
func newMerge(t *testing.T, seed int) *merge {
	t.Helper()
	v := &versioned{randomPackage: randomPackage{Rand: rand.New(rand.NewPCG(uint64(seed), 24))}, name: name(seed)}
	first := v.first()
	updated, local := v.changed(first, true), v.changed(first, false)
	switch seed % 8 {
	case 0:
		updated = first
	case 1:
		local = first
	case 2:
		local = updated
	}
	m := &merge{seed: seed, original: first.tree(), updated: updated.tree(), local: local.tree(),
		onConflict: []merging.OnConflict{merging.TakeUpstream, merging.KeepLocal}[seed/8%2]}
	var err error
	m.want, m.conflicts, err = merging.Merge(m.original, m.updated, m.local, merging.Options{OnConflict: m.onConflict})
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	return m
}

func name(seed int) string { return fmt.Sprintf("p%04d", seed) }

// TestMergeProperties checks properties of every merge, on random versions of random packages (PROPERTIES=n, 40 by
// default): the function gives, rendered by kpt, what the library gives, and values as are known without merging; what
// one side alone changed is that side's to the letter; what the upstream did not change stays as it is, byte for byte;
// each value that both changed to different ones is named with the value that is lost, but for those of Secrets; and a
// second run changes nothing.
func TestMergeProperties(t *testing.T) {
	t.Parallel()
	all := make([]*merge, count(40))
	byFunction, asIs := tree.Tree{"Kptfile": rootKptfile}, tree.Tree{"Kptfile": rootKptfile}
	for seed := range all {
		m := newMerge(t, seed)
		all[seed] = m
		byFunction = byFunction.Add(name(seed), piped(m.local, "merge-upstream", m.config(t)))
		asIs = asIs.Add(name(seed), piped(m.want, "cat", m.config(t)))
	}
	got, results := rendered(t, byFunction)
	want, _ := rendered(t, asIs)
	again, _ := rendered(t, got)
	told := map[merging.OnConflict]int{}
	for _, m := range all {
		t.Run(name(m.seed), func(t *testing.T) {
			got := below(got, name(m.seed))
			sameTree(t, "of the library and of the function", below(want, name(m.seed)), got)
			sameTree(t, "of the first and of a second run", got, below(again, name(m.seed)))
			m.checkOneSided(t)
			m.checkValues(t, got)
			m.checkConflicts(t, results[name(m.seed)])
			told[m.onConflict] += len(m.conflicts)
			if m.seed < byEval {
				want := maps.Clone(got)
				want["Kptfile"] = strings.TrimSuffix(want["Kptfile"], pipe("cat"))
				sameTree(t, "of a render and of eval", want, evaluated(t, "merge-upstream", m.local, m.config(t)))
			}
			if t.Failed() {
				t.Logf("original:\n%s\nupdated:\n%s\nlocal:\n%s", show(m.original), show(m.updated), show(m.local))
			}
		})
	}
	if n := len(all); n >= 100 && min(told[merging.TakeUpstream], told[merging.KeepLocal]) < n/5 {
		t.Errorf("conflicts %v in %d packages: too few to tell", told, n)
	}
}

// below returns the files of a package below a directory. That a function stands in its pipeline is the test's.
func below(all tree.Tree, dir string) tree.Tree {
	out := tree.Tree{}
	for path, text := range all {
		if in, ok := strings.CutPrefix(path, dir+"/"); ok {
			out[in] = strings.Replace(text, "exec: merge-upstream", "exec: cat", 1)
		}
	}
	return out
}

// dropped matches comments behind a separator, and those that are a document by themselves.
var dropped = regexp.MustCompile(`(?m)^# (behind|only a comment)\n`)

func sameTree(t *testing.T, what string, want, got tree.Tree) {
	t.Helper()
	if diff := cmp.Diff(lines(want), lines(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// lines returns the lines of each file in alphabetical order, for kpt puts new fields last, without the comments that
// kpt drops when it reads a file.
func lines(files tree.Tree) map[string][]string {
	out := map[string][]string{}
	for name, text := range files {
		if name != "config.yaml" {
			out[name] = slices.Sorted(strings.Lines(dropped.ReplaceAllString(text, "")))
		}
	}
	return out
}

// show returns all files in one text, with their names.
func show(files tree.Tree) string {
	b := strings.Builder{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if name != "config.yaml" {
			fmt.Fprintf(&b, "== %s\n%s\n", name, files[name])
		}
	}
	return b.String()
}

// checkOneSided checks that what one side alone changed, or both in the same way, is that side's to the letter.
func (m *merge) checkOneSided(t *testing.T) {
	t.Helper()
	want := m.local
	switch {
	case maps.Equal(m.original, m.local):
		want = m.updated
	case !maps.Equal(m.original, m.updated) && !maps.Equal(m.updated, m.local):
		return
	}
	if diff := cmp.Diff(resources(want), resources(m.want)); diff != "" || len(m.conflicts) > 0 {
		t.Errorf("of one side and of the library, conflicts %v (-want +got):\n%s", m.conflicts, diff)
	}
}

// resources returns the files without the Kptfile, which is the package's own, and without what is not the upstream's
// to change: line ends, comments behind a separator, and a separator behind everything.
func resources(files tree.Tree) tree.Tree {
	out := tree.Tree{}
	for name, text := range files {
		if name != "Kptfile" {
			text = strings.NewReplacer("\r\n", "\n", "--- # behind\n", "---\n").Replace(text)
			out[name] = strings.TrimSuffix(strings.TrimSuffix(text, "---\n"), "\n")
		}
	}
	return out
}

// checkValues checks that the values of the merged package, and the conflicts of the library, are those that are known
// without merging.
func (m *merge) checkValues(t *testing.T, got tree.Tree) {
	t.Helper()
	versions := [4]map[string]any{}
	for i, files := range []tree.Tree{m.original, m.updated, m.local, got} {
		var err error
		if versions[i], err = contentOf(files); err != nil {
			t.Fatal(err)
		}
	}
	delete(versions[3], `MergeUpstream "merge"`)
	delete(versions[3][fmt.Sprintf("Kptfile %q", name(m.seed))].(map[string]any), "pipeline")
	var want []contradiction
	if diff := cmp.Diff(merged(versions[0], versions[1], versions[2], m.onConflict == merging.TakeUpstream, nil, &want),
		any(versions[3])); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	if len(want) != len(m.conflicts) {
		t.Errorf("conflicts %v, want %v", m.conflicts, want)
		return
	}
	for _, w := range want {
		if !slices.ContainsFunc(m.conflicts, w.isToldBy) {
			t.Errorf("no conflict says %v: %v", w, m.conflicts)
		}
	}
}

// isToldBy reports whether a conflict is of the contradiction, and has the values unless they are a Secret's.
func (c contradiction) isToldBy(conflict merging.Conflict) bool {
	if !strings.HasPrefix(conflict.Resource, c.path[0]) {
		return false
	}
	if len(c.path) == 1 {
		return conflict.Field == ""
	}
	if !strings.Contains(strings.ReplaceAll(conflict.Field, ".", ""), strings.ReplaceAll(c.path[len(c.path)-1], ".", "")) {
		return false
	}
	if strings.HasPrefix(conflict.Resource, "Secret") {
		return conflict.Local != "" && conflict.Updated != "" && !strings.Contains(fmt.Sprint(conflict), secretMark)
	}
	return says(conflict.Local, c.local) && says(conflict.Updated, c.updated)
}

// says reports whether a conflict shows the value of a side, as far as that is a string.
func says(shown string, value any) bool {
	if value == nil {
		return shown == merging.Removed
	}
	text, ok := strings.CutPrefix(fmt.Sprint(value), "string ")
	if !ok {
		return shown != "" && shown != "(not shown)"
	}
	if want, err := strconv.Unquote(text); err != nil || shown == want {
		return err == nil
	}
	var unquoted string
	return json.Unmarshal([]byte(shown), &unquoted) == nil && strconv.Quote(unquoted) == text
}

// checkConflicts checks that the results of the function name the conflicts of the library.
func (m *merge) checkConflicts(t *testing.T, results []result) {
	t.Helper()
	for _, c := range m.conflicts {
		told := func(r result) bool {
			return r.Severity == "warning" && r.File.Path == c.File && r.Field.Path == c.Field &&
				(c.Field == "" || shows(r, c.Local) && shows(r, c.Updated))
		}
		if !slices.ContainsFunc(results, told) {
			t.Errorf("no result says %v: %v", c, results)
		}
	}
	notices := func(r result) bool { return r.Severity == "info" || r.Field.Path == "upstreamLock" }
	if results = slices.DeleteFunc(results, notices); len(results) != len(m.conflicts) {
		t.Errorf("results %v of the conflicts %v", results, m.conflicts)
	}
	if text := fmt.Sprint(results); strings.Contains(text, secretMark) {
		t.Errorf("a value of a Secret is shown: %s", text)
	}
}

// shows reports whether a result shows the value of a side.
func shows(r result, value string) bool {
	return strings.Contains(r.Message, value) || value == merging.Removed && strings.Contains(r.Message, "removed")
}

const rootKptfile = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: all\n"

// count returns how many random packages there are to be, n by default.
func count(n int) int {
	if asked, err := strconv.Atoi(os.Getenv("PROPERTIES")); err == nil {
		return asked
	}
	return n
}

// pipe is what a Kptfile ends with so that kpt runs a function on its package.
func pipe(function string) string {
	return "pipeline:\n  mutators:\n  - exec: " + function + "\n    configPath: config.yaml\n"
}

// config returns the config of the merge.
func (m *merge) config(t *testing.T) string {
	t.Helper()
	config, err := yaml.Marshal(map[string]any{"apiVersion": "fn.kpt.dev/v1alpha1", "kind": "MergeUpstream",
		"metadata": map[string]any{"name": "merge"}, "onConflict": m.onConflict,
		"original": map[string]any{"resources": m.original}, "updated": map[string]any{"resources": m.updated}})
	if err != nil {
		t.Fatal(err)
	}
	return string(config)
}

// piped returns the package with a pipeline of one function, and its config.
func piped(files tree.Tree, function, config string) tree.Tree {
	out := maps.Clone(files)
	out["Kptfile"] += pipe(function)
	out["config.yaml"] = config
	return out
}

// byEval is how many packages are run by kpt fn eval, too: that is a process of kpt for each.
const byEval = 8

// evaluated returns what kpt fn eval makes of a package.
func evaluated(t *testing.T, function string, files tree.Tree, config string) tree.Tree {
	t.Helper()
	dir, err := evaluate(t, function, files, config)
	if err != nil {
		t.Fatal(err)
	}
	return read(t, dir)
}

// evaluate runs a function by kpt fn eval on a package in a new directory.
func evaluate(t *testing.T, function string, files tree.Tree, config string) (dir string, err error) {
	t.Helper()
	dir, file := filepath.Join(t.TempDir(), "package"), filepath.Join(t.TempDir(), "config.yaml")
	if err := errors.Join(files.Write(dir), os.WriteFile(file, []byte(config), 0o600)); err != nil {
		t.Fatal(err)
	}
	_, err = tool.Eval(dir, function, file)
	return dir, err
}

// of finds the package of a resource in the resource's name.
var of = regexp.MustCompile(`p[0-9]{4}`)

// rendered returns what kpt makes of the packages, and the results of the functions by package.
func rendered(t *testing.T, packages tree.Tree) (tree.Tree, map[string][]result) {
	t.Helper()
	dir, resultsDir := filepath.Join(t.TempDir(), "all"), t.TempDir()
	if err := packages.Write(dir); err != nil {
		t.Fatal(err)
	}
	if out, err := tool.Render(dir, "--results-dir", resultsDir); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var list struct{ Items []struct{ Results []result } }
	text, err := os.ReadFile(filepath.Join(resultsDir, "results.yaml"))
	if err == nil {
		err = yaml.Unmarshal(text, &list)
	}
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]result{}
	for _, item := range list.Items {
		for _, r := range item.Results {
			pkg := of.FindString(r.ResourceRef.Name)
			all[pkg] = append(all[pkg], r)
		}
	}
	return read(t, dir), all
}

// result is a result of a function, as far as tests look at it.
type result struct {
	Message, Severity string
	File, Field       struct{ Path string }
	ResourceRef       struct{ Name string }
	Tags              map[string]string
}
