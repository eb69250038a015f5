// SPDX-License-Identifier: Apache-2.0

package process

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// tailLines is how many lines of a log an error shows.
const tailLines = 20

// Await waits until ready returns no error. It fails, with the end of the program's log, if the program or ctx ends
// first.
func (p *Process) Await(ctx context.Context, what string, ready func(context.Context) error) error {
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		attempt, cancel := context.WithTimeout(ctx, 5*time.Second)
		err := ready(attempt)
		cancel()
		if err == nil {
			return nil
		}
		select {
		case <-p.done:
			return fmt.Errorf("%s ended before %s: %w%s", p.Name, what, p.ended(), p.Tail(tailLines))
		case <-ctx.Done():
			return fmt.Errorf("%s: gave up waiting until %s: %w; last answer: %w%s", p.Name, what, context.Cause(ctx), err,
				p.Tail(tailLines))
		case <-ticker.C:
		}
	}
}

// Answers returns nil if a server answers a GET with 200; otherwise the error has the answer.
func Answers(ctx context.Context, client *http.Client, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode == http.StatusOK {
		return nil
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, 4096))
	if err != nil {
		return fmt.Errorf("%s: %s: cannot read the answer: %w", url, response.Status, err)
	}
	return fmt.Errorf("%s: %s: %s", url, response.Status, body)
}
