// SPDX-License-Identifier: Apache-2.0

package report

import "github.com/package-variants/package-variants/e2e/internal/proxy"

// Requests counts requests of a controller to the Kubernetes API.
type Requests struct {
	// All is the number of requests: discovery, watches, Events and Leases, too. Refused is how many got an error.
	All     int `json:"all"`
	Refused int `json:"refused,omitempty"`
	// Writes is how many ask to change what is stored, without Leases, by which replicas agree on the leader.
	Writes int `json:"writes"`
	// Drafts is how many package revisions were created, Saves how often contents were saved, and Reads how often contents
	// were read.
	Drafts int `json:"drafts"`
	Saves  int `json:"saves"`
	Reads  int `json:"reads"`
}

// CountRequests counts the requests that a proxy has seen.
func CountRequests(requests []proxy.Request) Requests {
	const contents = "packagerevisionresources"
	counted := Requests{All: len(requests)}
	for _, r := range requests {
		if r.Failed() {
			counted.Refused++
		}
		if proxy.IsWrite(r) && r.Resource != "leases" {
			counted.Writes++
		}
		switch {
		case r.Resource == contents && (r.Verb == "get" || r.Verb == "list"):
			counted.Reads++
		case r.Resource == contents && r.Verb == "update" && !r.Failed():
			counted.Saves++
		case r.Resource == "packagerevisions" && r.Subresource == "" && r.Verb == "create" && !r.Failed():
			counted.Drafts++
		}
	}
	return counted
}
