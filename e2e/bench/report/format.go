// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// seconds writes a time in the unit that suits it, to three digits.
func seconds(s float64) string {
	switch {
	case s == 0:
		return "0 s"
	case s < 1e-3:
		return digits(s*1e6) + " µs"
	case s < 1:
		return digits(s*1e3) + " ms"
	default:
		return digits(s) + " s"
	}
}

// megabytes writes a size in MB, which are a million bytes, to three digits.
func megabytes(n int64) string { return digits(float64(n)/1e6) + " MB" }

// times writes a ratio.
func times(ratio float64) string { return digits(ratio) }

// digits writes a number to three digits; one from 1000 on is written in full.
func digits(v float64) string {
	if v == 0 {
		return "0"
	}
	if math.Abs(v) >= 999.5 {
		return count(int(math.Round(v)))
	}
	decimals := 2 - int(math.Floor(math.Log10(math.Abs(v))))
	text := strconv.FormatFloat(v, 'f', max(0, decimals), 64)
	if strings.Contains(text, ".") {
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// count writes a number with a comma for each thousand.
func count(n int) string {
	if n < 0 {
		return "-" + count(-n)
	}
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%s,%03d", count(n/1000), n%1000)
}

// table writes a table in Markdown. The first column is text, the others are numbers.
func table(header []string, rows [][]string) string {
	var out strings.Builder
	line := func(cells []string) { fmt.Fprintf(&out, "| %s |\n", strings.Join(cells, " | ")) }
	line(header)
	rule := []string{"---"}
	for range header[1:] {
		rule = append(rule, "---:")
	}
	line(rule)
	for _, row := range rows {
		line(row)
	}
	return out.String()
}
