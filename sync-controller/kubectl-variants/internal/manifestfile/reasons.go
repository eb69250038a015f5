// SPDX-License-Identifier: Apache-2.0

package manifestfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/package-variants/package-variants/engine/naming"
)

// unreadable returns the error for a text in a file that cannot be read.
func unreadable(path string, line int, reason string) error {
	return fmt.Errorf("cannot read %s, line %d: %s", path, line, reason)
}

// yamlReason matches the parser's errors, which count lines in the text that it read.
var yamlReason = regexp.MustCompile(`line (\d+): (.*)`)

// reasonOf returns the line and the reason of an error about a text that begins at a line of its file.
func reasonOf(err error, begin int) (int, string) {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return begin, naming.Mistyped(wrong)
	}
	found := yamlReason.FindStringSubmatch(err.Error())
	if found == nil {
		for _, prefix := range []string{"yaml: ", "while decoding JSON: "} {
			if _, reason, there := strings.Cut(err.Error(), prefix); there {
				return begin, reason
			}
		}
		return begin, err.Error()
	}
	line, err := strconv.Atoi(found[1])
	if err != nil {
		return begin, found[2]
	}
	return begin + line - 1, found[2]
}
