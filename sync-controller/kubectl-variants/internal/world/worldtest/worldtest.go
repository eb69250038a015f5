// SPDX-License-Identifier: Apache-2.0

// Package worldtest has a cluster in files for tests: what kubectl get ... -o yaml writes. It accepts each write, and
// keeps none.
package worldtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/sync-controller/internal/kube/scheme"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// Client is a client of the cluster in files.
type Client struct {
	client.Client
	types   *runtime.Scheme
	objects []*unstructured.Unstructured
}

// New returns a client of the cluster in the files of a directory, or in one file.
func New(path string) (*Client, error) {
	types, err := scheme.New()
	if err != nil {
		return nil, err
	}
	c := &Client{types: types}
	return c, filepath.WalkDir(path, func(name string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		return c.read(name)
	})
}

// read adds the objects of a file.
func (c *Client) read(name string) error {
	file, err := os.Open(name) //nolint:gosec // a test names it
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	for decoder := yaml.NewYAMLOrJSONDecoder(file, 1<<16); ; {
		u := &unstructured.Unstructured{}
		if err := decoder.Decode(&u.Object); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		items, isList := u.Object["items"].([]any)
		switch {
		case isList:
			for _, item := range items {
				object, _ := item.(map[string]any)
				c.objects = append(c.objects, &unstructured.Unstructured{Object: object})
			}
		case u.GetKind() != "":
			c.objects = append(c.objects, u)
		}
	}
}

// Scheme implements client.Client.
func (c *Client) Scheme() *runtime.Scheme { return c.types }

// RESTMapper implements client.Client: each kind is known.
func (c *Client) RESTMapper() meta.RESTMapper { return mapper{} }

type mapper struct{ meta.RESTMapper }

// RESTMapping implements meta.RESTMapper.
func (m mapper) RESTMapping(kind schema.GroupKind, versions ...string) (*meta.RESTMapping, error) {
	version := ""
	if len(versions) > 0 {
		version = versions[0]
	}
	of := kind.WithVersion(version)
	plural, _ := meta.UnsafeGuessKindToResource(of)
	return &meta.RESTMapping{Resource: plural, GroupVersionKind: of, Scope: meta.RESTScopeNamespace}, nil
}

// List implements client.Reader.
func (c *Client) List(_ context.Context, list client.ObjectList, options ...client.ListOption) error {
	gvk, err := apiutil.GVKForObject(list, c.types)
	if err != nil {
		return err
	}
	gvk.Kind = strings.TrimSuffix(gvk.Kind, "List")
	var of client.ListOptions
	of.ApplyOptions(options)
	var items []runtime.Object
	for _, u := range c.objects {
		if u.GroupVersionKind() != gvk || of.Namespace != "" && u.GetNamespace() != of.Namespace {
			continue
		}
		item, err := c.typed(u, list)
		if err != nil {
			return err
		}
		items = append(items, item)
	}
	return meta.SetList(list, items)
}

// typed returns an object as a list has it.
func (c *Client) typed(u *unstructured.Unstructured, list client.ObjectList) (runtime.Object, error) {
	if _, isUntyped := list.(*unstructured.UnstructuredList); isUntyped {
		return u.DeepCopy(), nil
	}
	o, err := c.types.New(u.GroupVersionKind())
	if err != nil {
		return nil, err
	}
	return o, runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, o)
}

// Get implements client.Reader.
func (c *Client) Get(_ context.Context, key client.ObjectKey, o client.Object, _ ...client.GetOption) error {
	gvk, err := apiutil.GVKForObject(o, c.types)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(c.objects, func(u *unstructured.Unstructured) bool {
		return u.GroupVersionKind() == gvk && u.GetNamespace() == key.Namespace && u.GetName() == key.Name
	})
	if at < 0 {
		plural, _ := meta.UnsafeGuessKindToResource(gvk)
		return apierrors.NewNotFound(plural.GroupResource(), key.Name)
	}
	return runtime.DefaultUnstructuredConverter.FromUnstructured(c.objects[at].Object, o)
}

// Create implements client.Writer: everybody may do everything.
func (c *Client) Create(_ context.Context, o client.Object, _ ...client.CreateOption) error {
	switch review := o.(type) {
	case *authorizationv1.SubjectAccessReview:
		review.Status.Allowed = true
	case *authorizationv1.LocalSubjectAccessReview:
		review.Status.Allowed = true
	case *authorizationv1.SelfSubjectAccessReview:
		review.Status.Allowed = true
	}
	return nil
}

// Patch implements client.Writer.
func (c *Client) Patch(context.Context, client.Object, client.Patch, ...client.PatchOption) error {
	return nil
}

// Delete implements client.Writer.
func (c *Client) Delete(context.Context, client.Object, ...client.DeleteOption) error { return nil }
