// SPDX-License-Identifier: Apache-2.0

// Package inhand notes which work is in hand, so that work during which the process died is put off after a restart.
package inhand

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"github.com/package-variants/package-variants/sync-controller/internal/queue/fairqueue"
)

// Ledger bounds work by a Share, and has a file for each piece of work in hand, and for each during which the process
// died. The name of a file has all the information, so no file is ever half written. A nil Ledger notes and bounds
// nothing.
type Ledger struct {
	dir   string
	share *fairqueue.Share
	log   logr.Logger

	mu sync.Mutex
	// off reports whether the Ledger notes nothing: without a directory, after the directory has failed, and after
	// Close.
	off bool
	// deaths counts the deaths of earlier processes, by the work that was in hand.
	deaths map[string]int
	// began is when the first work was asked for: a replica may wait for its turn to lead for days.
	began time.Time
}

// inHand ends the names of the files of work in hand.
const inHand = ".in-hand"

// named matches the names of files: the work, its deaths, and whether it is in hand.
var named = regexp.MustCompile(`^([0-9a-f]{32})-([0-9])(` + regexp.QuoteMeta(inHand) + `)?$`)

// Open returns a Ledger for work that the share bounds. The directory is made if it is not there, and no other process
// may use it. Work that is in hand there died with an earlier process. If the directory is "", or fails, which is
// logged, nothing is noted.
func Open(dir string, share *fairqueue.Share, log logr.Logger) *Ledger {
	l := &Ledger{dir: dir, share: share, log: log, off: dir == "", deaths: map[string]int{}}
	if !l.off {
		l.check(l.count())
	}
	return l
}

// count reads which work died, and counts one more death of what was in hand.
func (l *Ledger) count() error {
	if err := os.MkdirAll(l.dir, 0o700); err != nil {
		return err
	}
	files, err := os.ReadDir(l.dir)
	if err != nil {
		return err
	}
	for _, file := range files {
		parts := named.FindStringSubmatch(file.Name())
		if parts == nil {
			continue
		}
		id, deaths := parts[1], int(parts[2][0]-'0')
		if parts[3] != "" {
			was := l.path(id, deaths)
			deaths = min(deaths+1, setAside)
			err = errors.Join(err, os.Rename(filepath.Join(l.dir, file.Name()), l.path(id, deaths)))
			if was != l.path(id, deaths) {
				err = errors.Join(err, removed(was))
			}
			l.log.Info("the controller died during this work before", "work", id, "deaths", deaths)
		}
		l.deaths[id] = max(l.deaths[id], deaths)
	}
	return err
}

// Close forgets which work is in hand, because a process that ends normally has not died of it. After that, the Ledger
// notes nothing.
func (l *Ledger) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.off {
		return
	}
	l.off = true
	files, _ := os.ReadDir(l.dir)
	for _, file := range files {
		if strings.HasSuffix(file.Name(), inHand) {
			_ = removed(filepath.Join(l.dir, file.Name()))
		}
	}
}

// Do does work that only computes and needs about so many bytes of memory, within the share of a namespace. The data
// that inputs writes identifies the work and its inputs. If the process died once during this work, it gets the whole
// memory for large work; if more often, it is done alone. If it is not done now, or no longer done, the error is a
// *PutOffError.
func (l *Ledger) Do(namespace string, memory int64, inputs func(io.Writer), work func()) error {
	if l == nil {
		work()
		return nil
	}
	id, deaths, wait := l.standing(inputs)
	if wait > 0 || deaths >= setAside {
		return &PutOffError{Deaths: deaths, Wait: wait}
	}
	noted := func() {
		defer l.note(id, deaths)()
		work()
	}
	switch deaths {
	case 0:
		l.share.Do(namespace, memory, noted)
	case 1:
		l.share.Do(namespace, math.MaxInt64, noted)
	default:
		l.share.Alone(noted)
	}
	return nil
}

// Begin begins work as Do does, and returns what ends it.
func (l *Ledger) Begin(namespace string, memory int64, inputs func(io.Writer)) (end func(), err error) {
	begun, ended, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var failed error
	go func() {
		defer close(done)
		failed = l.Do(namespace, memory, inputs, func() { close(begun); <-ended })
	}()
	select {
	case <-begun:
		return func() { close(ended); <-done }, nil
	case <-done:
		return nil, failed
	}
}

// Keep waits until there is memory for a result of about so many bytes, and returns what frees it (fairqueue.Share).
func (l *Ledger) Keep(memory int64) (free func()) {
	if l == nil {
		return func() {}
	}
	return l.share.Keep(memory)
}

// standing returns what identifies work, how often it died, and how long it has to wait.
func (l *Ledger) standing(inputs func(io.Writer)) (id string, deaths int, wait time.Duration) {
	l.mu.Lock()
	if l.began.IsZero() {
		l.began = time.Now()
	}
	idle := l.off && len(l.deaths) == 0
	l.mu.Unlock()
	if idle {
		return "", 0, 0
	}
	h := sha256.New()
	w := bufio.NewWriter(h) // it does not copy a long text as a whole
	inputs(w)
	_ = w.Flush() // a hash never fails
	id = hex.EncodeToString(h.Sum(nil)[:16])
	l.mu.Lock()
	defer l.mu.Unlock()
	if deaths = l.deaths[id]; deaths > 0 && deaths < setAside {
		wait = max(0, time.Until(l.began.Add(after[deaths])))
	}
	return id, deaths, wait
}

// note notes that work is in hand, and returns a function that notes that it is done.
func (l *Ledger) note(id string, deaths int) (done func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	path := l.path(id, deaths)
	if !l.off {
		l.check(os.WriteFile(path+inHand, nil, 0o600))
	}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.deaths, id)
		if !l.off {
			l.check(errors.Join(removed(path+inHand), removed(path)))
		}
	}
}

// check stops noting if there is an error.
func (l *Ledger) check(err error) {
	if err != nil {
		l.off = true
		l.log.Error(err, "does not note any more which work is in hand")
	}
}

// path returns the file for work during which the process died that often.
func (l *Ledger) path(id string, deaths int) string {
	return filepath.Join(l.dir, id+"-"+strconv.Itoa(deaths))
}

// removed removes a file, which may be missing.
func removed(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
