// SPDX-License-Identifier: Apache-2.0

package memorytest

import (
	"cmp"
	"context"
	"errors"
	"sync"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	authorizationv1 "k8s.io/api/authorization/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Fault is the fault of one write of the controller.
type Fault struct {
	// At is the number of the write, counted from 1. A negative number means none.
	At int
	// Of reports whether writes to an object are counted; nil for all objects.
	Of func(client.Object) bool
	// Done reports whether the write is done anyway, Err is the answer to it.
	Done bool
	Err  error
}

// Call is a write of the controller.
type Call struct {
	// Verb and Subresource are those of the request.
	Verb, Subresource string
	Object            client.Object
}

// Of reports whether it is a write to a package revision, or with a subresource to that, by its verb.
func (c Call) Of(verb, subresource string) bool {
	_, is := c.Object.(*porchapi.PackageRevision)
	return is && c.Verb == verb && c.Subresource == subresource
}

// IsSave reports whether it saves the files of a draft.
func (c Call) IsSave() bool {
	_, is := c.Object.(*porchapi.PackageRevisionResources)
	return is
}

// ErrKilled is the answer to every request of a controller that was killed: it does nothing more.
var ErrKilled = errors.New("the controller is killed")

// Client is the client of a controller in a cluster. The controller may write by several goroutines.
type Client struct {
	*Cluster
	mu     sync.Mutex
	killed bool
}

// NewClient returns the client of a controller that is being started.
func (c *Cluster) NewClient() *Client { return &Client{Cluster: c} }

// Killed reports whether the controller was killed.
func (w *Client) Killed() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.killed
}

// do does a write of the controller to an object, or applies the fault to it. People may do something before and after.
func (w *Client) do(call Call, write func() error) error {
	if answer := w.Answer; answer != nil && !w.Killed() {
		if err := answer(call); err != nil {
			return err
		}
	}
	f, err := w.faultOf(call.Object)
	if err != nil || f != nil && !f.Done {
		return cmp.Or(err, f.err())
	}
	going := call.Verb != "delete" && w.isBeingDeleted(call.Object)
	if err := write(); err != nil {
		return err
	}
	if going {
		w.T.Errorf("%s %s of %s, which is being deleted", call.Verb, call.Subresource, call.Object.GetName())
	}
	if then := w.Then; then != nil && f == nil {
		then(call)
	}
	return f.err()
}

// isBeingDeleted reports whether an object is a package revision, or its files, or a Repository, that is being deleted.
func (w *Client) isBeingDeleted(o client.Object) bool {
	key := client.ObjectKeyFromObject(o)
	var now client.Object = &porchapi.PackageRevision{}
	switch o.(type) {
	case *porchapi.PackageRevision, *porchapi.PackageRevisionResources:
	case *configapi.Repository:
		now = &configapi.Repository{}
	default:
		return false
	}
	err := w.World.Get(w.T.Context(), key, now)
	return err == nil && !now.GetDeletionTimestamp().IsZero()
}

// err returns the answer to the write; that of no fault is nil.
func (f *Fault) err() error {
	if f == nil {
		return nil
	}
	return f.Err
}

// faultOf counts a write to an object, and returns its fault; nil if it has none. A controller that was killed gets an
// error.
func (w *Client) faultOf(o client.Object) (*Fault, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.killed {
		return nil, ErrKilled
	}
	f := w.Fault
	if f == nil || f.Of != nil && !f.Of(o) {
		return nil, nil
	}
	if f.At--; f.At != 0 {
		return nil, nil
	}
	w.Fault, w.Failed, w.killed = nil, o, errors.Is(f.Err, ErrKilled)
	return f, nil
}

// Get implements client.Reader.
func (w *Client) Get(ctx context.Context, key client.ObjectKey, o client.Object, options ...client.GetOption) error {
	if w.Killed() {
		return ErrKilled
	}
	return w.World.Get(ctx, key, o, options...)
}

// List implements client.Reader.
func (w *Client) List(ctx context.Context, list client.ObjectList, options ...client.ListOption) error {
	if w.Killed() {
		return ErrKilled
	}
	return w.World.List(ctx, list, options...)
}

// Create implements client.Writer. A question about a right is no write, nor is a dry run.
func (w *Client) Create(ctx context.Context, o client.Object, options ...client.CreateOption) error {
	if review, asks := o.(*authorizationv1.SelfSubjectAccessReview); asks {
		review.Status.Allowed = !w.MayNotApprove
		return nil
	}
	write := func() error { return w.World.Create(ctx, o, options...) }
	if len(new(client.CreateOptions).ApplyOptions(options).DryRun) > 0 {
		return write()
	}
	return w.do(Call{Verb: "create", Object: o}, write)
}

// Update implements client.Writer.
func (w *Client) Update(ctx context.Context, o client.Object, options ...client.UpdateOption) error {
	return w.do(Call{Verb: "update", Object: o}, func() error { return w.World.Update(ctx, o, options...) })
}

// Patch implements client.Writer. A dry run is no write.
func (w *Client) Patch(ctx context.Context, o client.Object, patch client.Patch, options ...client.PatchOption) error {
	write := func() error { return w.World.Patch(ctx, o, patch, options...) }
	if len(new(client.PatchOptions).ApplyOptions(options).DryRun) > 0 {
		return write()
	}
	return w.do(Call{Verb: "patch", Object: o}, write)
}

// Delete implements client.Writer.
func (w *Client) Delete(ctx context.Context, o client.Object, options ...client.DeleteOption) error {
	return w.do(Call{Verb: "delete", Object: o}, func() error { return w.World.Delete(ctx, o, options...) })
}

// Status implements client.StatusClient.
func (w *Client) Status() client.SubResourceWriter { return w.SubResource("status") }

// SubResource implements client.SubResourceClientConstructor.
func (w *Client) SubResource(name string) client.SubResourceClient {
	return &subresource{w.World.SubResource(name), name, w}
}

// subresource is a subresource of the objects of a client.
type subresource struct {
	client.SubResourceClient
	name string
	of   *Client
}

// Patch implements client.SubResourceWriter.
func (s *subresource) Patch(ctx context.Context, o client.Object, patch client.Patch,
	options ...client.SubResourcePatchOption) error {
	return s.of.do(Call{Verb: "patch", Subresource: s.name, Object: o},
		func() error { return s.SubResourceClient.Patch(ctx, o, patch, options...) })
}
