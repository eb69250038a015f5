// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
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

// hash identifies all that a decision depends on, as far as it is observed. Of revisions, it has what their versions do
// not tell.
func (o *observation) hash() string {
	facts := o.Observed
	facts.Bases, facts.Neighbors = o.basesInUse(), o.neighborsThere()
	facts.Revisions, facts.OwnedInOtherPackages = nil, nil
	for _, r := range slices.Concat(o.Revisions, o.OwnedInOtherPackages) {
		if !r.Main() {
			facts.Revisions = append(facts.Revisions, o.decisive(&r))
		}
	}
	if u := o.Upstream; u != nil {
		facts.Upstream = &revision.Revision{Name: u.Name, Version: u.Version, Lifecycle: u.Lifecycle}
	}
	onBranch := slices.ContainsFunc(o.Revisions, func(r revision.Revision) bool { return r.Main() })
	h := sha256.New()
	_ = json.NewEncoder(h).Encode([]any{o.pv.UID, o.pv.Generation, o.objects, onBranch, facts}) // values have a JSON
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// basesInUse returns, by name, the revisions that targets were derived from which are on another upstream.
func (o *observation) basesInUse() (bases []revision.Revision) {
	if o.Upstream == nil {
		return nil
	}
	for _, target := range decide.Targets(&o.Input) {
		if base := decide.Base(&o.Input, &target); base != nil && !decide.OnUpstream(&o.Input, &target) {
			bases = append(bases, revision.Revision{Name: base.Name, Workspace: target.Name})
		}
	}
	return bases
}

// neighborsThere returns the packages inside the downstream package, or around it, that exist or that a variant makes.
func (o *observation) neighborsThere() (there []decide.Neighbor) {
	for i := range o.Neighbors {
		n := o.Neighbors[i]
		found := decide.Existing(&o.Input, &n)
		if n.Revisions = nil; found != nil {
			n.Revisions = []revision.Revision{{Name: found.Name, Lifecycle: found.Lifecycle}}
		}
		if found != nil || n.Variant != "" {
			there = append(there, n)
		}
	}
	return there
}

// decisive returns what a decision needs from a revision, without what its version tells as well, and what does not
// matter. That it has a lock is told, because a revision may have its new version before its lock, while it is saved.
func (o *observation) decisive(r *revision.Revision) revision.Revision {
	owned, current := r.Of(o.Owner)
	told := *r
	told.Workspace = fmt.Sprint(owned, current, r.OtherOwner(o.Owner), len(r.Owners)) // it is in the name
	told.Labels, told.Annotations, told.Owners = nil, nil, nil
	told.Created, told.PublishedAt = time.Time{}, time.Time{}
	told.Commit, told.Tree, told.Origin, told.Task = "", "", nil, revision.Task{}
	if r.Lock != nil {
		told.Lock = &revision.Lock{}
	}
	return told
}
