// SPDX-License-Identifier: Apache-2.0

// Package browser opens pages in a headless Chromium, as people see them.
package browser

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/package-variants/package-variants/e2e/internal/skipped"
)

// names are the names of the Chromium binary.
var names = []string{"chromium", "chromium-browser", "google-chrome"}

// patience is the time limit for a test's page.
const patience = 2 * time.Minute

// Page is an open page.
type Page struct {
	t   *testing.T
	ctx context.Context //nolint:containedctx // it is the page, to chromedp

	mu               sync.Mutex
	requests, errors []string
}

// report reports skipped tests, once.
var report = sync.OnceValue(func() error {
	return skipped.Report("the tests that look at pages",
		errors.New("there is no Chromium (on Debian, apt-get install chromium)"))
})

// Open opens a file in a window of the given width, in light or dark mode. Without Chromium it skips and reports the
// test, or fails it if the environment has REQUIRE_CHROMIUM.
func Open(t *testing.T, file string, width int64, dark bool) *Page {
	t.Helper()
	found := slices.IndexFunc(names, func(name string) bool { _, err := exec.LookPath(name); return err == nil })
	if found < 0 {
		if os.Getenv("REQUIRE_CHROMIUM") != "" {
			t.Fatal("there is no Chromium, and REQUIRE_CHROMIUM is set")
		}
		if err := report(); err != nil {
			t.Fatal(err)
		}
		t.Skip("there is no Chromium")
	}
	file, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	profile, err := os.MkdirTemp("", "browser")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(names[found]),
		chromedp.NoSandbox, chromedp.Flag("disable-dev-shm-usage", true), chromedp.UserDataDir(profile))
	ctx, end := chromedp.NewExecAllocator(ctx, options...)
	ctx, shut := chromedp.NewContext(ctx)
	t.Cleanup(func() {
		_ = chromedp.Cancel(ctx) // it waits until the browser has ended
		shut()
		end()
		cancel()
		remove(t, profile)
	})
	p := &Page{t: t, ctx: ctx}
	chromedp.ListenTarget(ctx, p.note)
	scheme := map[bool]string{false: "light", true: "dark"}[dark]
	p.Do(network.Enable(), runtime.Enable(), log.Enable(), chromedp.EmulateViewport(width, 1000),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}),
		chromedp.Navigate("file://"+filepath.ToSlash(file)))
	return p
}

// remove removes the profile of a browser that has ended. Its child processes may still be writing to the profile.
func remove(t *testing.T, profile string) {
	var err error
	for range 100 {
		if err = os.RemoveAll(profile); err == nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("cannot remove the browser's profile: %v", err)
}

// note records the page's requests and errors.
func (p *Page) note(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, e.Request.URL)
	case *runtime.EventExceptionThrown:
		p.errors = append(p.errors, e.ExceptionDetails.Error())
	case *runtime.EventConsoleAPICalled:
		p.errors = append(p.errors, "console: "+string(e.Type))
	case *log.EventEntryAdded:
		p.errors = append(p.errors, e.Entry.Text)
	}
}

// Requests returns the addresses that the page has requested.
func (p *Page) Requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.requests)
}

// Errors returns what went wrong in the page.
func (p *Page) Errors() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.errors)
}

// Do performs a user's actions: click, type, look.
func (p *Page) Do(actions ...chromedp.Action) {
	p.t.Helper()
	if err := chromedp.Run(p.ctx, actions...); err != nil {
		p.t.Fatal(err)
	}
}

// Eval returns the value of an expression in the page, decoded from JSON.
func Eval[T any](p *Page, expression string) T {
	p.t.Helper()
	var out T
	p.Do(chromedp.Evaluate(expression, &out))
	return out
}

// Picture saves a picture of the whole page to a file in the directory that the environment names as PICTURES, if it
// does.
func (p *Page) Picture(name string) {
	p.t.Helper()
	dir := os.Getenv("PICTURES")
	if dir == "" {
		return
	}
	var png []byte
	p.Do(chromedp.FullScreenshot(&png, 100))
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o600); err != nil {
		p.t.Fatal(err)
	}
}
