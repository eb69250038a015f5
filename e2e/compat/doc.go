// SPDX-License-Identifier: Apache-2.0

// Package compat holds tests that compare the API types and CRDs with those of Porch, and that run the CRDs through
// the validation code of the Kubernetes API server. There is nothing in it to import.
package compat
