// SPDX-License-Identifier: Apache-2.0

package images

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fakes writes programs that note their arguments, and returns a PATH on which they come first, and what they noted.
func fakes(t *testing.T, names ...string) (path string, noted func() string) {
	t.Helper()
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	for _, name := range names {
		script := "#!/bin/sh\necho \"" + name + " $*\" >>'" + log + "'\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return dir + ":" + os.Getenv("PATH"), func() string {
		content, err := os.ReadFile(log)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return string(content)
	}
}

// script copies a script of hack to a new directory, as it lies in the repository, beside the given files, and returns
// the directory and what runs the script.
func script(t *testing.T, name string, files map[string]string) (dir string, run func(path string, args ...string) (string, error)) {
	t.Helper()
	dir = t.TempDir()
	content, err := os.ReadFile(filepath.Join(root, "hack", name))
	if err != nil {
		t.Fatal(err)
	}
	files["hack/"+name] = string(content)
	for name, content := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir, func(path string, args ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), "bash", append([]string{filepath.Join(dir, "hack", name)}, args...)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+path)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
}

// workflow returns the workflow that releases.
func workflow(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, ".github", "workflows", "release.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// TestSign checks that each image is signed, and its bill of materials attested, by its digest.
func TestSign(t *testing.T) {
	t.Parallel()
	one, two := strings.Repeat("1", 64), strings.Repeat("2", 64)
	dir, run := script(t, "sign.sh", map[string]string{
		"digests.txt": one + "  ghcr.io/package-variants/inject-config\n" + two + "  localhost:5000/x/sync-controller\n" +
			one + "  localhost:5000/x/variants\n",
		"inject-config.cdx.json": "{}", "sync-controller.cdx.json": "{}", "empty/digests.txt": "",
	})
	path, noted := fakes(t, "cosign")
	if out, err := run(path, dir); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := "cosign sign --yes ghcr.io/package-variants/inject-config@sha256:" + one + "\n" +
		"cosign attest --yes --type cyclonedx --predicate " + dir + "/inject-config.cdx.json " +
		"ghcr.io/package-variants/inject-config@sha256:" + one + "\n" +
		"cosign sign --yes localhost:5000/x/sync-controller@sha256:" + two + "\n" +
		"cosign attest --yes --type cyclonedx --predicate " + dir + "/sync-controller.cdx.json " +
		"localhost:5000/x/sync-controller@sha256:" + two + "\n" +
		"cosign sign --yes localhost:5000/x/variants@sha256:" + one + "\n"
	if diff := cmp.Diff(want, noted()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if out, err := run(path, filepath.Join(dir, "empty")); err == nil || !strings.Contains(out, "names no image") {
		t.Errorf("without images: error %v\n%s", err, out)
	}
}

// TestPushForCI checks that the image for CI jobs is built for both platforms where the registry does not have it, and
// what is printed where nothing can build it.
func TestPushForCI(t *testing.T) {
	t.Setenv("REGISTRY", "localhost:5000/x")
	t.Setenv("VERSION", "v0.1.0")
	dir, run := script(t, "ci-image.sh", map[string]string{})
	path, noted := fakes(t, "docker", "release")
	bin, _, _ := strings.Cut(path, ":")
	t.Setenv("RELEASE", filepath.Join(bin, "release"))
	const inspect, follow = "docker buildx version\ndocker buildx imagetools inspect localhost:5000/x/variants:v0.1.0\n",
		"release follow -registry localhost:5000/x -version v0.1.0\n"
	if out, err := run(path, "--push", dir); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	build := "docker buildx build --platform linux/amd64,linux/arm64 --sbom=true --provenance=mode=max --push --file " +
		"release/ci/Containerfile --build-arg VERSION=v0.1.0 --tag localhost:5000/x/variants:v0.1.0 " + dir + "\n"
	there := "#!/bin/sh\necho \"docker $*\" >>'" + filepath.Join(bin, "log") + "'\n[ \"$3\" != inspect ]\n"
	if err := os.WriteFile(filepath.Join(bin, "docker"), []byte(there), 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := run(path, "--push", dir); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// The first image is there, the second one is not.
	if diff := cmp.Diff(inspect+follow+inspect+build+follow, noted()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, engine := range []string{"docker", "podman"} {
		if err := os.WriteFile(filepath.Join(bin, engine), []byte("#!/bin/sh\nexit 1\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for want, args := range map[string][]string{
		"the image for CI jobs is built by docker or podman, and neither is running here": {dir},
		"docker buildx is not there": {"--push", dir},
	} {
		if out, err := run(path, args...); err == nil || !strings.HasPrefix(out, want) {
			t.Errorf("error %v, got\n%s\nwant %s", err, out, want)
		}
	}
}

// TestPublish checks what is published, and what is printed if something is missing.
func TestPublish(t *testing.T) {
	t.Parallel()
	_, run := script(t, "publish.sh", map[string]string{
		"CHANGELOG.md": "# Changes\n\n## Unreleased\n\nnew\n\n## v0.2.0-rc.1\n\nIt is a candidate.\n\n## v0.1.0\n\nfirst\n\n## v0.0.1\n\n" +
			"## v0.0.0 (not released yet)\n\nsomething\n",
		"dist/v0.2.0-rc.1/SHA256SUMS": "", "dist/v0.2.0-rc.1/install.yaml": "", "dist/v0.0.1/SHA256SUMS": "",
	})
	path, noted := fakes(t, "gh")
	checked, pushed, _ := strings.Cut(workflow(t), " push ")
	if !strings.Contains(checked, "verify-changelog\n") || !strings.Contains(pushed, "make publish\n") {
		t.Error("release.yaml does not check the changelog before it pushes")
	}
	for version, want := range map[string]string{
		"v0.0.1":      "CHANGELOG.md says nothing of v0.0.1: give it a section '## v0.0.1'\n",
		"v0.0.0":      "CHANGELOG.md says that v0.0.0 is not released: put the day in the place of that\n",
		"v0.3.0":      "CHANGELOG.md says nothing of v0.3.0: give it a section '## v0.3.0'\n",
		"v0.1.0":      "there is no dist/v0.1.0: run 'make release VERSION=v0.1.0' first\n",
		"v0.0.0-rc.1": "there is no dist/v0.0.0-rc.1: run 'make release VERSION=v0.0.0-rc.1' first\n",
	} {
		if out, err := run(path, version); err == nil || out != want {
			t.Errorf("%s: error %v, got\n%s", version, err, out)
		}
		isThere := strings.HasPrefix(want, "there is no dist")
		if out, err := run(path, "--check", version); isThere != (err == nil) || !isThere && out != want {
			t.Errorf("check of %s: error %v, got\n%s", version, err, out)
		}
	}
	if noted() != "" {
		t.Errorf("this was published:\n%s", noted())
	}
	if out, err := run(path, "v0.2.0-rc.1"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got := strings.Fields(noted())
	want := []string{"gh", "release", "create", "v0.2.0-rc.1", "dist/v0.2.0-rc.1/SHA256SUMS", "dist/v0.2.0-rc.1/install.yaml",
		"--verify-tag", "--title", "v0.2.0-rc.1", "--notes-file", "NOTES", "--prerelease"}
	if len(got) > 10 {
		got[10] = "NOTES"
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestVerifyRelease checks that a release is verified by the commands of docs/images.md, each of which has to succeed,
// and that they are about the version that is released.
func TestVerifyRelease(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(root, "docs", "images.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, run := script(t, "verify-release.sh", map[string]string{"docs/images.md": string(page)})
	version := made(t).Version
	path, noted := fakes(t, "cosign", "gh", "sha256sum")
	if out, err := run(path, version); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var got []string
	for line := range strings.Lines(noted()) {
		words := strings.Fields(line)
		got = append(got, strings.Join(words[:min(4, len(words))], " "))
	}
	image, ci := "ghcr.io/package-variants/sync-controller:"+version, "ghcr.io/package-variants/variants:"+version
	want := []string{"gh release download " + version, "gh attestation verify SHA256SUMS", "sha256sum --check SHA256SUMS",
		"cosign verify " + image + " --certificate-oidc-issuer", "gh attestation verify oci://" + image, "cosign verify-attestation " + image + " --type",
		"cosign verify " + ci + " --certificate-oidc-issuer", "gh attestation verify oci://" + ci}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
	if identity := "/.github/workflows/release.yaml@refs/tags/" + version + "\n"; !strings.Contains(noted(), identity) {
		t.Errorf("no command wants the identity of %s:\n%s", version, noted())
	}
	if !strings.Contains(workflow(t), "\n        subject-path: dist/${{ github.ref_name }}/SHA256SUMS\n") {
		t.Error("release.yaml does not attest SHA256SUMS")
	}
	if out, err := run(path, "v99.0.0"); err == nil || !strings.Contains(out, "run 'make tags VERSION=v99.0.0'") {
		t.Errorf("of another version: error %v\n%s", err, out)
	}
	bad, _ := fakes(t)
	failing := filepath.Join(strings.Split(bad, ":")[0], "cosign")
	if err := os.WriteFile(failing, []byte("#!/bin/sh\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := run(strings.Split(bad, ":")[0]+":"+path, version); err == nil {
		t.Errorf("a signature that is wrong is not noticed:\n%s", out)
	}
}

// TestSignedOff checks that only commits signed off by their author are accepted.
func TestSignedOff(t *testing.T) {
	t.Parallel()
	dir, run := script(t, "signed-off.sh", map[string]string{})
	git := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir, "-c", "user.name=A", "-c", "user.email=a@example.com",
			"-c", "commit.gpgsign=false"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	check := func(want string) {
		t.Helper()
		path, _ := fakes(t)
		out, err := run(path, "base")
		if (err == nil) != (want == "") || want != "" && !strings.Contains(out, want) {
			t.Errorf("error %v, got\n%s\nwant %s", err, out, want)
		}
	}
	git("init", "--quiet")
	git("commit", "--quiet", "--allow-empty", "-m", "Before that")
	git("tag", "base")
	check("")
	git("commit", "--quiet", "--allow-empty", "--signoff", "-m", "Signed")
	check("")
	git("commit", "--quiet", "--allow-empty", "-m", "Of another\n\nSigned-off-by: B <b@example.com>")
	check("Of another\nsign them off by 'git rebase --signoff base'")
}

// TestVulncheck checks how vulnerabilities are reported. If the database cannot be reached, the last line of the run
// says so, with all modules that were skipped.
func TestVulncheck(t *testing.T) {
	const (
		found    = "Vulnerability #1: GO-2026-0001"
		unasked  = "govulncheck: fetching vulnerabilities: Get \"https://vuln.go.dev/index/modules.json.gz\": dial tcp"
		broken   = "govulncheck: loading packages"
		left     = "SKIPPED: known vulnerabilities in"
		leftTail = ": the database cannot be asked (GOVULNDB names another)\n"
	)
	dir, run := script(t, "vulncheck.sh", map[string]string{
		"well/says": "No vulnerabilities found.", "well/code": "0", "found/says": found, "found/code": "3",
		"unasked/says": unasked, "unasked/code": "1", "too/says": unasked, "too/code": "1",
		"broken/says": broken, "broken/code": "1",
	})
	fake := filepath.Join(dir, "govulncheck")
	if err := os.WriteFile(fake, []byte("#!/bin/sh\ncat says\nexit $(cat code)\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		modules  []string
		required string
		fails    bool
		want     string
		skipped  string
	}{
		"nothing is found":  {[]string{"well"}, "1", false, "", ""},
		"one is found":      {[]string{"found", "well"}, "", true, "== found\n" + found + "\n", ""},
		"govulncheck fails": {[]string{"broken", "well"}, "", true, "== broken\n" + broken + "\n", ""},
		"the database is not there": {[]string{"unasked", "well", "too"}, "", false,
			"== unasked\n" + unasked + "\n== too\n" + unasked + "\n", left + " unasked too" + leftTail},
		"the database is not there, and has to be": {[]string{"unasked"}, "1", true,
			"== unasked\n" + unasked + "\n", left + " unasked" + leftTail},
		"one is found before the database went": {[]string{"found", "unasked"}, "", true,
			"== found\n" + found + "\n== unasked\n" + unasked + "\n", left + " unasked" + leftTail},
	} {
		file := filepath.Join(t.TempDir(), "skipped")
		t.Setenv("SKIPPED", file)
		t.Setenv("REQUIRE_VULNDB", c.required)
		out, err := run(os.Getenv("PATH"), append([]string{fake}, c.modules...)...)
		if (err != nil) != c.fails || out != c.want+c.skipped {
			t.Errorf("%s: error %v, got\n%s\nwant\n%s", name, err, out, c.want+c.skipped)
		}
		if got, _ := os.ReadFile(file); string(got) != c.skipped {
			t.Errorf("%s: %s is noted, want %s", name, got, c.skipped)
		}
	}
}
