// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/changes"
	"github.com/package-variants/package-variants/engine/markdown"
	"github.com/package-variants/package-variants/engine/review"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/engine/words"
	"github.com/package-variants/package-variants/local/ledger"
	"github.com/package-variants/package-variants/local/reviews"
)

// How many packages are named in the body of a pull request for a review, and how many bytes the body has at most.
const (
	maxNamed = 40
	maxBody  = 60_000
)

// bodyOfReview returns the body of the pull request for a review. Forges show some hundred files of a pull request, so
// what people review is here: each change once.
func (s *syncer) bodyOfReview(ctx context.Context, r *reviews.Review, candidates []reviews.Candidate) (string, error) {
	of, err := s.OfSet(ctx, r.Namespace, r.Set)
	if err != nil {
		return "", err
	}
	members := map[ledger.Key]bool{}
	var names []string
	for i := range r.Members {
		members[r.Members[i].Key] = true
		names = append(names, in(r.Members[i].Namespace, r.Members[i].Of().String()))
	}
	of.Variants = slices.DeleteFunc(of.Variants, func(pv v1alpha1.PackageVariant) bool {
		return pv.Spec.Downstream == nil || !members[ledger.KeyOf(pv.Namespace, revision.DownstreamOf(&pv.Spec))]
	})
	all, err := of.Distinct(review.Published)
	if err != nil {
		return "", err
	}
	var body strings.Builder
	fmt.Fprintf(&body, "Drafts of the PackageVariantSet %s, wave %s. Merging this publishes them, in %s: %s.\n\n",
		markdown.Code(r.Set), markdown.Code(r.Wave), words.Count(len(names), "package"),
		markdown.Code(words.First(names, maxNamed, ", ")))
	body.WriteString(leftOut(r, candidates))
	fmt.Fprintf(&body, "To leave a package out, commit to its draft, or delete the branch of that, which rejects it. "+
		"To close this rejects nothing. To see all: %s\n\n%s\n\n",
		markdown.Code("variants diff --names --set "+r.Set+flagsFor(s.where.path)), changes.Summary(all))
	for _, text := range changes.Markdown(all) {
		if body.Len()+len(text) > maxBody {
			body.WriteString("There is more, which does not fit here.\n")
			break
		}
		body.WriteString(text)
	}
	return body.String(), nil
}

// leftOut says which drafts of the group of a review are not in it, and why.
func leftOut(r *reviews.Review, candidates []reviews.Candidate) string {
	why := map[string][]string{}
	for i := range candidates {
		if c := &candidates[i]; c.Group == r.Group && c.Alone != "" {
			why[c.Alone] = append(why[c.Alone], in(r.Namespace, c.Of().String()))
		}
	}
	var text strings.Builder
	for _, reason := range sortedNames(why) {
		fmt.Fprintf(&text, "Left out: %s, because %s.\n\n", markdown.Code(words.First(why[reason], maxNamed, ", ")),
			markdown.Code(strings.TrimRight(reason, ".")))
	}
	return text.String()
}
