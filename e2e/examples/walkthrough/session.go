// SPDX-License-Identifier: Apache-2.0

package walkthrough

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// loop is what the session's shell runs: commands from file descriptor 3, each ended by a null byte; after each, the
// exit code between null bytes.
const loop = `while IFS= read -r -d '' command <&3; do
	eval "$command" </dev/null 3<&-
	printf '\0%d\0' "$?"
done`

// Session is a shell that runs one command after the other, as a user would type them: what one sets, the next sees.
type Session struct {
	ctx      context.Context
	cmd      *exec.Cmd
	commands *os.File
	output   *bufio.Reader
}

// Start starts a shell in dir, with env in place of the environment. When ctx is done, the shell and what it runs are
// killed. The session must be closed.
func Start(ctx context.Context, dir string, env []string) (*Session, error) {
	cmd := exec.CommandContext(ctx, "bash", "--noprofile", "--norc", "-o", "pipefail", "-c", loop)
	cmd.Dir, cmd.Env = dir, env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	stdin, commands, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	output, stdout, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, stdin.Close(), commands.Close())
	}
	cmd.ExtraFiles = []*os.File{stdin}
	cmd.Stdout, cmd.Stderr = stdout, stdout
	err = cmd.Start()
	err = errors.Join(err, stdin.Close(), stdout.Close())
	if err != nil {
		return nil, fmt.Errorf("cannot start bash, which runs the commands: %w",
			errors.Join(err, commands.Close(), output.Close()))
	}
	return &Session{ctx: ctx, cmd: cmd, commands: commands, output: bufio.NewReader(output)}, nil
}

// Run runs a command and returns what it printed, standard output and standard error together. An exit code other
// than 0 is an error.
func (s *Session) Run(command string) (Result, error) {
	r := Result{Command: command}
	if _, err := io.WriteString(s.commands, command+"\x00"); err != nil {
		return r, s.failed(err)
	}
	output, err := s.output.ReadString(0)
	r.Output = strings.TrimSuffix(output, "\x00")
	if err != nil {
		return r, s.failed(err)
	}
	code, err := s.output.ReadString(0)
	if err != nil {
		return r, s.failed(err)
	}
	if n, err := strconv.Atoi(strings.TrimSuffix(code, "\x00")); err != nil || n != 0 {
		return r, fmt.Errorf("%s: exit code %s\n%s", command, strings.TrimSuffix(code, "\x00"), r.Output)
	}
	return r, nil
}

func (s *Session) failed(err error) error {
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	return fmt.Errorf("the shell ended before its time: %w", err)
}

// Close ends the shell.
func (s *Session) Close() error {
	return errors.Join(s.commands.Close(), s.cmd.Wait())
}
