// SPDX-License-Identifier: Apache-2.0

package load

import (
	"fmt"
	"maps"
	"sync"
)

// model is what has been asked for so far. Its methods are safe for concurrent use.
type model struct {
	layout

	mu        sync.Mutex
	versions  []int        // the newest version of each upstream package
	payments  []int        // the round of each site's facts
	tiers     []int        // the round of each set's template
	notes     []int        // the round of each site's own variant
	away      map[int]bool // the sites outside of all sets
	suspended map[int]map[string]string
}

func newModel(l layout) *model {
	m := &model{
		layout: l, versions: make([]int, l.upstreams()), payments: make([]int, l.sites()), tiers: make([]int, l.cells()),
		notes: make([]int, l.sites()), away: map[int]bool{}, suspended: map[int]map[string]string{},
	}
	for i := range m.versions {
		m.versions[i] = 1
	}
	return m
}

// wanted is what must be true of a variant.
type wanted struct {
	// gone says that neither the variant nor its package may exist.
	gone bool
	// frozen are the files of a suspended variant; nil for any other.
	frozen map[string]string
	// upstream is the PackageRevision of the upstream, and ref the reference to it.
	upstream, ref string
	// lines are the lines that each file must have.
	lines map[string][]string
}

// of returns what must be true of a variant.
func (m *model) of(variant int) wanted {
	m.mu.Lock()
	defer m.mu.Unlock()
	site := m.siteOf(variant)
	cell := m.cellOf(site)
	if m.away[site] && !m.own(variant) {
		return wanted{gone: true}
	}
	if files := m.suspended[variant]; files != nil {
		return wanted{frozen: files}
	}
	name, version := upstreamName(m.upstreamOf(cell)), m.versions[m.upstreamOf(cell)]
	context := []string{"  site: " + siteName(site)}
	if m.own(variant) {
		context = append(context, "  note: "+noteOf(m.notes[site]))
	} else {
		context = append(context, "  tier: "+tierOf(m.tiers[cell]))
	}
	ns := []string{"  namespace: web-" + siteName(site)}
	return wanted{
		upstream: upstreams + "." + name + "." + workspaceName(version), ref: name + "/" + workspaceName(version),
		lines: map[string][]string{
			"package-context.yaml": context,
			"endpoints.yaml":       {"  payment: " + paymentOf(site, m.payments[site]) + " # who takes the money"},
			"service.yaml":         ns,
			"deployment.yaml":      append(ns, "        image: "+imageOf(version)),
		},
	}
}

func imageOf(version int) string { return fmt.Sprintf("registry.example.com/web:1.%d", version) }
func noteOf(round int) string    { return fmt.Sprintf("note-%d", round) }
func tierOf(round int) string    { return fmt.Sprintf("tier-%d", round) }
func paymentOf(site, round int) string {
	return fmt.Sprintf("payment-%d.%s.example.com", round, siteName(site))
}

// isSuspended reports whether a variant is suspended, and isAway whether a site is outside of its set.
func (m *model) isSuspended(variant int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.suspended[variant] != nil
}

func (m *model) isAway(site int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.away[site]
}

// note returns the note of a site's own variant.
func (m *model) note(site int) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return noteOf(m.notes[site])
}

// next increments one of the rounds, and returns it.
func (m *model) next(rounds []int, i int) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	rounds[i]++
	return rounds[i]
}

// suspend sets the files that the package of a suspended variant must keep; nil resumes the variant.
func (m *model) suspend(variant int, files map[string]string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.suspended, variant)
	if files != nil {
		m.suspended[variant] = maps.Clone(files)
	}
}

// move takes a site out of its set, or puts it back.
func (m *model) move(site int, away bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.away, site)
	if away {
		m.away[site] = true
	}
}

// counts returns how many variants are suspended, and how many sites are away.
func (m *model) counts() (suspended, away int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.suspended), len(m.away)
}
