// SPDX-License-Identifier: Apache-2.0

package forge

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/engine/revision"
)

// TestLimits waits as long as a forge says, by the headers that
// https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api and
// https://docs.gitlab.com/security/rate_limits document, and does not ask for ever.
func TestLimits(t *testing.T) {
	t.Parallel()
	soon := fmt.Sprint(time.Now().Add(30 * time.Second).Unix())
	for name, tt := range map[string]struct {
		method string
		status int
		header map[string]string
		times  int
		tries  int
		waits  time.Duration // of each, at least
		err    string
	}{
		"seconds":                           {http.MethodPost, 429, map[string]string{"Retry-After": "7"}, 1, 2, 7 * time.Second, "<nil>"},
		"seconds, with 403":                 {http.MethodPost, 403, map[string]string{"Retry-After": "7"}, 3, 4, 7 * time.Second, "<nil>"},
		"until":                             {http.MethodPost, 403, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": soon}, 1, 2, 28 * time.Second, "<nil>"},
		"until, of GitLab":                  {http.MethodPost, 429, map[string]string{"RateLimit-Reset": soon}, 1, 2, 28 * time.Second, "<nil>"},
		"not said":                          {http.MethodPost, 429, nil, 1, 2, time.Second, "<nil>"},
		"too long":                          {http.MethodPost, 429, map[string]string{"Retry-After": "3600"}, 1, 1, 0, "429 Too Many Requests: slow down"},
		"for ever":                          {http.MethodPost, 429, nil, 9, 4, time.Second, "429 Too Many Requests: slow down"},
		"not allowed":                       {http.MethodPost, 403, nil, 9, 1, 0, "403 Forbidden: slow down"},
		"a read in between":                 {http.MethodGet, 502, nil, 1, 2, time.Second, "<nil>"},
		"a write, which may have been done": {http.MethodPost, 502, nil, 1, 1, 0, "502 Bad Gateway: slow down"},
	} {
		tries := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if tries++; tries > tt.times {
				return
			}
			for key, value := range tt.header {
				w.Header().Set(key, value)
			}
			w.WriteHeader(tt.status)
			_, _ = fmt.Fprint(w, `{"message": "slow\ndown"}`)
		}))
		at, err := url.Parse(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		f := newForge(Gitea, at, revision.Address{})
		f.sleep = func(_ context.Context, d time.Duration) error {
			if d < tt.waits || d > tt.waits+3*time.Second {
				t.Errorf("%s: waits %s", name, d)
			}
			return nil
		}
		_, err = f.call(t.Context(), tt.method, at, nil, nil)
		server.Close()
		want := tt.err
		if want != "<nil>" {
			want = tt.method + " " + server.URL + ": " + want
		}
		if diff := cmp.Diff(want, fmt.Sprint(err)); diff != "" || tries != tt.tries {
			t.Errorf("%s: %d tries (-want +got):\n%s", name, tries, diff)
		}
	}
}

// TestWords shows of a refusal what a forge says of it, in each of their shapes, and no more than fits on a line.
func TestWords(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"message": "Validation Failed", "errors": [{"resource": "PullRequest", "code": "custom", "message": "No commits"}]}`: "Validation Failed; No commits",
		`{"message": ["Another open merge request already exists"]}`:                                                           "[Another open merge request already exists]",
		`{"error": "insufficient_scope"}`: "insufficient_scope",
		`{"message": "\u001b[31m a\nb"}`:  `\x1b[31m a b`,
		`<html>`:                          "",
		``:                                "",
	} {
		if got := words([]byte(body)); got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}

// TestFirstPush opens a pull request in a repository of Gitea that has not noticed its first push yet.
func TestFirstPush(t *testing.T) {
	t.Parallel()
	posts := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			posts++
		}
		switch {
		case r.URL.Path == "/api/v1/repos/acme/fleet":
			_, _ = fmt.Fprintf(w, `{"empty": %t}`, posts < 3)
		case posts < 3:
			http.NotFound(w, r)
		default:
			const repo = `"repo": {"full_name": "acme/fleet"}`
			_, _ = fmt.Fprint(w, `{"number": 1, "head": {"label": "a", `+repo+`}, "base": {"ref": "main", `+repo+`}}`)
		}
	}))
	defer server.Close()
	f, err := Find(t.Context(), server.URL+"/acme/fleet", "gitea", func(string) string { return "token" })
	if err != nil {
		t.Fatal(err)
	}
	waited := 0
	f.sleep = func(context.Context, time.Duration) error { waited++; return nil }
	r, err := f.Repository(server.URL + "/acme/fleet")
	if err != nil {
		t.Fatal(err)
	}
	result := r.Sync(t.Context(), "fleet", []Wanted{{Branch: "a", Base: "main", Title: "A"}}, nil, 1)
	if len(result.Refused) > 0 || result.Numbers["a"] != 1 || waited != 2 {
		t.Errorf("%+v, waited %d times", result, waited)
	}
}
