// SPDX-License-Identifier: Apache-2.0

package contest

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/e2e/internal/controller"
	"github.com/package-variants/package-variants/e2e/internal/process"
	"github.com/package-variants/package-variants/e2e/internal/proxy"
)

// contender is a running controller, behind a proxy that counts its requests.
type contender struct {
	*arena
	proxy *proxy.Proxy
	pid   int
	// rests reports whether the controller comes to rest after its work.
	rests bool
	// newest is the revision in a set's spec by which its variants follow the newest one.
	newest variant.Revision
}

// latest follows the newest published revision, in this project's API.
var latest = variant.Revision{Str: "latest"}

// startOurs starts this project's controller with its default flags.
func startOurs(a *arena) *contender {
	a.t.Helper()
	between, kubeconfig := proxy.StartFor(a.t, a.stack.Config, proxy.Options{})
	c := &contender{arena: a, proxy: between, rests: true, newest: latest}
	ours := controller.Start(a.t, controller.Options{Kubeconfig: kubeconfig})
	c.pid = ours.PID()
	ours.WaitReady(a.t.Context())
	c.awaitWatches()
	return c
}

// porchsHealth is the address of Porch's controllers, which is fixed.
const porchsHealth = "http://127.0.0.1:8081/readyz"

// startPorchs starts Porch's controllers for PackageVariants and PackageVariantSets. In their API, revision -1 is the
// head of the branch, which comes closest to the newest revision.
func startPorchs(a *arena) *contender {
	a.t.Helper()
	between, kubeconfig := proxy.StartFor(a.t, a.stack.Config, proxy.Options{})
	c := &contender{arena: a, proxy: between, newest: variant.RevisionNumber(-1)}
	porchs, err := process.Start(a.t.TempDir(), "porch-controllers",
		filepath.Join(os.Getenv("TOOLS_BIN"), "porch-controllers"),
		[]string{"KUBECONFIG=" + kubeconfig}, "--reconcilers=packagevariants,packagevariantsets")
	if err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(porchs.Kill)
	c.pid = porchs.PID()
	ctx, cancel := a.within(time.Minute)
	defer cancel()
	err = porchs.Await(ctx, "it was ready", func(ctx context.Context) error {
		return process.Answers(ctx, http.DefaultClient, porchsHealth)
	})
	if err != nil {
		a.t.Fatal(err)
	}
	c.awaitWatches()
	return c
}

// awaitWatches returns once the controller watches its objects, so that its start is not measured.
func (c *contender) awaitWatches() {
	c.t.Helper()
	c.Eventually("the controller watches", func() error {
		for _, resource := range []string{"packagevariants", "packagevariantsets", "packagerevisions"} {
			watches := func(r proxy.Request) bool {
				return r.Verb == "watch" && r.Resource == resource && r.Status == http.StatusOK
			}
			if !slices.ContainsFunc(c.proxy.Requests(), watches) {
				return fmt.Errorf("it does not watch %s", resource)
			}
		}
		return nil
	})
	c.quiet()
}

// quiet returns once the controller has sent no request for a while. Unanswered requests count as activity; watches do
// not, since they restart from time to time.
func (c *contender) quiet() {
	c.t.Helper()
	const still = 3 * time.Second
	c.Eventually("the controller has nothing to do", func() error {
		for _, r := range c.proxy.Requests() {
			if r.Verb != "watch" && (r.Status == 0 || time.Since(r.Time) < still) {
				return fmt.Errorf("the last request: %s", r)
			}
		}
		return nil
	})
}
