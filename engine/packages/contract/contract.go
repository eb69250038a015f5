// SPDX-License-Identifier: Apache-2.0

package contract

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/engine/packages"
	"github.com/package-variants/package-variants/engine/revision"
)

//go:embed testdata
var expected embed.FS

// World is what a scenario plays in: a home with two Repositories without packages, blueprints for upstreams, and edge,
// which is for deployments.
type World struct {
	packages.Lister
	// Namespace is the namespace of the Repositories.
	Namespace string
	// Publish has another client publish a package with these files beside its Kptfile, and returns the revision's name.
	Publish func(pkg revision.Package, workspace string, files map[string]string) string
	// Remove has another client remove a published revision whose deletion is proposed.
	Remove func(name string)
	// Others is another client of the home, which may approve.
	Others packages.Home
	// OnBranch publishes a package as Publish does, and returns the name of the revision that the branch is.
	OnBranch func(pkg revision.Package, files map[string]string) string
	// Push has people push a package to the branches of Repositories past the home, under the names of packages, and
	// returns when the home has seen the last of them.
	Push func(files map[string]string, as ...revision.Package)
	// Erase has people remove a package from the branch of its Repository, past the home, and returns when the home has
	// seen it.
	Erase func(pkg revision.Package)
	// RegisterAnew unregisters a Repository, and registers it again.
	RegisterAnew func(repository string)
	// Share registers Repositories for deployments, each over a directory of its own in one git repository.
	Share func(names ...string)
	// LoseAnswer has the next write of Home be done and its answer be lost.
	LoseAnswer func()
}

// Implementation is a home that the contract is run on.
type Implementation struct {
	// Name is part of the names of files with answers that only this home gives.
	Name string
	// Like is the name of the home that this one imitates, and whose answers are expected of it; "" for none.
	Like string
	// Differs says, for each scenario with such a file, what the home does in another way.
	Differs map[string]string
	// Begin returns the world of a scenario.
	Begin func(t *testing.T) *World
}

// Run runs all scenarios on a home.
func Run(t *testing.T, of Implementation) {
	t.Helper()
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			p := &play{T: t, World: of.Begin(t), ctx: t.Context()}
			s.play(p)
			of.compare(t, s.name, p.said.String())
		})
	}
	of.checkDiffers(t)
}

// scenario is one story about a home.
type scenario struct {
	name string
	play func(*play)
}

// file returns the name of the file with the answers that are expected of a home in a scenario.
func (of *Implementation) file(scenario string) string {
	if of.Differs[scenario] != "" {
		return scenario + "." + of.Name + ".txt"
	}
	if like := scenario + "." + of.Like + ".txt"; of.Like != "" {
		if _, err := fs.Stat(expected, "testdata/"+like); err == nil {
			return like
		}
	}
	return scenario + ".txt"
}

// compare compares what a home answered with what is expected.
func (of *Implementation) compare(t *testing.T, scenario, got string) {
	t.Helper()
	name := of.file(scenario)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		_, here, _, _ := runtime.Caller(0)
		if err := os.WriteFile(filepath.Join(filepath.Dir(here), "testdata", name), []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := expected.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatalf("there are no answers to compare with: run this with UPDATE_GOLDEN=1, and read what it writes: %v", err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s answers otherwise than testdata/%s says (-want +got):\n%s%s", of.Name, name, diff,
			others(scenario, name))
	}
}

// others returns the answers that a scenario expects of other homes.
func others(scenario, but string) string {
	var b strings.Builder
	files, _ := fs.Glob(expected, "testdata/"+scenario+"*.txt") // the pattern is well-formed
	for _, file := range files {
		if name := filepath.Base(file); name != but && (name == scenario+".txt" || strings.HasPrefix(name, scenario+".")) {
			text, _ := expected.ReadFile(file) // it was just listed
			fmt.Fprintf(&b, "\n%s says:\n%s", name, text)
		}
	}
	return b.String()
}

// checkDiffers checks that a home says why for each file of its own, and has a file for each thing that it says.
func (of *Implementation) checkDiffers(t *testing.T) {
	t.Helper()
	files, _ := fs.Glob(expected, "testdata/*."+of.Name+".txt") // the pattern is well-formed
	var names []string
	for _, file := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(file), "."+of.Name+".txt"))
	}
	slices.Sort(names)
	if diff := cmp.Diff(names, slices.Sorted(maps.Keys(of.Differs))); diff != "" && os.Getenv("UPDATE_GOLDEN") == "" {
		t.Errorf("files of what %s does in another way (-files +said):\n%s", of.Name, diff)
	}
}

// play is a scenario that is being played.
type play struct {
	*testing.T
	*World
	ctx  context.Context
	said strings.Builder
}

// say writes down a line of answers.
func (p *play) say(format string, args ...any) {
	fmt.Fprintf(&p.said, format+"\n", args...)
}

// kind returns an error as a scenario writes it down: the kinds that it is of.
func kind(err error) string {
	if err == nil {
		return "done"
	}
	for _, is := range []error{packages.ErrAbsent, packages.ErrStale, packages.ErrUnsure, packages.ErrRefused,
		packages.ErrUnavailable} {
		if errors.Is(err, is) {
			return is.Error()
		}
	}
	return "an error of no kind: " + err.Error()
}

// answered writes down what was asked and the kind of answer.
func (p *play) answered(what string, err error) {
	p.Helper()
	p.say("%s: %s", what, kind(err))
	if err != nil {
		p.Logf("%s: %v", what, err)
	}
}

// must ends the scenario if what it needs is not done.
func (p *play) must(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

var (
	hashes    = regexp.MustCompile(`\b([0-9a-f]{40}|[0-9a-f]{64})\b`)
	addresses = regexp.MustCompile(`\bhttps?://[^\s'"]*/`)
)

// plain returns a text without what differs from one run to the next: hashes of commits, and addresses of git servers.
func (p *play) plain(text string) string {
	text = hashes.ReplaceAllString(text, "COMMIT")
	text = strings.ReplaceAll(text, `"COMMIT"`, "COMMIT") // YAML quotes those of digits
	return strings.ReplaceAll(addresses.ReplaceAllString(text, "http://git/"), p.Namespace+"-", "")
}
