// SPDX-License-Identifier: Apache-2.0

package revision

import "testing"

// TestAddress checks which addresses are of one git repository. Claims and bases are found by it, and Porch writes to a
// repository for one variant at a time.
func TestAddress(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://git.example.com/fleet/sites":           "git.example.com/fleet/sites",
		"https://git.example.com/fleet/sites.git":       "git.example.com/fleet/sites",
		"https://git.example.com/fleet/sites.git/":      "git.example.com/fleet/sites",
		"https://GIT.example.com/fleet/sites":           "git.example.com/fleet/sites",
		"https://git.example.com:443/fleet/sites":       "git.example.com/fleet/sites",
		"https://user:word@git.example.com/fleet/sites": "git.example.com/fleet/sites",
		"http://git.example.com/fleet/sites":            "git.example.com/fleet/sites",
		"ssh://git@git.example.com/fleet/sites.git":     "git.example.com/fleet/sites",
		"ssh://git@git.example.com:2222/fleet/sites":    "git.example.com/fleet/sites",
		"git@git.example.com:fleet/sites.git":           "git.example.com/fleet/sites",
		"git.example.com:/fleet/sites.git":              "git.example.com/fleet/sites",
		"git://git.example.com/fleet/sites":             "git.example.com/fleet/sites",
		"https://git.example.com/fleet/Sites":           "git.example.com/fleet/Sites",
		"https://git.example.com:8443/fleet/sites":      "git.example.com:8443/fleet/sites",
		"http://127.0.0.1:3000/sites":                   "127.0.0.1:3000/sites",
		"https://[::1]:443/sites":                       "[::1]/sites",
		"file:///srv/git/sites.git":                     "file:///srv/git/sites",
		"/srv/git/sites.git":                            "/srv/git/sites",
		"https://git.example.com/fleet/%zz":             "https://git.example.com/fleet/%zz",
		"":                                              "",
	} {
		if got := Address(address); got != want {
			t.Errorf("%s: got %q, want %q", address, got, want)
		}
	}
}
