// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// diary records what was done in a run, and when: to components, and by people.
type diary struct {
	began time.Time

	mu    sync.Mutex
	lines []string
}

// note adds a line.
func (d *diary) note(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, fmt.Sprintf("%7.2fs  ", time.Since(d.began).Seconds())+fmt.Sprintf(format, args...))
}

// String returns all lines.
func (d *diary) String() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Join(d.lines, "\n")
}
