// SPDX-License-Identifier: Apache-2.0

package porch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"syscall"
	"testing"

	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	"github.com/package-variants/package-variants/engine/revision"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// renderText is what generictaskhandler.renderError of Porch v1.5.3 puts before what kpt says.
const renderText = "\nError occurred rendering package in kpt function pipeline.\n" +
	"Package has NOT been pushed to remote.\n" +
	"Please fix package locally (modify until 'kpt fn render' succeeds) and retry.\nDetails: "

var resource = schema.GroupResource{Group: "porch.kpt.dev", Resource: "packagerevisions"}

// internal returns an error as Porch sends it, and as the client wraps it.
func internal(text string) error {
	return fmt.Errorf("cannot save edge.web.packagevariant-1: %w", apierrors.NewInternalError(errors.New(text)))
}

// runnerIsGone is what Porch says of a save while its function-runner does not run.
var runnerIsGone = internal(renderText + "fn.render: pkg /:\n\tpkg.render:\n\tpipeline.run: func eval " +
	"\"ghcr.io/kptdev/set-labels:v1\" failed: rpc error: code = Unavailable desc = connection error: desc = " +
	"\"transport: Error while dialing: dial tcp 127.0.0.1:9445: connect: connection refused\"")

func TestRunnerUnavailable(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  error
		want bool
	}{
		"none":                 {nil, false},
		"it does not run":      {runnerIsGone, true},
		"a function failed":    {internal(renderText + "pkg.render: rpc error: code = Internal desc = no labels"), false},
		"Porch does not run":   {apierrors.NewServiceUnavailable("no endpoints"), false},
		"what a function says": {internal(renderText + "pkg.render: pkg .: it said rpc error: code = Unavailable"), false},
		"not of a render":      {internal("failed: rpc error: code = Unavailable"), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := RunnerUnavailable(c.err); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestRenderError(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  error
		want string
		is   bool
	}{
		"none": {nil, "", false},
		"of a save": {internal(renderText +
			"pkg.render: pkg .:\n\tpipeline.run: \"ghcr.io/kptdev/set-labels:v1\" failed:\n\t\tno  labels"),
			`pkg.render: pkg .: pipeline.run: "ghcr.io/kptdev/set-labels:v1" failed: no labels`, true},
		"details with details": {internal(renderText + "fn.run: Details: see above"), "fn.run: Details: see above", true},
		"of a create": {internal("failed to apply: pkg.render: pkg /: " +
			"input resource list must contain only KRM resources"), "pkg.render: pkg /: input resource list must contain " +
			"only KRM resources", true},
		"no details":                  {internal("Error occurred rendering package in kpt function pipeline."), "", true},
		"not through the API":         {errors.New(renderText + "x"), "x", true},
		"another":                     {internal("cannot find package revision"), "", false},
		"the function-runner is gone": {runnerIsGone, "", false},
		"a conflict":                  {apierrors.NewConflict(resource, "x", errors.New("modified")), "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, ok := RenderError(c.err); got != c.want || ok != c.is {
				t.Errorf("got %q, %v\nwant %q, %v", got, ok, c.want, c.is)
			}
		})
	}
}

// TestRefusesFiles checks which failures are about a file that Porch never takes; the texts are Porch's.
func TestRefusesFiles(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"illegal name ' a .txt' in file creation":                   true,
		renderText + "illegal name 'a\\b' in directory creation":    true,
		"cannot read repository":                                    false,
		renderText + "pkg.render: MalformedYAMLError: yaml: no key": false,
		`failed to generate deployment context: failed to evaluate function "builtins/gen-pkg-context": ` +
			"MalformedYAMLError: yaml: incomplete UTF-8 octet sequence": true,
		`error merging: found duplicate "dest" resources in file "a.yaml", please refer to "update" documentation`: true,
	} {
		if got := RefusesFiles(internal(text)); got != want {
			t.Errorf("%s: got %t", text, got)
		}
	}
	if RefusesFiles(nil) {
		t.Error("no error is a refusal")
	}
}

// TestTimedOut checks which failures are of calls that reached Porch and were not answered in time.
func TestTimedOut(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  error
		want bool
	}{
		"none":           {nil, false},
		"no answer":      {fmt.Errorf("cannot clone edge/web: %w", context.DeadlineExceeded), true},
		"a gateway":      {apierrors.NewTimeoutError("request did not complete within requested timeout", 1), true},
		"nobody listens": {apierrors.NewServiceUnavailable("no endpoints"), false},
		"refused":        {&url.Error{Op: "Get", URL: "https://porch", Err: &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}}, false},
	} {
		if got := TimedOut(c.err); got != c.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
}

func TestKindsOfErrors(t *testing.T) {
	t.Parallel()
	wrap := func(err error) error { return fmt.Errorf("cannot clone edge/web: %w", err) }
	refused := &url.Error{Op: "Get", URL: "https://porch", Err: &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}}
	for name, c := range map[string]struct {
		err                                      error
		busy, unavailable, placeholder, migrated bool
	}{
		"none":      {nil, false, false, false, false},
		"any":       {errors.New("boom"), false, false, false, false},
		"internal":  {internal("cannot read repository"), false, false, false, false},
		"not found": {apierrors.NewNotFound(resource, "x"), false, false, false, false},
		"forbidden": {apierrors.NewForbidden(resource, "x", nil), false, false, false, false},

		"conflict": {wrap(apierrors.NewConflict(resource, "x", errors.New("modified"))), true, false, false, false},
		"workspace exists": {internal("package revision workspaceNames must be unique; package revision with name web " +
			"in repo edge with " +
			"workspaceName packagevariant-1 already exists"), true, false, false, false},
		"lost branch": {wrap(internal("cannot determine repository origin: remote not found")), true, false, false,
			false},
		"no such branch": {errors.New("reference not found"), false, false, false, false},
		"conflict of the DB cache": {wrap(internal(`Operation cannot be fulfilled on packagerevisions.porch.kpt.dev "x": ` +
			"the object has been modified; please apply your changes to the latest version and try again")), true, false,
			false, false},
		"joined conflict": {errors.Join(errors.New("boom"), wrap(apierrors.NewConflict(resource, "x", nil))), true, false,
			false, false},

		"a save of a proposal": {internal(`cannot update a package revision with lifecycle value "Proposed"; ` +
			"package must be Draft"), true, false, false, false},
		"empty branch":          {internal("ref file is empty"), true, false, false, false},
		"a branch is not there": {internal("reference not found"), true, false, false, false},
		"placeholder": {wrap(internal("cannot create a package revision from main: " +
			"source may not be the placeholder package revision")),
			false, false, true, false},
		"migrated": {wrap(&apierrors.StatusError{ErrStatus: metav1.Status{Reason: metav1.StatusReasonGone,
			Code: http.StatusGone, Message: "served by v1alpha2"}}), false, false, false, true},

		"unavailable":       {wrap(apierrors.NewServiceUnavailable("no endpoints")), false, true, false, false},
		"timeout":           {wrap(apierrors.NewTimeoutError("slow", 1)), false, true, false, false},
		"server timeout":    {wrap(apierrors.NewServerTimeout(resource, "create", 1)), false, true, false, false},
		"too many requests": {wrap(apierrors.NewTooManyRequests("later", 1)), false, true, false, false},
		"refused":           {wrap(refused), false, true, false, false},
		"ended early": {wrap(&url.Error{Op: "Post", URL: "https://porch", Err: io.ErrUnexpectedEOF}), false, true,
			false, false},
		"deadline":           {wrap(context.DeadlineExceeded), false, true, false, false},
		"a function timeout": {internal(renderText + "context deadline exceeded"), false, false, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Busy(c.err); got != c.busy {
				t.Errorf("Busy is %v", got)
			}
			if got := Unavailable(c.err); got != c.unavailable {
				t.Errorf("Unavailable is %v", got)
			}
			if got := Placeholder(c.err); got != c.placeholder {
				t.Errorf("Placeholder is %v", got)
			}
			if got := Migrated(c.err); got != c.migrated {
				t.Errorf("Migrated is %v", got)
			}
		})
	}
}

func TestIsMigrated(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		annotations map[string]string
		want        bool
	}{
		"without it":      {nil, false},
		"that is true":    {map[string]string{"porch.kpt.dev/v1alpha2-migration": "true"}, true},
		"that is not":     {map[string]string{"porch.kpt.dev/v1alpha2-migration": "false"}, false},
		"of another name": {map[string]string{"porch.kpt.dev/migration": "true"}, false},
	} {
		if got := isMigrated(&configapi.Repository{ObjectMeta: metav1.ObjectMeta{Annotations: c.annotations}}); got != c.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

// TestWithRemedy checks that only the deletion of a package inside a directory gets the sentence about it.
func TestWithRemedy(t *testing.T) {
	t.Parallel()
	boom, nothing := errors.New("boom"), errors.New("Internal error occurred: sql: no rows in result set")
	for want, got := range map[string]error{
		"boom": withRemedy(boom, revision.Package{Name: "shop/web"}),
		"Internal error occurred: sql: no rows in result set": withRemedy(nothing, revision.Package{Name: "web"}),
		"the DB cache of Porch deletes no package inside a directory; set spec.deletionPolicy to orphan to leave it there: " +
			"Internal error occurred: sql: no rows in result set": withRemedy(nothing, revision.Package{Name: "shop/web"}),
	} {
		if got.Error() != want {
			t.Errorf("got %v, want %s", got, want)
		}
	}
}
