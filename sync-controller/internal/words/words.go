// SPDX-License-Identifier: Apache-2.0

// Package words writes what messages have in common.
package words

import (
	"fmt"
	"strings"
)

// most is how many of a list a message names.
const most = 3

// Some joins the first three of a list by a separator, and says how many more there are.
func Some[T any](list []T, separator string) string {
	var texts []string
	for _, each := range list[:min(len(list), most)] {
		texts = append(texts, fmt.Sprint(each))
	}
	text := strings.Join(texts, separator)
	if more := len(list) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
