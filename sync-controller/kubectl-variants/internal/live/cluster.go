// SPDX-License-Identifier: Apache-2.0

// Package live is shared by the plugin's commands that use a cluster: it reads the cluster, selects variants by command
// line, and words the errors. Apart from package cli it is the only package with I/O that those commands need.
package live

import (
	"context"
	"slices"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/engine/trace"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/access"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/cli"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Cluster is one namespace of a cluster.
type Cluster struct {
	// Client is the user's client. It does not read from a cache.
	Client    client.Client
	Namespace string
	// Porch calls Porch by the client.
	Porch *porch.Home
}

// Open returns the namespace that the flags of kubectl name. It makes no request.
func Open(env *cli.Env) (*Cluster, error) {
	c, err := env.Client()
	if err != nil {
		return nil, Explain(err, Call{Verb: "reach"})
	}
	namespace, err := env.Namespace()
	if err != nil {
		return nil, err
	}
	return New(c, namespace), nil
}

// New returns a namespace of the cluster that a client reaches.
func New(c client.Client, namespace string) *Cluster {
	return &Cluster{Client: c, Namespace: namespace, Porch: porch.NewHome(c)}
}

// call returns a call for Explain.
func (c *Cluster) call(verb string, of Kind) Call {
	return Call{Verb: verb, Kind: of, Namespace: c.Namespace}
}

// Variants returns the PackageVariants of the namespace, by name.
func (c *Cluster) Variants(ctx context.Context, options ...client.ListOption) ([]v1alpha1.PackageVariant, error) {
	var list v1alpha1.PackageVariantList
	err := c.Client.List(ctx, &list, append(options, client.InNamespace(c.Namespace))...)
	return list.Items, Explain(err, c.call("list", Variant))
}

// Variant returns the PackageVariant of that name. If there is none, the error suggests a similar name.
func (c *Cluster) Variant(ctx context.Context, name string) (*v1alpha1.PackageVariant, error) {
	pv := &v1alpha1.PackageVariant{}
	err := c.Client.Get(ctx, client.ObjectKey{Namespace: c.Namespace, Name: name}, pv)
	if apierrors.IsNotFound(err) && !isUnknownKind(err) {
		return nil, c.notFound(ctx, Variant, name)
	}
	return pv, Explain(err, c.call("get", Variant))
}

// Sets returns the PackageVariantSets of the namespace, by name.
func (c *Cluster) Sets(ctx context.Context) ([]v1alpha2.PackageVariantSet, error) {
	var list v1alpha2.PackageVariantSetList
	err := c.Client.List(ctx, &list, client.InNamespace(c.Namespace))
	return list.Items, Explain(err, c.call("list", Set))
}

// Set returns the PackageVariantSet of that name. If there is none, the error suggests a similar name.
func (c *Cluster) Set(ctx context.Context, name string) (*v1alpha2.PackageVariantSet, error) {
	set := &v1alpha2.PackageVariantSet{}
	err := c.Client.Get(ctx, client.ObjectKey{Namespace: c.Namespace, Name: name}, set)
	if apierrors.IsNotFound(err) && !isUnknownKind(err) {
		return nil, c.notFound(ctx, Set, name)
	}
	return set, Explain(err, c.call("get", Set))
}

// Revisions returns the PackageRevisions of the namespace, by name.
func (c *Cluster) Revisions(ctx context.Context) ([]revision.Revision, error) {
	var list porchapi.PackageRevisionList
	if err := c.Client.List(ctx, &list, client.InNamespace(c.Namespace)); err != nil {
		return nil, Explain(err, c.call("list", Revision))
	}
	out := make([]revision.Revision, len(list.Items))
	for i := range list.Items {
		out[i] = porch.Revision(&list.Items[i])
	}
	slices.SortFunc(out, revision.ByName)
	return out, nil
}

// Repositories returns the Repositories of the namespace.
func (c *Cluster) Repositories(ctx context.Context) ([]configapi.Repository, error) {
	var list configapi.RepositoryList
	err := c.Client.List(ctx, &list, client.InNamespace(c.Namespace))
	return list.Items, Explain(err, c.call("list", Repository))
}

// Files returns the files of a package revision, by their path.
func (c *Cluster) Files(ctx context.Context, name string) (map[string]string, error) {
	files, err := c.Porch.Files(ctx, c.Namespace, name)
	return files, Explain(err, c.call("get", Resources))
}

// Fleet returns all of the namespace, with the waves of those sets whose targets the user may read.
func (c *Cluster) Fleet(ctx context.Context) (*trace.Input, error) {
	f := trace.Input{Home: cli.Words, Waves: map[string]trace.Waves{}}
	var err error
	if f.Sets, err = c.Sets(ctx); err != nil {
		return nil, err
	}
	if f.Variants, err = c.Variants(ctx); err != nil {
		return nil, err
	}
	for i := range f.Sets {
		set := &f.Sets[i]
		if set.Status.Rollout == nil {
			continue
		}
		// Without the waves of a set its variants stand below the set itself.
		if waves, err := c.Waves(ctx, set); err == nil {
			f.Waves[set.Name] = waves
		}
	}
	f.Revisions, err = c.Revisions(ctx)
	return &f, err
}

// May returns an error that names the missing rule if the user has no right to a call. It returns nil if the cluster
// cannot say; the call itself will then fail.
func (c *Cluster) May(ctx context.Context, verb string, kind Kind, subresource string) error {
	may, err := access.May(ctx, c.Client, &authorizationv1.ResourceAttributes{Namespace: c.Namespace, Verb: verb,
		Group: kind.Group(), Resource: kind.Resource, Subresource: subresource})
	if err != nil || may {
		return nil
	}
	return Call{Verb: verb, Kind: kind, Subresource: subresource, Namespace: c.Namespace}.forbidden()
}
