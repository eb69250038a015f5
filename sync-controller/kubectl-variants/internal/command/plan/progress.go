// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"io"
	"time"
)

// patience is the time before the first progress message.
const patience = time.Second

// progress shows how far a plan is, if it takes long and the output is a terminal.
type progress struct {
	out      io.Writer
	terminal bool
	began    time.Time
	last     time.Time
	told     bool
}

func newProgress(out io.Writer) *progress {
	return &progress{out: out, terminal: isTerminal(out), began: time.Now()}
}

// tell shows how many variants are done.
func (p *progress) tell(done, of int) {
	now := time.Now()
	if !p.terminal || now.Sub(p.began) < patience || now.Sub(p.last) < patience/4 {
		return
	}
	p.last, p.told = now, true
	fmt.Fprintf(p.out, "\rlooked at %d of %d variants ", done, of)
}

// end clears the progress line.
func (p *progress) end() {
	if p.told {
		fmt.Fprint(p.out, "\r\033[K")
	}
}
