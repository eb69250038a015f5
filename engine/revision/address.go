// SPDX-License-Identifier: Apache-2.0

package revision

import (
	"net/url"
	"strings"
)

// defaultPorts are the ports that an address may leave out. Servers that offer ssh beside https use any port for it, so
// that the port of an ssh address never counts.
var defaultPorts = map[string]string{"http": "80", "https": "443", "git": "9418"}

// Address returns the address of a git repository in a form in which equivalent addresses are equal: the host, the port
// unless it is the scheme's own, and the path without ".git". Ssh and https addresses of one host and path name one
// repository, in any of the forms that git accepts.
func Address(s string) string {
	s = TrimAddress(s)
	if host, path, isSCP := strings.Cut(s, ":"); isSCP && !strings.Contains(host, "/") && !strings.HasPrefix(path, "//") {
		host = host[strings.LastIndex(host, "@")+1:]
		return strings.ToLower(host) + "/" + strings.TrimPrefix(path, "/")
	}
	u, err := url.Parse(s)
	if err != nil || u.Host == "" {
		return s // a directory
	}
	host := strings.ToLower(u.Host)
	if port := u.Port(); u.Scheme == "ssh" || port == defaultPorts[u.Scheme] {
		host = strings.TrimSuffix(host, ":"+port)
	}
	return host + u.Path
}

// TrimAddress returns an address without what may stand at its end: a slash, and ".git".
func TrimAddress(s string) string { return strings.TrimSuffix(strings.TrimSuffix(s, "/"), ".git") }
