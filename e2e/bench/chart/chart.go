// SPDX-License-Identifier: Apache-2.0

// Package chart draws bars and lines as SVG. A picture has a ground and colours of its own for a light and a dark
// surrounding, so it can be read wherever it is shown, and it depends on nothing but what it is given.
package chart

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// Series says whose a bar or a line is, and so its colour.
type Series string

// The series. A reader finds a colour for the same thing in all pictures.
const (
	Ours  Series = "ours"
	Other Series = "other"
	Floor Series = "floor"
)

const (
	width  = 840 // of every picture
	margin = 24
	gap    = 36 // between the two columns of a picture
	column = (width - 2*margin - gap) / 2
)

// style is what all pictures have.
const style = `<style>
text { font: 13px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328; }
.title { font-size: 15px; font-weight: 600; }
.head { font-weight: 600; }
.quiet { fill: #59636e; }
.ground { fill: #ffffff; stroke: #d1d9e0; }
.grid { stroke: #d1d9e0; }
.ours { fill: #0969da; }
.other { fill: #bc4c00; }
.floor { fill: #8c959f; }
path.ours, path.other, path.floor { fill: none; stroke-width: 2; }
path.ours { stroke: #0969da; }
path.other { stroke: #bc4c00; }
path.floor { stroke: #8c959f; }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc; }
.quiet { fill: #9198a1; }
.ground { fill: #0d1117; stroke: #3d444d; }
.grid { stroke: #3d444d; }
.ours { fill: #4493f8; }
.other { fill: #f0883e; }
.floor { fill: #656c76; }
path.ours { stroke: #4493f8; }
path.other { stroke: #f0883e; }
path.floor { stroke: #656c76; }
}
</style>
`

// picture is an SVG that is being drawn.
type picture struct{ strings.Builder }

// text writes a text; the anchor is start, middle or end.
func (p *picture) text(x, y float64, class, anchor, text string) {
	fmt.Fprintf(p, `<text x="%s" y="%s" class="%s" text-anchor="%s">%s</text>`+"\n", number(x), number(y), class, anchor, html.EscapeString(text))
}

// rect draws a rectangle.
func (p *picture) rect(x, y, w, h float64, class string) {
	fmt.Fprintf(p, `<rect x="%s" y="%s" width="%s" height="%s" rx="2" class="%s"/>`+"\n", number(x), number(y), number(w), number(h), class)
}

// line draws a thin straight line.
func (p *picture) line(x1, y1, x2, y2 float64) {
	fmt.Fprintf(p, `<line x1="%s" y1="%s" x2="%s" y2="%s" class="grid"/>`+"\n", number(x1), number(y1), number(x2), number(y2))
}

// finish returns the picture, which has a height, a title that stands above it and a description for who cannot see it.
func (p *picture) finish(height float64, title, description string) string {
	var out picture
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %s" width="%d" height="%s" role="img">`+"\n", width, number(height), width, number(height))
	fmt.Fprintf(&out, "<title>%s</title>\n<desc>%s</desc>\n%s", html.EscapeString(title), html.EscapeString(description), style)
	out.rect(0.5, 0.5, width-1, height-1, "ground")
	out.text(margin, 32, "title", "start", title)
	out.WriteString(p.String())
	out.WriteString("</svg>\n")
	return out.String()
}

// number writes a coordinate, to a tenth of a pixel.
func number(v float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", math.Round(v*10)/10), ".0")
}
