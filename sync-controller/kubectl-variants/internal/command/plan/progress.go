// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/package-variants/package-variants/local/programs"
)

// patience is the time before the first progress message, interval the time from one to the next.
const patience, interval = time.Second, time.Second / 4

// progress shows how far a plan is, if it takes long and the output is a terminal. In output that is kept, such as the
// log of a CI job, it would only be noise.
type progress struct {
	out io.Writer
	// stop is closed at the end, and stopped by whatever shows the progress; both are nil if nothing does.
	stop, stopped chan struct{}

	mu   sync.Mutex
	text string
}

// newProgress shows progress until end is called.
func newProgress(out io.Writer) *progress {
	p := &progress{out: out}
	if programs.IsTerminal(out) {
		p.stop, p.stopped = make(chan struct{}), make(chan struct{})
		go p.show(patience)
	}
	return p
}

// say sets the text that is shown.
func (p *progress) say(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = text
}

// tell says how many variants are done.
func (p *progress) tell(done, of int) { p.say(fmt.Sprintf("looked at %d of %d variants", done, of)) }

// show writes the text again and again, in the same line of the terminal, and clears the line in the end.
func (p *progress) show(wait time.Duration) {
	defer close(p.stopped)
	for shown := false; ; shown = true {
		select {
		case <-p.stop:
			if shown {
				fmt.Fprint(p.out, clearLine)
			}
			return
		case <-time.After(wait):
		}
		p.mu.Lock()
		text := p.text
		p.mu.Unlock()
		fmt.Fprint(p.out, clearLine+text+" ")
		wait = interval
	}
}

// clearLine clears a line of a terminal.
const clearLine = "\r\033[K"

// end clears the line.
func (p *progress) end() {
	if p.stop != nil {
		close(p.stop)
		<-p.stopped
	}
}
