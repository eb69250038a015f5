// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"

	"github.com/package-variants/package-variants/e2e/bench/contest"
	"github.com/package-variants/package-variants/e2e/stack"

	"github.com/google/go-cmp/cmp"
)

// TestParse checks what the flags mean.
func TestParse(t *testing.T) {
	t.Parallel()
	whole := defaults()
	some := defaults()
	some.args = []string{"-only", "plan,git", "-variants=4", "-repositories=2", "-merge"}
	some.only, some.scenario = []string{planning, inGit}, contest.Scenario{Variants: 4, Repositories: 2}
	some.merge = true
	database := defaults()
	database.args, database.caches = []string{"-cache=DB"}, []stack.Cache{stack.DBCache}
	for _, c := range []struct {
		want    *options
		whole   bool
		command string
	}{
		{whole, true, "make bench"},
		{some, false, "make bench BENCHFLAGS='-only plan,git -variants=4 -repositories=2 -merge'"},
		{database, false, "make bench BENCHFLAGS='-cache=DB'"},
	} {
		got, err := parse(c.want.args, t.Output())
		if err != nil {
			t.Errorf("%v: %v", c.want.args, err)
			continue
		}
		if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(options{})); diff != "" {
			t.Errorf("%v (-want +got):\n%s", c.want.args, diff)
		}
		if got.whole() != c.whole || got.command() != c.command {
			t.Errorf("%v: whole is %t, the command %s", c.want.args, got.whole(), got.command())
		}
	}
}

// TestParseRefuses checks the errors for wrong arguments.
func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"-only fanout,all": `invalid value "fanout,all" for flag -only: there is no part "all": ` +
			`it must be one of git, fanout, functions, expansion, plan`,
		"-cache SQL":       `invalid value "SQL" for flag -cache: there is no cache "SQL": it must be CR or DB`,
		"-cache CR -merge": "-merge is for both caches, which the page compares: leave -cache out",
		"fanout":           `unexpected argument "fanout": there are flags only, see -help`,
	} {
		var out strings.Builder
		if _, err := parse(strings.Fields(args), &out); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", args, err, want)
		}
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s: the user is told %q", args, out.String())
		}
	}
}
