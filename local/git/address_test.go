// SPDX-License-Identifier: Apache-2.0

package git

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	userError  = "it has a user, a password or a token before the @"
	queryError = "it has a query or a fragment"
	noAddress  = "it is no address"
)

// addresses are addresses in each form that git takes, what is shown of them, and how the error begins of one that must
// not stand in a manifest.
var addresses = []struct {
	address string
	parsed  Address
	shown   string
	wrong   string
}{
	{"https://git.example.com/acme/sites.git", Address{Scheme: "https", Host: "git.example.com", Path: "acme/sites"}, "", ""},
	{"HTTPS://Git.Example.com:443/acme/sites/", Address{Scheme: "https", Host: "git.example.com", Path: "acme/sites"}, "", ""},
	{"http://[::1]:8080/x", Address{Scheme: "http", Host: "[::1]", Port: "8080", Path: "x"}, "", ""},
	{"https://x/a@b/c", Address{Scheme: "https", Host: "x", Path: "a@b/c"}, "", ""},
	{"ssh://git@x:22/a", Address{Scheme: "ssh", User: "git", Host: "x", Path: "a"}, "", ""},
	{"ssh://deploy@x:2222/~/a.git", Address{Scheme: "ssh", User: "deploy", Host: "x", Port: "2222", Path: "~/a"},
		"ssh://x:2222/~/a.git", ""},
	{"git@x:a/b.git", Address{Scheme: "ssh", User: "git", Host: "x", Path: "a/b"}, "", ""},
	{"org-123@x:a/b.git", Address{Scheme: "ssh", User: "org-123", Host: "x", Path: "a/b"}, "x:a/b.git", ""},
	{"[x:2222]:a", Address{Scheme: "ssh", Host: "x", Port: "2222", Path: "a"}, "", ""},
	{"git@[::1]:a", Address{Scheme: "ssh", User: "git", Host: "::1", Path: "a"}, "", ""},
	{"git://x/a", Address{Scheme: "git", Host: "x", Path: "a"}, "", ""},
	{"/srv/git/x.git", Address{Scheme: "file", Path: "srv/git/x"}, "", ""},
	{"file:///srv/git/x", Address{Scheme: "file", Path: "srv/git/x"}, "", ""},
	{"./a:b", Address{Scheme: "file", Path: "./a:b"}, "", ""},
	{`C:\git\x`, Address{Scheme: "file", Path: `C:\git\x`}, "", ""},
	{"codecommit::eu-west-1://sites", Address{Scheme: "codecommit", Host: "sites"}, "", ""},

	{"https://user:secret@x/a", Address{Scheme: "https", User: "user:secret", Host: "x", Path: "a"}, "https://x/a", userError},
	{"https://secret@x/a", Address{Scheme: "https", User: "secret", Host: "x", Path: "a"}, "https://x/a", userError},
	{"https://user:%zzsecret@x/a", Address{Scheme: "https", User: "user:%zzsecret", Host: "x", Path: "a"}, "https://x/a",
		userError},
	{"https://user:a#secret@x/a", Address{Scheme: "https", User: "user:a#secret", Host: "x", Path: "a"}, "https://x/a",
		userError},
	{"https://a@b@x/a", Address{Scheme: "https", User: "a@b", Host: "x", Path: "a"}, "https://x/a", userError},
	{"https://user:a/secret@x/a", Address{}, "https://...", noAddress},
	{"https://x?token=secret", Address{}, "https://...", noAddress},
	{"https://x/a?token=secret#b", Address{Scheme: "https", Host: "x", Path: "a", Query: "?token=secret#b"}, "https://x/a",
		queryError},
	{"ssh://git:secret@x/a", Address{Scheme: "ssh", User: "git:secret", Host: "x", Path: "a"}, "ssh://x/a", userError},
	{"helper::https://u:secret@x/a", Address{Scheme: "helper", User: "u:secret", Host: "x", Path: "a"},
		"helper::https://x/a", userError},
	{"https://x:8443/a@b/c", Address{Scheme: "https", Host: "x", Port: "8443", Path: "a@b/c"}, "", ""},
	{"u:secret@x:a.git", Address{Scheme: "ssh", Host: "u", Path: "secret@x:a"}, "", userError},
	{"http:/u:secret@x/a", Address{Scheme: "ssh", Host: "http", Path: "u:secret@x/a"}, "", userError},
	{"./http://u:secret@x/a", Address{Scheme: "file", Path: "./http://u:secret@x/a"}, "", userError},
	{"https://x/a\nb", Address{Scheme: "https", Host: "x", Path: "a\nb"}, "", "it has control characters"},
}

// TestAddress takes addresses apart, shows them, and refuses those of which packages would tell a secret.
func TestAddress(t *testing.T) {
	t.Parallel()
	for _, c := range addresses {
		a, err := ParseAddress(c.address)
		if err == nil {
			if diff := cmp.Diff(c.parsed, a); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.address, diff)
			}
		} else if c.wrong != noAddress {
			t.Errorf("%s: %v", c.address, err)
		}
		want := c.shown
		if want == "" {
			want = c.address
		}
		if got := Shown(c.address); got != want {
			t.Errorf("%s is shown as %s", c.address, got)
		}
		switch err := CheckAddress(c.address); {
		case c.wrong == "" && err != nil:
			t.Errorf("%s: %v", c.address, err)
		case c.wrong != "" && (err == nil || len(fmt.Sprint(err)) < len(c.wrong) || err.Error()[:len(c.wrong)] != c.wrong):
			t.Errorf("%s: %v, want %s", c.address, err, c.wrong)
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

// TestRedact checks what is left of addresses in git's own words.
func TestRedact(t *testing.T) {
	t.Parallel()
	const odd = "https://user:a/secret@x/b"
	for words, want := range map[string]string{
		"unable to access 'https://u:secret@x/a/': no":                    "unable to access 'https://x/a/': no",
		"Authentication failed for 'https://secret@x/a/'":                 "Authentication failed for 'https://x/a/'",
		"fatal: " + odd + ": Port number was not a decimal number":        "fatal: https://...: Port number was not a decimal number",
		"from https://x/a?private_token=secret and\nhttps://x/b#secret b": "from https://x/a and\nhttps://x/b b",
		"ssh://git@x/a, ssh://secret@x/a":                                 "ssh://git@x/a, ssh://x/a",
		"nothing of ada@example.com":                                      "nothing of ada@example.com",
	} {
		if got := redact(words, odd, ""); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}

// FuzzShown checks that nothing of a user part is shown, in whatever form an address has.
func FuzzShown(f *testing.F) {
	for _, c := range addresses {
		f.Add(c.address)
	}
	f.Fuzz(func(t *testing.T, address string) {
		a, err := ParseAddress(address)
		if err != nil || a.User == "" || a.User == "git" {
			return
		}
		shown, err := ParseAddress(Shown(address))
		if err == nil && shown.User != "" && shown.User != "git" {
			t.Errorf("%q is shown as %q", address, Shown(address))
		}
	})
}
