// SPDX-License-Identifier: Apache-2.0

package git

import (
	"context"
	"errors"
	"math"
	"slices"
)

// stubborn is how many refs in a row a server refuses, each in a push of its own and for the same reason, before the
// refs after them are expected to be refused, too.
const stubborn = 3

// splitter pushes refs in parts, for servers that refuse a push as a whole: for the sake of one ref, or because it is
// too large. Halves are pushed until the server takes them. How many refs it takes is remembered in the repository.
type splitter struct {
	r *Repository
	// answered says that the server has answered a push, dropped is the error of one that it did not.
	answered bool
	dropped  error
	// refused is the last ref that was refused in a push of its own, reason is why, and row how many were for that reason,
	// one after the other.
	refused *pushed
	reason  string
	row     int
}

// push pushes a part.
func (s *splitter) push(ctx context.Context, part []*pushed) error {
	switch most := s.r.takes(); {
	case len(part) == 0:
		return nil
	case len(part) > 1 && s.row >= stubborn:
		return s.probe(ctx, part)
	case len(part) > most:
		return s.pushAll(ctx, slices.Collect(slices.Chunk(part, most))...)
	}
	again, err := s.try(ctx, part)
	if err != nil || len(part) == 1 {
		return err
	}
	half := (len(again) + 1) / 2
	if err := s.pushAll(ctx, again[:half], again[half:]); err != nil {
		return err
	}
	isRefused := func(p *pushed) bool { return p.whole }
	if half > 0 && len(again) == len(part) && !slices.ContainsFunc(again, isRefused) {
		s.r.take(half) // it was the size, and not one of them
	}
	return nil
}

// pushAll pushes parts, one after the other.
func (s *splitter) pushAll(ctx context.Context, all ...[]*pushed) error {
	for _, part := range all {
		if err := s.push(ctx, part); err != nil {
			return err
		}
	}
	return nil
}

// try pushes a part at once, and returns the refs that may be taken in smaller parts: of these, nothing is known yet.
func (s *splitter) try(ctx context.Context, part []*pushed) (again []*pushed, err error) {
	err = s.r.push(ctx, part)
	switch said, ok := errors.AsType[*Error](err); {
	case err == nil:
		s.answered = true
	case !ok || !wasDropped(said.Words):
		return nil, err
	default:
		s.dropped = err
		for _, p := range part {
			p.settle(Refused, said.Words)
			p.whole, p.known = true, false
		}
	}
	each := false // the server refuses refs each for itself
	for _, p := range part {
		each = each || p.Status == Pushed && !p.same || p.Status == Refused && !p.whole
		if p.whole {
			again = append(again, p)
		}
	}
	switch {
	case len(again) == 0, each:
		s.row = 0
		return nil, nil
	case len(part) == 1:
		return again, s.count(part[0])
	}
	for _, p := range again {
		p.known = false
	}
	return again, nil
}

// count counts a ref that was refused in a push of its own. It returns the error of a server that answers none.
func (s *splitter) count(p *pushed) error {
	reason := about(p.Words, p.Ref, "refs/heads/*")
	if reason != s.reason {
		s.reason, s.row = reason, 0
	}
	s.refused = p
	if s.row++; s.row >= stubborn {
		return s.failed()
	}
	return nil
}

// probe pushes two refs of a part of which the server is expected to refuse each: the last one, and one in the middle.
// If it refuses both, the others are not pushed.
func (s *splitter) probe(ctx context.Context, part []*pushed) error {
	last, middle := len(part)-1, (len(part)-1)/2
	rest := part[:last]
	_, err := s.try(ctx, part[last:])
	if err == nil && s.row >= stubborn && middle < last {
		rest = slices.Concat(part[:middle], part[middle+1:last])
		_, err = s.try(ctx, part[middle:middle+1])
	}
	if err != nil {
		return err
	}
	if s.row < stubborn {
		return s.push(ctx, rest)
	}
	for _, p := range rest {
		p.settle(Refused, about(s.refused.Words, s.refused.Ref, p.Ref))
		p.whole = true
	}
	return nil
}

// failed returns the error of a server that has answered no push.
func (s *splitter) failed() error {
	if s.answered {
		return nil
	}
	return s.dropped
}

// drops are git's words for a server that has stopped in the middle of a push, because it is too large (in GitHub, for
// one, "maximum ref updates exceeded") or takes too long: connect.c, sideband.c, pkt-line.c, remote-curl.c.
var drops = []string{"hung up unexpectedly", "unexpected disconnect", "RPC failed", "early EOF", "Broken pipe",
	"Connection reset"}

// denied are those for a user who may not push, whatever it is.
var denied = []string{"HTTP 401", "HTTP 403", "HTTP 404"}

// wasDropped reports whether words say that a server has stopped in the middle of a push.
func wasDropped(words string) bool { return containsAny(words, drops) && !containsAny(words, denied) }

// takes returns how many refs the server takes in one push, as far as that is known.
func (r *Repository) takes() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.most == 0 {
		return math.MaxInt
	}
	return r.most
}

// take remembers how many refs the server takes in one push.
func (r *Repository) take(most int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.most == 0 || most < r.most {
		r.most = most
	}
}
