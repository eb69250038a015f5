// SPDX-License-Identifier: Apache-2.0

// Package words writes what messages have in common.
package words

import (
	"fmt"
	"strings"

	"github.com/agnivade/levenshtein"
)

// most is how many of a list a message names.
const most = 3

// Some joins the first three of a list by a separator, and says how many more there are.
func Some[T any](list []T, separator string) string { return First(list, most, separator) }

// First joins the first of a list by a separator, and says how many more there are.
func First[T any](list []T, first int, separator string) string {
	var texts []string
	for _, each := range list[:min(len(list), first)] {
		texts = append(texts, fmt.Sprint(each))
	}
	text := strings.Join(texts, separator)
	if more := len(list) - first; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Nearest returns the word nearest to another, the first of several, if fewer letters than the limit differ; "" if no
// word is that near.
func Nearest(to string, words []string, limit int) string {
	best := ""
	for _, word := range words {
		if distance := levenshtein.ComputeDistance(to, word); distance < limit {
			best, limit = word, distance
		}
	}
	return best
}
