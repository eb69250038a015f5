// SPDX-License-Identifier: Apache-2.0

package options

import (
	"context"
	"errors"
	"fmt"

	"github.com/package-variants/package-variants/sync-controller/internal/kube/access"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// open returns the namespaces to work in, none for all. It also returns a Wait for rights in the other namespaces of
// --namespace; nil if there are none. It is an error if the controller has no rights in any.
func (o *Options) open(ctx context.Context, config *rest.Config, types *runtime.Scheme) (map[string]cache.Config,
	*access.Wait, error) {
	if len(o.Namespaces) == 0 {
		return nil, nil, nil
	}
	c, err := client.New(config, client.Options{Scheme: types})
	if err != nil {
		return nil, nil, err
	}
	names, closed, err := access.Survey(ctx, c, o.Namespaces)
	if err != nil {
		return nil, nil, err
	}
	if len(names) == 0 {
		problems := make([]error, len(closed))
		for i := range closed {
			problems[i] = errors.New(closed[i].String())
		}
		return nil, nil, fmt.Errorf("--namespace names nothing to work in: %w", errors.Join(problems...))
	}
	namespaces := map[string]cache.Config{}
	for _, name := range names {
		namespaces[name] = cache.Config{}
	}
	if len(closed) == 0 {
		return namespaces, nil, nil
	}
	return namespaces, &access.Wait{Client: c, Closed: closed}, nil
}
