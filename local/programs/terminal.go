// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"errors"
	"io"
	"os"
	"strings"

	"github.com/package-variants/package-variants/engine/changes"
	"github.com/package-variants/package-variants/engine/plans"
	"github.com/package-variants/package-variants/engine/plans/show"
	"github.com/package-variants/package-variants/engine/review"
	"golang.org/x/term"
)

// Streams are those of a command.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	file, isFile := stream.(*os.File)
	return isFile && term.IsTerminal(int(file.Fd()))
}

// Confirm asks a question unless the user already said yes. It fails if the answer is no, or if the user cannot be
// asked.
func (s *Streams) Confirm(question string, yes bool) error {
	return review.Confirm(question, yes, isTerminal(s.In), s.In, s.Out)
}

// PrintPlan prints a plan in a format, with colours on a terminal and with all names if they are asked for, and reports
// whether there is something to do. The error says what fails.
func (s *Streams) PrintPlan(plan *plans.Plan, format string, names bool) (changes bool, err error) {
	if err := show.Print(s.Out, format, plan, s.shown(names)); err != nil {
		return false, err
	}
	if failed := plan.Errors(); len(failed) > 0 {
		return false, errors.New(strings.Join(failed, "\nerror: "))
	}
	return plan.Writes(), nil
}

// PrintChanges prints distinct changes in the same way.
func (s *Streams) PrintChanges(all []*changes.Change, names bool) error {
	return show.Changes(s.Out, all, s.shown(names))
}

// shown returns how to show something.
func (s *Streams) shown(names bool) show.Options {
	return show.Options{Colour: isTerminal(s.Out) && os.Getenv("NO_COLOR") == "", Names: names}
}
