// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/package-variants/package-variants/e2e/stack"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
)

// kptfile is the Kptfile of a package that a person writes by hand.
func kptfile(pkg string) string {
	return "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: " + pkg + "\n"
}

// probeAgain is longer than Porch takes from one reading of a Repository to the next.
const probeAgain = 15 * time.Second

// readAnew returns once Porch has read a Repository again and knows all of the git repository. Porch may miss a branch
// that is created while it writes to the Repository until there is another: see docs/limits.md.
func (w *world) readAnew(repository string) {
	w.t.Helper()
	if w.stack.Foreign() && w.stack.Cache() == stack.CRCache {
		w.synced(repository)
		return
	}
	var pushed time.Time
	var workspaces []string
	w.Eventually("Porch has read "+repository+" anew", func() error {
		if time.Since(pushed) > probeAgain {
			w.probes++
			pushed, workspaces = time.Now(), append(workspaces, fmt.Sprintf("probe-%d", w.probes))
			w.Push(repository, "drafts/probe/"+workspaces[len(workspaces)-1], "probe",
				map[string]string{"Kptfile": kptfile("probe")})
		}
		revisions, err := w.ListRevisions(repository, "probe")
		if err == nil && !slices.ContainsFunc(revisions, func(r porchapi.PackageRevision) bool {
			return slices.Contains(workspaces, r.Spec.WorkspaceName)
		}) {
			err = fmt.Errorf("there is none of the drafts %v", workspaces)
		}
		return err
	})
}

// gitServer is a server in front of the stack's git server that fails when a test wants it to.
type gitServer struct {
	*httptest.Server
	// closed refuses all access.
	closed atomic.Bool
	// pushed, if set, is called once: when a push is stored and the client does not know it yet.
	pushed atomic.Pointer[func()]
}

func (w *world) gitProxy() *gitServer {
	w.t.Helper()
	target, err := url.Parse(w.stack.GitURL(""))
	if err != nil {
		w.t.Fatal(err)
	}
	g := &gitServer{}
	forward := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Path = strings.Replace(path.Clean(r.In.URL.Path), ".git/", "/", 1) // as git servers take addresses
			r.SetURL(target)
		},
		ModifyResponse: func(r *http.Response) error {
			if r.Request.Method == http.MethodPost && strings.HasSuffix(r.Request.URL.Path, "/git-receive-pack") {
				if pushed := g.pushed.Swap(nil); pushed != nil {
					(*pushed)()
				}
			}
			return nil
		},
	}
	g.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if g.closed.Load() {
			http.Error(rw, "not allowed", http.StatusForbidden)
			return
		}
		forward.ServeHTTP(rw, r)
	}))
	w.t.Cleanup(g.Close)
	return g
}

// repositoryBehind registers a deployment Repository that Porch reaches by way of the server.
func (w *world) repositoryBehind(g *gitServer, name string) {
	w.t.Helper()
	git := w.Namespace + "-" + name
	err := w.stack.RegisterRepository(w.t.Context(), stack.Repository{
		Namespace: w.Namespace, Name: name, Git: git, Address: g.URL + "/" + git, Deployment: true,
	})
	if err != nil {
		w.t.Fatal(err)
	}
}
