// SPDX-License-Identifier: Apache-2.0

// Package guard lets only accounts read the metrics that RBAC allows to.
package guard

import (
	"context"
	"crypto/sha256"
	"net/http"
	"strings"
	"time"

	"github.com/go-logr/logr"
	authentication "k8s.io/api/authentication/v1"
	authorization "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/cache"
	authenticationclient "k8s.io/client-go/kubernetes/typed/authentication/v1"
	authorizationclient "k8s.io/client-go/kubernetes/typed/authorization/v1"
	"k8s.io/client-go/rest"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const (
	answersLast = time.Minute      // how long an answer of the API server about an account holds
	answersKept = 1000             // how many of them are kept
	askFor      = 10 * time.Second // how long the API server may take to answer
)

// guard lets requests through if their bearer token is that of an account that may get their path. It asks the API
// server, as the filter of controller-runtime does, which would bring the API server's own libraries into the program.
type guard struct {
	tokens  authenticationclient.TokenReviewInterface
	rights  authorizationclient.SubjectAccessReviewInterface
	answers *cache.LRUExpireCache
}

// Filter returns the filter of a server whose paths only those accounts get that RBAC allows to. The client makes the
// requests to the API server.
func Filter(config *rest.Config, client *http.Client) (metricsserver.Filter, error) {
	tokens, err := authenticationclient.NewForConfigAndClient(config, client)
	if err != nil {
		return nil, err
	}
	rights, err := authorizationclient.NewForConfigAndClient(config, client)
	if err != nil {
		return nil, err
	}
	g := &guard{tokens.TokenReviews(), rights.SubjectAccessReviews(), cache.NewLRUExpireCache(answersKept)}
	return g.filter, nil
}

// filter returns a handler that answers what handler does not get.
func (g *guard) filter(log logr.Logger, handler http.Handler) (http.Handler, error) {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if token = strings.TrimSpace(token); !strings.EqualFold(scheme, "Bearer") {
			token = ""
		}
		status, err := g.status(r.Context(), token, strings.ToLower(r.Method), r.URL.Path)
		if err != nil {
			log.Error(err, "cannot ask whether a client may read the metrics")
		}
		if status == http.StatusOK {
			handler.ServeHTTP(w, r)
			return
		}
		http.Error(w, http.StatusText(status), status)
	}), nil
}

// status returns 200 for a request that is to be let through, or the status of the answer that it gets.
func (g *guard) status(ctx context.Context, token, verb, path string) (int, error) {
	if token == "" {
		return http.StatusUnauthorized, nil
	}
	key := sha256.Sum256([]byte(strings.Join([]string{verb, path, token}, "\x00"))) // tokens are not kept
	if answer, ok := g.answers.Get(key); ok {
		if status, ok := answer.(int); ok {
			return status, nil
		}
	}
	ctx, cancel := context.WithTimeout(ctx, askFor)
	defer cancel()
	status, err := g.ask(ctx, token, verb, path)
	if err != nil {
		return http.StatusInternalServerError, err
	}
	g.answers.Add(key, status, answersLast)
	return status, nil
}

// ask asks the API server whose token it is, and what that account may do.
func (g *guard) ask(ctx context.Context, token, verb, path string) (int, error) {
	review, err := g.tokens.Create(ctx, &authentication.TokenReview{Spec: authentication.TokenReviewSpec{Token: token}},
		metav1.CreateOptions{})
	if err != nil {
		return 0, err
	}
	if !review.Status.Authenticated {
		return http.StatusUnauthorized, nil
	}
	user := review.Status.User
	extra := map[string]authorization.ExtraValue{}
	for name, values := range user.Extra {
		extra[name] = authorization.ExtraValue(values)
	}
	access, err := g.rights.Create(ctx, &authorization.SubjectAccessReview{Spec: authorization.SubjectAccessReviewSpec{
		User: user.Username, UID: user.UID, Groups: user.Groups, Extra: extra,
		NonResourceAttributes: &authorization.NonResourceAttributes{Verb: verb, Path: path},
	}}, metav1.CreateOptions{})
	switch {
	case err != nil:
		return 0, err
	case !access.Status.Allowed:
		return http.StatusForbidden, nil
	}
	return http.StatusOK, nil
}
