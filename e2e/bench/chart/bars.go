// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"fmt"
	"strings"
)

// Bar is one value.
type Bar struct {
	// Series is whose value it is, and Label what that is called.
	Series Series
	Label  string
	// Value is the length of the bar, and Text what stands at its end.
	Value float64
	Text  string
}

// Panel is a few values that are compared, with a scale of their own that begins at 0.
type Panel struct {
	Title string
	Bars  []Bar
}

const (
	barHeight  = 18
	barStep    = 24
	labelWidth = 132 // what the labels of bars take, and textWidth what stands at their ends does
	textWidth  = 72
	head       = 56 // the height of the title of a picture
)

// Bars draws panels in two columns, from left to right, below a title.
func Bars(title string, panels []Panel) string {
	var p picture
	var said []string
	y := float64(head)
	for i := 0; i < len(panels); i += 2 {
		row := panels[i:min(i+2, len(panels))]
		height := 0
		for j, panel := range row {
			p.panel(float64(margin+j*(column+gap)), y, &panel)
			said = append(said, panel.description())
			height = max(height, 36+len(panel.Bars)*barStep)
		}
		y += float64(height) + 12
	}
	return p.finish(y, title, strings.Join(said, " "))
}

// panel draws a panel.
func (p *picture) panel(x, y float64, panel *Panel) {
	p.text(x, y+12, "head", "start", panel.Title)
	longest := 0.0
	for _, bar := range panel.Bars {
		longest = max(longest, bar.Value)
	}
	for i, bar := range panel.Bars {
		top := y + 26 + float64(i*barStep)
		length := 0.0
		if longest > 0 {
			length = bar.Value / longest * (column - labelWidth - textWidth)
		}
		p.text(x+labelWidth-8, top+13.5, "quiet", "end", bar.Label)
		p.rect(x+labelWidth, top, length, barHeight, string(bar.Series))
		p.text(x+labelWidth+length+6, top+13.5, "value", "start", bar.Text)
	}
	p.line(x+labelWidth, y+22, x+labelWidth, y+24+float64(len(panel.Bars)*barStep))
}

// description tells a panel in words.
func (p *Panel) description() string {
	values := make([]string, len(p.Bars))
	for i, bar := range p.Bars {
		values[i] = fmt.Sprintf("%s %s", bar.Label, bar.Text)
	}
	return p.Title + ": " + strings.Join(values, ", ") + "."
}
