// SPDX-License-Identifier: Apache-2.0

package stack

import "github.com/package-variants/package-variants/e2e/internal/process"

// ports are the ports of the components.
type ports struct {
	etcd, etcdPeer, apiserver, porch, webhook, runner, git, controllers, postgres int
}

// freePorts returns a free port for each component.
func freePorts() (ports, error) {
	var p ports
	return p, process.FreePorts(&p.etcd, &p.etcdPeer, &p.apiserver, &p.porch, &p.webhook, &p.runner, &p.git,
		&p.controllers, &p.postgres)
}

// local returns the address of a port on this machine.
func local(port int) string { return process.Local(port) }
