// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/package-variants/package-variants/e2e/examples/walkthrough"
)

// setUp is the heading of the section of which the demo does the work in its own way.
const setUp = "Set up"

// shell runs commands.
type shell interface {
	Run(command string) (walkthrough.Result, error)
}

// run does what the README of the example says, in a temporary copy, and writes it to the page.
func run(ctx context.Context, p *page, keep bool) error {
	temp, err := os.MkdirTemp("", "package-variants-demo-")
	if err != nil {
		return err
	}
	err = runIn(ctx, p, temp)
	if ctx.Err() != nil {
		err = errors.New("interrupted") // what was killed in the middle has nothing more to say
	}
	if keep {
		fmt.Fprintln(p.out, "The directory is kept:", temp)
		return err
	}
	return errors.Join(err, os.RemoveAll(temp))
}

func runIn(ctx context.Context, p *page, temp string) error {
	w, err := prepare(ctx, temp)
	if err != nil {
		return err
	}
	s, err := walkthrough.Start(ctx, w.dir, w.env)
	if err != nil {
		return err
	}
	return errors.Join(tour(w.readme, p, s), s.Close())
}

// tour writes a README to the page, and runs its commands.
func tour(doc *walkthrough.Document, p *page, s shell) error {
	p.title(doc.Title)
	for _, section := range doc.Sections {
		if section.Heading == setUp {
			continue
		}
		if section.Heading != "" {
			p.heading(section.Heading)
		}
		for _, part := range section.Parts {
			switch part.Lang {
			case walkthrough.Prose:
				p.prose(part.Text, exampleDir)
			case walkthrough.Commands:
				if err := step(part, p, s); err != nil {
					return fmt.Errorf("%s\n%w", section.Heading, err)
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
func step(block *walkthrough.Part, p *page, s shell) error {
	for _, command := range block.List() {
		p.command(command)
		r, err := s.Run(command)
		if err != nil {
			return err
		}
		p.output(r)
	}
	p.end()
	return nil
}
