// SPDX-License-Identifier: Apache-2.0

package stack

import (
	"context"
	"strconv"
)

// startControllers starts kube-controller-manager with the controllers that a test can rely on when no pods run. It
// runs as the administrator and as a single instance, so it needs no account and no lease.
func (s *Stack) startControllers(ctx context.Context) error {
	serving, err := s.certs.server("kube-controller-manager")
	if err != nil {
		return err
	}
	p, err := s.launch("kube-controller-manager", nil,
		"--controllers=garbage-collector-controller,clusterrole-aggregation-controller,namespace-controller",
		"--kubeconfig="+s.Kubeconfig, "--authentication-kubeconfig="+s.Kubeconfig, "--authorization-kubeconfig="+s.Kubeconfig,
		"--use-service-account-credentials=false", "--leader-elect=false",
		"--bind-address=127.0.0.1", "--secure-port="+strconv.Itoa(s.ports.controllers),
		"--tls-cert-file="+serving.cert, "--tls-private-key-file="+serving.key)
	if err != nil {
		return err
	}
	return p.Await(ctx, "it was healthy", s.answers("https://"+local(s.ports.controllers)+"/healthz"))
}
