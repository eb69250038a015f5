// SPDX-License-Identifier: Apache-2.0

package proxy

import (
	"io"
	"net/http"
	"time"
)

// Lag returns the delay for the events of a watch.
type Lag func(watch Request) time.Duration

// SetLag delays the events of new watches, so that caches filled by them lag behind; nil removes the delay. Existing
// watches stay as they are; CutWatches ends them.
func (p *Proxy) SetLag(lag Lag) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lag = lag
}

// CutWatches ends the current watches that the filter accepts, as a load balancer does, and returns their number.
func (p *Proxy) CutWatches(filter func(Request) bool) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for watch, cut := range p.watches {
		if filter(*watch) {
			cut()
			n++
		}
	}
	return n
}

// delay delays the server's answer to a watch.
func (p *Proxy) delay(r *Request, response *http.Response) {
	p.mu.Lock()
	lag, seen := p.lag, *r
	p.mu.Unlock()
	if lag == nil || r.Verb != "watch" || response.StatusCode != http.StatusOK {
		return
	}
	if by := lag(seen); by > 0 {
		response.Body = newLate(response.Body, by)
	}
}

// late is a stream whose parts can be read only some time after they have arrived.
type late struct {
	parts chan part
	ended chan struct{} // closed by Close
	from  io.ReadCloser
	rest  []byte
	err   error
}

// part is the data of one read, or the error that ended the stream.
type part struct {
	data []byte
	err  error
	due  time.Time
}

// manyParts is the most parts that are held back at once; more parts wait at the server.
const manyParts = 1024

func newLate(from io.ReadCloser, by time.Duration) *late {
	l := &late{parts: make(chan part, manyParts), ended: make(chan struct{}), from: from}
	go func() {
		for {
			buffer := make([]byte, 32<<10)
			n, err := from.Read(buffer)
			select {
			case l.parts <- part{data: buffer[:n], err: err, due: time.Now().Add(by)}:
			case <-l.ended:
				return
			}
			if err != nil {
				return
			}
		}
	}()
	return l
}

// Read implements io.Reader.
func (l *late) Read(into []byte) (int, error) {
	for len(l.rest) == 0 && l.err == nil {
		select {
		case next := <-l.parts:
			select {
			case <-time.After(time.Until(next.due)):
				l.rest, l.err = next.data, next.err
			case <-l.ended:
				l.err = io.ErrClosedPipe
			}
		case <-l.ended:
			l.err = io.ErrClosedPipe
		}
	}
	n := copy(into, l.rest)
	if l.rest = l.rest[n:]; len(l.rest) > 0 || n > 0 {
		return n, nil
	}
	return 0, l.err
}

// Close implements io.Closer.
func (l *late) Close() error {
	select {
	case <-l.ended:
	default:
		close(l.ended)
	}
	return l.from.Close()
}
