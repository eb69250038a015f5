// SPDX-License-Identifier: Apache-2.0

package revision

import (
	"cmp"
	"errors"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Address is the address of a git repository, taken apart by the rules of git's own url.c and connect.c.
type Address struct {
	// Scheme is "https", "ssh" and the like, in lower case; "file" for a path on this machine; "helper::https" and the
	// like for an address that a helper of git is given.
	Scheme string
	// User is what stands before the @, with a password after a colon if there is one.
	User string
	// Host is in lower case, an IPv6 address in brackets; Port is "" for the scheme's own.
	Host, Port string
	// Path has no slash at its ends, and no ".git"; that of a file begins with a slash unless it is relative.
	Path string
	// Query begins with ? or #, or with ; for parameters of the path.
	Query string
}

// errAddress says of an address that no part of it can be told from another.
var errAddress = errors.New("is no address: a password may have to be written with %-escapes")

var (
	helper = regexp.MustCompile(`^([A-Za-z0-9]+)::`)
	scheme = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9+.-]*)://`)
	digits = regexp.MustCompile(`^[0-9]*$`)
	escape = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)
	drive  = regexp.MustCompile(`^[A-Za-z]:[/\\]`)
)

// noHost are characters that no name of a host has. Some programs take the last ones for an @.
const noHost = "?#@%; \uff20\ufe6b"

// schemes are those of which there are other spellings, defaultPorts the ports that an address may leave out.
var (
	schemes      = map[string]string{"git+ssh": "ssh", "ssh+git": "ssh"}
	defaultPorts = map[string]string{"http": "80", "https": "443", "ssh": "22", "git": "9418"}
)

// ParseAddress takes an address apart. The error does not have it, since it may have a password in it.
func ParseAddress(s string) (Address, error) {
	if at := helper.FindStringSubmatch(s); at != nil {
		of, err := ParseAddress(s[len(at[0]):])
		of.Scheme = at[0] + of.Scheme
		return of, err
	}
	if at := scheme.FindStringSubmatch(s); at != nil {
		return parseURL(strings.ToLower(at[1]), s[len(at[0]):])
	}
	host, path, isSCP := strings.Cut(s, ":")
	if !isSCP || strings.Contains(host, "/") || drive.MatchString(s) {
		return Address{Scheme: "file", Path: trimFile(s)}, nil
	}
	if strings.Contains(host, "[") { // [host:port]:path, user@[::1]:path
		end := strings.Index(s, "]:")
		if end < 0 {
			return Address{}, errAddress
		}
		if host, path = s[:end+1], s[end+2:]; strings.Count(host, ":") == 1 {
			host = strings.NewReplacer("[", "", "]", "").Replace(host)
		}
	}
	a := Address{Scheme: "ssh", Path: trim(path)}
	a.User, a.Host = splitUser(host)
	return a, a.splitPort()
}

// parseURL takes apart what follows scheme://.
func parseURL(scheme, rest string) (Address, error) {
	a := Address{Scheme: cmp.Or(schemes[scheme], scheme)}
	authority, path, _ := strings.Cut(rest, "/")
	if scheme == "file" {
		a.Path = trimFile("/" + path)
	} else {
		if at := strings.IndexAny(path, "?#;"); at >= 0 {
			path, a.Query = path[:at], path[at:]
		}
		a.Path = trim(path)
	}
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
		a.Host, a.Port = a.Host[:at], strings.TrimLeft(a.Host[at+1:], "0")
	}
	if a.Port == defaultPorts[a.Scheme] {
		a.Port = ""
	}
	isIPv6 := strings.HasPrefix(a.Host, "[") // which may have %25 and a zone
	if !digits.MatchString(a.Port) || !isIPv6 && strings.ContainsAny(a.Host, noHost) {
		return errAddress
	}
	return nil
}

// trim returns a path without what may stand at its ends.
func trim(path string) string { return TrimAddress(strings.Trim(path, "/")) }

// trimFile returns the path of a file without what may stand at its end.
func trimFile(path string) string {
	path = filepath.ToSlash(path)
	return path[:len(path)-len(strings.TrimLeft(path, "/"))] + trim(path)
}

// TrimAddress returns an address without what may stand at its end: slashes, and ".git".
func TrimAddress(s string) string {
	return strings.TrimRight(strings.TrimSuffix(strings.TrimRight(s, "/"), ".git"), "/")
}

// IsLocal reports whether the repository is a path on this machine.
func (a Address) IsLocal() bool { return a.Scheme == "file" && a.Host == "" }

// In reports whether this address is another one, or below it: by scheme, host, port, and whole segments of the path.
// Who asks makes no difference. A path that leads up again is below nothing.
func (a Address) In(other Address) bool {
	if a.Scheme != other.Scheme || a.Host != other.Host || a.Port != other.Port {
		return false
	}
	rest, below := strings.CutPrefix(a.Path, strings.TrimSuffix(other.Path, "/")+"/")
	return other.Path == "" || a.Path == other.Path || below && !leadsUp(rest)
}

// leadsUp reports whether a server may take a path for one that leads up, in whichever way that is written.
func leadsUp(path string) bool {
	return slices.Contains(strings.FieldsFunc(Plain(path), func(r rune) bool { return r == '/' || r == '\\' }), "..")
}

// Canonical returns the address in a form in which addresses of one repository are equal: the host, the port unless it
// is the scheme's own, and the path. Over ssh, other accounts than git may have repositories of their own, so the user
// is part of it; nothing else that it says of users is. Ssh and https addresses of one host and path name one
// repository.
func (a Address) Canonical() string {
	if a.IsLocal() {
		return path.Clean(a.Path)
	}
	host := strings.TrimSuffix(a.Host, ".")
	if a.Port != "" {
		host += ":" + a.Port
	}
	if user, _, _ := strings.Cut(unescaped(a.User), ":"); a.Scheme == "ssh" && user != "" && user != "git" {
		host = user + "@" + host
	}
	switch a.Scheme {
	case "http", "https", "ssh", "git":
	case "file":
		host = "//" + host
	default: // what another transport makes of it, only that knows
		host = a.Scheme + "://" + host
	}
	return strings.TrimSuffix(host+path.Join("/", unescaped(a.Path)), "/")
}

// unescaped returns a text without %-escapes, as git and servers read it.
func unescaped(s string) string {
	return escape.ReplaceAllStringFunc(s, func(code string) string {
		char, _ := strconv.ParseUint(code[1:], 16, 8) // two digits
		return string([]byte{byte(char)})
	})
}

// Plain returns a text without %-escapes, also not those of a percent sign.
func Plain(s string) string {
	for range 5 { // no server does it as often
		s = unescaped(s)
	}
	return s
}

// HasDrive reports whether an address is a path that begins with a drive of Windows.
func HasDrive(s string) bool { return drive.MatchString(s) }

// Canonical returns the canonical form of the address of a git repository (Address.Canonical), or the address itself if
// it is none.
func Canonical(s string) string {
	a, err := ParseAddress(s)
	if s == "" || err != nil {
		return s
	}
	return a.Canonical()
}
