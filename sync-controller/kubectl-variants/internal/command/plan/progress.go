// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"io"
	"time"
)

// patience is how long nothing is told of the progress.
const patience = time.Second

// progress tells how far a plan is, if it takes long and somebody looks.
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

// tell tells of the variants that were looked at.
func (p *progress) tell(done, of int) {
	now := time.Now()
	if !p.terminal || now.Sub(p.began) < patience || now.Sub(p.last) < patience/4 {
		return
	}
	p.last, p.told = now, true
	fmt.Fprintf(p.out, "\rlooked at %d of %d variants ", done, of)
}

// end removes what was told.
func (p *progress) end() {
	if p.told {
		fmt.Fprint(p.out, "\r\033[K")
	}
}
