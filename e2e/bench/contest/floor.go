// SPDX-License-Identifier: Apache-2.0

package contest

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/package-variants/package-variants/e2e/bench/report"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// pace is how many packages a plain client works on at a time.
type pace struct{ perRepository, total int }

// paces returns the paces to try. Porch v1.5 loses drafts when many are written to one repository at a time, so the
// best pace is not known in advance.
func (s Scenario) paces() []pace { return []pace{{1, s.Repositories}, {2, 2 * s.Repositories}} }

// plain is a client that makes each draft with the necessary calls of Porch: it clones the blueprint, reads the draft
// and saves it with the right content.
type plain struct {
	*arena
	client client.Client
	owner  *metav1.OwnerReference // of the drafts: an existing object, as a variant is for a controller

	retries atomic.Int64
}

// newPlain returns a plain client. Unlike a Fleet's client, it has no rate limit.
func newPlain(a *arena) *plain {
	a.t.Helper()
	config := rest.CopyConfig(a.stack.Config)
	config.QPS = -1
	c, err := client.New(config, client.Options{Scheme: a.Client.Scheme(), Mapper: a.Client.RESTMapper()})
	if err != nil {
		a.t.Fatalf("cannot make a client: %v", err)
	}
	var owner corev1.ConfigMap
	if err := c.Get(a.t.Context(), client.ObjectKey{Namespace: namespace, Name: endpointsName(changed)},
		&owner); err != nil {
		a.t.Fatalf("cannot get the owner of drafts: %v", err)
	}
	return &plain{arena: a, client: c, owner: metav1.NewControllerRef(&owner,
		corev1.SchemeGroupVersion.WithKind("ConfigMap"))}
}

// fanOut makes the drafts of the packages at the given pace.
func (p *plain) fanOut(packages []pkg, at pace) report.FloorRun {
	p.t.Helper()
	queues := map[string]chan pkg{}
	for _, next := range packages {
		if queues[next.Repository] == nil {
			queues[next.Repository] = make(chan pkg, len(packages))
		}
		queues[next.Repository] <- next
	}
	turns := make(chan struct{}, at.total)
	var work sync.WaitGroup
	var faults sync.Map
	began := time.Now()
	for _, queue := range queues {
		close(queue)
		for range at.perRepository {
			work.Go(func() {
				for next := range queue {
					turns <- struct{}{}
					if err := p.make(p.t.Context(), next); err != nil {
						faults.Store(next.String(), err)
					}
					<-turns
				}
			})
		}
	}
	work.Wait()
	run := report.FloorRun{PerRepository: at.perRepository, Total: at.total, Seconds: time.Since(began).Seconds(),
		Retries: int(p.retries.Load())}
	run.Wrong, run.Fault = p.verify(packages)
	faults.Range(func(_, err any) bool {
		run.Fault = fmt.Sprint(err) // says why
		return false
	})
	return run
}

// make makes the draft of one package.
func (p *plain) make(ctx context.Context, wanted pkg) error {
	draft := &porchapi.PackageRevision{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, OwnerReferences: []metav1.OwnerReference{*p.owner}},
		Spec: porchapi.PackageRevisionSpec{
			RepositoryName: wanted.Repository, PackageName: wanted.Name, WorkspaceName: "packagevariant-1",
			Lifecycle: porchapi.PackageRevisionLifecycleDraft,
			Tasks: []porchapi.Task{{Type: porchapi.TaskTypeClone, Clone: &porchapi.PackageCloneTaskSpec{
				Upstream: porchapi.UpstreamPackage{UpstreamRef: &porchapi.PackageRevisionRef{Name: blueprints + "." +
					wanted.Blueprint + ".v1"}},
			}}},
		},
	}
	var resources porchapi.PackageRevisionResources
	for _, step := range []func() error{
		func() error { return p.client.Create(ctx, draft) },
		func() error { return p.client.Get(ctx, client.ObjectKeyFromObject(draft), &resources) },
		func() error {
			if err := wanted.write(resources.Spec.Resources); err != nil {
				return err
			}
			return p.client.Update(ctx, &resources)
		},
	} {
		if err := p.call(ctx, step); err != nil {
			return fmt.Errorf("%s: %w", wanted, err)
		}
	}
	return nil
}

const (
	// retries is how often a plain client retries a call that Porch refuses, and pause is the wait before each retry.
	retries = 20
	pause   = 50 * time.Millisecond
)

// call makes a call of Porch. Like any client, it retries when Porch is busy: on a conflict, or on the internal error
// of a Porch that misreads a repository while writing it.
func (p *plain) call(ctx context.Context, do func() error) error {
	for try := 0; ; try++ {
		err := do()
		refused := apierrors.IsConflict(err) || apierrors.IsInternalError(err)
		if !refused || try == retries {
			return err
		}
		p.retries.Add(1)
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

// write gives the files of a clone the right content, except for what Porch renders.
func (p pkg) write(files map[string]string) error {
	want, err := p.want()
	if err != nil {
		return err
	}
	for _, edit := range []struct {
		file string
		path []string // of the fields taken from want
	}{
		{"Kptfile", []string{"info"}}, {"Kptfile", []string{"pipeline"}}, {"Kptfile", []string{"status"}},
		{"package-context.yaml", []string{"data"}},
		{"endpoints.yaml", []string{"data"}}, {"endpoints.yaml", []string{"metadata", "annotations", injectedName}},
	} {
		var content map[string]any
		if err := yaml.Unmarshal([]byte(files[edit.file]), &content); err != nil {
			return fmt.Errorf("cannot read %s: %w", edit.file, err)
		}
		parents, name := edit.path[:len(edit.path)-1], edit.path[len(edit.path)-1]
		field(content, parents...)[name] = field(field(want, edit.file), parents...)[name]
		text, err := yaml.Marshal(content)
		if err != nil {
			return fmt.Errorf("cannot write %s: %w", edit.file, err)
		}
		files[edit.file] = string(text)
	}
	return nil
}
