// SPDX-License-Identifier: Apache-2.0

package porch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	"github.com/package-variants/package-variants/engine/revision"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Porch v1.5 reports most failures as internal errors; these texts tell them apart.
const (
	renderFailed    = "Error occurred rendering package in kpt function pipeline."
	renderDetails   = "Details:"
	workspaceExists = "workspaceNames must be unique"
	pipelineFailed  = "pkg.render:"
	placeholder     = "may not be the placeholder package revision"
	runnerGone      = "failed: rpc error: code = Unavailable"
	objectModified  = "the object has been modified"
	noRows          = "sql: no rows in result set"
	notADraft       = "package must be Draft"
	noSource        = "cannot find package revision"
	noDraftSource   = "source revision must be published"
	packageExists   = "already exists in repo"
	packageNests    = "packages cannot be nested"
)

// refusedForGood are other texts with which Porch refuses what it will never do: it deletes no revision that others
// have as their upstream, changes no draft without a task, and lets nobody change the label of the latest revision.
var refusedForGood = []string{"it is referenced as upstream", "at least one entry", "label is managed by porch"}

// refusals are the texts with which Porch refuses a package because of a file: its renderer accepts only letters,
// digits and ".-_:" in names, the function that makes a package context reads all YAML, an upgrade merges no file that
// has a resource twice, and no package is without a Kptfile or has YAML that cannot be read.
var refusals = []string{"illegal name '", `"builtins/gen-pkg-context": MalformedYAMLError`, `found duplicate "`,
	"failed to heal resources:", "package must contain Kptfile at root"}

// lostBranches are the texts with which Porch says that it did not find a branch: while it writes one branch of a
// repository, it cannot reliably read the others.
var lostBranches = []string{"reference not found", "ref file is empty", "remote not found"}

// says reports whether the text of an error contains one of these.
func says(err error, texts ...string) bool {
	return err != nil && slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(err.Error(), text) })
}

// RunnerUnavailable reports whether Porch refused a change because its function-runner, which runs the functions of a
// package's pipeline, did not answer.
func RunnerUnavailable(err error) bool {
	return says(err, pipelineFailed) && says(err, runnerGone)
}

// RenderError returns what the functions of a package's pipeline said, if that is why Porch refused a change.
func RenderError(err error) (string, bool) {
	if err == nil || RunnerUnavailable(err) {
		return "", false
	}
	text := err.Error()
	if _, details, found := strings.Cut(text, renderFailed); found {
		if _, after, found := strings.Cut(details, renderDetails); found {
			details = after
		}
		return oneLine(details), true
	}
	if at := strings.Index(text, pipelineFailed); at >= 0 {
		return oneLine(text[at:]), true
	}
	return "", false
}

// oneLine joins the lines of a text that Porch indents.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// isLostBranch reports whether Porch failed because it was reading the repository.
func isLostBranch(err error) bool {
	return apierrors.IsInternalError(err) && says(err, lostBranches...)
}

// ErrOutdated says that something has changed since the decision about it.
var ErrOutdated = errors.New("it has changed meanwhile")

// Busy reports whether a call collided with another one, or was based on stale data: the decision has to be made again,
// and there is nothing to report to the user. Porch's cache in PostgreSQL reports this as an internal error.
func Busy(err error) bool {
	return apierrors.IsConflict(err) || errors.Is(err, ErrOutdated) || isLostBranch(err) ||
		says(err, workspaceExists, objectModified, notADraft)
}

// withRemedy returns the error of a deletion. The DB cache of Porch v1.5 looks for a package inside a directory at the
// root of the repository, and finds none to delete.
func withRemedy(err error, pkg revision.Package) error {
	if !says(err, noRows) || !strings.Contains(pkg.Name, "/") {
		return err
	}
	return fmt.Errorf("the DB cache of Porch deletes no package inside a directory; set spec.deletionPolicy to orphan to "+
		"leave it there: %w", err)
}

// SourceMissing reports whether Porch found no revision to make a draft from.
func SourceMissing(err error) bool { return says(err, noSource) }

// SourceUnpublished reports whether Porch refused to make a draft from one that is not published.
func SourceUnpublished(err error) bool { return says(err, noDraftSource) }

// Placeholder reports whether Porch refused to derive a package from the placeholder of a branch.
func Placeholder(err error) bool { return says(err, placeholder) }

// TooLarge reports whether a call was refused because it is larger than Porch, or the API server in front of it,
// accepts.
func TooLarge(err error) bool { return apierrors.IsRequestEntityTooLargeError(err) }

// RefusesFiles reports whether Porch refused a package because of a file in it, and always will.
func RefusesFiles(err error) bool { return says(err, refusals...) }

// TimedOut reports whether a call reached Porch but got no response in time.
func TimedOut(err error) bool {
	return apierrors.IsTimeout(err) || errors.Is(err, context.DeadlineExceeded)
}

// Migrated reports whether a call failed because another version of Porch's API serves the Repository.
func Migrated(err error) bool { return apierrors.IsGone(err) }

// isMigrated reports whether another version of Porch's API serves a Repository.
func isMigrated(repository *configapi.Repository) bool {
	return repository.Annotations[revision.MigrationAnnotation] == "true"
}

// Unavailable reports whether a call did not reach Porch or the Kubernetes API.
func Unavailable(err error) bool {
	var netError net.Error
	return apierrors.IsServiceUnavailable(err) || apierrors.IsTimeout(err) || apierrors.IsServerTimeout(err) ||
		apierrors.IsTooManyRequests(err) || errors.As(err, &netError) || errors.Is(err, context.DeadlineExceeded)
}
