// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"encoding/json"
	"errors"
	"io"
	"os"

	"github.com/package-variants/package-variants/engine/page"
	"github.com/package-variants/package-variants/engine/plans"
	"github.com/package-variants/package-variants/engine/visible"
	"golang.org/x/term"
	"sigs.k8s.io/yaml"
)

// print prints a plan in the chosen format.
func (o *options) print(plan *plans.Plan) error {
	switch o.format {
	case "json":
		encoder := json.NewEncoder(o.env.Out)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		return encoder.Encode(plan)
	case "yaml":
		data, err := yaml.Marshal(plan)
		if err == nil {
			_, err = o.env.Out.Write(data)
		}
		return err
	}
	visible.All(plan) // people read these; formats for programs keep the raw text
	switch o.format {
	case "markdown":
		return Markdown(o.env.Out, plan)
	case "html":
		return HTML(o.env.Out, plan)
	}
	return Text(o.env.Out, plan, isTerminal(o.env.Out) && os.Getenv("NO_COLOR") == "")
}

// printFailure reports a failed plan in the formats that are kept, since an earlier plan would stay otherwise. It
// returns the given error.
func (o *options) printFailure(failure error) error {
	about := o.about()
	var err error
	switch o.format {
	case "markdown":
		err = noPlan(o.env.Out, &about, failure)
	case "html":
		err = page.Write(o.env.Out, &page.Page{Title: title, Summary: "There is no plan: it failed.", About: aboutOf(&about),
			Notes: []string{failure.Error()}})
	}
	return errors.Join(failure, err)
}

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
