// SPDX-License-Identifier: Apache-2.0

package expansion

import (
	"regexp/syntax"
	"testing"

	"github.com/google/cel-go/common/types"

	"github.com/package-variants/package-variants/functions/bounds"
)

// FuzzPatternSize checks that the program of a regular expression has no more steps than it is reckoned to have.
func FuzzPatternSize(f *testing.F) {
	for _, pattern := range []string{"a{1000}", "^edge-[a-z]{2,8}-[0-9]{1,4}$", "((a{10}b|c?){3}d+){20}", "(?i)[^k]*", "(|a){9}"} {
		f.Add(pattern)
	}
	f.Fuzz(func(t *testing.T, pattern string) {
		parsed, err := syntax.Parse(pattern, syntax.Perl)
		size := patternSize(types.String(pattern))
		if err != nil || size > bounds.PatternSize {
			return
		}
		program, err := syntax.Compile(parsed.Simplify())
		if err != nil {
			return
		}
		if n := len(program.Inst); n > 2*size+4 {
			t.Errorf("%q has %d steps, and is reckoned to have %d", pattern, n, size)
		}
	})
}
