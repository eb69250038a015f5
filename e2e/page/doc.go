// SPDX-License-Identifier: Apache-2.0

// Package page holds the tests that look at the plugin's pages, in a real browser.
package page
