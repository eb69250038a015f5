// SPDX-License-Identifier: Apache-2.0

package load

import (
	"context"
	"errors"
	"sync"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/e2e/internal/harness"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
)

// known follows the variants through a watch of the API.
type known struct {
	mu     sync.Mutex
	byPair map[pair]*v1alpha1.PackageVariant
}

// follow starts to follow the variants, until the test ends.
func follow(t harness.T, config *rest.Config, scheme *runtime.Scheme) *known {
	t.Helper()
	k := &known{byPair: map[pair]*v1alpha1.PackageVariant{}}
	ctx, cancel := context.WithCancel(t.Context())
	c, err := cache.New(config, cache.Options{Scheme: scheme, DefaultNamespaces: map[string]cache.Config{namespace: {}}})
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	informer, err := c.GetInformer(ctx, &v1alpha1.PackageVariant{}, cache.BlockUntilSynced(false))
	if err == nil {
		_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
			AddFunc: k.put, UpdateFunc: func(_, updated any) { k.put(updated) }, DeleteFunc: k.drop,
		})
	}
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("cannot follow the variants: %v", err)
		}
	})
	if !c.WaitForCacheSync(ctx) {
		t.Fatal("cannot follow the variants")
	}
	return k
}

func (k *known) put(object any) {
	pv, ok := object.(*v1alpha1.PackageVariant)
	if !ok || pv.Spec.Downstream == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.byPair[pair{pv.Spec.Downstream.Repo, pv.Spec.Downstream.Package}] = pv
}

func (k *known) drop(object any) {
	if lost, ok := object.(toolscache.DeletedFinalStateUnknown); ok {
		object = lost.Obj
	}
	pv, ok := object.(*v1alpha1.PackageVariant)
	if !ok || pv.Spec.Downstream == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	of := pair{pv.Spec.Downstream.Repo, pv.Spec.Downstream.Package}
	if now := k.byPair[of]; now != nil && now.UID == pv.UID {
		delete(k.byPair, of)
	}
}

// get returns the variant of a package, nil if there is none. It must not be changed.
func (k *known) get(of pair) *v1alpha1.PackageVariant {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.byPair[of]
}

// count returns how many variants there are.
func (k *known) count() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.byPair)
}
