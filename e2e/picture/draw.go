// SPDX-License-Identifier: Apache-2.0

package picture

import (
	"fmt"
	"html"
	"strings"
)

// Theme is the colours of a picture.
type Theme struct {
	ground, soft, line, ink, dim string
	// tones are those of the actions; one that is not listed is dim.
	tones map[string]string
}

// Light and Dark are the themes, in the colours of the plugin's pages.
var (
	Light = &Theme{ground: "#ffffff", soft: "#f6f8fa", line: "#d1d9e0", ink: "#1f2328", dim: "#59636e",
		tones: map[string]string{"create": "#1a7f37", "publish": "#1a7f37", "upgrade": "#8a5a00", "merge": "#8a5a00",
			"edit": "#8a5a00", "adopt": "#8a5a00", "wait": "#0969da", "delete": "#c1121f", "prune": "#c1121f",
			"fail": "#c1121f"}}
	Dark = &Theme{ground: "#0d1117", soft: "#151b23", line: "#3d444d", ink: "#f0f6fc", dim: "#9198a1",
		tones: map[string]string{"create": "#3fb950", "publish": "#3fb950", "upgrade": "#e3b341", "merge": "#e3b341",
			"edit": "#e3b341", "adopt": "#e3b341", "wait": "#58a6ff", "delete": "#ff7b72", "prune": "#ff7b72",
			"fail": "#ff7b72"}}
)

// Where things are, from left to right: the blueprint, the set, and the bands with the cards of the variants.
const (
	width                  = 880
	margin                 = 16
	boxWidth, boxHeight    = 176, 76
	setLeft                = margin + boxWidth + 40
	bandLeft               = setLeft + boxWidth + 40
	bandWidth              = width - margin - bandLeft
	bandHead, bandGap      = 30, 12
	cardsInRow, cardGap    = 3, 8
	cardWidth, cardHeight  = (bandWidth-cardGap)/cardsInRow - cardGap, 60
	captionHeight          = 34
	small, normal, heading = 11, 13, 14
)

// drawing is a picture in the making.
type drawing struct {
	*Theme
	strings.Builder
}

// Draw returns the picture of the first set of a plan, as SVG, with a caption.
func Draw(p *Plan, theme *Theme, caption string) string {
	d := &drawing{Theme: theme}
	set := &p.Sets[0]
	bands := p.bands(set)
	tops, bottom := make([]int, len(bands)), margin
	for i := range bands {
		tops[i] = bottom
		bottom += bands[i].height() + bandGap
	}
	height := bottom - bandGap + captionHeight
	middle := (bottom-bandGap+margin)/2 - boxHeight/2
	fmt.Fprintf(d, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" `+
		`aria-label="%s" font-family="system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'Liberation Sans', sans-serif">`+
		"\n",
		width, height, width, height, html.EscapeString(caption))
	d.box(0, 0, width, height, 10, d.ground, d.ground)
	d.arrow(margin+boxWidth, middle+boxHeight/2, setLeft, middle+boxHeight/2)
	for i := range bands {
		d.arrow(setLeft+boxWidth, middle+boxHeight/2, bandLeft, tops[i]+bands[i].height()/2)
	}
	name, from, to := p.blueprint()
	revisions := to
	if from != "" {
		revisions = from + " → " + to
	}
	d.node(margin, middle, "blueprint", name, revisions)
	d.node(setLeft, middle, "PackageVariantSet", set.Name, fmt.Sprintf("%d variants", len(p.Variants)))
	for i := range bands {
		d.band(tops[i], &bands[i])
	}
	d.text(margin, height-13, small+1, d.dim, "", caption)
	d.WriteString("</svg>\n")
	return d.String()
}

// height returns how high a band is.
func (b *band) height() int {
	rows := (len(b.variants) + cardsInRow - 1) / cardsInRow
	return bandHead + rows*(cardHeight+cardGap)
}

// band draws a wave and the variants in it.
func (d *drawing) band(top int, b *band) {
	d.box(bandLeft, top, bandWidth, b.height(), 8, d.soft, d.line)
	d.text(bandLeft+cardGap+2, top+20, normal, d.ink, "bold", b.title)
	d.right(bandLeft+bandWidth-cardGap-2, top+20, small+1, d.dim, b.state)
	for i, v := range b.variants {
		x := bandLeft + cardGap + i%cardsInRow*(cardWidth+cardGap)
		d.card(x, top+bandHead+i/cardsInRow*(cardHeight+cardGap), v)
	}
}

// card draws a variant, with what becomes of it in a colour and in words.
func (d *drawing) card(x, y int, v *Variant) {
	tone := d.tones[v.Action]
	if tone == "" {
		tone = d.dim
	}
	d.box(x, y, cardWidth, cardHeight, 6, d.ground, d.line)
	d.box(x, y, 4, cardHeight, 2, tone, tone)
	d.text(x+13, y+19, normal, d.ink, "bold", v.Repo+"/"+v.Package)
	d.text(x+13, y+36, small+1, tone, "bold", v.Action)
	about := d.dim
	if len(v.Conflicts) > 0 {
		about = d.tones["fail"]
	}
	d.text(x+13, y+51, small, about, "", v.about())
}

// node draws a blueprint or a set.
func (d *drawing) node(x, y int, kind, name, more string) {
	d.box(x, y, boxWidth, boxHeight, 8, d.soft, d.line)
	d.text(x+14, y+22, small, d.dim, "", kind)
	d.text(x+14, y+43, heading, d.ink, "bold", name)
	d.text(x+14, y+62, small+1, d.dim, "", more)
}

func (d *drawing) box(x, y, w, h, radius int, fill, stroke string) {
	fmt.Fprintf(d, `<rect x="%d" y="%d" width="%d" height="%d" rx="%d" fill="%s" stroke="%s"/>`+"\n", x, y, w, h, radius,
		fill, stroke)
}

// arrow draws a line that leaves to the right and comes from the left.
func (d *drawing) arrow(x, y, toX, toY int) {
	middle := (x + toX) / 2
	fmt.Fprintf(d, `<path d="M%d %dC%d %d %d %d %d %d" fill="none" stroke="%s" stroke-width="1.5"/>`+"\n", x, y, middle, y,
		middle, toY, toX, toY, d.dim)
	fmt.Fprintf(d, `<path d="M%d %dl-7 -4v8z" fill="%s"/>`+"\n", toX, toY, d.dim)
}

func (d *drawing) text(x, y, size int, colour, weight, text string) {
	d.words(x, y, size, colour, weight, "start", text)
}

func (d *drawing) right(x, y, size int, colour, text string) {
	d.words(x, y, size, colour, "", "end", text)
}

func (d *drawing) words(x, y, size int, colour, weight, anchor, text string) {
	if text == "" {
		return
	}
	if weight == "" {
		weight = "normal"
	}
	fmt.Fprintf(d, `<text x="%d" y="%d" font-size="%d" fill="%s" font-weight="%s" text-anchor="%s">%s</text>`+"\n", x, y,
		size, colour, weight, anchor, html.EscapeString(text))
}
