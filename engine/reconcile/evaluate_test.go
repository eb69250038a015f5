// SPDX-License-Identifier: Apache-2.0

package reconcile_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/largework"
	"github.com/package-variants/package-variants/engine/memory/memorytest"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/engine/objects"
	"github.com/package-variants/package-variants/functions/krm"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
)

// noted calls a function whenever the objects of a kind, or one of them, are read.
type noted struct {
	objects.Source
	read func(what string)
}

func (n *noted) Add(ctx context.Context, user types.NamespacedName, references []objects.Reference) error {
	n.read("kind")
	return n.Source.Add(ctx, user, references)
}

func (n *noted) Read(ctx context.Context, r objects.Reference) (map[string]any, error) {
	n.read("object")
	return n.Source.Read(ctx, r)
}

// large returns the files of a package over which the functions do large work.
func large() map[string]string {
	all := withPoint("required")
	all["notes.txt"] = strings.Repeat(strings.Repeat("x", 99)+"\n", largework.Large)
	return all
}

// TestObjectsOutsideWork checks that other large work can be done while the objects to inject are read: an API that does
// not answer would keep it waiting.
func TestObjectsOutsideWork(t *testing.T) {
	t.Parallel()
	c := newCluster(t, true)
	c.repositories("blueprints", "edge")
	c.blueprint(1, large())
	c.Objects.Add(&unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"namespace": namespace, "name": "eu"}, "data": map[string]any{"region": "eu-west"}}})
	limit, read := largework.New(), map[string]bool{}
	n := &noted{Source: c.Source(), read: func(what string) {
		read[what] = true
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := limit.Do(ctx, largework.Large+1, func() {}); err != nil {
			t.Errorf("while the %s is read, other work is %v", what, err)
		}
	}}
	c.reconciler.Large = limit
	c.reconciler.Injected = n
	c.applies(func(pv *v1alpha1.PackageVariant) {
		pv.Spec.Injectors = []variant.InjectionSelector{{Name: "eu"}}
	})
	c.Run()
	if !read["kind"] || !read["object"] || !strings.Contains(c.FilesOf(first)["region.yaml"], "region: eu-west") {
		t.Errorf("read %v, and made %s", read, c.FilesOf(first)["region.yaml"])
	}
}

// remote is a Runtime that calls another system for each function, which the test sees.
type remote struct {
	mutate.Builtin
	called func(function string)
}

// Run implements mutate.Runtime.
func (r remote) Run(ctx context.Context, function string, config *kyaml.RNode, items []*kyaml.RNode) (krm.Output, error) {
	largework.Outside(ctx, func() { r.called(function) })
	return r.Builtin.Run(ctx, function, config, items)
}

// TestCallsOutsideWork checks that other large work can be done while functions are run by another system: one that does
// not answer would keep it waiting.
func TestCallsOutsideWork(t *testing.T) {
	t.Parallel()
	c := newCluster(t, true)
	c.repositories("blueprints", "edge")
	c.blueprint(1, large())
	limit, called := largework.New(), 0
	c.reconciler.Large = limit
	c.reconciler.Functions = remote{called: func(function string) {
		called++
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := limit.Do(ctx, largework.Large+1, func() {}); err != nil {
			t.Errorf("while %s is called, other work is %v", function, err)
		}
	}}
	c.applies()
	if c.Run(); called == 0 || len(c.FilesOf(first)) == 0 {
		t.Errorf("%d calls, files %v", called, c.FilesOf(first))
	}
}

// TestLargeWork has the functions over a large package wait for other large work. A controller that is asked to stop
// meanwhile stops at once, and has begun nothing.
func TestLargeWork(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, true)
		c.repositories("blueprints", "edge")
		c.blueprint(1, large())
		c.applies()
		c.reconciler.Large = largework.New()
		end, done, before := make(chan struct{}), false, c.Version()
		go func() { _ = c.reconciler.Large.Do(t.Context(), largework.Large+1, func() { <-end }) }()
		synctest.Wait()
		ctx, stop := context.WithCancel(t.Context())
		go func() {
			_, err := c.reconciler.Reconcile(ctx, memorytest.Key("web"))
			done = errors.Is(err, context.Canceled)
		}()
		synctest.Wait()
		stop()
		synctest.Wait()
		if !done || c.Version() != before {
			t.Errorf("it has stopped: %t; version %d, want %d as before", done, c.Version(), before)
		}
		close(end)
		c.Run()
		if len(c.FilesOf(first)) == 0 {
			t.Error("no draft was made afterwards")
		}
	})
}

// TestStopInStep asks a controller to stop while a draft is being made. It finishes that and begins nothing else; the
// next controller saves the draft.
func TestStopInStep(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, true)
		c.repositories("blueprints", "edge")
		c.blueprint(1, withPoint("required"))
		c.applies()
		asked, end, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
		c.Answer = func(call memorytest.Call) error {
			if call.Of("create", "") {
				close(asked)
				<-end
			}
			return nil
		}
		ctx, stop := context.WithCancel(t.Context())
		go func() {
			defer close(ended)
			if _, err := c.reconciler.Reconcile(ctx, memorytest.Key("web")); !errors.Is(err, context.Canceled) {
				t.Errorf("Reconcile returns %v", err)
			}
		}()
		<-asked
		stop()
		close(end)
		<-ended
		if strings.Contains(c.FilesOf(first)["package-context.yaml"], "zone") {
			t.Error("it began to save the draft")
		}
		c.Answer = nil
		c.Pass()
		c.Run()
		if files := c.FilesOf(first); !strings.Contains(files["package-context.yaml"], "zone") {
			t.Errorf("the next controller does not save the draft: %v", files)
		}
	})
}
