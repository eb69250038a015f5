// SPDX-License-Identifier: Apache-2.0

package stack

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/package-variants/package-variants/e2e/internal/postgres"
)

// schemaFile is the schema of Porch's database, in Porch's sources.
const schemaFile = "api/sql/porch-db.sql"

// errNoDatabase says that a stack has no PostgreSQL.
var errNoDatabase = errors.New("the stack has no database: it runs with the CR cache")

// startDatabase starts PostgreSQL, with a database for Porch.
func (s *Stack) startDatabase(ctx context.Context) error {
	database, err := postgres.New(ctx, s.Dir, s.ports.postgres)
	if errors.Is(err, postgres.ErrUnavailable) {
		return fmt.Errorf("the DB cache of Porch, which Options.Cache or the environment variable %s asks for, needs "+
			"PostgreSQL: %w", cacheVariable, err)
	}
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.database = database
	s.mu.Unlock()
	p, err := s.launchProgram(database.Program(Postgres))
	if err != nil {
		return err
	}
	if err := p.Await(ctx, "it accepted queries", database.Ready); err != nil {
		return err
	}
	return s.EmptyDatabase(ctx)
}

// EmptyDatabase recreates the database of a stack with the DB cache, as after its loss: all data is gone. The git
// repositories stay, so published packages are not lost. Stop Porch first; see StopPorch.
func (s *Stack) EmptyDatabase(ctx context.Context) error {
	if s.database == nil {
		return errNoDatabase
	}
	return s.database.Recreate(ctx, filepath.Join(s.porch.source, filepath.FromSlash(schemaFile)))
}

// QueryDatabase runs SQL in the database of a stack with the DB cache, and returns the rows, one per line, with columns
// separated by |.
func (s *Stack) QueryDatabase(ctx context.Context, sql string) (string, error) {
	if s.database == nil {
		return "", errNoDatabase
	}
	return s.database.Query(ctx, sql)
}

// DatabaseURL returns the address of the database of a stack with the DB cache, for a client that stays connected.
func (s *Stack) DatabaseURL() (string, error) {
	if s.database == nil {
		return "", errNoDatabase
	}
	return s.database.URL(), nil
}

// databaseEnv returns the environment in which Porch finds the database; nil if there is none.
func (s *Stack) databaseEnv() []string {
	if s.database == nil {
		return nil
	}
	return s.database.Env()
}
