// SPDX-License-Identifier: Apache-2.0

package review

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/words"
	"github.com/package-variants/package-variants/functions/krm"
)

// Show returns what the user sees of an item before anything is done.
func Show(item *Item) string {
	t := item.Target
	if t == nil {
		is := "it has no package yet"
		if item.Published != "" {
			is = item.Published + " is published"
		}
		return fmt.Sprintf("%s: no draft; %s\n", item.Variant, is)
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%s: %s (%s)%s\n", item.Variant, t.Name, t.Lifecycle, madeBy(item))
	since := ""
	if item.Published != "" {
		since = " since " + item.Published
	}
	fmt.Fprintf(&out, "  files:      %s%s\n", item.Files, since)
	fmt.Fprintf(&out, "  conflicts:  %d\n", len(item.Conflicts))
	for i := range item.Conflicts {
		c := &item.Conflicts[i]
		fmt.Fprintf(&out, "    %s (%s)\n", krm.Visible(c.Place()), krm.Visible(c.Sides()))
	}
	if len(item.Conflicts) == v1alpha1.MaxConflicts {
		fmt.Fprintf(&out, "    %s\n", andMore)
	}
	if t.LeftToPeople != "" {
		fmt.Fprintf(&out, "  look at it: %s\n", krm.Visible(t.LeftToPeople))
	}
	fmt.Fprintf(&out, "  conditions: %s\n", strings.Join(item.Conditions, ", "))
	if item.Refused != "" {
		fmt.Fprintf(&out, "  refused:    %s\n", item.Refused)
	}
	return out.String()
}

func madeBy(item *Item) string {
	task := item.Target.Task
	if task.Source == "" {
		return ""
	}
	text := fmt.Sprintf(", made by %s of %s", task.Type, task.Source)
	if item.Moved != "" {
		text += ", now with " + item.Moved
	}
	return text
}

// Summary counts the items: todo are to be acted on, refused are not.
func Summary(items []Item) (todo, refused int) {
	for i := range items {
		switch item := &items[i]; {
		case item.Target == nil:
		case item.Refused != "":
			refused++
		default:
			todo++
		}
	}
	return todo, refused
}

var (
	errNoTerminal = errors.New("there is no terminal to ask on: look at what would be done, and do it with --yes")
	errNo         = errors.New("nothing is done")
)

// Confirm asks a question unless the user already said yes. It fails if the answer is no, or if the user cannot be
// asked.
func Confirm(question string, yes, terminal bool, in io.Reader, out io.Writer) error {
	if yes {
		return nil
	}
	if !terminal {
		return errNoTerminal
	}
	if _, err := fmt.Fprint(out, question+" [y/N] "); err != nil {
		return err
	}
	answer, err := bufio.NewReader(in).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return errNo
}

// NotDone is the error of a command line that has done something for not all items; nil if none was refused. done says
// what, such as "approved".
func NotDone(done string, failed, refused int) error {
	if refused == 0 {
		return nil
	}
	return fmt.Errorf("%s not %s, for the reasons above", words.Count(refused+failed, "package revision"), done)
}
