// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"html/template"
	"io"
	"time"
)

// page is one file that needs no network: the trees as nested lists to fold.
var page = template.Must(template.New("trace").Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Title}}</title>
<style>
:root { color-scheme: light dark; --back: #ffffff; --text: #1b1f24; --dim: #57606a; --line: #d0d7de;
  --good: #1a7f37; --bad: #b42318; --other: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --back: #0d1117; --text: #e6edf3; --dim: #9198a1; --line: #30363d;
  --good: #4ac26b; --bad: #ff7b72; --other: #e3a008; } }
body { margin: 2rem; background: var(--back); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
ul { list-style: none; margin: 0; padding-left: 1.4rem; border-left: 1px solid var(--line); }
main > ul { border: 0; padding: 0; }
.row { display: inline-flex; flex-wrap: wrap; gap: .2rem .7rem; align-items: baseline; }
.kind, .age, .message { color: var(--dim); }
.name { font-weight: 600; }
.good { color: var(--good); } .bad { color: var(--bad); } .other { color: var(--other); }
.message { display: block; padding-left: 1.2rem; max-width: 70rem; overflow-wrap: anywhere; }
summary { cursor: pointer; }
</style>
</head>
<body>
<main>
<h1>{{.Title}}</h1>
<ul>
{{range .Trees}}{{template "node" .}}{{end -}}
</ul>
</main>
</body>
</html>
{{define "node"}}<li>
{{if .Children}}<details open><summary>{{template "row" .}}</summary>{{template "message" .}}<ul>
{{range .Children}}{{template "node" .}}{{end}}</ul></details>
{{else}}{{template "row" .}}{{template "message" .}}
{{end}}</li>
{{end}}
{{define "row"}}<span class="row"><span class="kind">{{.Kind}}</span><span class="name">{{.Name}}</span>
{{- with .Revision}}<span>{{.}}</span>{{end}}<span class="{{.Class}}">{{.State}}</span>
{{- with .Reason}}<span>{{.}}</span>{{end}}{{if ne .Age "-"}}<span class="age">for {{.Age}}</span>{{end}}</span>{{end}}
{{define "message"}}{{with .Message}}<span class="message">{{.}}</span>{{end}}{{end}}`))

// shown is a node as the page shows it.
type shown struct {
	*Node
	Age, Class string
	Children   []shown
}

func show(nodes []*Node, now time.Time) []shown {
	var out []shown
	for _, n := range nodes {
		class := "other"
		switch n.colour() {
		case colours["Ready"]:
			class = "good"
		case colours["Stalled"]:
			class = "bad"
		}
		out = append(out, shown{n, n.age(now), class, show(n.Children, now)})
	}
	return out
}

// printHTML writes the trees as a page of one file.
func printHTML(w io.Writer, trees []*Node, now time.Time) error {
	title := "Package variants"
	if len(trees) > 0 {
		title = "Package variants of " + trees[0].Name
	}
	return page.Execute(w, map[string]any{"Title": title, "Trees": show(trees, now)})
}
