// SPDX-License-Identifier: Apache-2.0

package proxy

import (
	"fmt"
	"net/http"
	"path"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/endpoints/request"
)

// Request is a request that a proxy has recorded.
type Request struct {
	// Verb is the RBAC verb of the request: get, list, watch, create, update, patch, delete or deletecollection; for a
	// request that is not for a resource, such as discovery, the HTTP method in lower case.
	Verb string
	// Group is the API group; it is empty for the core group, and without a resource.
	Group string
	// Resource is the plural name of the resource, or empty.
	Resource string
	// Subresource is the part of the object that the request is about, such as status or approval.
	Subresource string
	// Namespace is the namespace of the request, even if the namespace is the requested object itself; it is empty for
	// a request for all namespaces.
	Namespace string
	// Name is the name of the object, if the address has it: a create has none.
	Name string
	// Status is the HTTP status that the client got, 0 before that.
	Status int
	// Time is when the request arrived.
	Time time.Time
}

// Access is what a request needs a right to: a verb on a resource, in one namespace or in all. It is comparable.
type Access struct {
	Verb, Group, Resource, Subresource, Namespace string
}

// access returns what the request needs a right to.
func (r *Request) access() Access {
	return Access{Verb: r.Verb, Group: r.Group, Resource: r.Resource, Subresource: r.Subresource, Namespace: r.Namespace}
}

// infos reads requests as kube-apiserver does.
var infos = request.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"),
	GrouplessAPIPrefixes: sets.NewString("api")}

// parse returns the Request of an HTTP request.
func parse(r *http.Request) (*Request, error) {
	info, err := infos.NewRequestInfo(r)
	if err != nil {
		return nil, fmt.Errorf("cannot read the request %s %s: %w", r.Method, r.URL, err)
	}
	parsed := &Request{Verb: info.Verb, Time: time.Now()}
	if info.IsResourceRequest {
		parsed.Group, parsed.Resource, parsed.Subresource = info.APIGroup, info.Resource, info.Subresource
		parsed.Namespace, parsed.Name = info.Namespace, info.Name
	}
	return parsed, nil
}

// String returns the request in one line, for messages of tests.
func (r Request) String() string {
	return fmt.Sprintf("%s %s %s: %d", r.Verb, path.Join(r.Group, r.Resource, r.Subresource),
		path.Join(r.Namespace, r.Name), r.Status)
}

// Failed reports whether the client got an error.
func (r Request) Failed() bool { return r.Status >= http.StatusBadRequest }

// Count returns how many requests the filter accepts.
func Count(requests []Request, filter func(Request) bool) int {
	n := 0
	for _, r := range requests {
		if filter(r) {
			n++
		}
	}
	return n
}

// IsWrite reports whether a request asks to change what is stored, even if it is refused. Reviews, which ask for a
// user's identity or rights, are created but not stored.
func IsWrite(r Request) bool {
	if r.Group == "authentication.k8s.io" || r.Group == "authorization.k8s.io" {
		return false
	}
	return slices.Contains([]string{"create", "update", "patch", "delete", "deletecollection"}, r.Verb)
}

// IsBookkeeping reports whether a request is for a Lease or an Event, which are not part of a controller's actual work.
func IsBookkeeping(r Request) bool {
	return r.Group == "coordination.k8s.io" || r.Resource == "events"
}
