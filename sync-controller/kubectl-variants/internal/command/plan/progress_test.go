// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"bytes"
	"io"
	"testing"
)

// TestProgress checks that a terminal shows how far a plan is, in a line that is cleared in the end, and that nothing
// else does.
func TestProgress(t *testing.T) {
	t.Parallel()
	var kept bytes.Buffer
	p := newProgress(&kept)
	p.tell(3, 10)
	p.end()
	if kept.Len() > 0 {
		t.Errorf("%q was written to what is no terminal", &kept)
	}

	reader, terminal := io.Pipe()
	p = &progress{out: terminal, stop: make(chan struct{}), stopped: make(chan struct{})}
	p.tell(3, 10)
	go p.show(0)
	first := make([]byte, 100)
	n, err := reader.Read(first)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(first[:n]), "\r\033[Klooked at 3 of 10 variants "; got != want {
		t.Errorf("the terminal shows %q, want %q", got, want)
	}
	go func() {
		p.end()
		_ = terminal.Close()
	}()
	rest, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasSuffix(rest, []byte("\r\033[K")) {
		t.Errorf("the line is not cleared: the rest is %q", rest)
	}
}
