// SPDX-License-Identifier: Apache-2.0

package images

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/package-variants/package-variants/e2e/internal/podman"
	"github.com/package-variants/package-variants/e2e/internal/process"
	"github.com/package-variants/package-variants/e2e/internal/skipped"
	"github.com/package-variants/package-variants/local/fleet/fleettest"
)

var containers podman.Shared

func TestMain(m *testing.M) { os.Exit(containers.Close(m.Run())) }

// forCI is the image for CI jobs, which has variants.
const forCI = "variants"

// debian makes an image of Debian, since none can be pulled here, and returns its name. It skips the test where it
// cannot, unless the environment has REQUIRE_CONTAINERS.
func debian(t *testing.T, r *podman.Runtime) string {
	t.Helper()
	_, err := exec.LookPath("debootstrap")
	if err == nil && os.Geteuid() != 0 {
		err = errors.New("debootstrap needs to run as root")
	}
	if err != nil && os.Getenv("REQUIRE_CONTAINERS") == "" {
		t.Skip(errors.Join(err, skipped.Report("the test of the image for CI jobs", err)))
	}
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	root, archive := filepath.Join(dir, "root"), filepath.Join(dir, "root.tar")
	for _, command := range [][]string{{"debootstrap", "--variant=minbase", "trixie", root},
		{"tar", "--create", "--one-file-system", "--file", archive, "--directory", root, "."}} {
		if out, err := exec.CommandContext(t.Context(), command[0], command[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", command, err, out)
		}
	}
	const base = "localhost/debian:trixie"
	if _, err := r.Podman(nil, "import", "--quiet", archive, base); err != nil {
		t.Fatal(err)
	}
	return base
}

// built has hack/ci-image.sh build the image, with podman because no docker is running, and returns its name.
func built(t *testing.T, r *podman.Runtime, base string) string {
	t.Helper()
	path, noted := fakes(t, "docker")
	docker := filepath.Join(strings.Split(path, ":")[0], "docker")
	if err := os.WriteFile(docker, []byte("#!/bin/sh\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(root, "hack", "ci-image.sh"), os.Getenv("CI_PROGRAMS"),
		"--build-arg", "BASE="+base, "--network", "host", "--http-proxy=false",
		"--layers=false") // each would be a whole file system in this podman's storage
	cmd.Env = append(append(os.Environ(), r.Env()...), "PATH="+path)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s%s", err, out, noted())
	}
	return made(t).Ref(forCI)
}

// dockerAPI has podman answer as docker does, and returns what DOCKER_HOST is to be.
func dockerAPI(t *testing.T, r *podman.Runtime) string {
	t.Helper()
	var port int
	if err := process.FreePorts(&port); err != nil {
		t.Fatal(err)
	}
	address := process.Local(port)
	p, err := process.Start(t.TempDir(), "podman", "podman", r.Env(), "system", "service", "--time=0", "tcp://"+address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	err = p.Await(t.Context(), "it answers", func(ctx context.Context) error {
		return process.Answers(ctx, http.DefaultClient, "http://"+address+"/_ping")
	})
	if err != nil {
		t.Fatal(err)
	}
	return "tcp://" + address
}

// TestImageForCI builds the image for CI jobs on a Debian, and syncs a fleet in it, in a clone that belongs to another
// user, as its own user, as root and as a user that only the CI system knows. Pipelines run by image.
func TestImageForCI(t *testing.T) {
	r := containers.Get(t)
	image := built(t, r, debian(t, r))
	checkCIConfig(t, r, image)
	w := fleettest.New(t, fleettest.Web+"  pipeline: {mutators: [{name: context, image: "+
		made(t).Ref("apply-package-context")+", configMap: {rendered: \"true\"}}]}\n")
	w.Remote.Git("config", "core.sharedRepository", "0777")
	host := dockerAPI(t, r)
	run := func(user, command string) string {
		t.Helper()
		if out, err := exec.CommandContext(t.Context(), "chmod", "-R", "a+rwX", w.Remote.Dir, w.People.Dir).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		args := []string{"run", "--rm", "--network=host", "--env=DOCKER_HOST=" + host, "--workdir=" + w.People.Dir}
		for _, dir := range []string{w.Remote.Dir, w.People.Dir} {
			args = append(args, "--volume="+dir+":"+dir)
		}
		for _, role := range []string{"AUTHOR", "COMMITTER"} {
			args = append(args, "--env=GIT_"+role+"_NAME=fleet", "--env=GIT_"+role+"_EMAIL=fleet@example.com")
		}
		if user != "" {
			args = append(args, "--user="+user)
		}
		out, err := r.Podman(nil, append(args, image, "bash", "-ec", command)...)
		if err != nil {
			t.Fatalf("as %q: %v\n%s", user, err, out)
		}
		return out
	}
	// kpt gives docker five seconds to answer, which is not enough on every machine: then the sync is to be run again.
	const sync = "git config --global credential.helper store; for try in $(seq 20); do variants sync fleet --render && exit; done; exit 1"
	draft := func(number int, size string) {
		t.Helper()
		branch := fmt.Sprintf("drafts/edge/web/packagevariant-%d", number)
		for file, want := range map[string]string{"settings.yaml": "\n  size: " + size, "package-context.yaml": "\n  rendered: \"true\""} {
			if got := w.Remote.Git("show", branch+":edge/web/"+file); !strings.Contains(got, want) {
				t.Errorf("%s of %s has no %q:\n%s", file, branch, want, got)
			}
		}
	}
	run("", sync)
	draft(1, "small")
	before := w.Remote.Refs()
	run("0", sync)
	w.Equal("at rest", before, w.Remote.Refs())
	w.Merge("drafts/edge/web/packagevariant-1")
	w.Push("main", "Write version 2", map[string]string{"blueprints/web/settings.yaml": fleettest.Settings("large")},
		"HEAD:refs/tags/blueprints/web/v2")
	run("12345:0", sync)
	draft(2, "large")
	said := run("12345:0", "variants --version; for program in git docker; do $program --version; done; ssh -V; kpt fn --help")
	if want := "variants " + made(t).Version + "\ngit version "; !strings.HasPrefix(said, want) {
		t.Errorf("got %s\nwant %s", said, want)
	}
}

// checkCIConfig checks what the image says about itself.
func checkCIConfig(t *testing.T, r *podman.Runtime, image string) {
	t.Helper()
	text, err := r.Podman(nil, "image", "inspect", image)
	if err != nil {
		t.Fatal(err)
	}
	var got []struct {
		Config struct {
			User       string
			Entrypoint []string
		}
		Labels map[string]string
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	want := wantLabels(forCI, made(t).Version)
	for key := range got[0].Labels {
		if strings.HasPrefix(key, "io.buildah.") {
			delete(got[0].Labels, key)
		}
	}
	if diff := cmp.Diff(want, withoutDescription(got[0].Labels)); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	if c := got[0].Config; c.User != "1000:1000" || len(c.Entrypoint) > 0 {
		t.Errorf("user %q, entrypoint %q", c.User, c.Entrypoint)
	}
}
