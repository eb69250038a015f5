// SPDX-License-Identifier: Apache-2.0

package live

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"syscall"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// get wraps an error as client-go does when a call to a cluster fails.
func get(err error) error {
	return &url.Error{Op: "Get", URL: "https://10.0.0.1:6443/apis/config.porch.kpt.dev/v1alpha1", Err: err}
}

// TestExplain checks the messages for everything that can be wrong with a cluster.
func TestExplain(t *testing.T) {
	t.Parallel()
	variants := schema.GroupResource{Group: "config.porch.kpt.dev", Resource: "packagevariants"}
	noPage := apierrors.NewGenericServerResponse(404, "get", schema.GroupResource{}, "", "", 0, true)
	unavailable := apierrors.NewServiceUnavailable("the server is currently unable to handle the request")
	for name, c := range map[string]struct {
		err  error
		call Call
		want string
	}{
		"nothing": {nil, Call{"get", Variant, "", "fleet"}, ""},
		"no right": {fmt.Errorf("wrapped: %w", apierrors.NewForbidden(variants, "web", errors.New("no"))),
			Call{"get", Variant, "", "fleet"}, `you may not get packagevariants in the namespace "fleet": someone has to give ` +
				"you a Role there with the rule {apiGroups: [config.porch.kpt.dev], resources: [packagevariants], verbs: [get]}"},
		"no right to a subresource": {apierrors.NewForbidden(variants, "web", nil), Call{"patch", Revision, "approval", "fleet"},
			`you may not patch packagerevisions/approval in the namespace "fleet": someone has to give you a Role there with ` +
				"the rule {apiGroups: [porch.kpt.dev], resources: [packagerevisions/approval], verbs: [patch]}"},
		"no right to a kind of the core group": {apierrors.NewForbidden(schema.GroupResource{Resource: "configmaps"}, "", nil),
			Call{"list", Kind{Name: "ConfigMap", Resource: "configmaps", APIVersion: "v1"}, "", "fleet"},
			`you may not list configmaps in the namespace "fleet": someone has to give you a Role there with the rule ` +
				`{apiGroups: [""], resources: [configmaps], verbs: [list]}`},
		"nobody": {apierrors.NewUnauthorized("no"), Call{"get", Variant, "", "fleet"},
			"the cluster does not know who you are: log in again, or set --context or --token"},
		"our CRDs are not installed": {&meta.NoKindMatchError{GroupKind: schema.GroupKind{Kind: "PackageVariant"}},
			Call{"get", Variant, "", "fleet"}, "the cluster has no PackageVariant (config.porch.kpt.dev/v1alpha1): install " +
				"sync-controller there, or set --context to another cluster"},
		"our CRDs were there a moment ago": {noPage, Call{"list", Set, "", "fleet"}, "the cluster has no PackageVariantSet " +
			"(config.porch.kpt.dev/v1alpha2): install sync-controller there, or set --context to another cluster"},
		"Porch is not installed": {&meta.NoResourceMatchError{}, Call{"list", Revision, "", "fleet"},
			"the cluster has no PackageRevision (porch.kpt.dev/v1alpha1): install Porch there, or set --context to another cluster"},
		"the CRD of an injected kind is not installed": {&meta.NoKindMatchError{},
			Call{"list", Kind{Name: "Site", Resource: "sites", APIVersion: "example.com/v1"}, "", "fleet"}, "the cluster has no Site " +
				"(example.com/v1): install its CRD, or correct apiVersion and kind where it is named"},
		"Porch does not run": {unavailable, Call{"list", Revision, "", "fleet"}, "the server of Porch does not answer: see whether it " +
			"runs, and whether the APIService v1alpha1.porch.kpt.dev is available"},
		"the API server is overloaded": {unavailable, Call{"list", Variant, "", "fleet"},
			"the server is currently unable to handle the request"},
		"nobody listens": {get(&net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}),
			Call{"get", Variant, "", "fleet"}, "cannot reach the cluster at https://10.0.0.1:6443, which refuses connections: set " +
				"--context to another, or see whether it runs"},
		"no such host": {get(&net.OpError{Op: "dial", Err: &net.DNSError{Name: "k8s.example.com", IsNotFound: true}}),
			Call{"get", Variant, "", "fleet"}, "cannot reach the cluster at https://10.0.0.1:6443, because nobody knows the host " +
				"k8s.example.com: set --context to another, or see whether it runs"},
		"no answer": {get(os.ErrDeadlineExceeded), Call{"get", Variant, "", "fleet"}, "cannot reach the cluster at " +
			"https://10.0.0.1:6443, which does not answer: set --context to another, or see whether it runs"},
		"an object that is not there": {apierrors.NewNotFound(variants, "web"), Call{"get", Variant, "", "fleet"},
			`packagevariants.config.porch.kpt.dev "web" not found`},
		"something else": {errors.New("boom"), Call{"get", Variant, "", "fleet"}, "boom"},
	} {
		got := ""
		if err := Explain(c.err, c.call); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, c.want)
		}
	}
}

func TestSelectionCheck(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		selection Selection
		names     int
		want      string
	}{
		"names":        {Selection{}, 2, ""},
		"labels":       {Selection{Selector: "a=b"}, 0, ""},
		"a set":        {Selection{Set: "fleet"}, 0, ""},
		"a wave":       {Selection{Set: "fleet", Wave: "canary"}, 0, ""},
		"nothing":      {Selection{}, 0, "nothing is chosen: name PackageVariants, or choose them by --selector or --set"},
		"both":         {Selection{Set: "fleet"}, 1, "names, --selector and --set exclude each other: choose by one of them"},
		"no set":       {Selection{Wave: "canary"}, 1, "--wave is of a set: name it by --set"},
		"both of them": {Selection{Set: "fleet", Selector: "a=b"}, 0, "names, --selector and --set exclude each other: choose by one of them"},
	} {
		got := ""
		if err := c.selection.Check(c.names); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
