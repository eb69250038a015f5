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

	page   = parse("page.md.tmpl", pageText)
	readme = parse("readme.md.tmpl", readmeText)
)

// parse returns a template that can use what is here.
func parse(name, text string) *template.Template {
	return template.Must(template.New(name).Funcs(template.FuncMap{
		"seconds": seconds, "mb": megabytes, "count": count, "times": times, "digits": digits,
		"total": Total, "requestTable": requestTable, "plot": func(name string) string { return plotFiles[name] },
	}).Parse(text))
}

// plotFiles are the files of the plots, as the templates name them.
var plotFiles = map[string]string{"fan-out": fanOutPlot, "expansion": expansionPlot, "scale": scalePlot}

// Markdown returns the page about a run.
func (r *Run) Markdown() (string, error) { return r.write(page) }

// Summary returns what the README of the repository says of a run; dir is the directory of the page, from there.
func (r *Run) Summary(dir string) (string, error) {
	if r.FanOut == nil || r.Rest == nil || r.Change == nil {
		return "", errors.New("the README needs a run of all parts")
	}
	text, err := r.write(readme)
	return strings.ReplaceAll(text, "DIR/", dir+"/"), err
}

func (r *Run) write(t *template.Template) (string, error) {
	var out strings.Builder
	if err := t.Execute(&out, r); err != nil {
		return "", fmt.Errorf("cannot write the report: %w", err)
	}
	return out.String(), nil
}

// VersionOf returns the version of something, empty if it is not known.
func (r *Run) VersionOf(name string) string {
	for _, v := range r.Versions {
		if v.Name == name {
			return v.Version
		}
	}
	return ""
}

// ExpectationTable writes the expectations.
func (r *Run) ExpectationTable() string {
	var rows [][]string
	for _, e := range r.Expectations() {
		met := "met"
		if !e.Met {
			met = "**not met**"
		}
		rows = append(rows, []string{e.Text, e.Measured, met})
	}
	return table([]string{"expected", "measured", ""}, rows)
}

// Table writes what the contenders took for the fan-out.
func (f *FanOut) Table() string {
	row := func(what string, of func(*Contender) float64, text func(float64) string) []string {
		ours, porch := of(&f.Ours), of(&f.Porch)
		ratio := ""
		if ours > 0 {
			ratio = times(porch / ours)
		}
		return []string{what, text(ours), text(porch), ratio}
	}
	return table([]string{"", here, porchs, "ratio"}, [][]string{
		row("until all drafts are right", func(c *Contender) float64 { return c.Seconds }, seconds),
		row("requests to the Kubernetes API", func(c *Contender) float64 { return float64(Total(c.Requests)) }, whole),
		row("of these, refused", func(c *Contender) float64 { return float64(Refused(c.Requests)) }, whole),
		row("requests in the first "+seconds(f.Ours.FirstSeconds), func(c *Contender) float64 { return float64(Total(c.First)) }, whole),
		row("drafts made", granted("create", "packagerevisions"), whole),
		row("contents saved", granted("update", contents), whole),
		row("contents read", granted("get", contents), whole),
		row("status of variants written", func(c *Contender) float64 { return float64(statusWrites(c.Requests)) }, whole),
		row("processor time of the controller", func(c *Contender) float64 { return c.CPUSeconds }, seconds),
		row("memory of the controller, at most", func(c *Contender) float64 { return float64(c.PeakBytes) }, func(v float64) string { return megabytes(int64(v)) }),
		row("drafts that were missing or wrong in the end", func(c *Contender) float64 { return float64(c.Wrong) }, whole),
	})
}

// LeastRequests returns with how few requests a controller can make the drafts: it creates each variant and its draft,
// reads the draft, saves it, and writes the variant's status.
func (f *FanOut) LeastRequests() int { return 5 * f.Variants }

// LeastRatio returns the requests of Porch's controllers for each of the least.
func (f *FanOut) LeastRatio() float64 {
	return float64(Total(f.Porch.Requests)) / float64(f.LeastRequests())
}

// granted returns how often a contender asked something that was not refused.
func granted(verb, resource string) func(*Contender) float64 {
	return func(c *Contender) float64 { return float64(Granted(c.Requests, verb, resource)) }
}

// FloorTable writes the runs of the plain client.
func (f *FanOut) FloorTable() string {
	var rows [][]string
	for _, run := range f.Floor {
		rows = append(rows, []string{
			fmt.Sprintf("%s at a time, %s in one repository", count(run.Total), count(run.PerRepository)),
			seconds(run.Seconds), count(run.Retries), count(run.Wrong),
		})
	}
	return table([]string{"drafts worked on", "time", "calls made again", "drafts missing or wrong"}, rows)
}

// LatencyTable writes how long Porch's calls took.
func (f *FanOut) LatencyTable() string {
	var rows [][]string
	for _, l := range f.Latencies {
		rows = append(rows, []string{l.Verb + " " + l.Resource, count(l.Calls), seconds(l.MedianSeconds), seconds(l.P95Seconds)})
	}
	return table([]string{"call", "calls", "median", "95 %"}, rows)
}

// Table writes what goes on at rest, in a minute.
func (r *Rest) Table() string {
	row := func(what string, of func([]RequestCount) int) []string {
		return []string{what, digits(r.perMinute(of(r.Ours))), digits(r.perMinute(of(r.Porch)))}
	}
	return table([]string{"a minute", here, porchs}, [][]string{
		row("writes", Writes), row("of these, of packages", PackageWrites), row("contents of packages read", ContentReads), row("requests", Total),
	})
}

// Table writes what a change caused.
func (p ChangePair) Table() string {
	took := func(r Reaction) string {
		if r.Seconds == 0 {
			return fmt.Sprintf("not within %s (%s of %s)", seconds(r.WaitedSeconds), count(r.Right), count(p.Affected))
		}
		return seconds(r.Seconds)
	}
	row := func(what string, of func(Reaction) int) []string {
		return []string{what, count(of(p.Ours)), count(of(p.Porch))}
	}
	return table([]string{"", here, porchs}, [][]string{
		{"until the affected drafts are right", took(p.Ours), took(p.Porch)},
		row("reconciles of variants", func(r Reaction) int { return r.Reconciles }),
		row("of these, with a look into the package", func(r Reaction) int { return r.Evaluations }),
		row("packages whose contents were read", func(r Reaction) int { return r.Read }),
		row("packages whose contents were saved", func(r Reaction) int { return r.Saved }),
		row("packages of these that the change is not about", func(r Reaction) int { return r.Others }),
		row("drafts made", func(r Reaction) int { return Granted(r.Requests, "create", "packagerevisions") }),
		row("contents read, in all", func(r Reaction) int { return ContentReads(r.Requests) }),
		row("contents saved, in all", func(r Reaction) int { return Count(r.Requests, "update", contents) }),
		row("requests", func(r Reaction) int { return Total(r.Requests) }),
	})
}

// ExpansionTable writes the expansions.
func (r *Run) ExpansionTable() string {
	var rows [][]string
	for _, p := range r.Expansion {
		porch, ratio := "", ""
		if p.PorchSeconds > 0 {
			porch, ratio = seconds(p.PorchSeconds/float64(p.Targets)), times(p.PorchSeconds/p.Seconds)
		}
		rows = append(rows, []string{count(p.Targets), seconds(p.Seconds), megabytes(p.AllocatedBytes), seconds(p.perTarget()), porch, ratio})
	}
	return table([]string{"targets", here + ", in all", "allocated", "a target", porchs + ", a target", "ratio"}, rows)
}

// MutationTable writes the functions in a Go program.
func (r *Run) MutationTable() string {
	var rows [][]string
	for _, p := range r.Mutations {
		porch, ratio := "", ""
		if p.PorchSeconds > 0 {
			porch, ratio = seconds(p.PorchSeconds), times(p.PorchSeconds/p.Seconds)
		}
		rows = append(rows, []string{p.Function, count(p.Resources), seconds(p.Seconds), megabytes(p.AllocatedBytes), porch, ratio})
	}
	return table([]string{"function", "resources", here, "allocated", porchs, "ratio"}, rows)
}

// ProcessTable writes the functions as processes.
func (r *Run) ProcessTable() string {
	var rows [][]string
	for _, p := range r.Processes {
		rows = append(rows, []string{
			p.Function, count(p.Resources), seconds(p.CPUSeconds), seconds(p.NoopCPUSeconds), times(p.CPUSeconds / p.NoopCPUSeconds),
			seconds(p.CatalogCPUSeconds), times(p.CPUSeconds / p.CatalogCPUSeconds),
		})
	}
	return table([]string{"function", "resources", here, "no-op", "ratio", "set-namespace", "ratio"}, rows)
}
