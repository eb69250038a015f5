// SPDX-License-Identifier: Apache-2.0

package walkthrough

import (
	"os"
	"slices"
	"strings"
)

// Environment returns the user's environment for a session, with the directories first on the PATH, and with git as
// it is without anybody's configuration. Of two entries for the same variable the last counts.
func Environment(dirs ...string) []string {
	env := slices.DeleteFunc(os.Environ(), func(entry string) bool { return strings.HasPrefix(entry, "GIT_") })
	path := strings.Join(append(slices.Clone(dirs), os.Getenv("PATH")), string(os.PathListSeparator))
	return append(env, "PATH="+path, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
}
