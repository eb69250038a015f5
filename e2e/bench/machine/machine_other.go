// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package machine

import (
	"errors"
	"time"

	"github.com/package-variants/package-variants/e2e/bench/report"
)

// errSystem is why there is nothing to say elsewhere.
var errSystem = errors.New("the benchmarks read /proc: run them on Linux")

// Describe fails.
func Describe() (report.Machine, error) { return report.Machine{}, errSystem }

// Use fails.
func Use(int) (Usage, error) { return Usage{}, errSystem }

// Busy fails.
func Busy(int) (time.Duration, error) { return 0, errSystem }
