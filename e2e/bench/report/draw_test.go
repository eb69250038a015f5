// SPDX-License-Identifier: Apache-2.0

package report

import (
	"encoding/xml"
	"errors"
	"image/color"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/plot"
)

// TestFigure checks that a figure can be drawn with missing values, zeros, and any text.
func TestFigure(t *testing.T) {
	t.Parallel()
	none, one := line{label: "none", colour: light.ours}, line{label: "one", colour: light.other}
	one.add(1, 1)
	one.add(2, 0) // has no place on an axis of powers
	svg, err := light.figure("Apples & pears <for some>", plotHeight, []*plot.Plot{
		light.bars("None of either", digits, bar{"apples", 0, light.ours}, bar{"pears", 0, light.other}),
		light.lines("Nothing", digits, none),
		light.lines("All the same", digits, none, one),
	})
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for decoder := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("not XML: %v", err)
		}
		if data, ok := token.(xml.CharData); ok && strings.TrimSpace(string(data)) != "" {
			texts = append(texts, string(data))
		}
	}
	want := []string{
		"Apples & pears <for some>",
		"None of either", "pears", "apples", "0", "0",
		"Nothing", "1", "10", "1", "10",
		"All the same", "1", "10", "1", "10", "one",
	}
	if diff := cmp.Diff(want, texts); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}
	if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
		t.Errorf("something is nowhere:\n%s", svg)
	}
}

// TestByPowers checks the powers of ten on an axis.
func TestByPowers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		low, high float64
		want      []string
	}{
		"between powers":    {3, 4000, []string{"1", "10", "100", "1,000", "10,000"}},
		"at powers":         {10, 1000, []string{"10", "100", "1,000"}},
		"one value":         {100, 100, []string{"100", "1,000"}},
		"less than one":     {0.002, 0.05, []string{"0.001", "0.01", "0.1"}},
		"no values, by Inf": {math.Inf(1), math.Inf(-1), []string{"1", "10"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			axis := plot.Axis{Min: c.low, Max: c.high}
			byPowers(&axis, digits)
			var got []string
			for _, tick := range axis.Tick.Marker.Ticks(axis.Min, axis.Max) {
				got = append(got, tick.Label)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestThemes checks that everything drawn stands out from the ground, with the contrasts that WCAG 2 requires.
func TestThemes(t *testing.T) {
	t.Parallel()
	const forText, forGraphics = 4.5, 2.9
	for name, theme := range map[string]*theme{"light": light, "dark": dark} {
		for what, c := range map[string]struct {
			colour color.Color
			least  float64
		}{
			"text": {theme.text, forText}, "quiet text": {theme.quiet, forText},
			"ours": {theme.ours, forGraphics}, "other": {theme.other, forGraphics}, "floor": {theme.floor, forGraphics},
		} {
			if got := contrast(c.colour, theme.ground); got < c.least {
				t.Errorf("%s: the contrast of %s is %.2f, less than %.1f", name, what, got, c.least)
			}
		}
	}
}

// contrast returns the contrast of two colours, as WCAG 2 defines it.
func contrast(a, b color.Color) float64 {
	luminance := func(c color.Color) float64 {
		r, g, b, _ := c.RGBA()
		linear := func(v uint32) float64 {
			s := float64(v) / 0xffff
			if s <= 0.04045 {
				return s / 12.92
			}
			return math.Pow((s+0.055)/1.055, 2.4)
		}
		return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
	}
	high, low := luminance(a), luminance(b)
	if high < low {
		high, low = low, high
	}
	return (high + 0.05) / (low + 0.05)
}
