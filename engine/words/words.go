// SPDX-License-Identifier: Apache-2.0

// Package words has helpers for the text of messages.
package words

import (
	"fmt"
	"regexp"
	"strconv"
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

// Nearest returns the word that differs least from another one, the first of several; "" if no word differs in fewer
// letters than the limit.
func Nearest(to string, words []string, limit int) string {
	best := ""
	for _, word := range words {
		if distance := levenshtein.ComputeDistance(to, word); distance < limit {
			best, limit = word, distance
		}
	}
	return best
}

// Home are the words of a home and of its command line, for sentences that all homes share.
type Home struct {
	// Command is the command line, Controller what brings packages to what variants ask for, Packages what has them.
	Command, Controller, Packages string
	// Flags follow what is named on the command line; they begin with a space, unless there are none.
	Flags string
	// Wait says what to do until the controller has looked at something.
	Wait string
}

// Number returns a number as people read it: 1,000.
func Number(n int) string {
	digits := strconv.Itoa(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// Count returns a number of things: "1 package revision", "2 package revisions".
func Count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return Number(n) + " " + thing
}

// plain matches what no shell takes for anything else.
var plain = regexp.MustCompile(`^[A-Za-z0-9_./@:+-]+$`)

// Quoted returns a word of a command line as people type it in a shell.
func Quoted(word string) string {
	if plain.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
