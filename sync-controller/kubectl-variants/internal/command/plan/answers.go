// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"
	"context"
	"slices"

	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/dryrun"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/manifestfile"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/rights"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// answers asks the cluster whether it accepts the changes from this user. Without manifests nothing is applied, so
// nothing is asked.
func (o *options) answers(ctx context.Context, c *changes, namespace string) (dryrun.Answers, error) {
	if len(o.files) == 0 {
		return dryrun.Answers{}, nil
	}
	asker, err := dryrun.New(o.env.ClientWarning)
	if err != nil {
		return dryrun.Answers{}, err
	}
	applied, deleted := c.manifests, c.gone
	if o.delete {
		applied, deleted = nil, c.manifests
	}
	answers, err := asker.Apply(ctx, inNamespace(applied, namespace))
	if err != nil {
		return answers, err
	}
	more, err := asker.Delete(ctx, inNamespace(deleted, namespace))
	return dryrun.Answers{
		Refusals: slices.Concat(answers.Refusals, more.Refusals), Notes: slices.Concat(answers.Notes, more.Notes),
	}, err
}

// rights returns what the controller may do.
func (o *options) rights() (*rights.Controller, error) {
	cluster, err := o.env.Client()
	if err != nil {
		return nil, err
	}
	return rights.New(cluster, o.account)
}

// inNamespace returns the objects of manifests. Those without a namespace get the given one.
func inNamespace(manifests []manifestfile.Object, namespace string) []client.Object {
	objects := make([]client.Object, len(manifests))
	for i := range manifests {
		objects[i] = manifests[i].Object
		objects[i].SetNamespace(cmp.Or(objects[i].GetNamespace(), namespace))
	}
	return objects
}
