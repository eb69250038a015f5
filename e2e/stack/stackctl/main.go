// SPDX-License-Identifier: Apache-2.0

// Command stackctl starts a stack that outlives the command, and stops it: `stackctl up DIR` prints the path of the
// stack's kubeconfig, DIR/kubeconfig, and `stackctl down DIR` stops the stack and removes DIR. The functions of this
// repository, in FUNCTIONS_BIN, replace their images, which REGISTRY and VERSION name.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/package-variants/package-variants/e2e/stack"
)

func main() {
	commands := map[string]func(dir string) error{"up": up, "down": down, "serve": serve}
	if len(os.Args) != 3 || commands[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: stackctl up|down DIR")
		os.Exit(2)
	}
	if err := commands[os.Args[1]](os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// pidFile is the file with the ID of the process that serves the stack in dir. It is beside dir, and the process locks
// it as long as it lives, so that the ID is never taken for another process's.
func pidFile(dir string) string { return filepath.Clean(dir) + ".pid" }

// up starts a process that serves the stack in dir, and waits until it serves. It does nothing if the stack is running.
func up(dir string) error {
	if pid, err := running(dir); err != nil {
		return err
	} else if pid == 0 {
		if err := errors.Join(clean(dir), begin(dir)); err != nil {
			return err
		}
	}
	fmt.Println(filepath.Join(dir, "kubeconfig"))
	return nil
}

// begin starts the process that serves the stack. On its standard output, that process reports that it serves, or why
// it failed.
func begin(dir string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(self, "serve", dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	line, err := bufio.NewReader(out).ReadString(0)
	if errors.Is(err, io.EOF) {
		err = errors.New(strings.TrimSpace(line + " (the stack ended)"))
	}
	return err
}

// lock is the pidFile of the stack that this process serves. It is a package variable so that it is never garbage
// collected, which would close the file and release the lock.
var lock *os.File

// serve serves a stack in dir until this process gets a signal.
func serve(dir string) error {
	var err error
	lock, err = os.OpenFile(pidFile(dir), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return fmt.Errorf("a stack in %s is being started or stopped: %w", dir, err)
	}
	if err := lock.Truncate(0); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(lock, os.Getpid()); err != nil {
		return err
	}
	if err := start(dir); err != nil {
		fmt.Println(err) // for the process that started this one
		return err
	}
	if _, err := os.Stdout.Write([]byte{0}); err != nil {
		return err
	}
	for { // a signal stops the stack and this process
		time.Sleep(time.Hour)
	}
}

// start starts a stack with the functions of this repository.
func start(dir string) error {
	images, err := stack.ImagesFromEnv()
	if err != nil {
		return err
	}
	functions, err := images.Binaries(os.Getenv("FUNCTIONS_BIN"))
	if err != nil {
		return err
	}
	_, err = stack.Start(context.Background(), stack.Options{Dir: dir, Functions: functions})
	return err
}

// down stops the stack in dir, and waits until it has stopped.
func down(dir string) error {
	pid, err := running(dir)
	if err != nil {
		return err
	}
	if pid != 0 {
		if err := syscall.Kill(pid, syscall.SIGTERM); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("cannot stop the stack in %s, process %d: %w", dir, pid, err)
		}
	}
	for deadline := time.Now().Add(time.Minute); pid != 0; {
		if time.Now().After(deadline) {
			return fmt.Errorf("process %d, which serves the stack in %s, does not end", pid, dir)
		}
		time.Sleep(50 * time.Millisecond)
		if pid, err = running(dir); err != nil {
			return err
		}
	}
	return clean(dir)
}

// clean removes what a stopped or killed stack has left behind.
func clean(dir string) error {
	if _, err := os.Stat(pidFile(dir)); errors.Is(err, os.ErrNotExist) {
		return nil // dir is not ours then
	}
	return errors.Join(os.RemoveAll(dir), os.Remove(pidFile(dir)))
}

// running returns the ID of the process that serves the stack in dir, or 0 if none does.
func running(dir string) (int, error) {
	file, err := os.Open(pidFile(dir))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer func() { _ = file.Close() }()
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	if err == nil {
		return 0, nil // not locked; closing the file releases our lock
	}
	if !errors.Is(err, syscall.EWOULDBLOCK) {
		return 0, err
	}
	content, err := io.ReadAll(file)
	if err != nil {
		return 0, err
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(content)))
	if err != nil {
		return 0, fmt.Errorf("a stack in %s is just being started: try again", dir)
	}
	return pid, nil
}
