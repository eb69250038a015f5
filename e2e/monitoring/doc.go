// SPDX-License-Identifier: Apache-2.0

// Package monitoring tests the files of sync-controller/monitoring with the engines that take them: promtool of
// Prometheus for the alert rules and the dashboard, the Lua of Argo CD for the health checks, and kube-state-metrics.
package monitoring
