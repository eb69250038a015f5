// SPDX-License-Identifier: Apache-2.0

package contest

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/package-variants/package-variants/e2e/internal/postgres"
	"github.com/package-variants/package-variants/e2e/internal/process"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
)

// tables are the parts of Porch's tables that are read.
const tables = `
	CREATE TABLE package_revisions (k8s_name_space TEXT, k8s_name TEXT, lifecycle TEXT);
	CREATE TABLE resources (k8s_name_space TEXT, k8s_name TEXT, resource_key TEXT, resource_value TEXT);`

// database returns a connection to a database with tables.
func database(t *testing.T) *pgx.Conn {
	t.Helper()
	postgres.Require(t)
	var port int
	if err := process.FreePorts(&port); err != nil {
		t.Fatal(err)
	}
	s, err := postgres.New(t.Context(), t.TempDir(), port)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Remove(); err != nil {
			t.Error(err)
		}
	})
	p, err := s.Program("postgres").Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := p.Await(ctx, "it was ready", s.Ready); err != nil {
		t.Fatal(err)
	}
	schema := filepath.Join(t.TempDir(), "schema.sql")
	if err := os.WriteFile(schema, []byte(tables), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Recreate(t.Context(), schema); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), s.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// TestRowDrafts checks that the drafts of the namespace are returned, each whenever its files change, even while Porch
// writes them one by one.
func TestRowDrafts(t *testing.T) {
	t.Parallel()
	conn := database(t)
	run := func(sql string, args ...any) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), sql, args...); err != nil {
			t.Fatal(err)
		}
	}
	r := newRowDrafts(conn)
	expect := func(what string, want ...draft) {
		t.Helper()
		got, err := r.changed(t.Context())
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
		slices.SortFunc(got, func(a, b draft) int { return cmp.Compare(a.name, b.name) })
		if diff := gocmp.Diff(want, got, gocmp.AllowUnexported(draft{}, pkgKey{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	write := func(name, file, content string) {
		t.Helper()
		run(`INSERT INTO resources VALUES ($1, $2, $3, $4)`, namespace, name, file, content)
	}
	expect("nothing is there")
	const one, two = "edge-1.web-00.packagevariant-1", "edge-2.web-01.packagevariant-2"
	for _, revision := range [][3]string{
		{namespace, one, "Draft"}, {namespace, two, "Draft"}, {"other", one, "Draft"},
		{namespace, "blueprints.web.v1", "Published"},
	} {
		run(`INSERT INTO package_revisions VALUES ($1, $2, $3)`, revision[0], revision[1], revision[2])
	}
	write(one, "a.yaml", "a: |\n  1\n")
	first := draft{pkgKey{"edge-1", "web-00"}, "packagevariant-1", map[string]string{"a.yaml": "a: |\n  1\n"}}
	second := draft{pkgKey{"edge-2", "web-01"}, "packagevariant-2", map[string]string{}}
	expect("a draft with files and one without", first, second)
	expect("nothing has changed")
	run(`UPDATE resources SET resource_value = 'a: 2' WHERE k8s_name = $1`, one)
	first.files = map[string]string{"a.yaml": "a: 2"}
	expect("a file has changed", first)
	run(`DELETE FROM resources`)
	first.files = map[string]string{}
	expect("the files are removed", first)
	write(one, "b.yaml", "b: 1")
	first.files = map[string]string{"b.yaml": "b: 1"}
	expect("another file is there", first)
}
