// SPDX-License-Identifier: Apache-2.0

package life

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/revision"
)

// settled reports whether nothing has changed since the last report, by the hash of an observation. It also returns the
// time after which to look at the variant anyway because the controller's version has changed; 0 for never.
func (r *Reconciler) settled(o *observation, hash string) (wait time.Duration, settled bool) {
	version, inputs, _ := strings.Cut(o.pv.Status.ObservedInputs, "/")
	switch {
	case o.Deleting, inputs != hash:
		return 0, false
	case version == versionHash(r.Version):
		return 0, true
	}
	wait = r.started.Add(r.LookWithin * time.Duration(share(string(o.pv.UID))) / shares).Sub(r.Now())
	return wait, wait > 0
}

// shares is the number of parts into which the time for looking at all variants after an upgrade is divided.
const shares = 1 << 10

// share returns a variant's part, by its UID.
func share(uid string) uint32 {
	h := fnv.New32a()
	_, _ = io.WriteString(h, uid) // a hash never fails
	return h.Sum32() % shares
}

// observedInputs returns the value of the status field of that name.
func (r *Reconciler) observedInputs(o *observation) string {
	return versionHash(r.Version) + "/" + o.hash()
}

func versionHash(version string) string {
	sum := sha256.Sum256([]byte(version))
	return hex.EncodeToString(sum[:6])
}

// hash identifies all that a decision depends on, as far as the caches know it. Whether a Repository is ready is left
// out: a settled variant stays as it is.
func (o *observation) hash() string {
	h := sha256.New()
	write := func(parts ...any) { _, _ = fmt.Fprintln(h, parts...) }
	write(o.pv.UID, o.pv.Generation, o.Finalizer, o.Conflicting, len(o.objects))
	for _, version := range o.objects {
		write(version)
	}
	if o.SuspendReason != "" {
		write("suspended", o.SuspendReason)
	}
	for _, name := range slices.Sorted(maps.Keys(o.Repositories)) {
		repository := o.Repositories[name]
		write("repository", name, repository.Migrated, repository.Deployment, repository.Address, repository.Directory)
	}
	for _, overlap := range o.Overlaps {
		write("overlap", overlap)
	}
	if u := o.Upstream; u != nil {
		write("upstream", u.Name, u.Version, u.Lifecycle)
		for _, target := range decide.Targets(&o.Input) {
			if base := decide.Base(&o.Input, &target); base != nil && !decide.OnUpstream(&o.Input, &target) {
				write("base", target.Name, base.Name)
			}
		}
	}
	if branch := decide.ForeignBranch(&o.Input); branch != nil {
		write("pushed", branch.Name)
	}
	o.writeNeighbors(h)
	for _, d := range o.Dependencies {
		write("dependency", d.Name, d.Found, d.Ready, d.Message, d.Published)
	}
	write("cycle", o.Cycle, "dependents", o.Dependents)
	for _, superseded := range slices.Sorted(maps.Keys(o.Used)) {
		write("used", superseded, o.Used[superseded])
	}
	for _, revisions := range [][]revision.Revision{o.Revisions, o.OwnedInOtherPackages} {
		for i := range revisions {
			o.writeRevision(h, &revisions[i])
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// writeNeighbors writes which packages lie inside the downstream package, or around it.
func (o *observation) writeNeighbors(h io.Writer) {
	for i := range o.Neighbors {
		n := &o.Neighbors[i]
		if there := decide.Existing(&o.Input, n); there != nil {
			_, _ = fmt.Fprintln(h, "neighbor", n.Package, n.Inside, there.Name, there.Lifecycle)
		}
		if n.Variant != "" {
			_, _ = fmt.Fprintln(h, "neighbor", n.Package, n.Inside, n.Variant)
		}
	}
}

// writeRevision writes what a decision needs from a revision. Porch's cache in PostgreSQL does not give the lock of a
// revision, under its new version, while it saves it.
func (o *observation) writeRevision(w io.Writer, r *revision.Revision) {
	if r.Main() {
		return
	}
	owned, current := r.Of(o.Owner)
	_, _ = fmt.Fprintln(w, r.Name, r.Version, r.Lifecycle, r.Number, owned, current, r.OtherOwner(o.Owner), len(r.Owners),
		r.Lock == nil)
}
