// SPDX-License-Identifier: Apache-2.0

package git

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/package-variants/package-variants/engine/revision"
)

// secretive are the schemes of which the user part is for servers that take a token there.
var secretive = []string{"http", "https", "ftp", "ftps"}

// The errors of addresses that have something of a user.
var (
	errUser = errors.New("it has a user, a password or a token before the @, which packages and reports would show: " +
		"remove all up to the @, and have a credential helper of git give it (git help credentials)")
	errQuery = errors.New("it has a query, parameters or a fragment (from ?, ; or # on), which packages and reports " +
		"would show: remove it; credentials are for a credential helper of git (git help credentials)")
)

// CheckAddress returns why an address cannot stand in a manifest: it has something of a user in it that must not be
// read by others, since packages record the addresses of their upstreams. The name of an ssh account is no secret.
// Whoever writes a password with %-escapes, or with other characters that look like an @, means one all the same.
func CheckAddress(s string) error {
	if strings.ContainsFunc(s, unicode.IsControl) {
		return errors.New("it has control characters: write the address that git clone takes")
	}
	if hasPassword(s) && !revision.HasDrive(s) {
		return errUser
	}
	a, err := revision.ParseAddress(s)
	switch {
	case err != nil:
		return fmt.Errorf("it %w", err)
	case a.User != "" && slices.Contains(secretive, a.Scheme[strings.LastIndex(a.Scheme, ":")+1:]):
		return errUser
	case a.Query != "", !a.IsLocal() && queries.MatchString(plain(a.Path)):
		return errQuery
	}
	return nil
}

// queries are how a query, or a parameter of a path, begins that was written with %-escapes.
var queries = regexp.MustCompile(`[?;][A-Za-z0-9_.-]+=`)

// similar are characters that some programs take for the ones of an address.
var similar = strings.NewReplacer("\uff20", "@", "\ufe6b", "@", "\uff1a", ":", "\ufe55", ":", "\uff1b", ";",
	"\uff1f", "?")

// plain returns a text without %-escapes, and with an @ for what looks like one.
func plain(s string) string { return similar.Replace(revision.Plain(s)) }

var (
	beginning = regexp.MustCompile(`^([A-Za-z0-9]+::)?([A-Za-z0-9][A-Za-z0-9+.-]*://)?`)
	password  = regexp.MustCompile(`:[^/]*@`)
)

// hasPassword reports whether something stands between a colon and an @ that may be meant to be a password, whatever
// git takes such an address for.
func hasPassword(s string) bool {
	s = plain(s)
	return password.MatchString(s[len(beginning.FindString(s)):])
}

// Shown returns an address without what it says of users: nothing of the user part, unless that is the account git of
// ssh, and nothing of a query.
func Shown(s string) string {
	prefix := beginning.FindString(s)
	a, err := revision.ParseAddress(s)
	rest := strings.TrimSuffix(s[len(prefix):], a.Query)
	if a.User != "" && (a.User != "git" || a.Scheme != "ssh") { // in user@[host:port]:path, a bracket may be before it
		before, after, found := strings.Cut(rest, a.User+"@")
		switch rest = before + after; { // what is left may look like another form
		case !found, revision.HasDrive(rest):
			return prefix + "..."
		case prefix == "":
			return Shown(rest)
		}
	}
	if err != nil || hasPassword(prefix+rest) && !revision.HasDrive(s) ||
		!a.IsLocal() && queries.MatchString(plain(rest)) {
		return prefix + "..."
	}
	return prefix + rest
}

// Of git's own words, the user parts of addresses, and their queries.
var (
	userOfURL  = regexp.MustCompile(`([A-Za-z0-9+.-]+://)[^\s/'"<>]*(?:@|%40|[\x{ff20}\x{fe6b}])`)
	queryOfURL = regexp.MustCompile(`([A-Za-z0-9+.-]+://[^\s'"<>?#;]*)[?#;][^\s'"<>]*`)
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
