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
	// failed gets an error once a draft could not be published.
	failed chan error
}

// employ returns a person who publishes the drafts in its channel until the test ends. The channel has room for that
// many drafts.
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
		close(p.drafts) // nothing writes to it any more
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
