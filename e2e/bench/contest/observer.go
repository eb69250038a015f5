// SPDX-License-Identifier: Apache-2.0

package contest

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// look is the interval of an observer; no time is more precise than that.
const look = 25 * time.Millisecond

// drafts are the drafts that Porch holds now. They are read from Porch's storage, without requests to Porch or the
// Kubernetes API, whose work is measured.
type drafts interface {
	// changed returns the drafts that changed since the last call, and possibly others. After an error some may be
	// missing; the next call returns them.
	changed(ctx context.Context) ([]draft, error)
}

// draft is a draft of a package, with its files by path.
type draft struct {
	pkgKey
	workspace string
	files     map[string]string
}

// pkgKey is a package of a Repository.
type pkgKey struct{ repository, name string }

// observer finds out when packages become right.
type observer struct {
	drafts drafts
	want   map[pkgKey]wanted
	// right is the draft of a package that was right when last read; wrong is what was not right in another draft.
	right map[pkgKey]string
	wrong map[pkgKey]error
	fault error // why drafts could not be read the last time
}

// wanted is a package with the content that its files must have.
type wanted struct {
	pkg
	content map[string]any
}

// newObserver returns an observer of packages; none has been seen yet.
func newObserver(drafts drafts, packages []pkg) (*observer, error) {
	o := &observer{drafts: drafts, want: map[pkgKey]wanted{}, right: map[pkgKey]string{}, wrong: map[pkgKey]error{}}
	for _, p := range packages {
		content, err := p.want()
		if err != nil {
			return nil, err
		}
		o.want[p.key()] = wanted{p, content}
		o.wrong[p.key()] = fmt.Errorf("%s: there is no draft", p)
	}
	return o, nil
}

// await returns once all packages are right at the same time, and says when that was. If ctx ends first, the error says
// what was not right.
func (o *observer) await(ctx context.Context) (time.Time, error) {
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	for {
		if o.look(ctx); len(o.right) == len(o.want) {
			return time.Now(), nil
		}
		select {
		case <-ctx.Done():
			return time.Time{}, fmt.Errorf("%d of %d packages are right: %w: %w", len(o.right), len(o.want), context.Cause(ctx),
				o.example())
		case <-ticker.C:
		}
	}
}

// example returns a fault in one of the packages, or why no draft can be read.
func (o *observer) example() error {
	for key, err := range o.wrong {
		if _, right := o.right[key]; !right {
			return errors.Join(err, o.fault)
		}
	}
	return nil
}

// look looks at all drafts once. What cannot be read because Porch is writing is read the next time.
func (o *observer) look(ctx context.Context) {
	var seen []draft
	seen, o.fault = o.drafts.changed(ctx)
	for _, d := range seen {
		if p, found := o.want[d.pkgKey]; found {
			o.judge(d, p.compare(p.content, d.files))
		}
	}
}

// judge records whether a draft of a package is right. A package is right while one of its drafts is.
func (o *observer) judge(d draft, wrong error) {
	switch {
	case wrong == nil:
		o.right[d.pkgKey] = d.workspace
	case o.right[d.pkgKey] == d.workspace:
		delete(o.right, d.pkgKey)
		o.wrong[d.pkgKey] = wrong
	default:
		o.wrong[d.pkgKey] = wrong
	}
}
