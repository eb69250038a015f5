// SPDX-License-Identifier: Apache-2.0

package simulation

// waveOf returns the wave of the i-th Repository: one in twenty is canary, one in five early.
func waveOf(i int) string {
	switch {
	case i%20 == 0:
		return "canary"
	case i%5 == 1:
		return "early"
	default:
		return "all"
	}
}
