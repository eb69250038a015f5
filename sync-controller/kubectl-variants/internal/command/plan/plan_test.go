// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"slices"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/engine/plans/show"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/cli"
	"github.com/package-variants/package-variants/sync-controller/kubectl-variants/internal/world/worldtest"
	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// asPlugin is an environment variable that makes the tests' program the command, for a benchmark of its process.
const asPlugin = "TEST_AS_PLUGIN"

func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard())
	if os.Getenv(asPlugin) == "" {
		os.Exit(m.Run())
	}
	c, err := command(genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr}, os.Args[1:]...)
	if err == nil {
		err = c.Execute()
	}
	os.Exit(cli.ExitCode(err))
}

// cluster stands among the arguments of a test before the directory that has a cluster in files.
const cluster = "the cluster in"

// command returns the command with arguments.
func command(streams genericiooptions.IOStreams, args ...string) (*cobra.Command, error) {
	env := cli.New(streams)
	env.Now = func() time.Time { return time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC) }
	c := New(env)
	env.Flags.Add(c.Flags())
	if err := c.Flags().Set("kubeconfig", "testdata/kubeconfig.yaml"); err != nil {
		return nil, err
	}
	if i := slices.Index(args, cluster); i >= 0 {
		files, err := worldtest.New(args[i+1])
		if err != nil {
			return nil, err
		}
		env.Connect = func(rest.WarningHandler) (client.Client, error) { return files, nil }
		args = slices.Delete(slices.Clone(args), i, i+2)
	}
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetArgs(args)
	return c, nil
}

// run runs the command, and returns what it printed and its error.
func run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	streams, _, out, _ := genericiooptions.NewTestIOStreams()
	c, err := command(streams, args...)
	if err != nil {
		t.Fatal(err)
	}
	err = c.ExecuteContext(t.Context())
	return out.String(), err
}

// TestFormats compares the plan of a set in waves and of two variants, one of which breaks, with golden files.
func TestFormats(t *testing.T) {
	t.Parallel()
	for _, format := range show.Formats {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			got, err := run(t, "-f", "testdata/fleet", cluster, "testdata/snapshot", "--files", "-o", format)
			if got := cli.ExitCode(err); got != cli.ExitError {
				t.Errorf("exit code %d (%v), want %d", got, err, cli.ExitError)
			}
			golden(t, filepath.Join("testdata", "plan."+format), got)
		})
	}
}

// golden compares a text with a file, or writes it there.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// TestMessages checks the errors for bad input.
func TestMessages(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	old := file("old.yaml", "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariantSet\nmetadata: {name: a}\n")
	typo := file("typo.yaml", "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata: {name: a}\nspec: {nonsense: {}}\n")
	mistyped := file("mistyped.yaml", "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata: {name: a}\nspec:\n  upstraem: {}\n")
	revision := file("revision.yaml", "apiVersion: porch.kpt.dev/v1alpha1\nkind: PackageRevision\nmetadata: {name: a}\n")
	nameless := file("nameless.yaml", "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata: {generateName: mine-}\n")
	blank := file("blank.yaml", "# nothing yet\n")
	none := filepath.Dir(file("none/fleet.txt", old))
	partial := filepath.Join(dir, "partial")
	objects, err := os.ReadFile("testdata/snapshot/cluster.yaml")
	if err != nil {
		t.Fatal(err)
	}
	file("partial/cluster.yaml", string(objects))
	const snapshot, fleet = "testdata/snapshot", "testdata/fleet/variant.yaml"
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"unknown format": {[]string{"-o", "xml"}, `-o is "xml", but must be one of text, json, yaml, markdown, html`},
		"no flag": {[]string{"a.yaml", "b.yaml"},
			"manifests are named by -f: write kubectl variants plan -f a.yaml -f b.yaml"},
		"nothing to delete": {[]string{"--delete", cluster, snapshot},
			"--delete needs -f: the manifests of what is to be deleted"},
		"empty -f": {[]string{"-f", "", cluster, snapshot},
			`invalid argument "" for "-f, --filename" flag: it must name a file or a directory: is it a variable that is not set?`},
		"empty -f beside another": {[]string{"-f", fleet, "-f", "", cluster, snapshot},
			`invalid argument "" for "-f, --filename" flag: it must name a file or a directory: is it a variable that is not set?`},
		"empty --base": {[]string{"-f", fleet, "--base", ""},
			`invalid argument "" for "--base" flag: it must name a directory: is it a variable that is not set?`},
		"--base alone": {[]string{"--base", "main", cluster, snapshot},
			"--base needs -f, and no --delete: it finds the objects that -f does not have any more"},
		"--base and --delete": {[]string{"-f", fleet, "--base", "main", "--delete", cluster, snapshot},
			"--base needs -f, and no --delete: it finds the objects that -f does not have any more"},
		"no manifests": {[]string{"-f", none, cluster, snapshot}, "there are no manifests in " + none +
			": in a directory, objects are read from files that end in .yaml, .yml or .json"},
		"an empty file": {[]string{"-f", blank, cluster, snapshot}, "there are no manifests in " + blank},
		"only generateName": {[]string{"-f", nameless, cluster, snapshot}, "cannot use " + nameless + ", line 1: this PackageVariant has " +
			"metadata.generateName and no metadata.name, and a plan needs a name: an API server would make up another one each time"},
		"not there": {[]string{"-f", "nowhere.yaml", cluster, snapshot}, "there is no file or directory nowhere.yaml"},
		"another version": {[]string{"-f", old, cluster, snapshot}, old + ", line 1: PackageVariantSet a is of " +
			"config.porch.kpt.dev/v1alpha1, which is another API: write it as config.porch.kpt.dev/v1alpha2"},
		"of Porch": {[]string{"-f", revision, cluster, snapshot}, revision + ", line 1: a PackageRevision is made by Porch, and " +
			"is not planned: leave it out of -f"},
		"unknown field":  {[]string{"-f", typo, cluster, snapshot}, "cannot read " + typo + `, line 4: a PackageVariant has no field "nonsense"`},
		"mistyped field": {[]string{"-f", mistyped, cluster, snapshot}, "cannot read " + mistyped + `, line 5: a PackageVariant has no field "upstraem": did you mean "upstream"?`},
		"no contents": {[]string{"-f", fleet, cluster, partial}, "PackageVariant alone: cannot read the content of blueprints.web.v1: " +
			`packagerevisionresourceses.porch.kpt.dev "blueprints.web.v1" not found`},
		"no cluster": {[]string{"--server", "http://127.0.0.1:1"}, "cannot reach the cluster at http://127.0.0.1:1, which " +
			"refuses connections: set --context to another, or see whether it runs"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := run(t, c.args...)
			if cli.ExitCode(err) != cli.ExitError {
				t.Fatalf("error %v, which has not the exit code of one", err)
			}
			if diff := cmp.Diff(c.want, err.Error()); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
		})
	}
}

// TestStandardInput checks that -f - reads manifests from the standard input, and that errors name it.
func TestStandardInput(t *testing.T) {
	t.Parallel()
	manifest, err := os.ReadFile("testdata/fleet/variant.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ text, want string }{
		"good":  {string(manifest), cli.ErrChanges.Error()},
		"empty": {"", "there are no manifests in the standard input"},
		"wrong": {string(manifest) + "---\nkind: PackageVariant\n",
			"cannot read the standard input, line %d: it is no object: apiVersion or kind is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			streams, in, _, _ := genericiooptions.NewTestIOStreams()
			in.WriteString(c.text)
			started, err := command(streams, "-f", "-", cluster, "testdata/snapshot")
			if err != nil {
				t.Fatal(err)
			}
			want := strings.ReplaceAll(c.want, "%d", strconv.Itoa(strings.Count(string(manifest), "\n")+2))
			if diff := cmp.Diff(want, fmt.Sprint(started.ExecuteContext(t.Context()))); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

// TestWriteTo checks that --write-to writes packages as the plan leaves them.
func TestWriteTo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := run(t, "-f", "testdata/fleet/variant.yaml", cluster, "testdata/snapshot", "--write-to", dir); !errors.Is(err, cli.ErrChanges) {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "edge-1.alone.packagevariant-1", "package-context.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(got), "region: eu\n") {
		t.Errorf("the package context is:\n%s", got)
	}
}

// TestThousand plans 1,000 new variants from files in at most 300 MB of memory, as a comment on one screen, and logs
// the time.
func TestThousand(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	const variants = 1000
	var manifests bytes.Buffer
	for i := range variants {
		fmt.Fprintf(&manifests, "---\napiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata:\n  name: web-%d\nspec:\n"+
			"  upstream: {repo: blueprints, package: web, revision: 1}\n  downstream: {repo: edge-1, package: web-%d}\n"+
			"  packageContext: {data: {region: eu}}\n", i, i)
	}
	file := filepath.Join(t.TempDir(), "variants.yaml")
	if err := os.WriteFile(file, manifests.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	out, err := run(t, "-f", file, cluster, "testdata/snapshot", "--files", "-o", "markdown")
	if !errors.Is(err, cli.ErrChanges) {
		t.Fatal(err)
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	t.Logf("%d variants: %s, %d MB from the system", variants, time.Since(began).Round(time.Millisecond), memory.Sys>>20)
	if mb := memory.Sys >> 20; mb > 300 {
		t.Errorf("it took %d MB", mb)
	}
	if len(out) > 3000 {
		t.Errorf("the comment has %d bytes", len(out))
	}
	for _, want := range []string{"### Plan: 1000 create.", "`and 997 more: create, ", "Change 1 of all 1,000 packages"} {
		if !strings.Contains(out, want) {
			t.Errorf("there is no %q in:\n%s", want, out[:min(len(out), 1000)])
		}
	}
}

// TestRender checks that --render saves what kpt makes of a package, and the errors when kpt fails or is missing.
func TestRender(t *testing.T) {
	kpt := filepath.Join(t.TempDir(), "kpt")
	for name, c := range map[string]struct {
		script, file, text, message string
	}{
		"rendered": {script: "#!/bin/sh\n[ \"$1 $2\" = \"fn render\" ] && echo 'kind: Rendered' > \"$3/rendered.yaml\"\n",
			file: "rendered.yaml", text: "kind: Rendered\n"},
		"failed": {script: "#!/bin/sh\necho \"boom in $3\" >&2; exit 3\n",
			message: "PackageVariant alone: breaks: RenderFailed: nothing was saved, because the pipeline in the package's Kptfile " +
				"failed; correct the function or its config, in the upstream or in this variant: pkg.render: kpt fn render failed " +
				"(exit status 3): boom in alone"},
		"without containers": {script: "#!/bin/sh\necho \"Package: $3\"; echo 'docker must be running to use this command'; exit 1\n",
			message: "PackageVariant alone: cannot clone edge-1/alone: kpt cannot run functions (exit status 1), and what " +
				"they change is not foreseen: start docker, or what KRM_FN_RUNTIME names, or " +
				"leave out --render: Package: alone\ndocker must be running to use this command"},
		"not there": {message: "--render needs kpt, which is not there: install it (https://kpt.dev), or set KPT to its path"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("KPT", kpt)
			_ = os.Remove(kpt)
			if c.script != "" {
				if err := os.WriteFile(kpt, []byte(c.script), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			dir := t.TempDir()
			_, err := run(t, "-f", "testdata/fleet/variant.yaml", cluster, "testdata/snapshot", "--render", "--write-to", dir)
			if c.message != "" {
				if err == nil || err.Error() != c.message {
					t.Errorf("error %v, want %s", err, c.message)
				}
				return
			}
			if !errors.Is(err, cli.ErrChanges) {
				t.Fatal(err)
			}
			got, err := os.ReadFile(filepath.Join(dir, "edge-1.alone.packagevariant-1", c.file))
			if err != nil || string(got) != c.text {
				t.Errorf("%s: %q, %v, want %q", c.file, got, err, c.text)
			}
		})
	}
}
