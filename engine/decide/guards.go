// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/revision"
)

// guards are tried in this order; the first one that returns a condition wins, and nothing is done.
var guards = []func(*Input) *v1alpha1.Condition{
	specInvalid, repositoryMissing, repositoryMigrated, repositoriesOverlap, upstreamMissing, upstreamUnpublished,
	downstreamClaimed, dependencyCycle, dependencyNotFound, repositoryNotReady, downstreamUnlisted,
}

func stalled(reason, format string, args ...any) *v1alpha1.Condition {
	return new(v1alpha1.Stalled(reason, fmt.Sprintf(format, args...)))
}

func specInvalid(in *Input) *v1alpha1.Condition {
	if err := in.Spec.Validate(); err != nil {
		return stalled(v1alpha1.ReasonInvalidSpec, "%s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return nil
}

// repositories are the Repositories that a spec names, each with its field, the downstream's first.
func repositories(s *variant.Spec) [][2]string {
	return [][2]string{{s.Downstream.Repo, "spec.downstream.repo"}, {s.Upstream.Repo, "spec.upstream.repo"}}
}

func repositoryMissing(in *Input) *v1alpha1.Condition {
	for _, ref := range repositories(in.Spec) {
		if _, registered := in.Repositories[ref[0]]; !registered {
			return stalled(v1alpha1.ReasonRepositoryNotFound,
				"there is no Repository %q in this namespace: register it, or correct %s", ref[0], ref[1])
		}
	}
	return nil
}

// repositoryMigrated holds the variant because the home does not list the packages of a migrated Repository, so it
// seems empty.
func repositoryMigrated(in *Input) *v1alpha1.Condition {
	for _, ref := range repositories(in.Spec) {
		if in.Repositories[ref[0]].Migrated {
			return new(Migrated(ref[0]))
		}
	}
	return nil
}

// Migrated returns the condition of an object that needs the packages of a Repository which another version of the API
// serves.
func Migrated(repository string) v1alpha1.Condition {
	return v1alpha1.Stalled(v1alpha1.ReasonRepositoryMigrated, fmt.Sprintf(
		"the packages of the Repository %q are served by version v1alpha2 of Porch's API, which this controller does not "+
			"know yet: take the annotation %s off the Repository, or name another",
		repository, revision.MigrationAnnotation))
}

func upstreamMissing(in *Input) *v1alpha1.Condition {
	if in.Upstream != nil {
		return nil
	}
	repository := in.Repositories[in.Spec.Upstream.Repo]
	if !repository.Ready { // the home may not list all of it
		return new(notReady(in.Spec.Upstream.Repo, repository))
	}
	return stalled(v1alpha1.ReasonUpstreamNotFound, "%s",
		in.Missing.Of(in.Spec.Upstream, "", "spec.upstream", repository.Branch))
}

func upstreamUnpublished(in *Input) *v1alpha1.Condition {
	if in.Upstream.Published() {
		return nil
	}
	return stalled(v1alpha1.ReasonUpstreamNotPublished,
		"the upstream %s is %s, and may still change: publish it, or name a published revision in spec.upstream",
		in.Upstream.Name, in.Upstream.Lifecycle)
}

func downstreamClaimed(in *Input) *v1alpha1.Condition {
	if in.Conflicting == "" {
		return nil
	}
	return stalled(v1alpha1.ReasonDownstreamClaimed,
		"the package %s belongs to the PackageVariant %q: name another in spec.downstream, or delete that variant",
		revision.DownstreamOf(in.Spec), in.Conflicting)
}

// repositoryNotReady holds the variant because each call to the home would take a long time and fail.
func repositoryNotReady(in *Input) *v1alpha1.Condition {
	for _, ref := range repositories(in.Spec) {
		if repository := in.Repositories[ref[0]]; !repository.Ready {
			return new(notReady(ref[0], repository))
		}
	}
	return nil
}

// Unlisted reports whether the home lists no revision of a downstream package that was published.
func Unlisted(in *Input) bool {
	pkg := revision.DownstreamOf(in.Spec)
	listed := func(r revision.Revision) bool { return !r.Main() }
	_, isOf := workspaceOf(in.Published, pkg)
	return in.Published != "" && isOf && !slices.ContainsFunc(in.Revisions, listed)
}

// downstreamUnlisted holds the variant while its published package is Unlisted, even if the branch, which outlives
// every revision, is listed. The home has lost the Repository's content, or its tags, and has not read them again. A
// clone of the upstream would replace the package.
func downstreamUnlisted(in *Input) *v1alpha1.Condition {
	if !Unlisted(in) {
		return nil
	}
	pkg := revision.DownstreamOf(in.Spec)
	return new(v1alpha1.Reconciling(v1alpha1.ReasonRepositoryNotReady, fmt.Sprintf(
		"no revision is listed of the package %s, of which %s was published: the Repository %q has not been read "+
			"to its end yet; if someone has deleted the revisions, or removed the package from git, delete this variant and "+
			"create it again",
		pkg, in.Published, pkg.Repo)))
}

func notReady(name string, repository revision.Repository) v1alpha1.Condition {
	return v1alpha1.Reconciling(v1alpha1.ReasonRepositoryNotReady,
		fmt.Sprintf("the Repository %q is not ready: %s", name, repository.Message))
}
