// SPDX-License-Identifier: Apache-2.0

package git

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/engine/revision"
)

const (
	userError  = "it has a user, a password or a token before the @"
	queryError = "it has a query, parameters or a fragment"
	noAddress  = "it is no address"
)

// addresses are addresses in each form that git takes, what is shown of them, and how the error begins of one that must
// not stand in a manifest.
var addresses = []struct {
	address string
	parsed  revision.Address
	shown   string
	wrong   string
}{
	{"https://git.example.com/acme/sites.git", revision.Address{Scheme: "https", Host: "git.example.com", Path: "acme/sites"}, "", ""},
	{"HTTPS://Git.Example.com:443/acme/sites/", revision.Address{Scheme: "https", Host: "git.example.com", Path: "acme/sites"}, "", ""},
	{"http://[::1]:8080/x", revision.Address{Scheme: "http", Host: "[::1]", Port: "8080", Path: "x"}, "", ""},
	{"https://x/a@b/c", revision.Address{Scheme: "https", Host: "x", Path: "a@b/c"}, "", ""},
	{"ssh://git@x:22/a", revision.Address{Scheme: "ssh", User: "git", Host: "x", Path: "a"}, "", ""},
	{"ssh://deploy@x:2222/~/a.git", revision.Address{Scheme: "ssh", User: "deploy", Host: "x", Port: "2222", Path: "~/a"},
		"ssh://x:2222/~/a.git", ""},
	{"git@x:a/b.git", revision.Address{Scheme: "ssh", User: "git", Host: "x", Path: "a/b"}, "", ""},
	{"org-123@x:a/b.git", revision.Address{Scheme: "ssh", User: "org-123", Host: "x", Path: "a/b"}, "x:a/b.git", ""},
	{"[x:2222]:a", revision.Address{Scheme: "ssh", Host: "x", Port: "2222", Path: "a"}, "", ""},
	{"git@[::1]:a", revision.Address{Scheme: "ssh", User: "git", Host: "[::1]", Path: "a"}, "", ""},
	{"git://x/a", revision.Address{Scheme: "git", Host: "x", Path: "a"}, "", ""},
	{"/srv/git/x.git", revision.Address{Scheme: "file", Path: "/srv/git/x"}, "", ""},
	{"file:///srv/git/x", revision.Address{Scheme: "file", Path: "/srv/git/x"}, "", ""},
	{"./a:b", revision.Address{Scheme: "file", Path: "./a:b"}, "", ""},
	{`C:\git\x`, revision.Address{Scheme: "file", Path: `C:\git\x`}, "", ""},
	{"codecommit::eu-west-1://sites", revision.Address{Scheme: "codecommit::eu-west-1", Host: "sites"}, "", ""},

	{"https://user:secret@x/a", revision.Address{Scheme: "https", User: "user:secret", Host: "x", Path: "a"}, "https://x/a", userError},
	{"https://secret@x/a", revision.Address{Scheme: "https", User: "secret", Host: "x", Path: "a"}, "https://x/a", userError},
	{"https://user:%zzsecret@x/a", revision.Address{Scheme: "https", User: "user:%zzsecret", Host: "x", Path: "a"}, "https://x/a",
		userError},
	{"https://user:a#secret@x/a", revision.Address{Scheme: "https", User: "user:a#secret", Host: "x", Path: "a"}, "https://x/a",
		userError},
	{"https://a@b@x/a", revision.Address{Scheme: "https", User: "a@b", Host: "x", Path: "a"}, "https://x/a", userError},
	{"https://user:a/secret@x/a", revision.Address{}, "https://...", noAddress},
	{"helper::https://secret@x/a", revision.Address{Scheme: "helper::https", User: "secret", Host: "x", Path: "a"},
		"helper::https://x/a", userError},
	{"https://user%3Asecret@x/a", revision.Address{Scheme: "https", User: "user%3Asecret", Host: "x", Path: "a"},
		"https://x/a", userError},
	{"https://user:secret%40x/a", revision.Address{}, "https://...", userError},
	{"https://secret%40x/a", revision.Address{}, "https://...", noAddress},
	{"ssh://git%3Asecret%40x/a", revision.Address{}, "ssh://...", userError},
	{"https://user%3Asecret%2540x/a", revision.Address{}, "https://...", userError},
	{"https://x/user%3Asecret%40y/a", revision.Address{Scheme: "https", Host: "x", Path: "user%3Asecret%40y/a"}, "https://...",
		userError},
	{"https://user:secret\uff20x/a", revision.Address{}, "https://...", userError},
	{"https://secret\uff20x/a", revision.Address{}, "https://...", noAddress},
	{"https://user\uff1asecret\uff20x/a", revision.Address{}, "https://...", userError},
	{"user:secret\uff20x:a", revision.Address{Scheme: "ssh", Host: "user", Path: "secret\uff20x:a"}, "...", userError},
	{"secret\uff20x:a", revision.Address{}, "...", noAddress},
	{"https://x/a;token=secret", revision.Address{Scheme: "https", Host: "x", Path: "a", Query: ";token=secret"}, "https://x/a",
		queryError},
	{"https://x/a.git;private_token=secret/b?c", revision.Address{Scheme: "https", Host: "x", Path: "a",
		Query: ";private_token=secret/b?c"}, "https://x/a.git", queryError},
	{"https://x/a%3Btoken=secret", revision.Address{Scheme: "https", Host: "x", Path: "a%3Btoken=secret"}, "https://...",
		queryError},
	{"https://x/a%3Ftoken=secret", revision.Address{Scheme: "https", Host: "x", Path: "a%3Ftoken=secret"}, "https://...",
		queryError},
	{"x:a;token=secret", revision.Address{Scheme: "ssh", Host: "x", Path: "a;token=secret"}, "...", queryError},
	{"https://x;token=secret/a", revision.Address{}, "https://...", noAddress},
	{"[deploy@x:2222]:a", revision.Address{Scheme: "ssh", User: "deploy", Host: "x", Port: "2222", Path: "a"}, "[x:2222]:a", ""},
	{"git+ssh://git@x/a", revision.Address{Scheme: "ssh", User: "git", Host: "x", Path: "a"}, "", ""},
	{"https://x/a%20b", revision.Address{Scheme: "https", Host: "x", Path: "a%20b"}, "", ""},
	{"https://x/a%40b", revision.Address{Scheme: "https", Host: "x", Path: "a%40b"}, "", ""},
	{"/srv/a;b=c", revision.Address{Scheme: "file", Path: "/srv/a;b=c"}, "", ""},
	{"https://x?token=secret", revision.Address{}, "https://...", noAddress},
	{"https://x/a?token=secret#b", revision.Address{Scheme: "https", Host: "x", Path: "a", Query: "?token=secret#b"}, "https://x/a",
		queryError},
	{"ssh://git:secret@x/a", revision.Address{Scheme: "ssh", User: "git:secret", Host: "x", Path: "a"}, "ssh://x/a", userError},
	{"helper::https://u:secret@x/a", revision.Address{Scheme: "helper::https", User: "u:secret", Host: "x", Path: "a"},
		"helper::https://x/a", userError},
	{"https://x:8443/a@b/c", revision.Address{Scheme: "https", Host: "x", Port: "8443", Path: "a@b/c"}, "", ""},
	{"u:secret@x:a.git", revision.Address{Scheme: "ssh", Host: "u", Path: "secret@x:a"}, "...", userError},
	{"http:/u:secret@x/a", revision.Address{Scheme: "ssh", Host: "http", Path: "u:secret@x/a"}, "...", userError},
	{"./http://u:secret@x/a", revision.Address{Scheme: "file", Path: "./http://u:secret@x/a"}, "...", userError},
	{"https://x/a\nb", revision.Address{Scheme: "https", Host: "x", Path: "a\nb"}, "", "it has control characters"},
}

// TestAddress takes addresses apart, shows them, and refuses those of which packages would tell a secret.
func TestAddress(t *testing.T) {
	t.Parallel()
	for _, c := range addresses {
		a, err := revision.ParseAddress(c.address)
		if diff := cmp.Diff(c.parsed, a); err == nil && diff != "" || err != nil && c.parsed != (revision.Address{}) {
			t.Errorf("%s: %v (-want +got):\n%s", c.address, err, diff)
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
		"'https://x/a;token=secret/b', https://secret%40x":                "'https://x/a', https://x",
		"https://secret\uff20x/a":                                         "https://x/a",
		"nothing of ada@example.com":                                      "nothing of ada@example.com",
	} {
		if got := redact(words, odd, ""); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}

// FuzzShown checks that no password is shown, in whatever form an address has, and whatever is around it, and that
// nothing of a user part is.
func FuzzShown(f *testing.F) {
	for i, c := range addresses {
		f.Add(c.address, "x/a", uint(i))
		f.Add("https://", c.address, uint(i))
	}
	f.Fuzz(func(t *testing.T, before, after string, form uint) {
		colons, ats := []string{":", "%3A", "%253a", "\uff1a"}, []string{"@", "%40", "%2540", "\uff20"}
		address := before + "user" + colons[form%4] + "S3CRET" + ats[form/4%4] + after
		if strings.Contains(Shown(address), "S3CRET") && !revision.HasDrive(address) {
			t.Errorf("%q is shown as %q", address, Shown(address))
		}
		if CheckAddress(address) == nil && !revision.HasDrive(address) {
			t.Errorf("%q is taken", address)
		}
		a, err := revision.ParseAddress(before)
		if err != nil || a.User == "" || a.User == "git" {
			return
		}
		shown, err := revision.ParseAddress(Shown(before))
		if err == nil && shown.User != "" && shown.User != "git" {
			t.Errorf("%q is shown as %q", before, Shown(before))
		}
	})
}
