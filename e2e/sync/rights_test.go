// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	stdsync "sync"

	"github.com/package-variants/package-variants/e2e/internal/controller"
	"github.com/package-variants/package-variants/e2e/internal/proxy"
	"github.com/package-variants/package-variants/e2e/internal/rights"
)

// asked are the rights that the tests' controllers have needed.
var asked struct {
	stdsync.Mutex
	accesses map[proxy.Access]bool
}

// noteAccesses adds the rights that requests through a proxy needed.
func noteAccesses(p *proxy.Proxy) {
	asked.Lock()
	defer asked.Unlock()
	if asked.accesses == nil {
		asked.accesses = map[proxy.Access]bool{}
	}
	for _, a := range p.Accesses() {
		asked.accesses[a] = true
	}
}

// notOfRoles are the resources to which no role of config gives a right, and the verbs that are asked for, each with
// the reason.
var notOfRoles = map[string]struct{ verbs, reason string }{
	"authorization.k8s.io/selfsubjectaccessreviews": {"create", "every account may ask this of itself, by system:basic-user"},
	"/configmaps":                       {"get list watch", administrators},
	"/secrets":                          {"get list watch", administrators},
	"infra.example.com/clusters":        {"get list watch", administrators},
	"networking.k8s.io/networkpolicies": {"get list watch", administrators},
}

const administrators = "what variants inject and sets select, administrators allow by roles of their own"

// isNotOfRoles reports whether a request is one of notOfRoles.
func isNotOfRoles(request string) bool {
	verb, resource, _ := strings.Cut(request, " ")
	return slices.Contains(strings.Fields(notOfRoles[resource].verbs), verb)
}

// rightsWrong compares what the controllers of all tests have asked for with the rules of the roles that they have, and
// returns the rules that none needs, and the requests that no rule allows.
func rightsWrong() error {
	grants, err := rights.Read(controller.Roles()...)
	if err != nil {
		return err
	}
	asked.Lock()
	defer asked.Unlock()
	accesses := slices.Collect(maps.Keys(asked.accesses))
	lacking := slices.DeleteFunc(rights.Lacking(grants, accesses), isNotOfRoles)
	unused := rights.Unused(grants, accesses)
	if len(unused)+len(lacking) == 0 {
		return nil
	}
	return fmt.Errorf("rules of sync-controller/config that no test needs:\n  %s\n"+
		"requests that no rule of sync-controller/config allows:\n  %s",
		strings.Join(unused, "\n  "), strings.Join(lacking, "\n  "))
}
