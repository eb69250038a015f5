// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"fmt"
	"math"
	"strings"
)

// Point is a point of a line. Both values are more than 0.
type Point struct{ X, Y float64 }

// Line is how one value grows with another.
type Line struct {
	// Series is whose it is, and Label what that is called. Points are in the order of X.
	Series Series
	Label  string
	Points []Point
}

// Plot is some lines over the same axes, each of which goes by powers of ten: what grows in proportion is a straight line
// that rises by one power for each.
type Plot struct {
	Title string
	Lines []Line
	// XText and YText write a value at an axis.
	XText, YText func(float64) string
}

const (
	plotHeight = 240
	axisWidth  = 72 // what stands at the left of a plot takes that much
	axisHeight = 22
)

// Lines draws plots in two columns, from left to right, below a title.
func Lines(title string, plots []Plot) string {
	var p picture
	var said []string
	y := float64(head)
	for i, plot := range plots {
		p.plot(float64(margin+i%2*(column+gap)), y, &plot)
		said = append(said, plot.description())
		if i%2 == 1 || i == len(plots)-1 {
			y += plotHeight + 20
		}
	}
	return p.finish(y, title, strings.Join(said, " "))
}

// scale is an axis: the powers of ten that it goes from and to.
type scale struct{ from, to int }

// at returns where a value is on a scale, from 0 to 1.
func (s scale) at(v float64) float64 { return (math.Log10(v) - float64(s.from)) / float64(s.to-s.from) }

// scaleOf returns a scale that has all values.
func scaleOf(lines []Line, value func(Point) float64) scale {
	low, high := math.Inf(1), math.Inf(-1)
	for _, line := range lines {
		for _, point := range line.Points {
			low, high = min(low, math.Log10(value(point))), max(high, math.Log10(value(point)))
		}
	}
	if low > high {
		return scale{0, 1} // there are no values
	}
	const slack = 1e-9 // a power of ten is one, however it was worked out
	s := scale{int(math.Floor(low + slack)), int(math.Ceil(high - slack))}
	if s.from == s.to {
		s.to++
	}
	return s
}

// plot draws a plot.
func (p *picture) plot(x, y float64, plot *Plot) {
	p.text(x, y+12, "head", "start", plot.Title)
	left, right, top, bottom := x+axisWidth, x+column, y+50, y+plotHeight-axisHeight
	xs, ys := scaleOf(plot.Lines, func(p Point) float64 { return p.X }), scaleOf(plot.Lines, func(p Point) float64 { return p.Y })
	across := func(v float64) float64 { return left + xs.at(v)*(right-left) }
	up := func(v float64) float64 { return bottom - ys.at(v)*(bottom-top) }
	for e := xs.from; e <= xs.to; e++ {
		v := math.Pow10(e)
		p.line(across(v), top, across(v), bottom)
		anchor := "middle"
		if e == xs.to {
			anchor = "end" // not beyond the picture
		}
		p.text(across(v), bottom+17, "quiet", anchor, plot.XText(v))
	}
	for e := ys.from; e <= ys.to; e++ {
		v := math.Pow10(e)
		p.line(left, up(v), right, up(v))
		p.text(left-8, up(v)+4.5, "quiet", "end", plot.YText(v))
	}
	legend := x
	for _, line := range plot.Lines {
		p.rect(legend, y+24, 10, 10, string(line.Series))
		p.text(legend+16, y+33.5, "quiet", "start", line.Label)
		legend += 32 + 7*float64(len([]rune(line.Label)))
		var path strings.Builder
		for i, point := range line.Points {
			fmt.Fprintf(&path, "%c%s %s", "ML"[min(i, 1)], number(across(point.X)), number(up(point.Y)))
			fmt.Fprintf(p, `<circle cx="%s" cy="%s" r="3.5" class="%s"/>`+"\n", number(across(point.X)), number(up(point.Y)), line.Series)
		}
		fmt.Fprintf(p, `<path d="%s" class="%s"/>`+"\n", path.String(), line.Series)
	}
}

// description tells a plot in words.
func (p *Plot) description() string {
	lines := make([]string, len(p.Lines))
	for i, line := range p.Lines {
		points := make([]string, len(line.Points))
		for j, point := range line.Points {
			points[j] = p.YText(point.Y) + " at " + p.XText(point.X)
		}
		lines[i] = line.Label + " " + strings.Join(points, ", ")
	}
	return p.Title + ": " + strings.Join(lines, "; ") + "."
}
