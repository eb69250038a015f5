// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// gate lets one variant at a time work in a Repository. Porch v1.5 has one clone of a git repository; when it writes
// several branches of it at once it fails now and then, or forgets revisions and their owners. Who has to wait holds no
// worker: he is called when it is his turn.
type gate struct {
	call func(types.NamespacedName)

	mu      sync.Mutex
	inside  map[types.NamespacedName]bool
	waiting map[types.NamespacedName][]types.NamespacedName
	// called are the variants whose turn it is, and where.
	called map[types.NamespacedName]types.NamespacedName
}

func newGate(call func(types.NamespacedName)) *gate {
	return &gate{
		call: call, inside: map[types.NamespacedName]bool{},
		waiting: map[types.NamespacedName][]types.NamespacedName{}, called: map[types.NamespacedName]types.NamespacedName{},
	}
}

// enter reports whether a variant may work in a Repository now. If not, it is called once it should try again.
func (g *gate) enter(repository, variant types.NamespacedName) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.inside[repository] {
		if !slices.Contains(g.waiting[repository], variant) {
			g.waiting[repository] = append(g.waiting[repository], variant)
		}
		delete(g.called, variant)
		return false
	}
	delete(g.called, variant)
	g.inside[repository] = true
	return true
}

// leave ends the work of the variant that entered, and calls the next.
func (g *gate) leave(repository types.NamespacedName) {
	g.mu.Lock()
	delete(g.inside, repository)
	g.mu.Unlock()
	g.next(repository)
}

// pass calls the next if it was the variant's turn and it did not enter.
func (g *gate) pass(variant types.NamespacedName) {
	g.mu.Lock()
	repository, wasCalled := g.called[variant]
	delete(g.called, variant)
	g.mu.Unlock()
	if wasCalled {
		g.next(repository)
	}
}

func (g *gate) next(repository types.NamespacedName) {
	g.mu.Lock()
	queue := g.waiting[repository]
	if len(queue) == 0 || g.inside[repository] {
		g.mu.Unlock()
		return
	}
	variant := queue[0]
	g.called[variant] = repository
	if g.waiting[repository] = queue[1:]; len(queue) == 1 {
		delete(g.waiting, repository)
	}
	g.mu.Unlock()
	g.call(variant)
}
