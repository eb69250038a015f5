// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	jsonpatch "github.com/evanphx/json-patch/v5"
	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/watch"
)

// typed returns an object as Porch serves it.
func typed(r *packageRevision) porchapi.PackageRevision {
	object := r.object
	object.TypeMeta = metav1.TypeMeta{APIVersion: porchapi.SchemeGroupVersion.String(), Kind: "PackageRevision"}
	return object
}

// content returns the files of a revision as Porch serves them.
func content(r *packageRevision) *porchapi.PackageRevisionResources {
	from := r.object
	return &porchapi.PackageRevisionResources{
		TypeMeta: metav1.TypeMeta{APIVersion: porchapi.SchemeGroupVersion.String(), Kind: "PackageRevisionResources"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: from.Namespace, Name: from.Name, UID: from.UID, ResourceVersion: from.ResourceVersion,
			CreationTimestamp: from.CreationTimestamp,
		},
		Spec: porchapi.PackageRevisionResourcesSpec{
			PackageName: from.Spec.PackageName, WorkspaceName: from.Spec.WorkspaceName, Revision: from.Spec.Revision,
			RepositoryName: from.Spec.RepositoryName, Resources: r.files,
		},
	}
}

// listRevisions lists revisions by Porch's fields and by labels. A list of one Repository waits for the work in it.
func (p *Porch) listRevisions(r *http.Request) (any, error) {
	byField, err := fields.ParseSelector(r.URL.Query().Get("fieldSelector"))
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	byLabel, err := labels.Parse(r.URL.Query().Get("labelSelector"))
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	list := &porchapi.PackageRevisionList{
		TypeMeta: metav1.TypeMeta{APIVersion: porchapi.SchemeGroupVersion.String(), Kind: "PackageRevisionList"},
	}
	add := func(of *repository) {
		for _, each := range of.revisions {
			if byField.Matches(fieldsOf(each)) && byLabel.Matches(labels.Set(each.object.Labels)) {
				list.Items = append(list.Items, typed(each))
			}
		}
	}
	namespace := r.PathValue("namespace")
	if repo, one := byField.RequiresExactMatch("spec.repository"); one && namespace != "" {
		err := p.work(namespace, repo, (*Latencies).read, func() error {
			add(p.repository(namespace, repo))
			return nil
		})
		return list, err
	}
	time.Sleep(p.latencies.Load().Read)
	p.mu.Lock()
	defer p.mu.Unlock()
	for key, of := range p.repositories {
		if namespace == "" || namespace == key.Namespace {
			add(of)
		}
	}
	slices.SortFunc(list.Items, func(a, b porchapi.PackageRevision) int { return cmp.Compare(a.Name, b.Name) })
	return list, nil
}

// fieldsOf returns the fields by which Porch lists. A package name is compared with the last part of the path.
func fieldsOf(r *packageRevision) fields.Set {
	spec := r.object.Spec
	return fields.Set{
		"metadata.name": r.object.Name, "metadata.namespace": r.object.Namespace,
		"spec.repository": spec.RepositoryName, "spec.packageName": path.Base(spec.PackageName),
		"spec.workspaceName": spec.WorkspaceName, "spec.revision": fmt.Sprint(spec.Revision),
		"spec.lifecycle": string(spec.Lifecycle),
	}
}

func (p *Porch) createRevision(r *http.Request) (any, error) {
	var object porchapi.PackageRevision
	if err := decode(r, &object); err != nil {
		return nil, err
	}
	object.Namespace = r.PathValue("namespace")
	var made *packageRevision
	err := p.work(object.Namespace, object.Spec.RepositoryName, (*Latencies).create, func() error {
		var err error
		if made, err = p.draft(&object); err == nil {
			p.put(watch.Added, made)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return typed(made), nil
}

// named returns a handler for requests about one revision, which first waits for Porch's latency.
func (p *Porch) named(
	latency func(*Latencies) time.Duration, do func(*http.Request, *packageRevision) (any, error),
) func(*http.Request) (any, error) {
	return func(r *http.Request) (answer any, err error) {
		namespace, name := r.PathValue("namespace"), r.PathValue("name")
		repo, _, _ := strings.Cut(name, ".")
		err = p.work(namespace, repo, latency, func() error {
			found, err := p.get(namespace, name)
			if err == nil {
				answer, err = do(r, found)
			}
			return err
		})
		return answer, err
	}
}

func (p *Porch) getRevision(_ *http.Request, found *packageRevision) (any, error) {
	return typed(found), nil
}

func (p *Porch) getContent(_ *http.Request, found *packageRevision) (any, error) {
	return content(found), nil
}

// patchRevision merges a patch of the metadata or the lifecycle. It gives a draft a new commit.
func (p *Porch) patchRevision(r *http.Request, found *packageRevision) (any, error) {
	patch, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	before, err := json.Marshal(typed(found))
	if err != nil {
		return nil, err
	}
	after, err := jsonpatch.MergePatch(before, patch)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	changed := &packageRevision{files: found.files, commit: found.commit}
	if err := json.Unmarshal(after, &changed.object); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	if changed.object.ResourceVersion != found.object.ResourceVersion {
		return nil, conflict(porchapi.Resource(revisions), found.object.Name)
	}
	if found.object.IsPublished() {
		p.store(watch.Modified, changed)
	} else {
		p.put(watch.Modified, changed)
	}
	return typed(changed), nil
}

func (p *Porch) deleteRevision(_ *http.Request, found *packageRevision) (any, error) {
	if found.object.IsPublished() && found.object.Spec.Lifecycle != porchapi.PackageRevisionLifecycleDeletionProposed {
		return nil, apierrors.NewForbidden(porchapi.Resource(revisions), found.object.Name,
			errors.New("its deletion is not proposed"))
	}
	p.store(watch.Deleted, found)
	return typed(found), nil
}

// updateContent saves and renders the files of a draft, if it has not changed since the client read it.
func (p *Porch) updateContent(r *http.Request, found *packageRevision) (any, error) {
	var saved porchapi.PackageRevisionResources
	if err := decode(r, &saved); err != nil {
		return nil, err
	}
	switch lifecycle := found.object.Spec.Lifecycle; {
	case saved.ResourceVersion != found.object.ResourceVersion:
		return nil, conflict(porchapi.Resource(contents), found.object.Name)
	case lifecycle != porchapi.PackageRevisionLifecycleDraft:
		return nil, apierrors.NewInternalError(
			fmt.Errorf("cannot update a package revision with lifecycle value %q; package must be Draft", lifecycle))
	}
	changed := &packageRevision{object: *found.object.DeepCopy(), files: saved.Spec.Resources}
	if err := changed.render(); err != nil {
		return nil, err
	}
	p.put(watch.Added, changed) // Porch sends this event for a saved draft
	return content(changed), nil
}
