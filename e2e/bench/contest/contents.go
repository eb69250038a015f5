// SPDX-License-Identifier: Apache-2.0

package contest

import (
	"strings"

	"github.com/package-variants/package-variants/e2e/internal/proxy"
)

// contents returns the downstream packages whose contents the requests read and saved.
func contents(requests []proxy.Request) (read, saved map[pkgKey]bool) {
	read, saved = map[pkgKey]bool{}, map[pkgKey]bool{}
	for _, r := range requests {
		if r.Resource != "packagerevisionresources" || r.Name == "" {
			continue
		}
		// The name is the Repository, the package path and the workspace, separated by dots.
		parts := strings.Split(r.Name, ".")
		if len(parts) != 3 || parts[0] == blueprints {
			continue
		}
		key := pkgKey{parts[0], parts[1]}
		if proxy.IsWrite(r) {
			saved[key] = true
		} else {
			read[key] = true
		}
	}
	return read, saved
}
