// SPDX-License-Identifier: Apache-2.0

package revision

import "testing"

// TestCanonical checks which addresses are of one git repository. Claims and bases are found by it, packages in git are
// remembered by it, and Porch writes to a repository for one variant at a time.
func TestCanonical(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://git.example.com/fleet/sites":                "git.example.com/fleet/sites",
		"https://git.example.com/fleet/sites.git":            "git.example.com/fleet/sites",
		"https://git.example.com/fleet/sites.git/":           "git.example.com/fleet/sites",
		"https://git.example.com/fleet/sites//":              "git.example.com/fleet/sites",
		"https://git.example.com//fleet/./x/../sites":        "git.example.com/fleet/sites",
		"https://git.example.com/fleet/%73ites":              "git.example.com/fleet/sites",
		"HTTPS://GIT.example.com./fleet/sites":               "git.example.com/fleet/sites",
		"https://git.example.com:443/fleet/sites":            "git.example.com/fleet/sites",
		"https://git.example.com:0443/fleet/sites":           "git.example.com/fleet/sites",
		"https://git.example.com:/fleet/sites":               "git.example.com/fleet/sites",
		"https://user:word@git.example.com/fleet/sites":      "git.example.com/fleet/sites",
		"https://git.example.com/fleet/sites?token=word":     "git.example.com/fleet/sites",
		"https://git.example.com/fleet/sites;token=word":     "git.example.com/fleet/sites",
		"http://git.example.com/fleet/sites":                 "git.example.com/fleet/sites",
		"git://git.example.com/fleet/sites":                  "git.example.com/fleet/sites",
		"ssh://git@git.example.com/fleet/sites.git":          "git.example.com/fleet/sites",
		"ssh://git@git.example.com:22/fleet/sites":           "git.example.com/fleet/sites",
		"git+ssh://git:word@git.example.com/fleet/sites":     "git.example.com/fleet/sites",
		"git@git.example.com:fleet/sites.git":                "git.example.com/fleet/sites",
		"git.example.com:/fleet/sites.git":                   "git.example.com/fleet/sites",
		"[git.example.com:22]:fleet/sites":                   "git.example.com/fleet/sites",
		"https://git.example.com/fleet/Sites":                "git.example.com/fleet/Sites",
		"https://git.example.com:8443/fleet/sites":           "git.example.com:8443/fleet/sites",
		"https://git.example.com:80/fleet/sites":             "git.example.com:80/fleet/sites",
		"ssh://git@git.example.com:2222/fleet/sites":         "git.example.com:2222/fleet/sites",
		"git@[git.example.com:2222]:fleet/sites":             "git.example.com:2222/fleet/sites",
		"ssh://deploy@git.example.com/fleet/sites":           "deploy@git.example.com/fleet/sites",
		"ssh://deploy:word@git.example.com:2222/fleet/sites": "deploy@git.example.com:2222/fleet/sites",
		"deploy@git.example.com:fleet/sites.git":             "deploy@git.example.com/fleet/sites",
		"http://127.0.0.1:3000/sites":                        "127.0.0.1:3000/sites",
		"https://[::1]:443/sites":                            "[::1]/sites",
		"git@[::1]:sites":                                    "[::1]/sites",
		"file:///srv/git/sites.git":                          "/srv/git/sites",
		"file:///srv//git/x/../sites":                        "/srv/git/sites",
		"/srv/git/sites.git":                                 "/srv/git/sites",
		"/srv/git/sites/.git":                                "/srv/git/sites",
		"srv/git/sites":                                      "srv/git/sites",
		"./sites.git":                                        "sites",
		"../sites.git":                                       "../sites",
		"file://host/srv/git/sites":                          "//host/srv/git/sites",
		"codecommit::eu-west-1://sites":                      "codecommit::eu-west-1://sites",
		"zzz::/srv/sites":                                    "zzz::file:///srv/sites",
		"https://git.example.com/fleet/%zz":                  "git.example.com/fleet/%zz",
		"https://user:a/b@git.example.com/":                  "https://user:a/b@git.example.com/",
		"":                                                   "",
	} {
		if got := Canonical(address); got != want {
			t.Errorf("%s: got %q, want %q", address, got, want)
		}
	}
}

// TestIn compares addresses by scheme, host, port, and whole segments of the path.
func TestIn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		address, other string
		want           bool
	}{
		{"https://x/acme/a.git", "https://X:443/acme/a/", true},
		{"https://x/acme/a", "https://x/acme", true},
		{"https://x/acme/a", "https://x", true},
		{"https://x/acme-2/a", "https://x/acme", false},
		{"https://x/acme", "https://x/acme/a", false},
		{"https://x.evil/acme", "https://x/acme", false},
		{"http://x/acme", "https://x/acme", false},
		{"https://x:8443/acme", "https://x/acme", false},
		{"https://u:p@x/acme", "https://x/acme", true},
		{"git@x:acme/a", "ssh://x/acme", true},
		{"/srv/a", "file:///srv/a.git", true},
		{"/srv/a", "/", true},
		{"srv/a", "/srv", false},
		{"https://h/a/../b.git", "https://h/a", false},
		{"https://h/a/%2e%2E/b", "https://h/a", false},
		{"https://h/a/%252e%252e/b", "https://h/a", false},
		{`https://h/a/..\b`, "https://h/a", false},
		{"git@h:a/../b", "git@h:a", false},
		{"https://h/a/..b/c", "https://h/a", true},
	} {
		a, err := ParseAddress(c.address)
		if err != nil {
			t.Fatal(err)
		}
		other, err := ParseAddress(c.other)
		if err != nil {
			t.Fatal(err)
		}
		if a.In(other) != c.want {
			t.Errorf("%s in %s: %t", c.address, c.other, !c.want)
		}
	}
}
