// SPDX-License-Identifier: Apache-2.0

package git

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Address is the address of a git repository, taken apart by the rules of git's own url.c and connect.c.
type Address struct {
	// Scheme is "https", "ssh" and the like, in lower case; "file" for a path on this machine; and the name of a helper
	// for "helper::address".
	Scheme string
	// User is what stands before the @, with a password after a colon if there is one.
	User string
	// Host is in lower case; Port is "" for the scheme's own.
	Host, Port string
	// Path has no slash at its ends, and no ".git".
	Path string
	// Query begins with ? or #.
	Query string
}

// errAddress says of an address that no part of it can be told from another.
var errAddress = errors.New("is no address: a password may have to be written with %-escapes")

var (
	helper = regexp.MustCompile(`^([A-Za-z0-9]+)::`)
	scheme = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9+.-]*)://`)
	digits = regexp.MustCompile(`^[0-9]*$`)
	drive  = regexp.MustCompile(`^[A-Za-z]:[/\\]`)
)

// defaultPorts are those of schemes.
var defaultPorts = map[string]string{"http": "80", "https": "443", "ssh": "22", "git": "9418"}

// secretive are the schemes of which the user part is for servers that take a token there.
var secretive = []string{"http", "https", "ftp", "ftps"}

// ParseAddress takes an address apart. The error does not have it, since it may have a password in it.
func ParseAddress(s string) (Address, error) {
	if at := helper.FindStringSubmatch(s); at != nil {
		of, err := ParseAddress(s[len(at[0]):])
		of.Scheme = at[1]
		return of, err
	}
	if at := scheme.FindStringSubmatch(s); at != nil {
		return parseURL(strings.ToLower(at[1]), s[len(at[0]):])
	}
	host, path, isSCP := strings.Cut(s, ":")
	if !isSCP || strings.Contains(host, "/") || drive.MatchString(s) {
		return Address{Scheme: "file", Path: trimmed(filepath.ToSlash(s))}, nil
	}
	if strings.Contains(host, "[") { // [host:port]:path, user@[::1]:path
		end := strings.Index(s, "]:")
		if end < 0 {
			return Address{}, errAddress
		}
		host, path = strings.NewReplacer("[", "", "]", "").Replace(s[:end+1]), s[end+2:]
	}
	a := Address{Scheme: "ssh", Path: trimmed(path)}
	a.User, a.Host = splitUser(host)
	return a, a.splitPort()
}

// parseURL takes apart what follows scheme://.
func parseURL(scheme, rest string) (Address, error) {
	a := Address{Scheme: scheme}
	authority, path, _ := strings.Cut(rest, "/")
	if scheme != "file" {
		if at := strings.IndexAny(path, "?#"); at >= 0 {
			path, a.Query = path[:at], path[at:]
		}
	}
	a.Path = trimmed(path)
	a.User, a.Host = splitUser(authority)
	return a, a.splitPort()
}

// splitUser takes the user part off.
func splitUser(authority string) (user, host string) {
	at := strings.LastIndex(authority, "@")
	return authority[:max(at, 0)], authority[at+1:]
}

// splitPort takes the port off the host.
func (a *Address) splitPort() error {
	a.Host = strings.ToLower(a.Host)
	if at := strings.LastIndex(a.Host, ":"); at > strings.LastIndex(a.Host, "]") && strings.Count(a.Host[:at], ":") == 0 ||
		at >= 0 && at == strings.LastIndex(a.Host, "]")+1 {
		a.Host, a.Port = a.Host[:at], a.Host[at+1:]
	}
	if a.Port == defaultPorts[a.Scheme] {
		a.Port = ""
	}
	if !digits.MatchString(a.Port) || strings.ContainsAny(a.Host, "?#@") {
		return errAddress
	}
	return nil
}

// trimmed returns a path without what may stand at its ends.
func trimmed(path string) string {
	return strings.TrimSuffix(strings.TrimSuffix(strings.Trim(path, "/"), ".git"), "/")
}

// IsLocal reports whether the repository is a path on this machine.
func (a Address) IsLocal() bool { return a.Scheme == "file" && a.Host == "" }

// In reports whether this address is another one, or below it: by scheme, host, port, and whole segments of the path.
// Who asks makes no difference.
func (a Address) In(other Address) bool {
	return a.Scheme == other.Scheme && a.Host == other.Host && a.Port == other.Port &&
		(other.Path == "" || a.Path == other.Path || strings.HasPrefix(a.Path, other.Path+"/"))
}

// CheckAddress returns why an address cannot stand in a manifest: it has something of a user in it that must not be
// read by others, since packages record the addresses of their upstreams. The name of an ssh account is no secret.
func CheckAddress(s string) error {
	if strings.ContainsFunc(s, unicode.IsControl) {
		return errors.New("it has control characters: write the address that git clone takes")
	}
	a, err := ParseAddress(s)
	switch {
	case err != nil:
		return fmt.Errorf("it %w", err)
	case a.User != "" && (slices.Contains(secretive, a.Scheme) || strings.Contains(a.User, ":")), hasPassword(s):
		return errors.New("it has a user, a password or a token before the @, which packages and reports would show: " +
			"remove all up to the @, and have a credential helper of git give it (git help credentials)")
	case a.Query != "":
		return errors.New("it has a query or a fragment (from ? or # on), which packages and reports would show: remove " +
			"it; credentials are for a credential helper of git (git help credentials)")
	}
	return nil
}

// hasPassword reports whether something stands between a colon and the last @ that may be meant to be a password,
// whatever git takes such an address for.
func hasPassword(s string) bool {
	before := s[:max(strings.LastIndex(s, "@"), 0)]
	before = strings.TrimPrefix(before, scheme.FindString(before))
	colon := strings.LastIndex(before, ":")
	return colon >= 0 && !strings.Contains(before[colon:], "/") && !drive.MatchString(s)
}

// Shown returns an address without what it says of users: nothing of the user part, unless that is the account git of
// ssh, and nothing of a query.
func Shown(s string) string {
	prefix := ""
	if at := helper.FindString(s); at != "" {
		prefix, s = at, s[len(at):]
	}
	a, err := ParseAddress(s)
	switch at := scheme.FindString(s); {
	case err != nil && at == "":
		return prefix + "..."
	case err != nil:
		return prefix + at + "..."
	case a.User == "git" && a.Scheme == "ssh", a.User == "" && a.Query == "":
		return prefix + s
	case at == "": // user@host:path, of which the rest may look like another form
		return prefix + Shown(s[strings.Index(s, a.User+"@")+len(a.User)+1:])
	default:
		rest := strings.TrimSuffix(s[len(at):], a.Query)
		return prefix + at + rest[strings.Index(rest, a.User)+len(a.User)+min(len(a.User), 1):]
	}
}

// Of git's own words, the user parts of addresses, and their queries.
var (
	userOfURL  = regexp.MustCompile(`([A-Za-z0-9+.-]+://)[^\s/'"<>]*@`)
	queryOfURL = regexp.MustCompile(`([A-Za-z0-9+.-]+://[^\s'"<>?#]*)[?#][^\s'"<>]*`)
)

// redact returns words without what addresses in them say of users. Those that are known may have any form, others are
// URLs: git shows what the user's insteadOf makes of an address.
func redact(words string, addresses ...string) string {
	for _, address := range addresses {
		if address != "" {
			words = strings.ReplaceAll(words, address, Shown(address))
		}
	}
	words = userOfURL.ReplaceAllStringFunc(words, func(found string) string {
		if strings.HasSuffix(found, "ssh://git@") {
			return found
		}
		return found[:strings.Index(found, "://")+len("://")]
	})
	return queryOfURL.ReplaceAllString(words, "$1")
}
