// SPDX-License-Identifier: Apache-2.0

// Package apiserver tests what needs a Kubernetes API and no Porch.
package apiserver
