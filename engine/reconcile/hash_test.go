// SPDX-License-Identifier: Apache-2.0

package reconcile

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/revision"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// namespace is where the tests have everything.
const namespace = "fleet"

// observed returns an observation with some of everything: edge/web is published and derived from the blueprint's first
// revision, and the variant asks for the second.
func observed() *observation {
	us := revision.Owner{Name: "web-eu", UID: "uid"}
	owned := []metav1.OwnerReference{us.Reference()}
	blueprint := func(number int) revision.Revision {
		return revision.Revision{
			Name: fmt.Sprintf("blueprints.web.v%d", number), Package: revision.Package{Repo: "blueprints", Name: "web"},
			Number: number, Lifecycle: "Published", Version: fmt.Sprintf("b%d", number),
			Commit: fmt.Sprintf("b%d", number), Labels: map[string]string{"l": "1"},
		}
	}
	down := func(repo, workspace string, number int, lock string) revision.Revision {
		return revision.Revision{
			Name: repo + ".web." + workspace, Package: revision.Package{Repo: repo, Name: "web"}, Workspace: workspace,
			Number: number, Lifecycle: "Published", Version: "c-" + workspace, Labels: map[string]string{"l": "1"}, Owners: owned,
			Lock: &revision.Lock{Repo: "https://git/blueprints", Directory: "web", Ref: "web/v1", Commit: lock},
		}
	}
	upstream := blueprint(2)
	pv := &v1alpha1.PackageVariant{
		ObjectMeta: metav1.ObjectMeta{Namespace: "fleet", Name: "web-eu", UID: "uid", Generation: 3},
		Spec: variant.Spec{
			Upstream:   &variant.Upstream{Repo: "blueprints", Package: "web", Revision: variant.RevisionNumber(2)},
			Downstream: &variant.Downstream{Repo: "edge", Package: "web"},
		},
	}
	published, main := down("edge", "packagevariant-1", 1, "b1"), down("edge", "main", -1, "b1")
	return &observation{
		pv: pv, progress: newProgresses(time.Now).of(pv),
		Input: decide.Input{Observed: decide.Observed{
			Variant:  decide.Variant{Spec: &pv.Spec, Owner: us},
			Upstream: &upstream, Revisions: []revision.Revision{main, published},
			Bases: []revision.Revision{blueprint(1), blueprint(2)},
			Repositories: map[string]revision.Repository{
				"blueprints": {Ready: true, Address: "https://git/blueprints"}, "edge": {Ready: true, Address: "https://git/edge"},
			},
			OwnedInOtherPackages: []revision.Revision{down("before", "packagevariant-1", 1, "b1"), down("before", "main", -1, "b1")},
		}},
		objects: []string{"a 1", "b 1"},
	}
}

// toggleLock gives a revision a lock, or removes it.
func toggleLock(r *revision.Revision) {
	if r.Lock != nil {
		r.Lock = nil
		return
	}
	r.Lock = &revision.Lock{Ref: "web/v1"}
}

// TestHash checks which changes make the controller look at a variant, and which do not.
func TestHash(t *testing.T) {
	t.Parallel()
	before := observed().hash()
	for name, c := range map[string]struct {
		edit func(*observation)
		want bool // whether the hash changes
	}{
		"nothing": {func(*observation) {}, false},

		"UID":                       {func(o *observation) { o.pv.UID = "x" }, true},
		"generation":                {func(o *observation) { o.pv.Generation++ }, true},
		"reason of being suspended": {func(o *observation) { o.SuspendReason = "freeze" }, true},
		"conflicting":               {func(o *observation) { o.Conflicting = "web-us" }, true},
		"Repository not ready":      {func(o *observation) { o.Repositories["edge"] = revision.Repository{Address: "https://git/edge"} }, false},
		"message of a Repository": {func(o *observation) {
			o.Repositories["edge"] = revision.Repository{Ready: true, Address: "https://git/edge", Message: "m"}
		}, false},
		"a Repository is migrated": {func(o *observation) {
			o.Repositories["edge"] = revision.Repository{Ready: true, Address: "https://git/edge", Migrated: true}
		}, true},
		"a Repository of deployments": {func(o *observation) {
			o.Repositories["edge"] = revision.Repository{Ready: true, Address: "https://git/edge", Deployment: true}
		}, true},
		"address of a Repository": {func(o *observation) {
			o.Repositories["edge"] = revision.Repository{Ready: true,
				Address: "x"}
		}, true},
		"directory of a Repository": {func(o *observation) {
			o.Repositories["edge"] = revision.Repository{Ready: true, Address: "https://git/edge", Directory: "packages"}
		}, true},
		"Repositories overlap":        {func(o *observation) { o.Overlaps = []decide.Overlap{{Repository: "edge"}} }, true},
		"Repository not registered":   {func(o *observation) { delete(o.Repositories, "edge") }, true},
		"version of an object":        {func(o *observation) { o.objects[1] = "b 2" }, true},
		"another object":              {func(o *observation) { o.objects = append(o.objects, "c 1") }, true},
		"no upstream":                 {func(o *observation) { o.Upstream = nil }, true},
		"another upstream":            {func(o *observation) { o.Upstream.Name = "x" }, true},
		"version of the upstream":     {func(o *observation) { o.Upstream.Version = "x" }, true},
		"lifecycle of the upstream":   {func(o *observation) { o.Upstream.Lifecycle = "DeletionProposed" }, true},
		"name of a revision":          {func(o *observation) { o.Revisions[1].Name = "x" }, true},
		"version of a revision":       {func(o *observation) { o.Revisions[1].Version = "x" }, true},
		"lifecycle of a revision":     {func(o *observation) { o.Revisions[1].Lifecycle = "DeletionProposed" }, true},
		"a revision is being deleted": {func(o *observation) { o.Revisions[1].Deleting = true }, true},
		"a lock is told":              {func(o *observation) { toggleLock(&o.Revisions[1]) }, true},
		"number of a revision":        {func(o *observation) { o.Revisions[1].Number = 2 }, true},
		"another revision": {func(o *observation) {
			o.Revisions = append(o.Revisions,
				revision.Revision{Name: "x"})
		}, true},
		"revision gone":        {func(o *observation) { o.Revisions = o.Revisions[:1] }, true},
		"owner taken away":     {func(o *observation) { o.Revisions[1].Owners = nil }, true},
		"owner of another UID": {func(o *observation) { o.Revisions[1].Owners = owners("web-eu", "before") }, true},
		"another owner beside": {func(o *observation) {
			o.Revisions[1].Owners = slices.Concat(o.Revisions[1].Owners, owners("web-us", "u"))
		}, true},
		"revision left behind": {func(o *observation) { o.OwnedInOtherPackages[0].Lifecycle = "DeletionProposed" }, true},
		"another left behind": {func(o *observation) {
			o.OwnedInOtherPackages = append(o.OwnedInOtherPackages, revision.Revision{Name: "x"})
		},
			true},
		"the base is found":   {func(o *observation) { o.Bases = o.Bases[1:] }, true},
		"the base is another": {func(o *observation) { o.Bases[0].Name = "mirror.web.v1" }, true},
		"labels": {func(o *observation) {
			o.Revisions[1].Labels = nil
			o.Upstream.Labels = nil
			o.OwnedInOtherPackages[0].Labels = nil
		}, false},
		"main branch": {func(o *observation) { o.Revisions[0].Version = "x"; o.OwnedInOtherPackages[1].Version = "x" }, false},
		"main branch gone": {func(o *observation) {
			o.Revisions = o.Revisions[1:]
			o.OwnedInOtherPackages = o.OwnedInOtherPackages[:1]
		}, true},
		"another revision of upstream": {func(o *observation) {
			o.Bases = append(o.Bases,
				revision.Revision{Name: "x", Number: 3})
		}, false},
		"an object is read anew": {func(o *observation) { o.objects = nil }, true},
		"one revision in the place of two": {func(o *observation) {
			o.Revisions,
				o.OwnedInOtherPackages = slices.Concat(o.Revisions, o.OwnedInOtherPackages), nil
		}, false},
		"what was asked of Porch":       {func(o *observation) { o.lookedUp = true }, false},
		"resource version, annotations": {func(o *observation) { o.pv.ResourceVersion = "x"; o.pv.Annotations = map[string]string{"a": "b"} }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := observed()
			c.edit(o)
			if got := o.hash() != before; got != c.want {
				t.Errorf("the hash changes: %v, want %v", got, c.want)
			}
		})
	}
}

// TestHashIsWhole checks that each fact that is observed counts.
func TestHashIsWhole(t *testing.T) {
	t.Parallel()
	leftOut := []string{"Spec", // the generation says more
		"Bases"} // those in use count
	before := observed().hash()
	for _, field := range reflect.VisibleFields(reflect.TypeFor[decide.Observed]()) {
		o := observed()
		value := reflect.ValueOf(&o.Observed).Elem().FieldByIndex(field.Index)
		fill(value)
		if counts := o.hash() != before; counts == slices.Contains(leftOut, field.Name) {
			t.Errorf("a change of %s counts: %t", field.Name, counts)
		}
	}
	leftOut = []string{"Workspace", "Created", "PublishedAt", "Labels", "Annotations", "Commit", "Tree", "Origin", "Task",
		"Lock"} // that there is one counts
	for _, field := range reflect.VisibleFields(reflect.TypeFor[revision.Revision]()) {
		o := observed()
		o.Revisions[1].Lock = &revision.Lock{}
		before := o.hash()
		fill(reflect.ValueOf(&o.Revisions[1]).Elem().FieldByIndex(field.Index))
		if counts := o.hash() != before; counts == slices.Contains(leftOut, field.Name) {
			t.Errorf("a change of %s of a revision counts: %t", field.Name, counts)
		}
	}
}

// fill gives a value another content: one more element, or another text, number or truth in each field.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(v.Int() + 1)
	case reflect.Pointer:
		now := reflect.New(v.Type().Elem())
		fill(now.Elem())
		v.Set(now)
	case reflect.Slice:
		more := reflect.New(v.Type().Elem()).Elem()
		fill(more)
		v.Set(reflect.Append(v, more))
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key)
		fill(value)
		now := reflect.MakeMap(v.Type())
		now.SetMapIndex(key, value)
		v.Set(now)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i))
			}
		}
	}
}

func owners(name, uid string) []metav1.OwnerReference {
	return []metav1.OwnerReference{revision.Owner{Name: name, UID: types.UID(uid)}.Reference()}
}

// TestHashInvalid checks that a variant whose spec lacks everything has a hash.
func TestHashInvalid(t *testing.T) {
	t.Parallel()
	o := observed()
	o.Spec.Downstream, o.Spec.Upstream, o.Upstream, o.Revisions, o.Bases = nil, nil, nil, nil, nil
	if o.hash() == observed().hash() {
		t.Error("it is that of a valid one")
	}
}

// TestSettled checks when a variant needs nothing: the last report had the same hash and the same controller.
func TestSettled(t *testing.T) {
	t.Parallel()
	r := New(Ports{}, Options{Version: "v2", LookWithin: time.Hour})
	for name, c := range map[string]struct {
		edit func(*observation)
		want bool
	}{
		"nothing has changed":       {func(*observation) {}, true},
		"something has":             {func(o *observation) { o.objects[0] = "a 2" }, false},
		"the spec has":              {func(o *observation) { o.pv.Generation++ }, false},
		"a Repository is not ready": {func(o *observation) { o.Repositories["edge"] = revision.Repository{Address: "https://git/edge"} }, true},
		"it is being deleted":       {func(o *observation) { o.Deleting = true }, false},
		"it was never looked at":    {func(o *observation) { o.pv.Status.ObservedInputs = "" }, false},
		"what was reported is odd":  {func(o *observation) { o.pv.Status.ObservedInputs = "x" }, false},
	} {
		o := observed()
		o.pv.Status.ObservedInputs = r.observedInputs(o)
		c.edit(o)
		if wait, got := r.settled(o, o.hash()); got != c.want || wait != 0 {
			t.Errorf("%s: settled is %v, and in %s it is looked at", name, got, wait)
		}
	}
}

// TestUpgrade checks that after an upgrade of the controller each variant is looked at once, spread over the time for
// all, and that a variant that has changed does not wait.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		before := New(Ports{}, Options{Version: "v1"})
		r := New(Ports{}, Options{Version: "v2", LookWithin: time.Hour})
		var waits [4]int // by quarter of an hour
		var last *observation
		for i := range 2000 {
			o := observed()
			o.pv.UID = types.UID(fmt.Sprint("uid-", i))
			o.pv.Status.ObservedInputs = before.observedInputs(o)
			wait, settled := r.settled(o, o.hash())
			if wait < 0 || wait >= time.Hour || settled != (wait > 0) {
				t.Fatalf("%s: settled is %v, and in %s it is looked at", o.pv.UID, settled, wait)
			}
			waits[wait/(15*time.Minute)]++
			last = o
			changed := *o
			changed.Conflicting = "web-us"
			if _, settled := r.settled(&changed, changed.hash()); settled {
				t.Fatalf("%s has changed and waits", o.pv.UID)
			}
		}
		for quarter, n := range waits {
			if n < 400 || n > 600 {
				t.Errorf("%d of 2000 are looked at in quarter %d of the time", n, quarter+1)
			}
		}
		wait, _ := r.settled(last, last.hash())
		time.Sleep(wait)
		if _, settled := r.settled(last, last.hash()); settled {
			t.Error("its time has come, and it is not looked at")
		}
		last.pv.Status.ObservedInputs = r.observedInputs(last)
		if wait, settled := r.settled(last, last.hash()); !settled || wait != 0 {
			t.Errorf("looked at: settled is %v, and in %s it is looked at", settled, wait)
		}
		r.LookWithin = 0
		last.pv.Status.ObservedInputs = before.observedInputs(last)
		if _, settled := r.settled(last, last.hash()); settled {
			t.Error("without a time, it is not looked at at once")
		}
	})
}

// TestObservedInputs checks that the status holds no version in plain text, and stays short.
func TestObservedInputs(t *testing.T) {
	t.Parallel()
	got := New(Ports{}, Options{Version: "v2 registry.example.com/secret"}).observedInputs(observed())
	if version, inputs, found := strings.Cut(got, "/"); !found || len(version) != 12 || len(inputs) != 32 {
		t.Errorf("got %s", got)
	}
}
