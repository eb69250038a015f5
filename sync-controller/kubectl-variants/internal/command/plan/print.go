// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"encoding/json"
	"io"
	"os"

	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/plans"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/visible"
	"golang.org/x/term"
	"sigs.k8s.io/yaml"
)

// print prints a plan in the format that was asked for.
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
	visible.All(plan) // for people: the formats for programs have all as it is
	switch o.format {
	case "markdown":
		return Markdown(o.env.Out, plan)
	case "html":
		return HTML(o.env.Out, plan)
	}
	return Text(o.env.Out, plan, isTerminal(o.env.Out) && os.Getenv("NO_COLOR") == "")
}

// isTerminal reports whether somebody looks at what is written.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
