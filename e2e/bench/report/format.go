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

// minutes writes a time in minutes, and a short one in seconds.
func minutes(s float64) string {
	const minute = 60
	if s < minute {
		return seconds(s)
	}
	return digits(s/minute) + " minutes"
}

// megabytes writes a size in MB, which are a million bytes, to three digits.
func megabytes(n float64) string { return digits(n/1e6) + " MB" }

// number returns a number of a run, which may have any of the types that numbers have there.
func number(n any) float64 {
	switch n := n.(type) {
	case int:
		return float64(n)
	case int64:
		return float64(n)
	case float64:
		return n
	default:
		return math.NaN()
	}
}

// ratio writes how much of something there is for each 1 of another, empty if there is none of that.
func ratio(of, to float64) string {
	if to == 0 {
		return ""
	}
	return digits(of / to)
}

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
