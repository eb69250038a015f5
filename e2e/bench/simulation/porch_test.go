// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/package-variants/package-variants/e2e/stack"

	"github.com/google/go-cmp/cmp"
	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	all   = "/apis/porch.kpt.dev/v1alpha1/packagerevisions"
	own   = "/apis/porch.kpt.dev/v1alpha1/namespaces/fleet/packagerevisions"
	files = "/apis/porch.kpt.dev/v1alpha1/namespaces/fleet/packagerevisionresources/"
	draft = "site.web.packagevariant-1"
)

// newPorch returns a Porch with a blueprint and a draft cloned from it.
func newPorch(t *testing.T) *Porch {
	t.Helper()
	return newPorchWith(t, stack.CRCache)
}

func newPorchWith(t *testing.T, cache stack.Cache) *Porch {
	t.Helper()
	p := NewPorch(Latencies{}, cache)
	content, err := Blueprint(firstImage)
	if err != nil {
		t.Fatal(err)
	}
	p.Publish("fleet", "blueprints", "web", "v1", content)
	p.Publish("fleet", "blueprints", "apps/web", "v1", content)
	p.Publish("other", "blueprints", "web", "v1", content)
	if code, body := ask(p, "POST", own, clone("site", "web", "packagevariant-1")); code != http.StatusCreated {
		t.Fatalf("%d: %s", code, body)
	}
	return p
}

// clone is the JSON of a draft that is cloned from the blueprint, upgraded to it or edited, depending on the task.
func clone(repo, pkg, workspace string, task ...string) string {
	tasks := `{"type":"clone","clone":{"upstreamRef":{"upstreamRef":{"name":"blueprints.web.v1"}}}}`
	if len(task) > 0 {
		tasks = strings.Join(task, ",")
	}
	return fmt.Sprintf(`{"metadata":{"labels":{"made":"here"}},`+
		`"spec":{"repository":%q,"packageName":%q,"workspaceName":%q,"tasks":[%s]}}`, repo, pkg, workspace, tasks)
}

// ask sends a request to Porch and returns the code and the body of the answer.
func ask(p *Porch, method, path, body string) (int, []byte) {
	w := httptest.NewRecorder()
	p.ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader(body)))
	return w.Code, w.Body.Bytes()
}

// TestLists checks the fields by which revisions can be listed.
func TestLists(t *testing.T) {
	t.Parallel()
	p := newPorch(t)
	for path, want := range map[string][]string{
		all: {"fleet/blueprints.apps.web.v1", "fleet/blueprints.web.v1",
			"fleet/site.web.packagevariant-1", "other/blueprints.web.v1"},
		own: {"fleet/blueprints.apps.web.v1", "fleet/blueprints.web.v1",
			"fleet/site.web.packagevariant-1"},
		own + "?labelSelector=made":     {"fleet/site.web.packagevariant-1"},
		own + "?labelSelector=made=not": nil,
		own + "?fieldSelector=spec.repository=blueprints,spec.packageName=web": {"fleet/blueprints.apps.web.v1",
			"fleet/blueprints.web.v1"},
		own + "?fieldSelector=spec.lifecycle=Draft":    {"fleet/site.web.packagevariant-1"},
		own + "?fieldSelector=spec.repository=nowhere": nil,
	} {
		code, body := ask(p, "GET", path, "")
		var list porchapi.PackageRevisionList
		if err := json.Unmarshal(body, &list); err != nil || code != http.StatusOK || list.Kind != "PackageRevisionList" {
			t.Errorf("%s: %d %s, %v", path, code, body, err)
		}
		var got []string
		for _, r := range list.Items {
			got = append(got, r.Namespace+"/"+r.Name)
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}

// TestRefuses checks what Porch refuses, and the messages.
func TestRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		method, path, body string
		code               int
		message            string
	}{
		"a revision that is not there": {"GET", own + "/site.web.v9", "", 404,
			`packagerevisions.porch.kpt.dev "site.web.v9" not found`},
		"its content": {"GET", files + "site.web.v9", "", 404,
			`packagerevisions.porch.kpt.dev "site.web.v9" not found`},
		"a draft twice": {"POST", own, clone("site", "web", "packagevariant-1"), 500,
			"Internal error occurred: package revision workspaceNames must be unique; package revision " +
				"site.web.packagevariant-1 exists"},
		"a draft of nothing": {"POST", own, clone("site", "web", "x",
			`{"type":"clone","clone":{"upstreamRef":{"upstreamRef":{"name":"a.b.c"}}}}`), 404,
			`packagerevisions.porch.kpt.dev "a.b.c" not found`},
		"a draft by another task": {"POST", own, clone("site", "web", "x", `{"type":"init","init":{}}`), 400,
			`a task "init" is not simulated`},
		"a draft by two tasks": {"POST", own, clone("site", "web", "x", "{}", "{}"), 400,
			"a draft is made by one task"},
		"a body that is none": {"POST", own, "{", 400, "cannot read the body: unexpected end of JSON input"},
		"a selector that is none": {"GET", own + "?labelSelector=a%20b", "", 400,
			"unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"},
		"an edit of another version": {"PUT", files + draft, `{"metadata":{"resourceVersion":"1"}}`, 409,
			`Operation cannot be fulfilled on packagerevisionresources.porch.kpt.dev "` + draft +
				`": the object has been modified; please apply your changes to the latest version and try again`},
		"a patch of another version": {"PATCH", own + "/" + draft, `{"metadata":{"resourceVersion":"1"}}`, 409,
			`Operation cannot be fulfilled on packagerevisions.porch.kpt.dev "` + draft +
				`": the object has been modified; please apply your changes to the latest version and try again`},
		"a patch that is none": {"PATCH", own + "/" + draft, `x`, 400, "Invalid JSON Patch"},
		"the deletion of a published one": {"DELETE", own + "/blueprints.web.v1", "", 403,
			`packagerevisions.porch.kpt.dev "blueprints.web.v1" is forbidden: its deletion is not proposed`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, body := ask(newPorch(t), c.method, c.path, c.body)
			var status metav1.Status
			if err := json.Unmarshal(body, &status); err != nil {
				t.Fatalf("%v: %s", err, body)
			}
			if code != c.code || int(status.Code) != c.code || status.Message != c.message || status.Kind != "Status" {
				t.Errorf("got %d %+v\nwant %d %s", code, status, c.code, c.message)
			}
		})
	}
}

// TestDrafts checks the drafts that the tasks make, and that a save is rendered.
func TestDrafts(t *testing.T) {
	t.Parallel()
	p := newPorch(t)
	upstream := get[porchapi.PackageRevision](t, p, own+"/blueprints.web.v1")
	lock := &porchapi.UpstreamLock{Type: "git", Git: &porchapi.GitLock{
		Repo: "http://git.example.com/blueprints", Directory: "web", Ref: "web/v1", Commit: upstream.ResourceVersion,
	}}
	cloned := get[porchapi.PackageRevision](t, p, own+"/"+draft)
	if diff := cmp.Diff(lock, cloned.Status.UpstreamLock); diff != "" {
		t.Errorf("lock (-want +got):\n%s", diff)
	}
	content := get[porchapi.PackageRevisionResources](t, p, files+draft)
	if want := "upstreamLock:\n  type: git\n"; !strings.Contains(content.Spec.Resources["Kptfile"], want) {
		t.Errorf("the Kptfile of a clone has no %q:\n%s", want, content.Spec.Resources["Kptfile"])
	}

	content.Spec.Resources["Kptfile"] += "pipeline:\n  mutators:\n  - image: labels\n  - image: set-namespace\n" +
		"    configMap: {namespace: shop}\n"
	saved := put(t, p, content)
	if saved.ResourceVersion == content.ResourceVersion || !strings.Contains(saved.Spec.Resources["service.yaml"],
		"\n  namespace: shop\n") {
		t.Errorf("what was saved is not rendered: %s\n%s", saved.ResourceVersion, saved.Spec.Resources["service.yaml"])
	}
	saved.Spec.Resources["Kptfile"] = "info: {readinessGates: [{conditionType: a}]}\n" +
		"status: {conditions: [{type: a, status: \"True\"}]}\n"
	put(t, p, saved)
	changed := get[porchapi.PackageRevision](t, p, own+"/"+draft)
	if diff := cmp.Diff([]porchapi.Condition{{Type: "a", Status: "True"}}, changed.Status.Conditions); diff != "" {
		t.Errorf("conditions (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]porchapi.ReadinessGate{{ConditionType: "a"}}, changed.Spec.ReadinessGates); diff != "" {
		t.Errorf("gates (-want +got):\n%s", diff)
	}

	for task, kptfile := range map[string]string{
		`{"type":"edit","edit":{"sourceRef":{"name":"site.web.packagevariant-1"}}}`: "info: {readinessGates",
		`{"type":"upgrade","upgrade":{"oldUpstreamRef":{"name":"x"},"newUpstreamRef":{"name":"blueprints.web.v1"},` +
			`"localPackageRevisionRef":{"name":"site.web.v1"}}}`: "upstreamLock",
	} {
		code, body := ask(p, "POST", own, clone("site", "web", fmt.Sprintf("v%d", len(task)), task))
		var made porchapi.PackageRevision
		if err := json.Unmarshal(body, &made); err != nil || code != http.StatusCreated {
			t.Fatalf("%s: %d %s %v", task, code, body, err)
		}
		if diff := cmp.Diff(lock, made.Status.UpstreamLock); diff != "" {
			t.Errorf("%s: lock (-want +got):\n%s", task, diff)
		}
		got := get[porchapi.PackageRevisionResources](t, p, files+made.Name).Spec.Resources["Kptfile"]
		if !strings.Contains(got, kptfile) {
			t.Errorf("%s: the Kptfile has no %q:\n%s", task, kptfile, got)
		}
	}
}

// TestPatches checks that a patch is merged, and that it changes the commit of a draft but not of a published revision.
func TestPatches(t *testing.T) {
	t.Parallel()
	p := newPorch(t)
	for name, newCommit := range map[string]bool{draft: true, "blueprints.web.v1": false} {
		before := get[porchapi.PackageRevision](t, p, own+"/"+name)
		code, body := ask(p, "PATCH", own+"/"+name,
			`{"metadata":{"labels":{"a":"b","made":null},"ownerReferences":[{"name":"pv"}]}}`)
		after := get[porchapi.PackageRevision](t, p, own+"/"+name)
		if code != http.StatusOK || after.Labels["a"] != "b" || after.Labels["made"] != "" ||
			after.OwnerReferences[0].Name != "pv" {
			t.Errorf("%d %s: %+v", code, body, after.ObjectMeta)
		}
		if got := after.ResourceVersion != before.ResourceVersion; got != newCommit {
			t.Errorf("%s has a new commit: %v", name, got)
		}
	}
	if code, body := ask(p, "DELETE", own+"/"+draft, ""); code != http.StatusOK {
		t.Errorf("delete: %d %s", code, body)
	}
	if code, _ := ask(p, "GET", own+"/"+draft, ""); code != http.StatusNotFound {
		t.Errorf("a deleted draft: %d", code)
	}
}

// get gets an object.
func get[T any](t *testing.T, p *Porch, path string) *T {
	t.Helper()
	code, body := ask(p, "GET", path, "")
	object := new(T)
	if err := json.Unmarshal(body, object); err != nil || code != http.StatusOK {
		t.Fatalf("%s: %d %s %v", path, code, body, err)
	}
	return object
}

// put saves the content of a draft.
func put(t *testing.T, p *Porch, content *porchapi.PackageRevisionResources) *porchapi.PackageRevisionResources {
	t.Helper()
	body, err := json.Marshal(content)
	if err != nil {
		t.Fatal(err)
	}
	code, answer := ask(p, "PUT", files+content.Name, string(body))
	var saved porchapi.PackageRevisionResources
	if err := json.Unmarshal(answer, &saved); err != nil || code != http.StatusOK {
		t.Fatalf("%d %s %v", code, answer, err)
	}
	return &saved
}

// TestWatch checks that a watch begins with all revisions, and then has the changes in its namespace.
func TestWatch(t *testing.T) {
	t.Parallel()
	p := newPorch(t)
	server := httptest.NewServer(p)
	defer server.Close()
	response, err := http.Get(server.URL + own + "?watch=true")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	lines := bufio.NewScanner(response.Body)
	next := func() string {
		if !lines.Scan() {
			t.Fatalf("the watch ended: %v", lines.Err())
		}
		var e event
		if err := json.NewDecoder(bytes.NewReader(lines.Bytes())).Decode(&e); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(e.Type, " ", e.Object.Kind, " ", e.Object.Name)
	}
	got := []string{next(), next(), next()}
	slices.Sort(got)
	do := func(method, path, body string) {
		if code, answer := ask(p, method, path, body); code >= 300 {
			t.Fatalf("%s %s: %d %s", method, path, code, answer)
		}
		got = append(got, next())
	}
	do("POST", own, clone("site", "shop", "v1"))
	put(t, p, get[porchapi.PackageRevisionResources](t, p, files+draft))
	got = append(got, next())
	do("PATCH", own+"/"+draft, `{"metadata":{"labels":{"a":"b"}}}`)
	p.Publish("other", "blueprints", "shop", "v1", nil)
	do("DELETE", own+"/"+draft, "")
	want := []string{
		"ADDED PackageRevision blueprints.apps.web.v1", "ADDED PackageRevision blueprints.web.v1", "ADDED PackageRevision " +
			draft,
		"ADDED PackageRevision site.shop.v1", "ADDED PackageRevision " + draft, "MODIFIED PackageRevision " + draft,
		"DELETED PackageRevision " + draft,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// TestWork checks that Porch does one call at a time in a Repository with the CR cache, several with the DB cache, and
// calls in other Repositories meanwhile.
func TestWork(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		cache    stack.Cache
		requests []string
		want     time.Duration
	}{
		"one Repository":               {stack.CRCache, []string{files + "a.x.v1", files + "a.y.v1"}, 4 * time.Second},
		"one Repository of a database": {stack.DBCache, []string{files + "a.x.v1", files + "a.y.v1"}, 2 * time.Second},
		"two Repositories":             {stack.CRCache, []string{files + "a.x.v1", files + "b.x.v1"}, 2 * time.Second},
		"a list of one Repository": {stack.CRCache,
			[]string{files + "a.x.v1", own + "?fieldSelector=spec.repository=a"}, 4 * time.Second},
		"a list of all of them":       {stack.CRCache, []string{files + "a.x.v1", all}, 2 * time.Second},
		"one call that is not Porchs": {stack.CRCache, []string{root}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := NewPorch(Latencies{Read: 2 * time.Second}, c.cache)
				for _, repo := range []string{"a", "b"} {
					p.Publish("fleet", repo, "x", "v1", nil)
					p.Publish("fleet", repo, "y", "v1", nil)
				}
				began := time.Now()
				codes := make(chan int)
				for _, request := range c.requests {
					go func() {
						code, _ := ask(p, "GET", request, "")
						codes <- code
					}()
				}
				for range c.requests {
					if code := <-codes; code != http.StatusOK {
						t.Errorf("code %d", code)
					}
				}
				if took := time.Since(began); took != c.want {
					t.Errorf("it took %s of the simulated time, want %s", took, c.want)
				}
			})
		})
	}
}

// TestVersions checks the version of a draft with each cache, and that the lock of a clone has a commit with both.
func TestVersions(t *testing.T) {
	t.Parallel()
	commit := regexp.MustCompile(`^[0-9a-f]{40}$`)
	for cache, version := range map[stack.Cache]*regexp.Regexp{
		stack.CRCache: commit, stack.DBCache: regexp.MustCompile(`^site\.web\.packagevariant-1\.[0-9]+$`),
	} {
		made := get[porchapi.PackageRevision](t, newPorchWith(t, cache), own+"/"+draft)
		if !version.MatchString(made.ResourceVersion) {
			t.Errorf("%s: the version is %s", cache, made.ResourceVersion)
		}
		if lock := made.Status.UpstreamLock; lock == nil || !commit.MatchString(lock.Git.Commit) {
			t.Errorf("%s: the lock is %+v", cache, lock)
		}
	}
}
