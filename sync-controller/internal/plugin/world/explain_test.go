// SPDX-License-Identifier: Apache-2.0

package world

import (
	"errors"
	"net"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestExplain holds what is said where a cluster cannot be asked.
func TestExplain(t *testing.T) {
	t.Parallel()
	revisions := schema.GroupResource{Group: "porch.kpt.dev", Resource: "packagerevisions"}
	variants := schema.GroupResource{Group: "config.porch.kpt.dev", Resource: "packagevariants"}
	unknown := &meta.NoKindMatchError{GroupKind: schema.GroupKind{Group: variants.Group, Kind: "PackageVariant"}}
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	for name, c := range map[string]struct {
		err      error
		resource schema.GroupResource
		want     string
	}{
		"no rights": {apierrors.NewForbidden(revisions, "", errors.New("no")), revisions,
			`you may not list packagerevisions.porch.kpt.dev in namespace fleet: ask for a Role with the rule ` +
				`{apiGroups: ["porch.kpt.dev"], resources: ["packagerevisions"], verbs: [list]}`},
		"not logged in": {apierrors.NewUnauthorized("who are you"), revisions,
			"the cluster does not know you: log in to it, or name another user by --user or --context: who are you"},
		"no CRDs": {unknown, variants, "the cluster does not know packagevariants.config.porch.kpt.dev: install the CRDs of " +
			"package variants and of Porch (config.porch.kpt.dev), or plan from files by --from"},
		"no Porch": {apierrors.NewNotFound(revisions, ""), revisions,
			"the cluster does not know packagerevisions.porch.kpt.dev: install Porch, or plan from files by --from"},
		"no cluster": {refused, variants, "cannot reach the cluster: dial tcp: connection refused; set --kubeconfig or " +
			"--context, or plan from files by --from"},
		"Porch is down": {apierrors.NewServiceUnavailable("no endpoints"), revisions,
			"the cluster cannot list packagerevisions.porch.kpt.dev now: no endpoints; is Porch running?"},
		"anything else": {errors.New("boom"), revisions,
			"cannot list packagerevisions.porch.kpt.dev in namespace fleet: boom"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, Explain(c.err, c.resource, "fleet", "list").Error()); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
		})
	}
}
