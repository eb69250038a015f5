// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"html"
	"strings"
)

// theme is the colours of a chart.
type theme struct{ ground, ink, ours, porch, floor string }

// themes are the themes, by the end of the file name: in the colours of the page of a plan.
var themes = map[string]theme{
	".svg":      {"#ffffff", "#1f2328", "#0969da", "#8a5a00", "#59636e"},
	"-dark.svg": {"#0d1117", "#f0f6fc", "#58a6ff", "#e3b341", "#9198a1"},
}

// fanOutChart is the name of the chart, without the end.
const fanOutChart = "fan-out"

// Charts returns the chart of the fan-out as SVG, by file name: in a light and a dark version.
func (r *Run) Charts() map[string]string {
	files := map[string]string{}
	if len(r.Contests) > 0 {
		for end, t := range themes {
			files[fanOutChart+end] = r.Contests.chart(t)
		}
	}
	return files
}

// bar is a bar of a chart.
type bar struct {
	label, colour string
	value         float64
}

// chart draws the time until all drafts are right, with each cache.
func (c Contests) chart(t theme) string {
	var bars []bar
	for i := range c {
		one := &c[i]
		if floor := one.floor(); floor > 0 {
			bars = append(bars, bar{"Porch's calls alone, " + one.Cache, t.floor, floor})
		}
		bars = append(bars, bar{"this project, " + one.Cache, t.ours, one.Ours.FanOut.Seconds},
			bar{"Porch's own, " + one.Cache, t.porch, one.Porch.FanOut.Seconds})
	}
	first := c.First()
	return t.bars(fmt.Sprintf("From one set to %s in %d repositories: until all are right", first.Drafts(),
		first.Repositories), bars)
}

// bars draws times as bars below a title.
func (t theme) bars(title string, bars []bar) string {
	const width, top, step, thick, left, right = 720, 44, 28, 18, 190, 70
	most := 0.0
	for _, b := range bars {
		most = max(most, b.value)
	}
	height := top + step*len(bars)
	var svg strings.Builder
	fmt.Fprintf(&svg, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" `+
		`font-family="system-ui, sans-serif" font-size="13" fill="%s">`+"\n", width, height, width, height, t.ink)
	fmt.Fprintf(&svg, `<rect width="%d" height="%d" rx="8" fill="%s"/>`+"\n", width, height, t.ground)
	fmt.Fprintf(&svg, `<text x="16" y="28" font-weight="600">%s</text>`+"\n", html.EscapeString(title))
	for i, b := range bars {
		y, long := top+step*i, float64(width-left-right)*b.value/most
		fmt.Fprintf(&svg, `<text x="%d" y="%d" text-anchor="end">%s</text>`+"\n", left-8, y+13, html.EscapeString(b.label))
		fmt.Fprintf(&svg, `<rect x="%d" y="%d" width="%.1f" height="%d" fill="%s"/>`+"\n", left, y, long, thick, b.colour)
		fmt.Fprintf(&svg, `<text x="%.1f" y="%d">%s</text>`+"\n", left+long+8, y+13, seconds(b.value))
	}
	svg.WriteString("</svg>\n")
	return svg.String()
}
