// SPDX-License-Identifier: Apache-2.0

package stack

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
)

// Ports are taken from below those that systems give to outgoing connections, so that no such connection takes one
// between our finding it free and a component's listening on it.
const lowestPort, highestPort = 20000, 29999

// ports are what the components listen on.
type ports struct {
	etcd, etcdPeer, apiserver, porch, webhook, runner, git int
}

// freePorts returns a free port for each component.
func freePorts() (ports, error) {
	var p ports
	taken := map[int]bool{}
	for _, port := range []*int{&p.etcd, &p.etcdPeer, &p.apiserver, &p.porch, &p.webhook, &p.runner, &p.git} {
		for tries := 0; *port == 0; tries++ {
			if tries == 1000 {
				return p, fmt.Errorf("found no free port from %d to %d", lowestPort, highestPort)
			}
			candidate := lowestPort + rand.IntN(highestPort-lowestPort+1)
			if !taken[candidate] && free(candidate) {
				*port = candidate
				taken[candidate] = true
			}
		}
	}
	return p, nil
}

// free tells whether a port can be listened on, on all addresses as some of the components do.
func free(port int) bool {
	listener, err := net.Listen("tcp", ":"+strconv.Itoa(port))
	if err != nil {
		return false
	}
	return listener.Close() == nil
}

// local returns the address of a port on this machine.
func local(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }
