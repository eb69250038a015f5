// SPDX-License-Identifier: Apache-2.0

package process

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
)

// Ports are below the range that systems use for outgoing connections, so no such connection can take a port after it
// was found free and before a program listens on it.
const lowestPort, highestPort = 20000, 29999

// given are the ports that FreePorts has given out in this process: a port looks free until its program listens on it.
var given struct {
	sync.Mutex
	ports map[int]bool
}

// FreePorts sets each of the ports to a free one that it has not given out before in this process.
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

// free reports whether a port is free on all addresses, since some programs listen on all.
func free(port int) bool {
	listener, err := net.Listen("tcp", ":"+strconv.Itoa(port))
	if err != nil {
		return false
	}
	return listener.Close() == nil
}

// Local returns the address of a port on this machine.
func Local(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }
