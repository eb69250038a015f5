// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"errors"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// directories is the pattern of the temporary directories of servers that root runs as another user.
const directories = "stack-postgres-*"

// leaveRoot chooses a user for the server, and a directory that this user can reach.
func (s *Server) leaveRoot() error {
	u, err := user.Lookup("postgres")
	if err != nil {
		u, err = user.Lookup("nobody")
	}
	if err != nil {
		return err
	}
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		return err
	}
	gid, err := strconv.Atoi(u.Gid)
	if err != nil {
		return err
	}
	if err := removeOrphans(); err != nil {
		return err
	}
	if s.dir, s.lock, err = claim(); err != nil {
		return err
	}
	s.user = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return os.Chown(s.dir, uid, gid)
}

// claim makes a directory that belongs to this process as long as it lives: the process holds a lock on it.
func claim() (string, *os.File, error) {
	dir, err := os.MkdirTemp("", directories)
	if err != nil {
		return "", nil, err
	}
	lock, err := os.Open(dir)
	if err != nil {
		return "", nil, err
	}
	return dir, lock, syscall.Flock(int(lock.Fd()), syscall.LOCK_EX)
}

// removeOrphans removes the directories of servers whose process was killed before it could remove them.
func removeOrphans() error {
	dirs, err := filepath.Glob(filepath.Join(os.TempDir(), directories))
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		lock, err := os.Open(dir)
		if errors.Is(err, os.ErrNotExist) {
			continue // another process has just removed it
		}
		if err != nil {
			return err
		}
		// An unlocked directory may be brand new, and about to be locked.
		if young, err := lock.Stat(); err == nil && time.Since(young.ModTime()) > time.Minute &&
			syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			_ = os.RemoveAll(dir) // the next call tries again
		}
		if err := lock.Close(); err != nil {
			return err
		}
	}
	return nil
}
