// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/package-variants/package-variants/e2e/examples/walkthrough"
)

// setUp is the heading of the section whose commands the demo does not show.
const setUp = "Set up"

// options are what the demo can be told.
type options struct {
	// printed, if set, is called with what each block of commands printed.
	printed func(c *chapter, section *walkthrough.Section, i int, results []walkthrough.Result)
}

// shell runs commands.
type shell interface {
	Run(command string) (walkthrough.Result, error)
}

// run does what the READMEs of the examples say, in a temporary directory, and writes it to the page. When it returns,
// all that it started has ended. If something fails in the cluster, the logs are kept, and the error says where.
func run(ctx context.Context, p *page, o options) error {
	began := time.Now()
	temp, err := os.MkdirTemp("", "package-variants-demo-")
	if err != nil {
		return err
	}
	err = runIn(ctx, p, o, temp)
	if errors.Is(context.Cause(ctx), context.Canceled) {
		err = errors.New("interrupted") // what was killed in the middle has nothing more to say
		err = errors.Join(err, os.RemoveAll(filepath.Join(temp, logs)))
	}
	if err == nil {
		p.prose(fmt.Sprintf("That took %.0f seconds. All that was started has ended.", time.Since(began).Seconds()), "")
	}
	if _, lost := os.Stat(filepath.Join(temp, logs)); err != nil && lost == nil {
		return errors.Join(fmt.Errorf("%w\nThe logs of the controller, Porch and the others are in %s", err,
			filepath.Join(temp, logs)),
			os.RemoveAll(filepath.Join(temp, home)))
	}
	return errors.Join(err, os.RemoveAll(temp))
}

// runIn does what run says, in a directory that exists.
func runIn(ctx context.Context, p *page, o options, temp string) error {
	w, err := prepare(temp)
	if err != nil {
		return err
	}
	if err := w.chapters[0].open(p, o); err != nil {
		return err
	}
	c, err := startCluster(ctx, p, w)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go c.watch(ctx, cancel)
	err = w.follow(ctx, p, o)
	return errors.Join(err, c.stop(err != nil))
}

// open writes the title of an example, and what it is about.
func (c *chapter) open(p *page, o options) error {
	p.title(c.readme.Title)
	return c.tour(c.readme.Sections[:1], p, nil, o)
}

// follow sets each example up and does what its sections say. The first is open already.
func (w *workplace) follow(ctx context.Context, p *page, o options) error {
	for i, c := range w.chapters {
		if i > 0 {
			if err := c.open(p, o); err != nil {
				return err
			}
		}
		s, err := w.shell(ctx, c.readme)
		if err != nil {
			return err
		}
		err = c.tour(c.readme.Sections[1:], p, s, o)
		if err := errors.Join(err, s.Close()); err != nil {
			return err
		}
	}
	return nil
}

// tour writes sections of the README to the page, and runs their commands.
func (c *chapter) tour(sections []*walkthrough.Section, p *page, s shell, o options) error {
	for _, section := range sections {
		if section.Heading == setUp {
			continue
		}
		if section.Heading != "" {
			p.heading(section.Heading)
		}
		for i, part := range section.Parts {
			switch part.Lang {
			case walkthrough.Prose:
				p.prose(part.Text, c.dir)
			case walkthrough.Commands:
				results, err := step(part, p, s)
				if err != nil {
					return fmt.Errorf("%s\n%w", section.Heading, err)
				}
				if o.printed != nil {
					o.printed(c, section, i, results)
				}
			case walkthrough.Console, walkthrough.Diff: // what is printed now stands in their place
			default:
				p.quote(part.Text)
			}
		}
	}
	return nil
}

// step runs the commands of a block.
func step(block *walkthrough.Part, p *page, s shell) ([]walkthrough.Result, error) {
	var results []walkthrough.Result
	for _, command := range block.List() {
		p.command(command)
		r, err := s.Run(command)
		if err != nil {
			return nil, err
		}
		p.output(r)
		results = append(results, r)
	}
	p.end()
	return results, nil
}
