// SPDX-License-Identifier: Apache-2.0

package forge

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/engine/markdown"
)

// MaxOpen is how many pull requests of a fleet are open in a git repository at once, unless others are asked for.
const MaxOpen = 30

// maxBody is the most bytes that are written into a body: GitHub takes 65,536 characters.
const maxBody = 60_000

// Wanted is a pull request that a fleet wants to be open.
type Wanted struct {
	// Branch is to be merged into Base.
	Branch, Base string
	// Title is one of markdown.Title, and Body is Markdown.
	Title, Body string
	// Of is what it is about: one that was closed or merged is not opened again for the same; "" for its title.
	Of string
	// Draft says that it cannot be merged yet.
	Draft bool
	// Labels and Reviewers are asked for once.
	Labels, Reviewers []string
	// Covers are branches whose changes it has: their own pull requests end with it.
	Covers []string
}

// about is what it is about.
func (w *Wanted) about() string {
	if w.Of != "" {
		return w.Of
	}
	return w.Title
}

// Did is what is done about a pull request.
type Did string

// What is done.
const (
	Opened  Did = "opened"
	Updated Did = "updated"
	Ended   Did = "closed"
)

// Call is what is to be done about a pull request.
type Call struct {
	Did Did
	// Wanted is what it is to be; nil for one that ends. Is is what is there; nil for one that is opened.
	Wanted *Wanted
	Is     *PullRequest
	// By is the one that has the changes of the one that ends; nil for none.
	By *Wanted
	change
}

// Plan says what is to be done so that the pull requests of a fleet in a git repository are as wanted, and of how many
// nothing is done because so many are open. Those that are open are given; ended returns those of a branch that are not
// any more. The fleet has those with its marker; others are of people, and stay as they are. An error is one of ended.
func Plan(fleet string, wanted []Wanted, open []PullRequest, ended func(branch string) ([]PullRequest, error),
	most int) (calls []Call, left int, err error) {
	asked, there, kept := map[ends]bool{}, map[ends]*PullRequest{}, 0
	for i := range wanted {
		asked[wanted[i].ends()] = true
	}
	var rest []Call
	for i := range open {
		p := &open[i]
		there[p.ends()] = p
		switch m := read(p.Body); {
		case m == nil || m.fleet != digest(fleet):
		case asked[p.ends()]:
			kept++
		default:
			rest = append(rest, end(p, m, wanted))
		}
	}
	for i := range wanted {
		w := &wanted[i]
		if p := there[w.ends()]; p != nil {
			calls = append(calls, w.update(fleet, p)...)
			continue
		}
		if kept >= most {
			left++
			continue
		}
		before, err := ended(w.Branch)
		if err != nil {
			return calls, left, err
		}
		if !w.isOver(fleet, before) {
			kept++
			calls = append(calls, Call{Did: Opened, Wanted: w,
				change: change{title: w.Title, body: w.marked(fleet, "", 0), draft: w.Draft}})
		}
	}
	return append(calls, rest...), left, nil
}

// ends are the branches of a pull request.
type ends struct{ branch, base string }

func (w *Wanted) ends() ends      { return ends{w.Branch, w.Base} }
func (p *PullRequest) ends() ends { return ends{p.Branch, p.Base} }

// isOver reports whether one of those that ended was about the same.
func (w *Wanted) isOver(fleet string, ended []PullRequest) bool {
	return slices.ContainsFunc(ended, func(p PullRequest) bool {
		m := read(p.Body)
		return w.ends() == p.ends() && p.State != Open && m != nil && m.fleet == digest(fleet) && m.of == digest(w.about())
	})
}

// update returns what changes an open pull request into what is wanted; nothing if it is so, or is a person's. What
// people have written around the marked text stays, and so do their title, labels, reviewers, and mark of a draft,
// until something else is asked for.
func (w *Wanted) update(fleet string, p *PullRequest) []Call {
	m := read(p.Body)
	if m == nil || m.fleet != digest(fleet) {
		return nil
	}
	text := w.marked(fleet, digest(w.asked()), len(m.before+m.after))
	c := change{title: p.Title, body: m.before + text + m.after, draft: w.Draft, marks: w.Draft != m.draft}
	if digest(p.Title) == m.title {
		c.title = w.Title
	}
	if digest(w.asked()) != m.asked {
		c.labels, c.reviewers = w.Labels, w.Reviewers
	}
	if plain(c.body) == plain(p.Body) && c.title == p.Title {
		return nil
	}
	return []Call{{Did: Updated, Wanted: w, Is: p, change: c}}
}

// asked is what is asked for once; "" for nothing.
func (w *Wanted) asked() string {
	if len(w.Labels)+len(w.Reviewers) == 0 {
		return ""
	}
	return strings.Join(w.Labels, ",") + "\n" + strings.Join(w.Reviewers, ",")
}

// end closes a pull request, which may come again: its marker forgets what it was about.
func end(p *PullRequest, m *marker, wanted []Wanted) Call {
	call := Call{Did: Ended, Is: p, change: change{title: p.Title, close: true}}
	forgets := *m
	forgets.of = ""
	call.body = m.before + forgets.String() + m.text + m.after
	if at := slices.IndexFunc(wanted, func(w Wanted) bool { return slices.Contains(w.Covers, p.Branch) }); at >= 0 {
		call.By = &wanted[at]
	}
	return call
}

// marker begins what a fleet has written into a body. It has digests only, so nothing in it means something to a forge.
type marker struct {
	// fleet is whose it is, of what it is about, title what the fleet has written there, asked which labels and
	// reviewers it has asked for; draft says that it has marked a draft.
	fleet, of, title, asked string
	draft                   bool
	// before and after are what people have written around the text.
	before, text, after string
}

var begin = regexp.MustCompile(
	`<!-- variants sync fleet=([0-9a-f]+) of=([0-9a-f]*) title=([0-9a-f]+) asked=([0-9a-f]*) draft=(true|false) -->`)

const ending = "<!-- variants sync ends -->"

// String returns the line that begins what the fleet has written.
func (m *marker) String() string {
	return fmt.Sprintf("<!-- variants sync fleet=%s of=%s title=%s asked=%s draft=%t -->", m.fleet, m.of, m.title, m.asked,
		m.draft)
}

// read returns the marker of a body; nil if it has none.
func read(body string) *marker {
	at := begin.FindStringSubmatchIndex(body)
	if at == nil {
		return nil
	}
	part := func(i int) string { return body[at[2*i]:at[2*i+1]] }
	m := &marker{fleet: part(1), of: part(2), title: part(3), asked: part(4), draft: part(5) == "true",
		before: body[:at[0]], text: body[at[1]:]}
	if end := strings.LastIndex(m.text, ending); end >= 0 {
		m.text, m.after = m.text[:end+len(ending)], m.text[end+len(ending):]
	}
	return m
}

// marked returns the body of a pull request with its marker, so short that it fits beside what people have written.
func (w *Wanted) marked(fleet, asked string, theirs int) string {
	m := marker{fleet: digest(fleet), of: digest(w.about()), title: digest(w.Title), asked: asked, draft: w.Draft}
	room := maxBody - theirs - len(m.String()) - len(ending) - len("\n\n\n\n")
	return m.String() + "\n\n" + strings.TrimSpace(markdown.Cut(w.Body, max(room, len("... (cut)")))) + "\n\n" + ending
}

// digest returns a short digest of a text; "" of none.
func digest(text string) string {
	if text == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// plain returns a body without what forges change in it.
func plain(body string) string { return strings.TrimSpace(strings.ReplaceAll(body, "\r", "")) }
