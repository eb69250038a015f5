// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	authentication "k8s.io/api/authentication/v1"
	authorization "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/cache"
	authenticationclient "k8s.io/client-go/kubernetes/typed/authentication/v1"
	authorizationclient "k8s.io/client-go/kubernetes/typed/authorization/v1"
)

// server answers reviews as an API server that knows the tokens reader and other, and fails for the token broken.
type server struct {
	authenticationclient.TokenReviewInterface
	asked []string
}

func (s *server) Create(_ context.Context, r *authentication.TokenReview, _ metav1.CreateOptions) (*authentication.TokenReview, error) {
	s.asked = append(s.asked, r.Spec.Token)
	if r.Spec.Token == "broken" {
		return nil, errors.New("the API server is away")
	}
	r.Status.Authenticated = r.Spec.Token == "reader" || r.Spec.Token == "other"
	r.Status.User = authentication.UserInfo{Username: r.Spec.Token, UID: "1", Groups: []string{"all"},
		Extra: map[string]authentication.ExtraValue{"pod": {"a"}}}
	return r, nil
}

// rights allows the account reader to get /metrics, and notes who is asked about.
type rights struct {
	authorizationclient.SubjectAccessReviewInterface
	asked []authorization.SubjectAccessReviewSpec
}

func (s *rights) Create(_ context.Context, r *authorization.SubjectAccessReview, _ metav1.CreateOptions) (*authorization.SubjectAccessReview, error) {
	s.asked = append(s.asked, r.Spec)
	r.Status.Allowed = r.Spec.User == "reader" && r.Spec.NonResourceAttributes.Path == "/metrics" &&
		r.Spec.NonResourceAttributes.Verb == "get"
	return r, nil
}

// TestGuard checks which requests reach the metrics, and that each answer is asked for once.
func TestGuard(t *testing.T) {
	t.Parallel()
	tokens, access := &server{}, &rights{}
	g := &guard{tokens, access, cache.NewLRUExpireCache(answersKept)}
	handler, err := g.filter(logr.Discard(), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "metrics")
	}))
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		authorization, method, path string
		status                      int
		body                        string
	}{
		{"", "GET", "/metrics", 401, "Unauthorized\n"},
		{"Bearer ", "GET", "/metrics", 401, "Unauthorized\n"},
		{"Basic cmVhZGVyOg==", "GET", "/metrics", 401, "Unauthorized\n"},
		{"reader", "GET", "/metrics", 401, "Unauthorized\n"},
		{"Bearer nobody", "GET", "/metrics", 401, "Unauthorized\n"},
		{"Bearer other", "GET", "/metrics", 403, "Forbidden\n"},
		{"Bearer reader", "GET", "/debug", 403, "Forbidden\n"},
		{"Bearer reader", "POST", "/metrics", 403, "Forbidden\n"},
		{"Bearer reader", "GET", "/metrics", 200, "metrics"},
		{"bearer  reader", "GET", "/metrics", 200, "metrics"},
		{"Bearer broken", "GET", "/metrics", 500, "Internal Server Error\n"},
	}
	for range 2 {
		for _, c := range cases {
			request := httptest.NewRequest(c.method, c.path, http.NoBody)
			request.Header.Set("Authorization", c.authorization)
			answer := httptest.NewRecorder()
			handler.ServeHTTP(answer, request)
			if answer.Code != c.status || answer.Body.String() != c.body {
				t.Errorf("%s %s with %q: %d %q, want %d %q", c.method, c.path, c.authorization, answer.Code, answer.Body, c.status, c.body)
			}
		}
	}
	// What failed is asked for again.
	want := []string{"nobody", "other", "reader", "reader", "reader", "broken", "broken"}
	if diff := cmp.Diff(want, tokens.asked); diff != "" {
		t.Errorf("tokens that were reviewed (-want +got):\n%s", diff)
	}
	if len(access.asked) != 4 {
		t.Fatalf("%d questions about rights, want 4", len(access.asked))
	}
	if diff := cmp.Diff(authorization.SubjectAccessReviewSpec{
		User: "other", UID: "1", Groups: []string{"all"}, Extra: map[string]authorization.ExtraValue{"pod": {"a"}},
		NonResourceAttributes: &authorization.NonResourceAttributes{Path: "/metrics", Verb: "get"},
	}, access.asked[0]); diff != "" {
		t.Errorf("whose rights (-want +got):\n%s", diff)
	}
}
