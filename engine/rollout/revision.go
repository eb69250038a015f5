// SPDX-License-Identifier: Apache-2.0

package rollout

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// longestName is the most characters that the names of all upstreams of a rollout may have together to be written out
// in the name of its revision.
const longestName = 100

// revisionOf returns the revision that a rollout of these package revisions rolls out: the name and number of a single
// one, or the names of several, in order and joined by +. If these are too long, it is the first name, the number of
// others, and a digest of all.
func revisionOf(upstreams []v1alpha1.ResolvedUpstream) v1alpha2.RolloutRevision {
	if len(upstreams) == 1 {
		return v1alpha2.RolloutRevision{Name: upstreams[0].Name, Revision: upstreams[0].Revision}
	}
	if len(upstreams) == 0 {
		return v1alpha2.RolloutRevision{Name: "none"}
	}
	var names []string
	for _, u := range upstreams {
		names = append(names, u.Name)
	}
	slices.Sort(names)
	if name := strings.Join(names, "+"); len(name) <= longestName {
		return v1alpha2.RolloutRevision{Name: name}
	}
	digest := sha256.Sum256([]byte(strings.Join(names, "\n")))
	return v1alpha2.RolloutRevision{
		Name: fmt.Sprintf("%s+%d-more-%s", names[0], len(names)-1, hex.EncodeToString(digest[:4])),
	}
}

// unpublished returns the names of the upstreams that cannot be rolled out, because they have no number.
func (r *rollout) unpublished() []string {
	var names []string
	for _, u := range r.Upstreams {
		if u.Revision < 1 {
			names = append(names, u.Name)
		}
	}
	return names
}

// approvedAt returns when a wave was approved for the revision; nil if it was not, or need not be.
func (r *rollout) approvedAt(w *wave) *metav1.Time {
	switch {
	case w.After == nil || !w.After.Approval:
		return nil
	case w.before != nil && w.before.ApprovedAt != nil:
		return w.before.ApprovedAt
	case r.approves(w.Name):
		return &metav1.Time{Time: r.stamp}
	}
	return nil
}

// approves reports whether the annotation approves a wave for the revision.
func (r *rollout) approves(name string) bool {
	for entry := range strings.SplitSeq(r.Approvals, ",") {
		approved, of, _ := strings.Cut(strings.TrimSpace(entry), "@")
		if approved == name && (of == r.wanted.Name || r.numbers(of)) {
			return true
		}
	}
	return false
}

// numbers reports whether a text is the number of the revision: 3 or v3.
func (r *rollout) numbers(text string) bool {
	parsed, err := variant.ParseRevision(text)
	number, isFixed := parsed.Number()
	return err == nil && isFixed && number > 0 && number == r.wanted.Revision
}
