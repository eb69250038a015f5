// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package machine

import (
	"errors"
	"time"
)

// errSystem is the error on other systems.
var errSystem = errors.New("what a process uses is read from /proc: run this on Linux")

// Describe fails.
func Describe() (Machine, error) { return Machine{}, errSystem }

// Use fails.
func Use(int) (Usage, error) { return Usage{}, errSystem }

// Busy fails.
func Busy(int) (time.Duration, error) { return 0, errSystem }
