// SPDX-License-Identifier: Apache-2.0

package visible

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestJSON checks that texts are what they were for a program, and have nothing hidden for a terminal.
func TestJSON(t *testing.T) {
	t.Parallel()
	const text = "a\x1b[2J\u009b2J\x7f\u202eb\n<é>\"\\"
	var to strings.Builder
	if err := JSON(&to, map[string]string{text: text}); err != nil {
		t.Fatal(err)
	}
	const want = "{\n  \"a\\u001b[2J\\u009b2J\\u007f\\u202eb\\n<é>\\\"\\\\\": " +
		"\"a\\u001b[2J\\u009b2J\\u007f\\u202eb\\n<é>\\\"\\\\\"\n}\n"
	if to.String() != want {
		t.Errorf("got %q, want %q", to.String(), want)
	}
	var back map[string]string
	if err := json.Unmarshal([]byte(to.String()), &back); err != nil || back[text] != text {
		t.Errorf("read again: %q, %v", back, err)
	}
}
