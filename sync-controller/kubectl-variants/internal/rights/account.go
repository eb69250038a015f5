// SPDX-License-Identifier: Apache-2.0

package rights

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// home is the namespace in which controllers are installed, usual the account of the one that works everywhere.
	home  = "package-variants-system"
	usual = home + "/sync-controller"
	// usersOf begins the user name of a ServiceAccount.
	usersOf = "system:serviceaccount:"
	nameIt  = "name the ServiceAccount of the controller by --controller-account"
)

// labels are those of the ServiceAccounts of our installations.
var labels = client.MatchingLabels{"app.kubernetes.io/name": "sync-controller",
	"app.kubernetes.io/part-of": "package-variants"}

// errSnapshot says why the rights of a snapshot's controller are not known.
var errSnapshot = errors.New("a snapshot does not tell its rights")

// account is a ServiceAccount, as NAMESPACE/NAME.
type account string

// user returns the user name of the account.
func (a account) user() string { return usersOf + strings.Replace(string(a), "/", ":", 1) }

// groups returns the groups of the account.
func (a account) groups() []string {
	namespace, _, _ := strings.Cut(string(a), "/")
	return []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace, "system:authenticated"}
}

// found is the controller's account in a namespace, or why it is not known.
type found struct {
	account account
	err     error
}

// accountIn returns the account of the controller that works in a namespace: the one that may list PackageVariants
// there. The error says why it is not known.
func (c *Controller) accountIn(ctx context.Context, namespace string) (account, error) {
	if c.client == nil {
		return "", errSnapshot
	}
	f, known := c.accounts[namespace]
	if !known {
		f.account, f.err = c.find(ctx, namespace)
		c.accounts[namespace] = f
	}
	return f.account, f.err
}

// find finds the account of the controller that works in a namespace.
func (c *Controller) find(ctx context.Context, namespace string) (account, error) {
	candidates, err := c.candidates(ctx)
	if err != nil {
		return "", err
	}
	working := make([]string, 0, 1)
	for _, a := range candidates {
		may, err := c.ask(ctx, account(a), &authorizationv1.ResourceAttributes{Namespace: namespace, Verb: "list",
			Group: v1alpha1.GroupVersion.Group, Version: v1alpha1.GroupVersion.Version, Resource: "packagevariants"})
		if err != nil {
			return "", err
		}
		if may {
			working = append(working, a)
		}
	}
	switch {
	case len(working) == 1:
		return account(working[0]), nil
	case len(working) > 1:
		return "", fmt.Errorf("%s may each be the controller's account in the namespace %q; %s",
			strings.Join(working, " and "), namespace, nameIt)
	}
	return "", fmt.Errorf("%s may not list packagevariants in the namespace %q, as its account may; %s",
		strings.Join(candidates, " and "), namespace, nameIt)
}

// candidates returns the accounts that may be a controller's: the named one, or the user's own in the namespace of the
// controllers, or those with the labels of an installation.
func (c *Controller) candidates(ctx context.Context) ([]string, error) {
	if c.named != "" {
		return []string{c.named}, nil
	}
	if name, ok := strings.CutPrefix(c.self(ctx), usersOf+home+":"); ok {
		return []string{home + "/" + name}, nil
	}
	for _, in := range []string{metav1.NamespaceAll, home} {
		list := &metav1.PartialObjectMetadataList{}
		list.SetGroupVersionKind(schema.GroupVersionKind{Version: "v1", Kind: "ServiceAccountList"})
		err := c.client.List(ctx, list, labels, client.InNamespace(in))
		if apierrors.IsForbidden(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("its ServiceAccount cannot be found: %w", err)
		}
		var names []string
		for i := range list.Items {
			names = append(names, list.Items[i].Namespace+"/"+list.Items[i].Name)
		}
		if len(names) > 0 {
			slices.Sort(names)
			return names, nil
		}
	}
	return []string{usual}, nil
}
