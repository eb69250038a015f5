// SPDX-License-Identifier: Apache-2.0

package command

import (
	"regexp"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/cli"
	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// word matches a word of a shell's command line, with or without quotes.
var word = regexp.MustCompile(`"[^"]*"|[^ "]+`)

// TestExamples checks that the help of each command has examples, and that the command accepts them.
func TestExamples(t *testing.T) {
	t.Parallel()
	streams, _, _, _ := genericiooptions.NewTestIOStreams()
	for _, command := range commands {
		of := command(cli.New(streams))
		count := 0
		for line := range strings.Lines(of.Example) {
			if _, after, found := strings.Cut(line, "kubectl variants "); found {
				count++
				checkExample(t, of.Name(), strings.TrimSpace(after))
			} else if !strings.HasPrefix(strings.TrimSpace(line), "#") && strings.TrimSpace(line) != "" {
				t.Errorf("%s: the example has a line that is neither a comment nor a command: %s", of.Name(), line)
			}
		}
		if count == 0 {
			t.Errorf("%s has no examples", of.Name())
		}
		if of.Long == "" {
			t.Errorf("%s has no description", of.Name())
		}
	}
}

// checkExample parses a command line with a command that does nothing.
func checkExample(t *testing.T, name, line string) {
	t.Helper()
	streams, _, _, _ := genericiooptions.NewTestIOStreams()
	root := New(cli.New(streams))
	ran := false
	for _, cmd := range root.Commands() {
		cmd.RunE = func(cmd *cobra.Command, _ []string) error {
			ran = cmd.Name() == name
			return nil
		}
	}
	line, _, _ = strings.Cut(line, " | ")
	line, _, _ = strings.Cut(line, " > ")
	var args []string
	for _, w := range word.FindAllString(line, -1) {
		args = append(args, strings.Trim(w, `"`))
	}
	root.SetArgs(args)
	if err := root.ExecuteContext(t.Context()); err != nil || !ran {
		t.Errorf("kubectl variants %s: ran %v, %v", line, ran, err)
	}
}
