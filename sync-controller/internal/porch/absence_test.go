// SPDX-License-Identifier: Apache-2.0

package porch

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// answers is a Porch that answers a question for one revision, by its name, and lists Repositories.
type answers struct {
	errs         map[string]error
	repositories []configapi.Repository
	asked        []string
}

func (a *answers) Get(_ context.Context, key client.ObjectKey, o client.Object, _ ...client.GetOption) error {
	a.asked = append(a.asked, key.Name)
	err, known := a.errs[key.Name]
	if !known {
		return apierrors.NewNotFound(porchapi.Resource("packagerevisions"), key.Name)
	}
	if pr, ok := o.(*porchapi.PackageRevision); ok && err == nil {
		*pr = packageRevision(key.Name)
	}
	return err
}

func (a *answers) List(_ context.Context, into client.ObjectList, _ ...client.ListOption) error {
	if list, ok := into.(*configapi.RepositoryList); ok {
		list.Items = a.repositories
	}
	return nil
}

// TestComplete checks that what a list of Porch lacks is believed gone only if Porch does not find it by its name.
func TestComplete(t *testing.T) {
	t.Parallel()
	down := errors.New("failed to connect to `user=porch database=porch`: connection refused")
	unregistered := apierrors.NewNotFound(configapi.TypeRepository.GroupResource(), "edge")
	repository := []configapi.Repository{{ObjectMeta: metav1.ObjectMeta{Namespace: "fleet", Name: "edge"}}}
	for name, c := range map[string]struct {
		known, listed []string
		porch         answers
		want, asked   []string
		err           error
	}{
		"nothing is missing":     {known: []string{"a", "b"}, listed: []string{"a", "b", "c"}, want: []string{"a", "b", "c"}},
		"one is gone":            {known: []string{"a", "b"}, listed: []string{"b"}, want: []string{"b"}, asked: []string{"a"}},
		"one was left out":       {known: []string{"a", "b"}, listed: []string{"b"}, porch: answers{errs: map[string]error{"a": nil}}, want: []string{"a", "b"}, asked: []string{"a"}},
		"the database is down":   {known: []string{"a", "b"}, porch: answers{errs: map[string]error{"a": down, "b": down}}, want: []string{"a", "b"}, asked: []string{"a"}},
		"it is not registered":   {known: []string{"a", "b"}, porch: answers{errs: map[string]error{"a": unregistered, "b": unregistered}}, asked: []string{"a"}},
		"there never was any":    {porch: answers{repositories: repository}, asked: []string{"edge.none.none"}},
		"there is no Repository": {},
		"a Repository cannot be read": {porch: answers{repositories: repository, errs: map[string]error{
			"edge.none.none": errors.New("error cloning git repository")}}, asked: []string{"edge.none.none"}},
		"down from the first": {porch: answers{repositories: repository, errs: map[string]error{"edge.none.none": down}},
			asked: []string{"edge.none.none"}, err: down},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := toolscache.NewStore(toolscache.MetaNamespaceKeyFunc)
			for _, name := range c.known {
				pr := packageRevision(name)
				if _, err := Trim(&pr); err != nil {
					t.Fatal(err)
				}
				if err := store.Add(&pr); err != nil {
					t.Fatal(err)
				}
			}
			r := &relisting{store: store, asker: asker{reader: func() client.Reader { return &c.porch }, namespaces: []string{""}}}
			list := &porchapi.PackageRevisionList{}
			for _, name := range c.listed {
				list.Items = append(list.Items, packageRevision(name))
			}
			if err := r.complete(t.Context(), list); !errors.Is(err, c.err) {
				t.Errorf("got error %v, want %v", err, c.err)
			}
			var got []string
			for i := range list.Items {
				got = append(got, list.Items[i].Name)
				if version := Revision(&list.Items[i]).Version; version != "commit-of-"+list.Items[i].Name {
					t.Errorf("%s has the version %s", list.Items[i].Name, version)
				}
			}
			slices.Sort(got)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if len(c.porch.asked) != len(c.asked) || len(c.asked) == 1 && len(c.known) == 0 && c.porch.asked[0] != c.asked[0] {
				t.Errorf("asked for %v, want %v", c.porch.asked, c.asked)
			}
		})
	}
}
