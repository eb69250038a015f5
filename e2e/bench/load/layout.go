// SPDX-License-Identifier: Apache-2.0

package load

import "fmt"

const (
	// namespace is the namespace of all objects.
	namespace = "fleet"
	// perSite is how many variants a Repository has: one of its own, the others from a set.
	perSite = 10
	// perCell is how many Repositories a set selects.
	perCell = 10
	// cellsOfUpstream is how many sets follow one upstream package.
	cellsOfUpstream = 2
	// groupLabel is the label by which a set selects its Repositories.
	groupLabel = "cell"
	// upstreams is the Repository of the upstream packages.
	upstreams = "blueprints"
)

// layout defines which variants there are. Everything is numbered from 0: variants; Repositories, which are the sites
// of the fleet; sets, one for each cell of sites; and upstream packages.
type layout struct{ variants int }

// possible returns an error for a number of variants that no layout has.
func possible(variants int) error {
	if variants <= 0 || variants%(perSite*perCell) != 0 {
		return fmt.Errorf("there cannot be %d variants: their number must be a multiple of %d", variants, perSite*perCell)
	}
	return nil
}

func (l layout) sites() int { return l.variants / perSite }
func (l layout) cells() int { return l.sites() / perCell }

// upstreams is how many upstream packages there are.
func (l layout) upstreams() int { return max(1, l.cells()/cellsOfUpstream) }

func (l layout) siteOf(variant int) int  { return variant / perSite }
func (l layout) cellOf(site int) int     { return site / perCell }
func (l layout) upstreamOf(cell int) int { return cell % l.upstreams() }

// own reports whether a variant is made without a set.
func (l layout) own(variant int) bool { return variant%perSite == perSite-1 }

// ofSite returns the variants of a site: those that its set makes, and its own.
func (l layout) ofSite(site int) (made []int, own int) {
	first := site * perSite
	for v := first; v < first+perSite-1; v++ {
		made = append(made, v)
	}
	return made, first + perSite - 1
}

// ofCell returns the variants that the set of a cell makes.
func (l layout) ofCell(cell int) []int {
	var all []int
	for site := cell * perCell; site < (cell+1)*perCell; site++ {
		made, _ := l.ofSite(site)
		all = append(all, made...)
	}
	return all
}

// following returns all variants that follow an upstream package.
func (l layout) following(upstream int) []int {
	var all []int
	for v := range l.variants {
		if l.upstreamOf(l.cellOf(l.siteOf(v))) == upstream {
			all = append(all, v)
		}
	}
	return all
}

func siteName(site int) string         { return fmt.Sprintf("site-%04d", site) }
func cellName(cell int) string         { return fmt.Sprintf("cell-%03d", cell) }
func upstreamName(upstream int) string { return fmt.Sprintf("web-%02d", upstream) }
func packageName(variant int) string   { return fmt.Sprintf("web-%d", variant%perSite) }
func factsName(site int) string        { return "endpoints-" + siteName(site) }
func ownName(site int) string          { return "own-" + siteName(site) }
func workspaceName(version int) string { return fmt.Sprintf("v%d", version) }

// pair is the package of a variant.
type pair struct{ repo, pkg string }

func (l layout) pairOf(variant int) pair {
	return pair{repo: siteName(l.siteOf(variant)), pkg: packageName(variant)}
}
