// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const (
	root      = "/apis/porch.kpt.dev/v1alpha1"
	revisions = "packagerevisions"
	contents  = "packagerevisionresources"
	inside    = root + "/namespaces/{namespace}/"
)

// routes registers the handlers. Everything else is not simulated, and answered by 404 or 405.
func (p *Porch) routes() {
	p.mux.HandleFunc("GET "+root, p.answer(func(*http.Request) (any, error) { return discovery(), nil }))
	for _, path := range []string{root + "/" + revisions, inside + revisions} {
		p.mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			if watching := r.URL.Query().Get("watch"); watching == "1" || watching == "true" {
				p.watch(w, r)
				return
			}
			p.answer(p.listRevisions)(w, r)
		})
	}
	read, save := (*Latencies).read, (*Latencies).save
	for _, route := range []struct {
		method, path string
		do           func(*http.Request) (any, error)
	}{
		{"POST", inside + revisions, p.createRevision},
		{"GET", inside + revisions + "/{name}", p.named(read, p.getRevision)},
		{"PATCH", inside + revisions + "/{name}", p.named(save, p.patchRevision)},
		{"DELETE", inside + revisions + "/{name}", p.named(save, p.deleteRevision)},
		{"GET", inside + contents + "/{name}", p.named(read, p.getContent)},
		{"PUT", inside + contents + "/{name}", p.named(save, p.updateContent)},
	} {
		p.mux.HandleFunc(route.method+" "+route.path, p.answer(route.do))
	}
}

// ServeHTTP implements http.Handler.
func (p *Porch) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.mux.ServeHTTP(w, r) }

// answer returns a handler that makes a call and writes the result.
func (p *Porch) answer(do func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		result, err := do(r)
		code := http.StatusOK
		if err != nil {
			var status apierrors.APIStatus
			if !errors.As(err, &status) {
				status = apierrors.NewInternalError(err)
			}
			answer := status.Status()
			answer.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
			result, code = answer, int(answer.Code)
		} else if r.Method == http.MethodPost {
			code = http.StatusCreated
		}
		data, err := json.Marshal(result)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = w.Write(data) // an error means that the client has gone
	}
}

func discovery() *metav1.APIResourceList {
	resource := func(name, kind string, verbs ...string) metav1.APIResource {
		return metav1.APIResource{Name: name, Namespaced: true, Kind: kind, Verbs: verbs}
	}
	return &metav1.APIResourceList{
		TypeMeta:     metav1.TypeMeta{APIVersion: "v1", Kind: "APIResourceList"},
		GroupVersion: porchapi.SchemeGroupVersion.String(),
		APIResources: []metav1.APIResource{
			resource(revisions, "PackageRevision", "create", "delete", "get", "list", "patch", "watch"),
			resource(contents, "PackageRevisionResources", "get", "update"),
		},
	}
}

func notFound(name string) error {
	return apierrors.NewNotFound(porchapi.Resource(revisions), name)
}

func conflict(resource schema.GroupResource, name string) error {
	return apierrors.NewConflict(resource, name,
		errors.New("the object has been modified; please apply your changes to the latest version and try again"))
}

// decode reads the body of a request.
func decode(r *http.Request, into any) error {
	data, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		return apierrors.NewBadRequest(fmt.Sprintf("cannot read the body: %v", err))
	}
	return nil
}
