// SPDX-License-Identifier: Apache-2.0

package report

import (
	_ "embed" // the templates
	"fmt"
	"strings"
	"text/tabwriter"
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
		"seconds": seconds, "megabytes": megabytes, "count": count,
		"head": head, "row": row, "rows": rows, "chart": picture,
		"bytes": func(n int64) string { return megabytes(float64(n)) },
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

// rows formats table rows.
func rows(cells [][]string) string {
	var all strings.Builder
	for _, each := range cells {
		all.WriteString(row(each))
	}
	return all.String()
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

// picture shows the chart in the reader's theme.
func picture(alt string) string {
	return fmt.Sprintf(`<picture><source media="(prefers-color-scheme: dark)" srcset="DIR/%s-dark.svg">`+
		`<img alt="%s" src="DIR/%s.svg"></picture>`, fanOutChart, alt, fanOutChart)
}

// Markdown returns the page about a run.
func (r *Run) Markdown() (string, error) { return r.write(page, ".") }

// Tables returns the tables of the page about a run, without what the page says about them, aligned for a terminal.
func (r *Run) Tables() (string, error) {
	text, err := r.Markdown()
	if err != nil {
		return "", err
	}
	var out strings.Builder
	table := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	for line := range strings.Lines(text) {
		cells, isRow := strings.CutPrefix(line, "| ")
		switch {
		case isRow && !strings.HasPrefix(cells, "---") && cells != "| |\n":
			fmt.Fprintln(table, strings.ReplaceAll(strings.TrimSuffix(cells, " |\n"), " | ", "\t"))
		case strings.HasPrefix(line, "#"):
			_ = table.Flush() // a strings.Builder has no errors
			fmt.Fprint(&out, "\n", line)
		case line == "\n":
			_ = table.Flush()
		}
	}
	_ = table.Flush()
	return out.String(), nil
}

// Summary returns what the README of the repository says of a run; dir is the directory of the page, from there.
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
