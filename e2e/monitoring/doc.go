// SPDX-License-Identifier: Apache-2.0

// Package monitoring tests the alert rules, the dashboard and the health checks of sync-controller/monitoring with the
// engines that run them: promtool of Prometheus, and the Lua of Argo CD.
package monitoring
