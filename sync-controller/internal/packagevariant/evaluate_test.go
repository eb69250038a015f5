// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/objects"
	"github.com/package-variants/package-variants/sync-controller/internal/queue/fairqueue"
	"github.com/package-variants/package-variants/sync-controller/internal/queue/inhand"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// noted calls a function whenever the objects of a kind, or one of them, are read.
type noted struct {
	objects.Source
	client.Reader
	read func(what string)
}

func (n *noted) Add(ctx context.Context, user types.NamespacedName, references []objects.Reference) error {
	n.read("kind")
	return n.Source.Add(ctx, user, references)
}

func (n *noted) Get(ctx context.Context, key client.ObjectKey, o client.Object, options ...client.GetOption) error {
	n.read("object")
	return n.Reader.Get(ctx, key, o, options...)
}

// TestObjectsOutsideWork checks that no processor is held while the objects to inject are read: an API that does not
// answer would keep it from other variants.
func TestObjectsOutsideWork(t *testing.T) {
	t.Parallel()
	c := newCluster(t, true)
	c.repositories("blueprints", "edge")
	c.blueprint(1, withPoint("required"))
	c.Must(c.Add(&unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"namespace": namespace, "name": "eu"}, "data": map[string]any{"region": "eu-west"}}}))
	share, read := fairqueue.NewShare(1, math.MaxInt64), map[string]bool{}
	n := &noted{Source: c.Source(), Reader: c.client, read: func(what string) {
		read[what] = true
		free := make(chan struct{})
		go share.Do(namespace, 0, func() { close(free) })
		select {
		case <-free:
		case <-time.After(time.Second):
			t.Errorf("a processor is held while the %s is read", what)
		}
	}}
	c.reconciler.inHand = inhand.Open("", share, logr.Discard())
	c.reconciler.watches, c.reconciler.objects = n, objects.NewContents(n, n)
	c.applies(func(pv *v1alpha1.PackageVariant) {
		pv.Spec.Injectors = []variant.InjectionSelector{{Name: "eu"}}
	})
	c.Run()
	if !read["kind"] || !read["object"] || !strings.Contains(c.FilesOf(first)["region.yaml"], "region: eu-west") {
		t.Errorf("read %v, and made %s", read, c.FilesOf(first)["region.yaml"])
	}
}
