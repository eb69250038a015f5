// SPDX-License-Identifier: Apache-2.0

package forge_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/local/forge"
	"github.com/package-variants/package-variants/local/forge/forgetest"
)

// world is a forge with a repository.
type world struct {
	*testing.T
	*forgetest.Forge
}

// onEach runs a test on each kind of forge.
func onEach(t *testing.T, test func(w *world)) {
	t.Helper()
	for _, kind := range []forge.Kind{forge.GitHub, forge.GitLab, forge.Gitea} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			test(&world{t, forgetest.New(t, kind)})
		})
	}
}

// repository returns the repository as a sync finds it.
func (w *world) repository() *forge.Repository {
	w.Helper()
	f, err := forge.Find(w.Context(), "ssh://git@git.example.com:2222/acme/fleet.git", w.Setting(), w.Env)
	if err != nil {
		w.Fatal(err)
	}
	r, err := f.Repository("https://git.example.com/acme/fleet.git")
	if err != nil {
		w.Fatal(err)
	}
	return r
}

// sync syncs, and expects how often it writes, and the pull requests after that.
func (w *world) sync(what string, wanted []forge.Wanted, writes int, want ...string) *forge.Result {
	w.Helper()
	result := w.repository().Sync(w.Context(), "fleet", wanted, nil, 2)
	if got := w.Writes(); len(result.Refused) > 0 || len(got) != writes {
		w.Errorf("%s: %v, want %d writes: %q", what, result.Refused, writes, got)
	}
	var all []string
	for _, p := range w.Pulls() {
		line := fmt.Sprintf("%d %s %s", p.Number, p.State, p.Title)
		for _, c := range p.Comments {
			line += ": " + c.Text
		}
		all = append(all, line)
	}
	if diff := cmp.Diff(want, all); diff != "" {
		w.Errorf("%s (-want +got):\n%s", what, diff)
	}
	return result
}

// TestLife is the life of pull requests.
func TestLife(t *testing.T) {
	t.Parallel()
	onEach(t, func(w *world) {
		w.PageSize = 1
		prefix := map[forge.Kind]string{forge.GitLab: "Draft: ", forge.Gitea: "WIP: "}[w.Kind]
		a := forge.Wanted{Branch: "drafts/a/v1", Base: "main", Title: "a: v1", Body: "Merge it."}
		b := forge.Wanted{Branch: "drafts/b/v1", Base: "main", Title: "b: v1", Body: "Merge it.", Draft: true}
		more := forge.Wanted{Branch: "drafts/c/v1", Base: "main", Title: "c: v1"}
		w.Add(forgetest.Pull{Repository: "acme/fleet", Branch: a.Branch, Base: "main", Title: "Of a stranger", Fork: true})
		result := w.sync("opened", []forge.Wanted{a, b, more}, 2, "1 open Of a stranger", "2 open a: v1", "3 open "+prefix+"b: v1")
		if diff := cmp.Diff(&forge.Result{Done: []forge.Outcome{{Did: forge.Opened, Number: 2, Branch: a.Branch, Title: a.Title},
			{Did: forge.Opened, Number: 3, Branch: b.Branch, Title: b.Title}}, Left: 1,
			Numbers: map[string]int{a.Branch: 2, b.Branch: 3}}, result); diff != "" {
			w.Errorf("result (-want +got):\n%s", diff)
		}
		w.sync("again", []forge.Wanted{a, b}, 0, "1 open Of a stranger", "2 open a: v1", "3 open "+prefix+"b: v1")
		a.Title, b.Draft = "a: v2", false
		writes := map[forge.Kind]int{forge.GitHub: 3}[w.Kind] // a draft is one by a call of its own
		w.sync("changed", []forge.Wanted{a, b}, max(writes, 2), "1 open Of a stranger", "2 open a: v2", "3 open b: v1")
		w.Change(2, func(p *forgetest.Pull) { p.State = forge.Closed })
		w.Change(3, func(p *forgetest.Pull) { p.State = forge.Merged })
		ended := []string{"1 open Of a stranger", "2 closed a: v2", "3 merged b: v1"}
		w.sync("ended by people", []forge.Wanted{a, b}, 0, ended...)
		a.Title = "a: v3"
		w.sync("asked for anew", []forge.Wanted{a}, 1, append(ended, "4 open a: v3")...)
		all := forge.Wanted{Branch: "reviews/all", Base: "main", Title: "All", Covers: []string{a.Branch}}
		number := map[forge.Kind]string{forge.GitLab: "!5"}[w.Kind]
		if number == "" {
			number = "#5"
		}
		w.sync("in a review", []forge.Wanted{all}, 3, append(ended, "4 closed a: v3: It is reviewed in "+number+", with others.",
			"5 open All")...)
		w.sync("in none any more", []forge.Wanted{a}, 3, append(ended, "4 closed a: v3: It is reviewed in "+number+", with others.",
			"5 closed All: No variant asks for this branch any more.", "7 open a: v3")...)
	})
}

// TestAsked asks for labels and reviewers once, and again if that was refused.
func TestAsked(t *testing.T) {
	t.Parallel()
	onEach(t, func(w *world) {
		a := forge.Wanted{Branch: "drafts/a/v1", Base: "main", Title: "a: v1", Labels: []string{"fleet", "x"}, Reviewers: []string{"ada", "acme/sites"}}
		if w.Kind == forge.GitLab {
			a.Reviewers = []string{"ada", "berta"}
		}
		w.Refuse = func(_, path string) (int, string) {
			if strings.HasSuffix(path, "/requested_reviewers") || path == "users" {
				return http.StatusUnprocessableEntity, "no such reviewer"
			}
			return 0, ""
		}
		for range 2 {
			result := w.repository().Sync(w.Context(), "fleet", []forge.Wanted{a}, nil, 2)
			if len(result.Refused) != 1 || !strings.Contains(result.Refused[0].Error(), ": 422 Unprocessable Entity: no such reviewer") {
				w.Error(result.Refused)
			}
		}
		w.Refuse = nil
		w.Change(1, func(p *forgetest.Pull) { p.Labels = nil })
		w.repository().Sync(w.Context(), "fleet", []forge.Wanted{a}, nil, 2)
		got := w.Pulls()[0]
		want := map[forge.Kind][]string{forge.GitLab: {"3", "5"}}[w.Kind]
		if want == nil {
			want = []string{"ada", "sites"}
		}
		if diff := cmp.Diff([][]string{{"fleet", "x"}, want}, [][]string{got.Labels, got.Reviewers}); diff != "" {
			w.Errorf("(-want +got):\n%s", diff)
		}
		w.Writes()
		w.sync("again", []forge.Wanted{a}, 0, "1 open a: v1")
	})
}

// TestComment keeps one comment on the pull request of a job, beside one of a stranger who has copied it.
func TestComment(t *testing.T) {
	t.Parallel()
	onEach(t, func(w *world) {
		w.Add(forgetest.Pull{Repository: "acme/fleet", Branch: "x"})
		env := map[string]string{"GITHUB_ACTIONS": "true", "GITHUB_SERVER_URL": w.URL, "GITHUB_REPOSITORY": "acme/fleet",
			"GITHUB_REF": "refs/pull/1/merge"}
		switch w.Kind {
		case forge.Gitea:
			env["GITEA_ACTIONS"], env["GITHUB_TOKEN"] = "true", forgetest.Token
		case forge.GitLab:
			env = map[string]string{"CI_SERVER_URL": w.URL, "CI_PROJECT_PATH": "stranger/fleet",
				"CI_MERGE_REQUEST_PROJECT_PATH": "acme/fleet", "CI_MERGE_REQUEST_IID": "1"}
		}
		comment := func(subject, text string) {
			w.Helper()
			job, err := forge.JobOf(func(name string) string {
				if env[name] != "" {
					return env[name]
				}
				return w.Env(name)
			})
			if err == nil {
				err = job.Comment(w.Context(), subject, text)
			}
			if err != nil {
				w.Fatal(err)
			}
		}
		comment("fleet", "One")
		w.Change(1, func(p *forgetest.Pull) {
			p.Comments = append([]forgetest.Comment{{ID: 99, By: "stranger", Text: p.Comments[0].Text}}, p.Comments...)
		})
		comment("fleet", "Two")
		comment("other", "Three")
		w.Writes()
		comment("fleet", "Two")
		if writes := w.Writes(); writes != nil {
			w.Error(writes)
		}
		var got []string
		for _, c := range w.Pulls()[0].Comments {
			first, _, _ := strings.Cut(c.Text, "\n")
			got = append(got, first)
		}
		if diff := cmp.Diff([]string{"One", "Two", "Three"}, got); diff != "" {
			w.Errorf("(-want +got):\n%s", diff)
		}
	})
	none := func(string) string { return "" }
	if _, err := forge.JobOf(none); err == nil || !strings.Contains(err.Error(), "no job of a pull request") {
		t.Error(err)
	}
}

// TestFound finds a forge by its host, by what is said of it, by the job that runs, and by what it answers.
func TestFound(t *testing.T) {
	t.Parallel()
	onEach(t, func(w *world) {
		host := strings.TrimPrefix(w.URL, "http://")
		for what, tt := range map[string]struct{ address, setting, page string }{
			"asked":              {w.URL + "/acme/fleet.git", "", ""},
			"said":               {w.URL + "/acme/fleet", string(w.Kind), ""},
			"with its pages":     {"git@other.example.com:acme/fleet.git", w.Setting(), ""},
			"of the job, by ssh": {"ssh://git@127.0.0.1:22/acme/fleet.git", "", w.URL},
		} {
			env := func(name string) string {
				switch {
				case name == "GITHUB_ACTIONS" && w.Kind != forge.GitLab && tt.page != "",
					name == "GITEA_ACTIONS" && w.Kind == forge.Gitea && tt.page != "":
					return "true"
				case name == "CI_SERVER_URL" && w.Kind == forge.GitLab, name == "GITHUB_SERVER_URL" && w.Kind != forge.GitLab:
					return tt.page
				}
				return w.Env(name)
			}
			f, err := forge.Find(w.Context(), tt.address, tt.setting, env)
			if err != nil {
				w.Errorf("%s: %v", what, err)
				continue
			}
			r, err := f.Repository(tt.address)
			if err == nil {
				_, err = r.Open(w.Context())
			}
			if err != nil {
				w.Errorf("%s: %v", what, err)
			}
		}
		_, err := forge.Find(w.Context(), w.URL+"/acme/fleet", "", func(string) string { return "" })
		name := map[forge.Kind]string{forge.GitHub: "GITHUB_TOKEN", forge.GitLab: "GITLAB_TOKEN", forge.Gitea: "GITEA_TOKEN"}[w.Kind]
		if want := "there is no token for " + host + ": set " + name; err == nil || err.Error() != want {
			w.Errorf("%v, want %s", err, want)
		}
	})
}

// TestNotFound has what is no forge, or not the fleet's.
func TestNotFound(t *testing.T) {
	t.Parallel()
	silent := httptest.NewServer(http.NotFoundHandler())
	defer silent.Close()
	env := func(string) string { return forgetest.Token }
	for address, want := range map[string]string{
		"/srv/fleet.git":         "/srv/fleet.git is on no forge",
		silent.URL + "/acme/web": silent.Listener.Addr().String() + " does not say which forge it is: name it by --forge",
	} {
		if _, err := forge.Find(t.Context(), address, "", env); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	f, err := forge.Find(t.Context(), "https://github.com/acme/fleet", "", env)
	if err != nil {
		t.Fatal(err)
	}
	const elsewhere = " is not on github.com, which has the fleet's own git repository, and for which the token is"
	for address, want := range map[string]string{
		"https://user:secret@gitlab.com/acme/fleet": "https://gitlab.com/acme/fleet" + elsewhere,
		"/srv/fleet.git":                      "/srv/fleet.git" + elsewhere,
		"https://github.com:8443/acme/fleet":  "https://github.com:8443/acme/fleet" + elsewhere,
		"https://github.com/acme":             "https://github.com/acme is no repository of github: its path is not OWNER/NAME",
		"https://github.com/acme/../x":        "https://github.com/acme/../x is no repository of github: its path is not OWNER/NAME",
		"https://github.com/acme/%2e%2e":      "https://github.com/acme/%2e%2e is no repository of github: its path is not OWNER/NAME",
		"https://github.com/acme/fleet.git":   "",
		"git@github.com:acme/fleet.git":       "",
		"ssh://git@github.com:22/acme/fleet/": "",
	} {
		_, err := f.Repository(address)
		if got := fmt.Sprint(err); want == "" && err != nil || want != "" && got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
	for setting, want := range map[string]string{"": "<nil>", "gitea": "<nil>", "gitlab=https://git.example.com/root": "<nil>",
		"svn":                  `--forge "svn" is none of github, gitlab and gitea, with =URL if its pages are elsewhere than the git repositories`,
		"gitlab=https://a:b@c": "--forge: the URL of a forge is that of its start page, such as https://git.example.com",
	} {
		if got := fmt.Sprint(forge.CheckSetting(setting)); got != want {
			t.Errorf("%s: %s, want %s", setting, got, want)
		}
	}
}

// TestToken has a forge that redirects elsewhere: no token goes there, and neither does what is written.
func TestToken(t *testing.T) {
	t.Parallel()
	var seen []string
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Method+" "+r.Header.Get("Authorization"))
	}))
	defer elsewhere.Close()
	moved := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL+r.URL.Path, http.StatusTemporaryRedirect)
	}))
	defer moved.Close()
	f, err := forge.Find(t.Context(), moved.URL+"/acme/fleet", "gitea", func(string) string { return forgetest.Token })
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Repository(moved.URL + "/acme/fleet")
	if err != nil {
		t.Fatal(err)
	}
	want := "GET " + moved.URL + "/api/v1/repos/acme/fleet/pulls: 307 Temporary Redirect"
	if result := r.Sync(context.Background(), "fleet", nil, nil, 1); len(result.Refused) != 1 || result.Refused[0].Error() != want || seen != nil {
		t.Errorf("%v %q", result.Refused, seen)
	}
}
