// SPDX-License-Identifier: Apache-2.0

package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/engine/blueprint"
	"github.com/package-variants/package-variants/engine/plans/show"
	"github.com/package-variants/package-variants/engine/words"
	"github.com/package-variants/package-variants/functions/krm"
	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
	"github.com/package-variants/package-variants/local/fleet"
	"github.com/package-variants/package-variants/local/starting"
	"github.com/spf13/cobra"
)

const longInit = `Make a fleet of copies that exist: write a blueprint of what most of them have, the manifests
of a fleet, and into the Kptfile of each copy what it is a copy of. DIR is a directory in a clone of their git
repository, the current one by default. Each * in --from stands for the name of an environment, and a list in braces in
place of the first one for those that it names; a * in the last part after another one stands for the name of a package.
Where the copies differ, each keeps what it has, and where no value has a majority, the blueprint has that of the copy
that is nearest to what most have. Directories of manifests are packages, and so are kustomize overlays and values of a
chart.

Nothing else in the copies changes. Secrets, SealedSecrets, private keys, .env files, what sops encrypts and what a
secretGenerator reads do not come into the blueprint; a password anywhere else is a value like any other. Before
anything is written, a plan is made as if all were committed and tagged, without a network; if it changes a copy, that
is an error. The copies are those of the commit that is checked out. The commands that commit, tag and push are printed,
and left to you.

Without --from, it writes the smallest fleet, in which comments say what to fill in.`

const exampleInit = `  # Four environments with a copy of web in each
  variants init --from 'environments/*/web'

  # All packages of all clusters; and overlays of one base
  variants init --from 'clusters/*/apps/*'
  variants init --from 'web/overlays/*'

  # Not all directories are environments
  variants init --from 'environments/{dev,prod}/web'

  # Copies of a package that is there
  variants init --from 'environments/*/web' --blueprint base/web`

func newInit(e *env) *cobra.Command {
	var o starting.Options
	cmd := &cobra.Command{Use: "init [DIR]", Short: "Make a fleet of copies that exist", Long: longInit,
		Example: exampleInit, Args: oneDirectory}
	cmd.Flags().StringArrayVar(&o.From, "from", nil, "`pattern` of the directories of copies; may be repeated")
	cmd.Flags().StringVar(&o.Blueprint, "blueprint", "", "`directory` of the package that they are copies of; by default "+
		"one is made of what most of them have")
	cmd.Flags().StringVar(&o.Manifests, "fleet", "fleet", "`directory` for the manifests")
	cmd.Flags().StringVar(&o.Blueprints, "blueprints", "blueprints", "`directory` for the blueprints")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		dir := "."
		if len(args) > 0 {
			dir = args[0]
		}
		begun, err := fleet.Init(cmd.Context(), dir, o)
		if changes, ok := errors.AsType[*fleet.ErrChanges](err); ok {
			return errors.Join(err, show.Text(e.Out, changes.Plan, show.Options{}))
		}
		if err != nil {
			return err
		}
		var out strings.Builder
		for i := range begun.Packages {
			printPackage(&out, &begun.Packages[i])
		}
		for _, l := range begun.Left {
			fmt.Fprintf(&out, "%s is no copy: %s\n", l.Path, l.Why)
		}
		printNext(&out, dir, begun)
		_, err = io.WriteString(e.Out, krm.Visible(out.String()))
		return err
	}
	return cmd
}

// oneDirectory accepts a directory. Several are what a shell has made of a pattern.
func oneDirectory(_ *cobra.Command, args []string) error {
	if len(args) > 1 {
		return fmt.Errorf("init takes one directory, and not %s: quote the pattern of --from, such as "+
			"--from 'environments/*/web', or the shell replaces it by what it matches", strings.Join(args, ", "))
	}
	return nil
}

// shownValue is how much of a value is shown, and shownBefore how much of that is alike.
const (
	shownValue  = 60
	shownBefore = 20
)

// printPackage prints what a blueprint has, and in what its copies differ.
func printPackage(out *strings.Builder, p *starting.Package) {
	var names []string
	for _, c := range p.Copies {
		names = append(names, c.Environment)
	}
	fmt.Fprintf(out, "%s: %s, %s\n", p.Name, words.Count(len(names), "environment"), words.First(names, 8, ", "))
	if made := p.Made; made != nil {
		fmt.Fprintf(out, "  %s of %s values are alike in all, %s of them but for the name of the environment; nearest to "+
			"what most have is %s\n", words.Number(made.Alike), words.Number(made.Values), words.Number(made.Named),
			made.Nearest)
		printWhole(out, p)
		for i := range made.Differs {
			printDifference(out, &made.Differs[i])
		}
		for _, s := range made.Secrets {
			fmt.Fprintf(out, "  left out: %s, which is or may be secret, stays in %s\n", placeText(s.Place),
				inEnvironments(s.In))
		}
		printLinks(out, p)
	}
	printPairs(out, p)
}

// printWhole prints which values that have the name of the environment cannot take over a part of a change.
func printWhole(out *strings.Builder, p *starting.Package) {
	var places []string
	for _, at := range p.Made.Whole {
		places = append(places, placeText(at))
	}
	if len(places) > 0 && len(p.Copies) > 1 {
		fmt.Fprintf(out, "  merged as one value: %s of these %s, a file, a text of several lines or a list without keys, in "+
			"which each change of the blueprint is a conflict in all but %s: %s\n", words.Number(len(places)),
			words.Number(p.Made.Named), p.Made.Nearest, strings.Join(places, "; "))
	}
}

// printLinks prints the symbolic links of copies, which are left out.
func printLinks(out *strings.Builder, p *starting.Package) {
	in := map[string][]string{}
	for _, c := range p.Copies {
		for name := range c.Links {
			in[name] = append(in[name], c.Environment)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(in)) {
		fmt.Fprintf(out, "  left out: %s, which is a symbolic link, stays in %s\n", name, inEnvironments(in[name]))
	}
}

// printPairs prints which resources have other names in copies, and which they lack.
func printPairs(out *strings.Builder, p *starting.Package) {
	var lines []string
	of := map[string][]string{}
	add := func(line, in string) {
		if of[line] == nil {
			lines = append(lines, line)
		}
		of[line] = append(of[line], in)
	}
	for i, paired := range p.Pairings {
		name := p.Copies[i].Environment
		for _, pair := range paired.Pairs {
			_, here, _ := strings.Cut(pair.Here.String(), " ")
			add("other names: "+pair.Upstream.String()+" is ", here+" in "+name)
		}
		for _, pair := range paired.Doubtful {
			add(fmt.Sprintf("in doubt: %s may be %s: if it is, add the line %q to the annotation %s of the Kptfile in ",
				pair.Here, pair.Upstream, pair, merging.PairsAnnotation), name)
		}
		for _, lacks := range paired.Lacks {
			add("lacks: "+lacks.String()+" counts as removed in ", name)
		}
	}
	for _, line := range lines {
		fmt.Fprintf(out, "  %s%s\n", line, inEnvironments(of[line]))
	}
}

// printDifference prints in what copies differ, and what the blueprint has of it.
func printDifference(out *strings.Builder, d *blueprint.Difference) {
	var texts []string
	begin := beginOf(d.Versions)
	for _, v := range d.Versions {
		texts = append(texts, valueText(v.Value, begin)+" in "+inEnvironments(v.In))
	}
	has := "the blueprint has the first"
	if !d.Majority {
		has = "each keeps its own, and the blueprint has that of " + d.From
	}
	fmt.Fprintf(out, "  differs: %s: %s (%s)\n", placeText(d.Place), firstOf(texts, 4, "; ", "; ", "value"), has)
}

// firstOf joins the first of a list, and says after another separator how many more things there are.
func firstOf(list []string, first int, separator, last, thing string) string {
	text := strings.Join(list[:min(len(list), first)], separator)
	if more := len(list) - first; more > 0 {
		text += last + "and " + words.Count(more, "more "+thing)
	}
	return text
}

// inEnvironments returns the first names of environments, and how many more there are.
func inEnvironments(names []string) string { return firstOf(names, 3, ", ", " ", "environment") }

// beginOf returns from which rune on values are shown. If one is too long, that is a bit before they differ.
func beginOf(versions []blueprint.Version) int {
	var all [][]rune
	long := false
	for _, v := range versions {
		if v.Value != "" {
			all = append(all, []rune(v.Value))
		}
		long = long || len([]rune(v.Value)) > shownValue
	}
	if !long || len(all) < 2 {
		return 0
	}
	alike := all[0]
	for _, other := range all[1:] {
		n := 0
		for n < min(len(alike), len(other)) && alike[n] == other[n] {
			n++
		}
		alike = alike[:n]
	}
	return max(0, len(alike)-shownBefore)
}

// valueText returns a value, from a rune of it on, in one line.
func valueText(value string, begin int) string {
	if value == "" {
		return "none"
	}
	runes, before, after := []rune(value), "", ""
	if begin > 0 {
		runes, before = runes[begin:], "…"
	}
	if len(runes) > shownValue {
		runes, after = runes[:shownValue], "…"
	}
	return before + strings.ReplaceAll(string(runes), "\n", `\n`) + after
}

// placeText returns a place as people read it.
func placeText(at blueprint.Place) string {
	text := at.File
	for _, part := range []string{at.Resource, at.Field} {
		if part != "" {
			text += ", " + part
		}
	}
	return text
}

// printNext prints what was written, and what to do next.
func printNext(out *strings.Builder, dir string, begun *fleet.Begun) {
	where := []string{begun.Manifests}
	for _, p := range begun.Packages {
		where = append(where, p.Dir)
	}
	wrote := fmt.Sprintf("wrote %s in %s", words.Count(len(begun.Written), "file"), strings.Join(where, ", "))
	if len(begun.Packages) == 0 {
		fmt.Fprintf(out, "%s\nnext: fill in what their comments say, commit and push, and run variants plan %s\n", wrote,
			begun.Manifests)
		return
	}
	fmt.Fprintf(out, "%s and, as Kptfile, in the copies\nnext:\n  %s\n", wrote,
		strings.Join(nextCommands(dir, begun), "\n  "))
}

// nextCommands returns what to type next. A tag is made of what is on the branch of the Repositories.
func nextCommands(dir string, begun *fleet.Begun) (all []string) {
	add, tags, push := "git add "+shell(begun.Manifests), []string{}, ""
	var kptfiles []string
	for _, p := range begun.Packages {
		add += " " + shell(p.Dir)
		tags = append(tags, "git tag "+shell(p.Tag))
		push += " " + shell(p.Tag)
		for _, c := range p.Copies {
			if each := shell(c.Pattern + "/Kptfile"); !slices.Contains(kptfiles, each) {
				kptfiles = append(kptfiles, each)
			}
		}
	}
	if dir != "." {
		all = append(all, "cd "+shell(dir))
	}
	all = append(all, add+" "+strings.Join(kptfiles, " "), "git commit -m 'Begin a fleet'")
	pushes := "git push " + shell(begun.Remote) + " "
	branch, main := shell(cmp.Or(begun.Branch, "HEAD:"+begun.At.Branch)), shell(begun.At.Branch)
	if begun.Branch != "" && branch != main {
		all = append(all, pushes+branch, "# have "+branch+" merged into "+main, "git checkout "+main, "git pull")
		branch = ""
	}
	all = append(all, tags...)
	return append(all, pushes+strings.TrimSpace(branch+push), "variants plan "+shell(begun.Manifests),
		"variants sync "+shell(begun.Manifests))
}

var plainWord = regexp.MustCompile(`^[-A-Za-z0-9._/@+:]+$`)

// shell returns a word as a shell reads it.
func shell(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
