// SPDX-License-Identifier: Apache-2.0

// Package contract states, in scenarios, how every home of packages behaves. A scenario calls a home and writes down
// what it answers; testdata has the answers that are expected, NAME.txt for all homes and NAME.HOME.txt for one that
// differs, which has to say why. With UPDATE_GOLDEN in the environment, the answers are written there instead. A
// scenario that fails shows the answers of the other homes, too.
package contract
