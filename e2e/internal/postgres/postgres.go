// SPDX-License-Identifier: Apache-2.0

// Package postgres runs a PostgreSQL for tests, on loopback and with its own data directory, ready in seconds. It does
// not wait for the disk, since its data is not needed after the test.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/package-variants/package-variants/e2e/internal/process"
)

const (
	// owner is the database's superuser, who needs no password, and database is the name of the only database.
	owner    = "porch"
	database = "porch"
	// connections is the maximum number of connections. Porch v1.5.3 does not limit its own.
	connections = 1000
)

// Server is a PostgreSQL server, running or not, with its data.
type Server struct {
	bin  string // PostgreSQL's programs
	dir  string // of the data
	logs string
	port int
	user *syscall.Credential // nil stands for this process's
	lock *os.File            // of a directory that claim has made
}

// New makes a server without a database. The server is not started, and will listen on the port. Its log and data are
// in the directory logs. PostgreSQL refuses to run as root: for root, another user runs the server, with its data in a
// temporary directory that this user can reach. The error is ErrUnavailable if PostgreSQL is not installed.
func New(ctx context.Context, logs string, port int) (*Server, error) {
	bin, err := find()
	if err != nil {
		return nil, err
	}
	s := &Server{bin: bin, logs: logs, port: port, dir: filepath.Join(logs, "postgres")}
	if os.Geteuid() == 0 {
		if err := s.leaveRoot(); err != nil {
			return nil, fmt.Errorf("cannot give PostgreSQL a user and a directory: %w", err)
		}
	} else if err := os.Mkdir(s.dir, 0o700); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "initdb"), "--pgdata="+s.dir, "--username="+owner, "--auth=trust",
		"--encoding=UTF8", "--locale=C", "--no-sync")
	cmd.Dir, cmd.SysProcAttr = s.dir, &syscall.SysProcAttr{Credential: s.user}
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, errors.Join(fmt.Errorf("cannot make the data directory of PostgreSQL: %w\n%s", err, out), s.Remove())
	}
	return s, nil
}

// Remove removes the data of a stopped server.
func (s *Server) Remove() error {
	if s.lock != nil {
		_ = s.lock.Close() // it was not written to
	}
	return os.RemoveAll(s.dir)
}

// Program returns the program that runs the server. SIGQUIT ends it at once, with all its processes and its shared
// memory, as in a power failure: the next start recovers what was committed.
func (s *Server) Program(name string) process.Program {
	args := []string{"-D", s.dir, "-p", strconv.Itoa(s.port)}
	for _, setting := range []string{"listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off",
		"full_page_writes=off", "dynamic_shared_memory_type=mmap",
		"max_connections=" + strconv.Itoa(connections)} {
		args = append(args, "-c", setting)
	}
	return process.Program{Name: name, Logs: s.logs, Dir: s.dir, Binary: filepath.Join(s.bin, "postgres"), Args: args,
		User: s.user, Quit: syscall.SIGQUIT}
}

// Env returns the environment in which Porch finds the database. The password is not checked.
func (s *Server) Env() []string {
	return []string{"DB_DRIVER=pgx", "DB_HOST=127.0.0.1", "DB_PORT=" + strconv.Itoa(s.port), "DB_NAME=" + database,
		"DB_USER=" + owner, "DB_PASSWORD=unused", "DB_SSL_MODE=disable"}
}

// URL is the address of the database.
func (s *Server) URL() string {
	return "postgres://" + owner + "@127.0.0.1:" + strconv.Itoa(s.port) + "/" + database + "?sslmode=disable"
}

// Ready returns no error if the server accepts queries.
func (s *Server) Ready(ctx context.Context) error {
	_, err := s.psql(ctx, "postgres", "--command=SELECT 1")
	return err
}

// Recreate makes the database, empty except for the schema, a file of SQL. It drops an existing database and
// disconnects its clients.
func (s *Server) Recreate(ctx context.Context, schema string) error {
	_, err := s.psql(ctx, "postgres", "--command=DROP DATABASE IF EXISTS "+database+" WITH (FORCE)",
		"--command=CREATE DATABASE "+database)
	if err == nil {
		_, err = s.psql(ctx, database, "--file="+schema)
	}
	return err
}

// Query runs SQL in the database and returns the rows, one per line, with columns separated by |.
func (s *Server) Query(ctx context.Context, sql string) (string, error) {
	return s.psql(ctx, database, "--command="+sql)
}

// psql runs PostgreSQL's client.
func (s *Server) psql(ctx context.Context, database string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(s.bin, "psql"), append([]string{"--host=127.0.0.1",
		"--port=" + strconv.Itoa(s.port), "--username=" + owner, "--dbname=" + database, "--no-psqlrc", "--quiet",
		"--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1"}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%s: %w\n%s", cmd, err, out)
	}
	return string(out), err
}
