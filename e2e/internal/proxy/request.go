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

// Request is a request that a proxy has seen.
type Request struct {
	// Verb is what the request does, in the words of RBAC: get, list, watch, create, update, patch, delete or
	// deletecollection; for what is not a resource, such as discovery, the HTTP method in lower case.
	Verb string
	// Group is the API group; it is empty for the core of the API, and for what is not a resource.
	Group string
	// Resource is the plural name of the resource; it is empty for what is not a resource.
	Resource string
	// Subresource is the part of the object that the request is about, such as status or approval.
	Subresource string
	// Namespace is the namespace asked for, also where that is the object; what is for all namespaces has none.
	Namespace string
	// Name is the name of the object, where the address has it: that of a create has not.
	Name string
	// Status is the HTTP status that the client was sent, 0 as long as there is none.
	Status int
	// Time is when the request came.
	Time time.Time
}

// Access is what a request needs a right to: a verb on a resource, in a namespace or in all. It is comparable.
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

// parse returns what a request asks for.
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

// Count returns how many of the requests the filter takes.
func Count(requests []Request, filter func(Request) bool) int {
	n := 0
	for _, r := range requests {
		if filter(r) {
			n++
		}
	}
	return n
}

// IsWrite tells whether a request asks for a change of what is stored, whether it was granted or not. Reviews, which
// ask who somebody is or what they may do, are created and not stored.
func IsWrite(r Request) bool {
	if r.Group == "authentication.k8s.io" || r.Group == "authorization.k8s.io" {
		return false
	}
	return slices.Contains([]string{"create", "update", "patch", "delete", "deletecollection"}, r.Verb)
}

// IsBookkeeping tells whether a request is about a Lease or an Event, which say nothing about the work of a controller.
func IsBookkeeping(r Request) bool {
	return r.Group == "coordination.k8s.io" || r.Resource == "events"
}
