// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/e2e/internal/tree"
)

// TestPictures holds pictures against those in testdata, which somebody has looked at.
func TestPictures(t *testing.T) {
	t.Parallel()
	for name, got := range map[string]string{
		"bars.svg": Bars("Apples & pears <for some>", []Panel{
			{Title: "Weight", Bars: []Bar{{Ours, "apples", 1, "1 kg"}, {Other, "pears", 2, "2 kg"}, {Floor, "air", 0, "0 kg"}}},
			{Title: "Price", Bars: []Bar{{Ours, "apples", 3, "3"}, {Other, "pears", 1.5, "1.5"}}},
			{Title: "None of either", Bars: []Bar{{Ours, "apples", 0, "0"}, {Other, "pears", 0, "0"}}},
		}),
		"lines.svg": Lines("Growth", []Plot{
			{Title: "Height", XText: plain, YText: plain, Lines: []Line{
				{Ours, "apples", []Point{{100, 3}, {1000, 30}, {10000, 300}}},
				{Other, "pears", []Point{{100, 100}, {5000, 5000}}},
			}},
			{Title: "All the same", XText: plain, YText: plain, Lines: []Line{{Floor, "air", []Point{{1, 1}}}}},
			{Title: "Nothing", XText: plain, YText: plain, Lines: []Line{{Ours, "none", nil}}},
		}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wellFormed(t, got)
			tree.Golden(t, filepath.Join("testdata", name), got)
		})
	}
}

// plain writes a value at an axis.
func plain(v float64) string { return fmt.Sprint(v) }

// wellFormed fails the test unless a text is XML.
func wellFormed(t *testing.T, text string) {
	t.Helper()
	decoder := xml.NewDecoder(strings.NewReader(text))
	for {
		_, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("not XML: %v", err)
		}
	}
}

// TestScale holds which powers of ten an axis has.
func TestScale(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		values []float64
		want   scale
	}{
		"between powers":       {[]float64{3, 4000}, scale{0, 4}},
		"at powers":            {[]float64{10, 1000}, scale{1, 3}},
		"one value":            {[]float64{100}, scale{2, 3}},
		"less than one":        {[]float64{0.002, 0.05}, scale{-3, -1}},
		"no values":            {nil, scale{0, 1}},
		"in no order of sizes": {[]float64{1000, 1}, scale{0, 3}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			line := Line{}
			for _, v := range c.values {
				line.Points = append(line.Points, Point{X: v, Y: 1})
			}
			if got := scaleOf([]Line{line}, func(p Point) float64 { return p.X }); got != c.want {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}
