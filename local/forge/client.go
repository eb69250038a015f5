// SPDX-License-Identifier: Apache-2.0

package forge

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/package-variants/package-variants/engine/markdown"
	"github.com/package-variants/package-variants/engine/visible"
	"github.com/package-variants/package-variants/functions/version"
)

const (
	// maxAnswer is the most bytes that an answer may have: a page has up to 100 bodies.
	maxAnswer = 16 << 20
	// maxPages is how many pages of a list are read.
	maxPages = 200
	// maxWords is the most bytes that are shown of a forge's words.
	maxWords = 300
	// maxWait is how long a call waits at most for a limit of the forge to pass, maxTries how often it is sent.
	maxWait  = 2 * time.Minute
	maxTries = 4
	// pause is the wait where a forge does not say for how long.
	pause = time.Second
)

// newClient returns a client that follows a redirect only of a read, and only on the same server: neither a token nor
// what is written goes elsewhere.
func newClient() *http.Client {
	return &http.Client{Timeout: time.Minute, CheckRedirect: func(to *http.Request, via []*http.Request) error {
		from := via[0]
		if from.Method != http.MethodGet || to.URL.Host != from.URL.Host || to.URL.Scheme != from.URL.Scheme || len(via) > 5 {
			return http.ErrUseLastResponse
		}
		return nil
	}}
}

// sleep waits for some time, or until the context ends.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// answer is what a forge has answered.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// Refusal is a call that a forge has refused.
type Refusal struct {
	// Call is the method and the URL, Words what the forge says.
	Call   string
	Status int
	Words  string
}

// Error implements error.
func (e *Refusal) Error() string {
	return strings.TrimSuffix(fmt.Sprintf("%s: %d %s: %s", e.Call, e.Status, http.StatusText(e.Status), e.Words), ": ")
}

// call sends a value, which may be nil, until no limit is in the way, and decodes the answer.
func (f *Forge) call(ctx context.Context, method string, to *url.URL, value, into any) (http.Header, error) {
	var body []byte
	if value != nil {
		var err error
		if body, err = json.Marshal(value); err != nil {
			return nil, err
		}
	}
	for try := 1; ; try++ {
		got, err := f.send(ctx, method, to, body)
		if err != nil {
			return nil, err
		}
		if got.status/100 == 2 {
			if into != nil {
				err = json.Unmarshal(got.body, into)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: the answer is not what its API documents: %w", shown(method, to), err)
			}
			return got.header, nil
		}
		refusal := &Refusal{shown(method, to), got.status, words(got.body)}
		wait := got.wait(method, time.Now())
		if wait == 0 || wait > maxWait || try == maxTries {
			return nil, refusal
		}
		if err := f.sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// send sends a request once. The token, if there is one, goes along.
func (f *Forge) send(ctx context.Context, method string, to *url.URL, body []byte) (*answer, error) {
	request, err := http.NewRequestWithContext(ctx, method, to.String(), bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("%s is no request", shown(method, to))
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "package-variants/"+version.Current())
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if f.token != "" {
		request.Header.Set("Authorization", "Bearer "+f.token)
	}
	response, err := f.client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shown(method, to), unwrapped(err))
	}
	defer func() { _ = response.Body.Close() }()
	got := &answer{status: response.StatusCode, header: response.Header}
	got.body, err = io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err == nil && len(got.body) > maxAnswer {
		err = fmt.Errorf("the answer has more than %d MiB", maxAnswer>>20)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shown(method, to), err)
	}
	return got, nil
}

// unwrapped returns why a request failed, without its URL.
func unwrapped(err error) error {
	if of, ok := err.(*url.Error); ok { //nolint:errorlint // the outermost one
		return of.Err
	}
	return err
}

// wait returns how long to wait before the same is asked again; 0 for never. Forges refuse with 429, GitHub also with
// 403, and say for how long in seconds, or until when in seconds since 1970. A read that failed on the way is repeated.
func (a *answer) wait(method string, now time.Time) time.Duration {
	limited := a.status == http.StatusTooManyRequests || a.status == http.StatusForbidden &&
		(a.header.Get("Retry-After") != "" || a.header.Get("X-RateLimit-Remaining") == "0")
	switch {
	case limited:
		if seconds, err := strconv.Atoi(a.header.Get("Retry-After")); err == nil {
			return max(time.Duration(seconds)*time.Second, pause)
		}
		at := cmp.Or(a.header.Get("X-RateLimit-Reset"), a.header.Get("RateLimit-Reset"))
		if until, err := strconv.ParseInt(at, 10, 64); err == nil {
			return max(time.Unix(until, 0).Sub(now), pause)
		}
		return pause
	case method == http.MethodGet && a.status >= http.StatusBadGateway && a.status <= http.StatusGatewayTimeout:
		return pause
	}
	return 0
}

// shown names a call: nothing in it is secret.
func shown(method string, to *url.URL) string {
	return method + " " + (&url.URL{Scheme: to.Scheme, Host: to.Host, Path: to.Path, RawPath: to.RawPath}).String()
}

// words returns what a forge says of a refusal: "message", which may be a text or a list, "error", and the messages of
// "errors".
func words(body []byte) string {
	var said struct {
		Message, Error any
		Errors         []any
	}
	if json.Unmarshal(body, &said) != nil {
		return ""
	}
	var all []string
	for _, part := range append([]any{said.Message, said.Error}, said.Errors...) {
		if of, ok := part.(map[string]any); ok && of["message"] != nil {
			part = of["message"]
		}
		if part != nil && part != "" {
			all = append(all, fmt.Sprint(part))
		}
	}
	return cut(strings.Join(all, "; "))
}

// cut returns words of a forge as they are shown.
func cut(words string) string { return markdown.Cut(visible.Line(words), maxWords) }

// list reads all pages of a list. Which page is next is counted, so that no answer leads elsewhere.
func list[T any](ctx context.Context, f *Forge, at *url.URL, query url.Values) (all []T, err error) {
	query.Set("per_page", "100")
	if f.kind == Gitea {
		query.Set("limit", "50")
	}
	for page := 1; page <= maxPages; page++ {
		query.Set("page", strconv.Itoa(page))
		at.RawQuery = query.Encode()
		var some []T
		header, err := f.call(ctx, http.MethodGet, at, nil, &some)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
		if len(some) == 0 || header.Get("X-Next-Page") == "" && !strings.Contains(header.Get("Link"), `rel="next"`) {
			return all, nil
		}
	}
	return nil, fmt.Errorf("%s has more than %d pages", shown(http.MethodGet, at), maxPages)
}
