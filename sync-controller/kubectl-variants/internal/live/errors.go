// SPDX-License-Identifier: Apache-2.0

package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"syscall"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"github.com/package-variants/package-variants/engine/naming"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/discovery"
)

// Kind is a kind of object that the plugin reads.
type Kind = naming.Kind

// The kinds.
var (
	Variant    = naming.Variant
	Set        = naming.Set
	Revision   = naming.Revision
	Resources  = naming.Resources
	Repository = naming.Repository
)

// Call is a call to the cluster, as a rule of a Role names it.
type Call struct {
	// Verb is get, list, patch or update; "reach" for a call without a kind.
	Verb string
	Kind Kind
	// Subresource is the subresource of the kind; "" for the object itself.
	Subresource string
	Namespace   string
}

// Explain returns an error that says what is wrong with a cluster and what to do: no cluster is configured, it cannot
// be reached, the user lacks the right to a call (with the rule that would give it), or the kind is not installed. It
// returns any other error, and nil, unchanged.
func Explain(err error, c Call) error {
	switch {
	case err == nil:
		return nil
	case apierrors.IsForbidden(err):
		return c.forbidden()
	case apierrors.IsUnauthorized(err):
		return errors.New("the cluster does not know who you are: log in again, or set --context or --token")
	case isUnknownKind(err):
		return c.unknownKind()
	case apierrors.IsServiceUnavailable(err) && c.Kind.Group() == porchapi.SchemeGroupVersion.Group:
		return errors.New("the server of Porch does not answer: see whether it runs, and whether the APIService " +
			"v1alpha1.porch.kpt.dev is available")
	}
	if address, isDown := unreachable(err); isDown {
		return fmt.Errorf("cannot reach the cluster%s: set --context to another, or see whether it runs", address)
	}
	return err
}

// forbidden names the missing rule as a Role has it.
func (c Call) forbidden() error {
	resource := c.Kind.Resource
	if c.Subresource != "" {
		resource += "/" + c.Subresource
	}
	group := cmp.Or(c.Kind.Group(), `""`)
	return fmt.Errorf("you may not %s %s in the namespace %q: someone has to give you a Role there with the rule "+
		"{apiGroups: [%s], resources: [%s], verbs: [%s]}", c.Verb, resource, c.Namespace, group, resource, c.Verb)
}

// unknownKind says what is not installed.
func (c Call) unknownKind() error {
	switch c.Kind.Name {
	case Revision.Name, Resources.Name, Repository.Name:
		return fmt.Errorf("the cluster has no %s (%s): install Porch there, or set --context to another cluster",
			c.Kind.Name, c.Kind.APIVersion)
	case Variant.Name, Set.Name:
		return fmt.Errorf("the cluster has no %s (%s): install sync-controller there, or set --context to another cluster",
			c.Kind.Name, c.Kind.APIVersion)
	default:
		return fmt.Errorf("the cluster has no %s (%s): install its CRD, or correct apiVersion and kind where it is named",
			c.Kind.Name, c.Kind.APIVersion)
	}
}

// isUnknownKind reports whether the cluster does not serve a kind. In that case its answer names no object.
func isUnknownKind(err error) bool {
	if meta.IsNoMatchError(err) || discovery.IsGroupDiscoveryFailedError(err) {
		return true
	}
	status, ok := errors.AsType[*apierrors.StatusError](err)
	return ok && apierrors.IsNotFound(err) && (status.ErrStatus.Details == nil || status.ErrStatus.Details.Name == "")
}

// unreachable reports whether nothing answers at the address of the cluster, and returns the address.
func unreachable(err error) (address string, is bool) {
	if u, isURL := errors.AsType[*url.Error](err); isURL {
		if parsed, bad := url.Parse(u.URL); bad == nil {
			address = " at " + parsed.Scheme + "://" + parsed.Host
		}
	}
	dns, noHost := errors.AsType[*net.DNSError](err)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return address + ", which refuses connections", true
	case noHost:
		return address + ", because nobody knows the host " + dns.Name, true
	case isTimeout(err):
		return address + ", which does not answer", true
	}
	return "", false
}

func isTimeout(err error) bool {
	timeout, ok := errors.AsType[net.Error](err)
	return ok && timeout.Timeout()
}

// notFound says that there is no object of that name, and suggests a similar one.
func (c *Cluster) notFound(ctx context.Context, kind Kind, name string) error {
	var known []string
	switch kind.Name {
	case Variant.Name:
		variants, err := c.Variants(ctx)
		if err != nil {
			break // the missing object is what counts
		}
		for i := range variants {
			known = append(known, variants[i].Name)
		}
	case Set.Name:
		sets, err := c.Sets(ctx)
		if err != nil {
			break
		}
		for i := range sets {
			known = append(known, sets[i].Name)
		}
	}
	return naming.NotFound(kind, name, c.Namespace, known)
}
