// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"fmt"
	"sync"

	"github.com/package-variants/package-variants/e2e/internal/harness"
)

// person publishes drafts, some at a time.
type person struct {
	drafts chan string
	// failed has an error once a draft could not be published.
	failed chan error
}

// employ has a person publish the drafts that are put into the channel, until the test ends.
func employ(t harness.T, porch *Porch, drafts int) *person {
	p := &person{drafts: make(chan string, drafts), failed: make(chan error, drafts)}
	var working sync.WaitGroup
	for range atOnce {
		working.Go(func() {
			for name := range p.drafts {
				if err := publish(porch, name); err != nil {
					p.failed <- err
				}
			}
		})
	}
	t.Cleanup(func() {
		close(p.drafts) // nobody puts any more into it
		working.Wait()
	})
	return p
}

// publish proposes and approves a draft.
func publish(porch *Porch, name string) error {
	if err := porch.Propose(namespace, name); err != nil {
		return fmt.Errorf("cannot propose %s: %w", name, err)
	}
	if err := porch.Approve(namespace, name); err != nil {
		return fmt.Errorf("cannot approve %s: %w", name, err)
	}
	return nil
}
