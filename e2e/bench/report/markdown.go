// SPDX-License-Identifier: Apache-2.0

package report

import (
	_ "embed" // the templates
	"errors"
	"fmt"
	"strings"
	"text/template"
)

var (
	//go:embed page.md.tmpl
	pageText string
	//go:embed readme.md.tmpl
	readmeText string
	//go:embed reasons.md.tmpl
	reasonsText string

	page   = parse("page.md.tmpl", pageText)
	readme = parse("readme.md.tmpl", readmeText)

	reasons = parse("reasons.md.tmpl", reasonsText)
)

// parse returns a template that can use what is here.
func parse(name, text string) *template.Template {
	return template.Must(template.New(name).Funcs(template.FuncMap{
		"seconds": seconds, "count": count, "digits": digits, "total": Total,
		"minutes": minutes,
		"head":    head, "row": row, "plot": picture, "requestRows": requestRows,
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

// head writes the head of a table. The first column is text, the others are numbers.
func head(cells ...any) string {
	return row(cells...) + "| ---" + strings.Repeat(" | ---:", len(cells)-1) + " |\n"
}

// row writes a row of a table, of cells that are texts or several of them.
func row(cells ...any) string {
	var texts []string
	for _, cell := range cells {
		if several, ok := cell.([]string); ok {
			texts = append(texts, several...)
		} else {
			texts = append(texts, fmt.Sprint(cell))
		}
	}
	return "| " + strings.Join(texts, " | ") + " |\n"
}

// picture shows a plot of Plots, as it is for the reader's surrounding.
func picture(alt, name string) string {
	return fmt.Sprintf(`<picture><source media="(prefers-color-scheme: `+
		`dark)" srcset="DIR/%s"><img alt="%s" src="DIR/%s"></picture>`,
		name+darkEnd, alt, name+lightEnd)
}

// Markdown returns the page about a run.
func (r *Run) Markdown() (string, error) { return r.write(page, ".") }

// Summary returns what the README of the repository says of a run; dir is the directory of the page, from there.
func (r *Run) Summary(dir string) (string, error) { return r.summary(readme, dir) }

// Reasons returns what the README says of a run on its first screen: three lines.
func (r *Run) Reasons(dir string) (string, error) { return r.summary(reasons, dir) }

// summary writes a part of the README, for which a run of all parts is needed.
func (r *Run) summary(t *template.Template, dir string) (string, error) {
	if r.FanOut == nil || r.Rest == nil || r.Change == nil {
		return "", errors.New("the README needs a run of all parts")
	}
	return r.write(t, dir)
}

// write writes a document; dir is the directory of the page, from that of the document.
func (r *Run) write(t *template.Template, dir string) (string, error) {
	var out strings.Builder
	if err := t.Execute(&out, r); err != nil {
		return "", fmt.Errorf("cannot write the report: %w", err)
	}
	return strings.ReplaceAll(out.String(), "DIR/", strings.TrimPrefix(dir+"/", "./")), nil
}

// VersionOf returns the version of something, empty if it is not known.
func (o *Origin) VersionOf(name string) string {
	for _, v := range o.Versions {
		if v.Name == name {
			return v.Version
		}
	}
	return ""
}

// here and porchs are the names of the contenders in tables and pictures.
const here, porchs = "this project", "Porch's own"
