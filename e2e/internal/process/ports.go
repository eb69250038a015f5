// SPDX-License-Identifier: Apache-2.0

package process

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
)

// Ports are taken from below those that systems give to outgoing connections, so that no such connection takes one
// between our finding it free and a program's listening on it.
const lowestPort, highestPort = 20000, 29999

// given are the ports that FreePorts has given out in this process: one is free until its program listens on it.
var given struct {
	sync.Mutex
	ports map[int]bool
}

// FreePorts sets each of the ports to one that is free, and that it has given to nobody else in this process.
func FreePorts(ports ...*int) error {
	given.Lock()
	defer given.Unlock()
	if given.ports == nil {
		given.ports = map[int]bool{}
	}
	for _, port := range ports {
		*port = 0
		for tries := 0; *port == 0; tries++ {
			if tries == 1000 {
				return fmt.Errorf("found no free port from %d to %d", lowestPort, highestPort)
			}
			candidate := lowestPort + rand.IntN(highestPort-lowestPort+1)
			if !given.ports[candidate] && free(candidate) {
				*port = candidate
				given.ports[candidate] = true
			}
		}
	}
	return nil
}

// free tells whether a port can be listened on, on all addresses as some programs do.
func free(port int) bool {
	listener, err := net.Listen("tcp", ":"+strconv.Itoa(port))
	if err != nil {
		return false
	}
	return listener.Close() == nil
}

// Local returns the address of a port on this machine.
func Local(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }
