// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// seconds formats a time in a suitable unit, with three digits.
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

// megabytes formats a size in MB of a million bytes, with three digits.
func megabytes(n float64) string { return digits(n/1e6) + " MB" }

// ratio formats a ratio; "" if to is 0.
func ratio(of, to float64) string {
	if to == 0 {
		return ""
	}
	return digits(of / to)
}

// digits formats a number with three digits, or in full from 1000 on.
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

// count formats a number with thousands separators.
func count(n int) string {
	if n < 0 {
		return "-" + count(-n)
	}
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%s,%03d", count(n/1000), n%1000)
}
