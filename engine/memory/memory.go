// SPDX-License-Identifier: Apache-2.0

// Package memory is a world in memory: the ports objects and packages over values, with all writes laid over what was
// there. Stories play in it, and plans are made over it. It writes nowhere else.
package memory

import (
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// World has the objects and the packages of a cluster.
type World struct {
	*Log
	Objects  *Objects
	Packages *Packages
}

// New returns a world without objects. The Repositories of its packages are those of its objects.
func New(options Options) *World {
	log := NewLog(nil)
	objects := NewObjects(log)
	packages := NewPackages(log, objects.Repository, options)
	objects.removed = packages.collect
	return &World{log, objects, packages}
}

// Clone returns a world with the same objects and packages, in which nothing is written yet.
func (w *World) Clone() *World {
	log := w.fork()
	objects := w.Objects.clone(log)
	packages := w.Packages.clone(log, objects.Repository)
	objects.removed = packages.collect
	return &World{log, objects, packages}
}

// Through returns the same world as a client sees it, each of whose writes goes through a function.
func (w *World) Through(around Around) *World {
	return &World{w.Log, &Objects{w.Objects.objectsState, around}, &Packages{w.Packages.packagesState, around}}
}

// Write is a write to a world.
type Write struct {
	// Verb and Resource are those of the request to an API server: create, packagerevisions. Subresource may be empty.
	Verb, Resource, Subresource, Name string
}

// Request returns the verb and the resource of the request, as in patch packagerevisions/approval.
func (w *Write) Request() string {
	return strings.TrimSuffix(w.Verb+" "+w.Resource+"/"+w.Subresource, "/")
}

// The resources that are written.
const (
	Revisions = "packagerevisions"
	Contents  = "packagerevisionresources"
	Variants  = "packagevariants"
	Sets      = "packagevariantsets"
)

// Around is called with a write in place of it. It does it by calling do, or does not; what it returns is the answer.
type Around func(w Write, do func() error) error

// through does a write.
func (a Around) through(w Write, do func() error) error {
	if a == nil {
		return do()
	}
	return a(w, do)
}

// Log has what was written, in order, and counts it.
type Log struct {
	// Now is the clock.
	Now func() time.Time

	mu      sync.Mutex
	version int
	writes  []Write
}

// NewLog returns a Log with a clock; nil for one that stands still.
func NewLog(now func() time.Time) *Log {
	if now == nil {
		began := time.Now()
		now = func() time.Time { return began }
	}
	return &Log{Now: now}
}

// fork returns a Log without writes that counts on.
func (l *Log) fork() *Log { return &Log{Now: l.Now, version: l.Version()} }

// Version changes with each write.
func (l *Log) Version() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.version
}

// Writes returns what was written since Writes was called last, in order.
func (l *Log) Writes() []Write {
	l.mu.Lock()
	defer l.mu.Unlock()
	writes := l.writes
	l.writes = nil
	return writes
}

// Note records a write.
func (l *Log) Note(w Write) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.version++
	l.writes = append(l.writes, w)
}

// count changes the version.
func (l *Log) count() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.version++
}

// second returns the time now, as API servers have it.
func (l *Log) second() metav1.Time { return metav1.Time{Time: l.Now()}.Rfc3339Copy() }

// planned begins the UIDs of what was made in a world, and the versions of what was written.
const planned = "planned-"

// IsPlanned reports whether an object was made in a world, and does not exist outside of it.
func IsPlanned(o metav1.Object) bool { return strings.HasPrefix(string(o.GetUID()), planned) }
