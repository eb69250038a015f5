// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"strings"
	"testing"
)

// registers has the Repository edge with another line in its manifest.
func (w *world) registers(git string) {
	w.Helper()
	w.Push("main", "Register", map[string]string{"fleet/repositories.yaml": strings.ReplaceAll(
		strings.Replace(repositories, "branch: main, directory: edge", git, 1), "ADDRESS", w.Remote.Address())})
}

// TestAnotherBranch gives a Repository a branch that is not there: the variant says which there are.
func TestAnotherBranch(t *testing.T) {
	t.Parallel()
	w := published(t, web)
	before := lines(w.sync())
	w.registers("branch: mian, directory: edge")
	report := w.sync()
	w.Equal("branch", "web: RepositoryReplaced v1", lines(report)[0])
	w.Equal("why", "ADDRESS has no branch mian, on which edge/web was published, but main: correct the branch in the manifest "+
		"of the Repository edge, or restore it", w.said(report.Variants[0].Message))
	w.idle()
	w.registers("branch: main, directory: edge")
	w.Equal("corrected", before, lines(w.sync()))
	w.idle()
}
