// SPDX-License-Identifier: Apache-2.0

package report

import (
	"image/color"
	"math"
	"strings"

	"golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// theme has the colours of a figure. Each contender has the same colour in all figures.
type theme struct{ ground, text, quiet, ours, other, floor color.Color }

var (
	light = &theme{
		ground: rgb(0xffffff), text: rgb(0x1f2328), quiet: rgb(0x59636e),
		ours: rgb(0x0969da), other: rgb(0xbc4c00), floor: rgb(0x8c959f),
	}
	dark = &theme{
		ground: rgb(0x0d1117), text: rgb(0xf0f6fc), quiet: rgb(0x9198a1),
		ours: rgb(0x4493f8), other: rgb(0xf0883e), floor: rgb(0x656c76),
	}
)

// The endings of the file names in the two themes.
const lightEnd, darkEnd = ".svg", "-dark.svg"

// rgb returns a colour of 24 bits.
func rgb(v uint32) color.Color { return color.NRGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 0xff} }

const (
	figureWidth = 840
	plotHeight  = 240
	titleHeight = 44
)

// figure draws plots of the given height in two columns, from left to right, below a title.
func (t *theme) figure(title string, height vg.Length, plots []*plot.Plot) (string, error) {
	const columns = 2
	rows := make([][]*plot.Plot, (len(plots)+columns-1)/columns)
	for i := range rows {
		rows[i] = make([]*plot.Plot, columns)
		copy(rows[i], plots[i*columns:])
	}
	svg := vgsvg.New(figureWidth, titleHeight+vg.Length(len(rows))*height)
	canvas := draw.New(svg)
	canvas.SetColor(t.ground)
	canvas.Fill(canvas.Path())
	canvas.FillText(t.style(15, t.text, font.WeightBold), vg.Point{X: 24, Y: canvas.Max.Y - 32}, title)
	canvas.Max.Y -= titleHeight
	tiles := draw.Tiles{Rows: len(rows), Cols: columns, PadX: 24, PadY: 8, PadLeft: 24, PadRight: 24, PadBottom: 12}
	for i, row := range plot.Align(rows, tiles, canvas) {
		for j := range row {
			if rows[i][j] != nil {
				rows[i][j].Draw(row[j])
			}
		}
	}
	var out strings.Builder
	_, err := svg.WriteTo(&out)
	return out.String(), err
}

// style returns how text of a size is written.
func (t *theme) style(size vg.Length, colour color.Color, weight font.Weight) text.Style {
	f := plot.DefaultFont
	f.Variant, f.Size, f.Weight = "Sans", size, weight
	return text.Style{Color: colour, Font: f, Handler: plot.DefaultTextHandler}
}

// plot returns an empty plot.
func (t *theme) plot(title string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil // the figure's
	p.Title.Text, p.Title.TextStyle = title, t.style(13, t.text, font.WeightBold)
	p.Title.TextStyle.XAlign, p.Title.TextStyle.YAlign, p.Title.Padding = draw.XCenter, draw.YTop, 6
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		xAlign, yAlign := axis.Tick.Label.XAlign, axis.Tick.Label.YAlign
		axis.Tick.Label = t.style(12, t.quiet, font.WeightNormal)
		axis.Tick.Label.XAlign, axis.Tick.Label.YAlign = xAlign, yAlign
		axis.Color, axis.Tick.Color = t.quiet, t.quiet
	}
	return p
}

// bar is one value of a plot of bars.
type bar struct {
	label  string
	value  float64
	colour color.Color
}

// bars draws bars from top to bottom, each with its value as text at its end.
func (t *theme) bars(title string, text func(float64) string, bars ...bar) *plot.Plot {
	p := t.plot(title)
	names := make([]string, len(bars))
	for i, b := range bars {
		at := len(bars) - 1 - i
		names[at] = b.label
		drawn := &plotter.BarChart{
			Values: plotter.Values{b.value}, Width: 16, XMin: float64(at), Color: b.colour, Horizontal: true,
		}
		label := &plotter.Labels{
			XYs: plotter.XYs{{X: b.value, Y: float64(at)}}, Labels: []string{text(b.value)},
			TextStyle: []draw.TextStyle{t.style(12, t.text, font.WeightNormal)}, Offset: vg.Point{X: 6, Y: -4},
		}
		p.Add(drawn, label)
	}
	p.NominalY(names...)
	p.Y.Color = t.quiet
	p.HideX()
	p.X.Min, p.X.Max = 0, max(p.X.Max, math.SmallestNonzeroFloat32)
	p.Y.Min, p.Y.Max = -0.5, float64(len(bars))-0.5
	return p
}

// line shows how one value grows with another.
type line struct {
	label  string
	colour color.Color
	points plotter.XYs
}

// add adds a point, if it can be drawn on a logarithmic axis.
func (l *line) add(x int, y float64) {
	if y > 0 {
		l.points = append(l.points, plotter.XY{X: float64(x), Y: y})
	}
}

// lines draws lines over logarithmic axes: proportional growth is a straight line.
func (t *theme) lines(title string, text func(float64) string, lines ...line) *plot.Plot {
	p := t.legend(title)
	for _, l := range lines {
		if len(l.points) == 0 {
			continue
		}
		drawn := &plotter.Line{XYs: l.points, LineStyle: draw.LineStyle{Color: l.colour, Width: 2}}
		points := &plotter.Scatter{XYs: l.points, GlyphStyle: draw.GlyphStyle{
			Color: l.colour, Radius: 3.5, Shape: draw.CircleGlyph{},
		}}
		p.Add(drawn, points)
		p.Legend.Add(l.label, drawn, points)
	}
	byPowers(&p.X, digits)
	byPowers(&p.Y, text)
	return p
}

// curves draws lines over linear axes that begin at 0.
func (t *theme) curves(title string, text func(float64) string, lines ...line) *plot.Plot {
	p := t.legend(title)
	for _, l := range lines {
		if len(l.points) == 0 {
			continue
		}
		drawn := &plotter.Line{XYs: l.points, LineStyle: draw.LineStyle{Color: l.colour, Width: 1.5}}
		p.Add(drawn)
		p.Legend.Add(l.label, drawn)
	}
	bySteps(&p.X, digits)
	bySteps(&p.Y, text)
	return p
}

// legend returns an empty plot with a grid, and with a place for the names of two lines.
func (t *theme) legend(title string) *plot.Plot {
	p := t.plot(title)
	const legendHeight = 40 // for two lines of it, between the title and the plot
	p.Title.Padding += legendHeight
	p.Legend.TextStyle, p.Legend.Top, p.Legend.Left = t.style(12, t.quiet, font.WeightNormal), true, true
	p.Legend.YOffs, p.Legend.Padding = legendHeight, 4
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = t.floor, t.floor
	grid.Horizontal.Width, grid.Vertical.Width = vg.Points(0.25), vg.Points(0.25)
	p.Add(grid)
	return p
}

// bySteps gives an axis at most five steps from 0, each 1, 2 or 5 times a power of ten.
func bySteps(axis *plot.Axis, text func(float64) string) {
	const most = 5
	end := axis.Max
	if !(end > 0) || math.IsInf(end, 0) { // there are no values
		end = 1
	}
	power := math.Pow10(int(math.Floor(math.Log10(end / most))))
	step := power
	for _, times := range []float64{2, 5, 10} {
		if step*most < end {
			step = power * times
		}
	}
	ticks := plot.ConstantTicks{{Value: 0, Label: text(0)}}
	for i := 1; float64(i-1)*step < end; i++ {
		ticks = append(ticks, plot.Tick{Value: float64(i) * step, Label: text(float64(i) * step)})
	}
	axis.Min, axis.Max = 0, ticks[len(ticks)-1].Value
	axis.Tick.Marker = ticks
}

// byPowers makes an axis logarithmic, from one power of ten to another, with a tick at each.
func byPowers(axis *plot.Axis, text func(float64) string) {
	const slack = 1e-9 // for rounding errors in powers of ten
	from, to := 0, 1
	if axis.Min > 0 && axis.Min <= axis.Max { // there are values
		from, to = int(math.Floor(math.Log10(axis.Min)+slack)), int(math.Ceil(math.Log10(axis.Max)-slack))
		to = max(to, from+1)
	}
	var ticks plot.ConstantTicks
	for e := from; e <= to; e++ {
		ticks = append(ticks, plot.Tick{Value: math.Pow10(e), Label: text(math.Pow10(e))})
	}
	axis.Min, axis.Max = math.Pow10(from), math.Pow10(to)
	axis.Scale, axis.Tick.Marker = plot.LogScale{}, ticks
}
