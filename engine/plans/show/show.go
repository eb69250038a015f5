// SPDX-License-Identifier: Apache-2.0

// Package show prints plans: as text for a terminal, as a comment for a pull request, as a page, and for programs.
package show

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/engine/page"
	"github.com/package-variants/package-variants/engine/plans"
	"github.com/package-variants/package-variants/engine/visible"
	"sigs.k8s.io/yaml"
)

// Formats are the formats in the order of the help.
var Formats = []string{"text", "json", "yaml", "markdown", "html"}

// CheckFormat returns an error for what is none of the formats.
func CheckFormat(format string) error {
	if !slices.Contains(Formats, format) {
		return fmt.Errorf("-o is %q, but must be one of %s", format, strings.Join(Formats, ", "))
	}
	return nil
}

// Options are for text.
type Options struct {
	// Colour is for a terminal that has them, Names asks for the names of all that say the same.
	Colour, Names bool
}

// Print prints a plan in a format. What people read is made visible in the plan, too.
func Print(w io.Writer, format string, plan *plans.Plan, o Options) error {
	if format == "json" {
		return visible.JSON(w, plan)
	}
	visible.All(plan) // people read these
	switch format {
	case "yaml":
		data, err := yaml.Marshal(plan)
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	case "markdown":
		return Markdown(w, plan)
	case "html":
		return HTML(w, plan)
	}
	return Text(w, plan, o)
}

// Failure prints why there is no plan in the formats that are kept, since an earlier plan would stay otherwise.
func Failure(w io.Writer, format string, about *plans.About, failure error) error {
	switch format {
	case "markdown":
		return noPlan(w, about, failure)
	case "html":
		return page.Write(w, &page.Page{Title: title, Summary: "There is no plan: it failed.", About: aboutOf(about, asIs),
			Notes: []string{failure.Error()}})
	}
	return nil
}

// asIs leaves a text as it is, where a format escapes all text.
func asIs(text string) string { return text }

// aboutOf says what a plan was made from and when; "" if that is unknown. escape is for the names in it.
func aboutOf(a *plans.About, escape func(string) string) string {
	if a.Time.IsZero() {
		return ""
	}
	over := "Over " + escape(a.Over)
	switch {
	case a.AllNamespaces:
		over += ", all namespaces"
	case a.Namespace != "":
		over += ", namespace " + escape(a.Namespace)
	}
	return over + ", planned at " + a.Time.UTC().Format("2006-01-02 15:04 UTC") + "."
}
