// SPDX-License-Identifier: Apache-2.0

package report

import (
	_ "embed" // the templates
	"fmt"
	"strings"
	"text/template"
)

var (
	//go:embed page.md.tmpl
	pageText string
	//go:embed readme.md.tmpl
	readmeText string
	//go:embed fleets.md.tmpl
	fleetsText string

	page   = parse("page.md.tmpl", pageText)
	readme = parse("readme.md.tmpl", readmeText)
	fleets = parse("fleets.md.tmpl", fleetsText)
)

// parse returns a template that can use the functions of this package.
func parse(name, text string) *template.Template {
	return template.Must(template.New(name).Funcs(template.FuncMap{
		"seconds": seconds, "count": count, "digits": digits, "total": Total,
		"minutes": minutes,
		"head":    head, "row": row, "plot": picture,
		"mb":    func(n any) string { return megabytes(number(n)) },
		"ratio": func(of, to any) string { return ratio(number(of), number(to)) },
		"choose": func(condition bool, yes, no string) string {
			if condition {
				return yes
			}
			return no
		},
	}).Parse(text))
}

// head formats the head of a table. The first column is text, the others are numbers.
func head(cells ...any) string {
	return row(cells...) + "| ---" + strings.Repeat(" | ---:", len(texts(cells))-1) + " |\n"
}

// row formats a table row, from cells that are texts or lists of texts.
func row(cells ...any) string {
	return "| " + strings.Join(texts(cells), " | ") + " |\n"
}

// texts returns the texts of cells.
func texts(cells []any) []string {
	var all []string
	for _, cell := range cells {
		if several, ok := cell.([]string); ok {
			all = append(all, several...)
		} else {
			all = append(all, fmt.Sprint(cell))
		}
	}
	return all
}

// picture shows a plot of Plots in the reader's theme.
func picture(alt, name string) string {
	return fmt.Sprintf(`<picture><source media="(prefers-color-scheme: `+
		`dark)" srcset="DIR/%s"><img alt="%s" src="DIR/%s"></picture>`,
		name+darkEnd, alt, name+lightEnd)
}

// Markdown returns the page about a run.
func (r *Run) Markdown() (string, error) { return r.write(page, ".") }

// Summary returns what the README of the repository says of a run; dir is the directory of the page, from there. The
// run must have all parts.
func (r *Run) Summary(dir string) (string, error) { return r.write(readme, dir) }

// Fleets returns what docs/scale.md says of a run.
func (r *Run) Fleets(dir string) (string, error) { return r.write(fleets, dir) }

// write executes a template; dir is the directory of the page, relative to the document's.
func (r *Run) write(t *template.Template, dir string) (string, error) {
	var out strings.Builder
	if err := t.Execute(&out, r); err != nil {
		return "", fmt.Errorf("cannot write the report: %w", err)
	}
	return strings.ReplaceAll(out.String(), "DIR/", strings.TrimPrefix(dir+"/", "./")), nil
}

// VersionOf returns the version of a program or module, "" if it is unknown.
func (o *Origin) VersionOf(name string) string {
	for _, v := range o.Versions {
		if v.Name == name {
			return v.Version
		}
	}
	return ""
}

// here and porchs are the names of the contenders in tables and figures.
const here, porchs = "this project", "Porch's own"
