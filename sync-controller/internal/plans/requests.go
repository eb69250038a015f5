// SPDX-License-Identifier: Apache-2.0

package plans

// requests returns the writes since its last call, in order, without those of statuses.
func (p *planner) requests() []string {
	var out []string
	for _, w := range p.world.Writes() {
		if w.Subresource != "status" {
			out = append(out, w.Request())
		}
	}
	return out
}
