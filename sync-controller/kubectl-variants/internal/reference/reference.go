// SPDX-License-Identifier: Apache-2.0

// Package reference generates the pages of docs/reference from the fields of the API, the commands of the plugin and of
// variants, and the flags and metrics of the controller.
package reference

import (
	"fmt"
	"slices"
	"strings"
)

// Pages returns the pages by file name.
func Pages() (map[string]string, error) {
	fields, err := apiPage()
	if err != nil {
		return nil, err
	}
	metrics, err := metricsPage()
	if err != nil {
		return nil, err
	}
	return map[string]string{
		"api.md": fields, "plugin.md": pluginPage(), "variants.md": localPage(), "flags.md": flagsPage(),
		"metrics.md": metrics,
	}, nil
}

// page returns the beginning of a generated page; the introduction says what it is.
func page(title, from, introduction string) string {
	return fmt.Sprintf("<!-- Made by make generate from %s: do not edit. -->\n\n# %s\n\n%s\n", from, title, introduction)
}

// table returns a table with a line for each row, after an empty line.
func table(columns []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	b.WriteString("\n")
	line(columns)
	line(slices.Repeat([]string{"---"}, len(columns)))
	for _, row := range rows {
		line(row)
	}
	return b.String()
}

// code returns text as code in a table cell; "" stays empty.
func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + strings.ReplaceAll(text, "|", `\|`) + "`"
}

var escapes = strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`, "[", `\[`)

// plain returns text as words in a table cell, on one line.
func plain(text string) string { return escapes.Replace(strings.Join(strings.Fields(text), " ")) }
