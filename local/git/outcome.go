// SPDX-License-Identifier: Apache-2.0

package git

import (
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// pushed is an update with what is known of its outcome.
type pushed struct {
	*Result
	// known says that the result is there.
	known bool
	// whole says that the server refused the push and not this ref.
	whole bool
	// same says that the ref was where it is to be, so that the server was not asked for it.
	same bool
}

// settle sets the outcome.
func (p *pushed) settle(status Status, words string) {
	p.known, p.whole, p.Status, p.Words = true, false, status, words
}

// readPush reads what a push printed of refs (git push --porcelain), and reports whether it told of each. The words are
// what git and the server said beside it.
func readPush(refs []*pushed, out, words string) bool {
	lines := map[string][2]string{}
	for line := range strings.Lines(out) {
		flag, rest, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		names, summary, okToo := strings.Cut(rest, "\t")
		if ok && okToo {
			lines[names[strings.LastIndex(names, ":")+1:]] = [2]string{flag, summary}
		}
	}
	for _, p := range refs {
		if _, told := lines[p.Ref]; !told {
			return false
		}
	}
	said := readRemote(refs, words)
	for _, p := range refs {
		flag, summary := lines[p.Ref][0], lines[p.Ref][1]
		p.same = flag == "="
		if flag != "!" {
			p.settle(Pushed, "")
			continue
		}
		words := ""
		if strings.HasPrefix(summary, byServer) {
			words = said.of(p.Ref)
		}
		p.settle(statusOf(summary, words), strings.TrimSpace(summary+words))
		p.whole = p.Status == Refused && containsAny(p.Words, wholePush)
	}
	return true
}

// byServer is how git's summary begins of a ref that the server did not take, rather than git itself.
const byServer = "[remote "

// movedHere are the reasons by which git itself says that a ref is not where it was seen: print_one_push_report of
// transport.c has them of a lease that does not hold, and push_update_ref_status of transport-helper.c of what a
// helper for another kind of server answers.
var movedHere = []string{"stale info", "fetch first", "non-fast-forward", "needs force", "already exists"}

// movedThere are the reasons by which servers say it of a ref that moved after they had listed it.
var movedThere = []string{
	"failed to update ref",     // git before 2.50, update of builtin/receive-pack.c
	"incorrect old value",      // git from 2.50 on, ref_transaction_error_msg of refs.c
	"reference already exists", // the same
	"reference does not exist", // the same
	"cannot lock ref",          // GitHub, by the words of refs/files-backend.c
	"failed to lock",           // JGit, and so Gerrit: LOCK_FAILURE in ReceivePack.java
}

// inTheWay are the reasons of refs.c and refs/files-backend.c for which a ref can never be made: a ref that has its
// name as a directory, or the other way round, and a name that the server cannot store. A person has to act.
var inTheWay = []string{"; cannot create '", "at the same time", "refname conflict", "File name too long"}

// spoiledBy are the reasons of refs that are refused because of other refs.
var spoiledBy = []string{
	"atomic push fail",            // transport.c ("failed") and builtin/receive-pack.c ("failure")
	"atomic transaction failed",   // builtin/receive-pack.c
	"transaction failed to start", // builtin/receive-pack.c
	"transaction aborted",         // JGit, ReceiveCommand.java
}

// wholePush are the reasons of a server that refuses a push as a whole: for the sake of one ref, or because there are
// too many refs, or objects that are too large.
var wholePush = []string{
	"pre-receive hook declined",      // builtin/receive-pack.c; GitLab, Gitea and Bitbucket have their rules there
	"repository rule violations",     // GitHub; with "Pushes can not update more than N branches or tags" for a number
	"unpacker error",                 // builtin/receive-pack.c: receive.maxInputSize, receive.fsckObjects, a full disk
	"remote failed to report status", // transport.c: the server has stopped in the middle
}

// statusOf returns the status that git's summary of a rejected ref, and what the server said of the ref, stand for.
func statusOf(summary, said string) Status {
	switch {
	case containsAny(summary, spoiledBy):
		return Spoiled
	case containsAny(summary+said, inTheWay):
		return Refused
	case containsAny(summary, movedThere), !strings.HasPrefix(summary, byServer) && containsAny(summary, movedHere):
		return Moved
	}
	return Refused
}

func containsAny(text string, all []string) bool {
	return slices.ContainsFunc(all, func(one string) bool { return strings.Contains(text, one) })
}

// maxWords is how much of what a server says is told.
const maxWords = 1000

// remote is what a server said during a push, each line after a comma.
type remote struct {
	all string
	// named are the lines that name a ref, by its name.
	named map[string]string
}

// readRemote reads what git prints of a server's words.
func readRemote(refs []*pushed, words string) *remote {
	names := map[string]string{}
	for _, p := range refs {
		names[p.Ref] = p.Ref
		if short := strings.TrimPrefix(p.Ref, "refs/heads/"); strings.Contains(short, "/") { // it is like no other word
			names[short] = p.Ref
		}
	}
	said := &remote{named: map[string]string{}}
	for line := range strings.Lines(words) {
		text, isRemote := strings.CutPrefix(line, "remote:")
		if text = strings.TrimSpace(text); !isRemote || text == "" || strings.HasPrefix(text, "error: hook declined") {
			continue
		}
		said.all = joined(said.all, text)
		of := map[string]bool{}
		for _, word := range strings.FieldsFunc(text, endsName) {
			if ref := names[strings.TrimRight(word, ".,;:!")]; ref != "" && !of[ref] {
				of[ref], said.named[ref] = true, joined(said.named[ref], text)
			}
		}
	}
	return said
}

// endsName reports whether a character ends the name of a ref in a sentence.
func endsName(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("'\"`()<>[]", r) }

// joined returns words with a line more, as long as there are few.
func joined(words, line string) string {
	switch {
	case len(words) >= maxWords:
		return words
	case words == "":
		return line
	}
	return words + ", " + line
}

// of returns the words about a ref, or else all of them, after a colon.
func (r *remote) of(ref string) string {
	words := r.named[ref]
	if words == "" {
		words = r.all
	}
	if words == "" {
		return ""
	}
	words = ": " + words
	return words[:min(len(words), maxWords)]
}

// about returns words about a ref as they would be about another one.
func about(words, ref, other string) string {
	return strings.NewReplacer(ref, other, url.QueryEscape(ref), url.QueryEscape(other),
		strings.TrimPrefix(ref, "refs/heads/"), strings.TrimPrefix(other, "refs/heads/")).Replace(words)
}
