// SPDX-License-Identifier: Apache-2.0

package memorytest

import (
	"cmp"
	"errors"
	"sync"

	"github.com/package-variants/package-variants/engine/memory"
)

// Fault is the fault of one write of the controller.
type Fault struct {
	// At is the number of the write, counted from 1. A negative number means none.
	At int
	// Of reports whether a write is counted; nil for all writes.
	Of func(Call) bool
	// Done reports whether the write is done anyway, Err is the answer to it.
	Done bool
	Err  error
}

// Call is a write of the controller.
type Call struct{ memory.Write }

// Of reports whether it is a write to a package revision, or with a subresource to that, by its verb.
func (c Call) Of(verb, subresource string) bool {
	return c.Resource == memory.Revisions && c.Verb == verb && c.Subresource == subresource
}

// IsSave reports whether it saves the files of a draft.
func (c Call) IsSave() bool { return c.Resource == memory.Contents }

// OfPackage reports whether it is a write to a package.
func (c Call) OfPackage() bool { return c.IsSave() || c.Resource == memory.Revisions }

// ErrKilled is the answer to every write of a controller that was killed.
var ErrKilled = errors.New("the controller is killed")

// Client is what a controller sees of a cluster. The controller may write by several goroutines.
type Client struct {
	*memory.World
	of     *Cluster
	mu     sync.Mutex
	killed bool
}

// NewClient returns the client of a controller that is being started.
func (c *Cluster) NewClient() *Client {
	w := &Client{of: c}
	w.World = c.Through(func(write memory.Write, do func() error) error { return w.do(Call{write}, do) })
	return w
}

// Killed reports whether the controller was killed.
func (w *Client) Killed() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.killed
}

// do does a write of the controller, or applies the fault to it. People may do something before and after.
func (w *Client) do(call Call, write func() error) error {
	c := w.of
	if answer := c.Answer; answer != nil && !w.Killed() {
		if err := answer(call); err != nil {
			return err
		}
	}
	f, err := w.faultOf(call)
	if err != nil || f != nil && !f.Done {
		return cmp.Or(err, f.err())
	}
	going := call.OfPackage() && call.Verb != "delete" && c.isBeingDeleted(call.Name)
	if err := write(); err != nil {
		return err
	}
	if going {
		c.T.Errorf("%s %s, which is being deleted", call.Request(), call.Name)
	}
	if then := c.Then; then != nil && f == nil {
		then(call)
	}
	return f.err()
}

// isBeingDeleted reports whether a package revision is being deleted.
func (c *Cluster) isBeingDeleted(name string) bool {
	r, err := c.Packages.Get(c.T.Context(), Namespace, name)
	return err == nil && r.Deleting
}

// err returns the answer to the write; that of no fault is nil.
func (f *Fault) err() error {
	if f == nil {
		return nil
	}
	return f.Err
}

// faultOf counts a write, and returns its fault; nil if it has none. A controller that was killed gets an error.
func (w *Client) faultOf(call Call) (*Fault, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.killed {
		return nil, ErrKilled
	}
	f := w.of.Fault
	if f == nil || f.Of != nil && !f.Of(call) {
		return nil, nil
	}
	if f.At--; f.At != 0 {
		return nil, nil
	}
	w.of.Fault, w.of.Failed, w.killed = nil, call, errors.Is(f.Err, ErrKilled)
	return f, nil
}
