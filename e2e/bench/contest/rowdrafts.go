// SPDX-License-Identifier: Apache-2.0

package contest

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

const (
	// versionsOfDrafts selects the drafts of a namespace, each with a version of its files. Porch writes a new version of
	// a draft first, then removes all files, then adds them one by one, each in its own transaction. So the version is the
	// number of files and the newest transaction that wrote one.
	versionsOfDrafts = `SELECT d.k8s_name, count(f.resource_key) || ' ' || coalesce(max(f.xmin::text::bigint), 0)
		FROM package_revisions d LEFT JOIN resources f USING (k8s_name_space, k8s_name)
		WHERE d.k8s_name_space = $1 AND d.lifecycle = 'Draft' GROUP BY d.k8s_name`
	// filesOfDraft selects the files of a draft.
	filesOfDraft = `SELECT resource_key, resource_value FROM resources WHERE k8s_name_space = $1 AND k8s_name = $2`
)

// rowDrafts are the drafts of a Porch with the DB cache: rows in its database. The files of a draft are read when they
// have changed.
type rowDrafts struct {
	database *pgx.Conn
	seen     map[string]string // the version at which a draft was last read, by its name
}

// newRowDrafts returns the drafts in a database; none has been seen yet.
func newRowDrafts(database *pgx.Conn) *rowDrafts {
	return &rowDrafts{database: database, seen: map[string]string{}}
}

// changed implements drafts.
func (r *rowDrafts) changed(ctx context.Context) ([]draft, error) {
	versions, err := r.pairs(ctx, versionsOfDrafts, namespace)
	if err != nil {
		return nil, fmt.Errorf("cannot read the versions of drafts: %w", err)
	}
	var changed []draft
	for name, version := range versions {
		if r.seen[name] == version {
			continue
		}
		// The name is the Repository, the package path and the workspace, separated by dots.
		parts := strings.Split(name, ".")
		if len(parts) != 3 {
			return changed, fmt.Errorf("the draft %q has not three parts in its name", name)
		}
		files, err := r.pairs(ctx, filesOfDraft, namespace, name)
		if err != nil {
			return changed, fmt.Errorf("cannot read the files of %s: %w", name, err)
		}
		r.seen[name] = version
		changed = append(changed, draft{pkgKey: pkgKey{parts[0], parts[1]}, workspace: parts[2], files: files})
	}
	return changed, nil
}

// pairs returns the rows of a query with two columns, by the first.
func (r *rowDrafts) pairs(ctx context.Context, query string, args ...any) (map[string]string, error) {
	rows, err := r.database.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	var key, value string
	_, err = pgx.ForEachRow(rows, []any{&key, &value}, func() error {
		all[key] = value
		return nil
	})
	return all, err
}
