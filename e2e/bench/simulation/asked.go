// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"fmt"

	"github.com/package-variants/package-variants/e2e/bench/report"
	"github.com/package-variants/package-variants/e2e/internal/metrics"

	porchconfig "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	"k8s.io/client-go/rest"
)

// asked returns all requests so far, from any client. Porch counts its own requests, the API server the rest. Events
// count, Leases do not, since the API server writes some itself.
func (f *fleet) asked(ctx context.Context) (report.Asked, error) {
	asked := f.porch.asked()
	client, err := rest.HTTPClientFor(f.config)
	if err != nil {
		return asked, err
	}
	m, err := metrics.Get(ctx, client, f.config.Host+"/metrics")
	if err != nil {
		return asked, fmt.Errorf("cannot see what was asked: %w", err)
	}
	for _, verb := range []string{"POST", "PUT", "PATCH", "APPLY", "DELETE"} {
		for _, of := range []map[string]string{{"group": porchconfig.GroupVersion.Group}, {"resource": "events"}} {
			of["verb"] = verb
			asked.Writes += int(m.Sum("apiserver_request_total", of))
		}
	}
	return asked, nil
}

// asked returns the requests to this Porch so far.
func (p *Porch) asked() report.Asked {
	p.mu.Lock()
	defer p.mu.Unlock()
	asked := report.Asked{ContentReads: p.requests[call{"get", contents}]}
	for c, n := range p.requests {
		switch c.verb {
		case "create", "update", "patch", "delete":
			asked.Writes += n
		}
	}
	return asked
}
