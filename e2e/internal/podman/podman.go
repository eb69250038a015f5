// SPDX-License-Identifier: Apache-2.0

// Package podman runs containers for tests. Its podman has its own images, containers and settings: it neither reads
// nor changes those of the user, contacts no registry except the test's own, and leaves nothing behind.
package podman

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// ErrUnavailable is wrapped by the error of New if there is no podman, or none that can run a container here.
var ErrUnavailable = errors.New("no container runtime")

// Noop is the image of a function that changes nothing. Each Runtime has it.
const Noop = "localhost/noop:test"

// nowhere is a proxy where nothing listens, so no remote registry can be reached; local ones need no proxy.
const nowhere = "http://127.0.0.1:1"

// Runtime is a podman with storage of its own.
type Runtime struct {
	dir string
}

// settings are what podman reads in place of the user's files, by name; %[1]s is the directory of the Runtime.
//
// containers.conf: limits that any user may set, since podman's own are higher than some environments allow; no need of
// systemd or of a journal; locks in files, since those in shared memory are the user's too. storage.conf: the one
// driver that neither mounts anything nor asks for a kernel or file system of some kind. A user who is not root has
// graphroot and runroot by other names: rootless_storage_path and XDG_RUNTIME_DIR. registries.conf: a reference without
// a registry is not looked up in any registry.
var settings = map[string]string{
	"containers.conf": `[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
lock_type = "file"
tmp_dir = "%[1]s/run/libpod/tmp"
volume_path = "%[1]s/volumes"
image_copy_tmp_dir = "%[1]s/copy"
[network]
network_config_dir = "%[1]s/networks"
`,
	"storage.conf": `[storage]
driver = "vfs"
graphroot = "%[1]s/graph"
rootless_storage_path = "%[1]s/graph"
runroot = "%[1]s/run/containers"
`,
	"registries.conf": `unqualified-search-registries = []
`,
}

// New returns a podman with the image Noop, made from a static binary. The caller must close it. If podman is missing
// or cannot run that image, the error is ErrUnavailable and says what to do.
func New(noop string) (*Runtime, error) {
	if runtime.GOOS != "linux" {
		return nil, fmt.Errorf("%w: podman with storage of its own needs Linux", ErrUnavailable)
	}
	if _, err := exec.LookPath("podman"); err != nil {
		return nil, fmt.Errorf("%w: podman is not on the PATH: install it, for example by apt-get install podman runc",
			ErrUnavailable)
	}
	dir, err := os.MkdirTemp("", "podman") // a short path: podman refuses long ones
	if err != nil {
		return nil, err
	}
	r := &Runtime{dir: dir}
	if err := r.configure(); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	if err := r.try(noop); err != nil {
		return nil, errors.Join(fmt.Errorf("%w: podman is there, but cannot run a container here: %w", ErrUnavailable, err),
			r.Close())
	}
	return r, nil
}

func (r *Runtime) configure() error {
	for name, content := range settings {
		if strings.Contains(content, "%") {
			content = fmt.Sprintf(content, r.dir)
		}
		if err := os.WriteFile(filepath.Join(r.dir, name), []byte(content), 0o600); err != nil {
			return err
		}
	}
	return errors.Join(os.Mkdir(filepath.Join(r.dir, "copy"), 0o700), os.Mkdir(filepath.Join(r.dir, "run"), 0o700))
}

// try makes the image Noop and runs it as kpt does.
func (r *Runtime) try(noop string) error {
	archive, err := rootfs(noop)
	if err != nil {
		return err
	}
	if _, err := r.Podman(archive, "import", "--quiet", "--change", `ENTRYPOINT ["`+entrypoint+`"]`, "-",
		Noop); err != nil {
		return err
	}
	const list = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n"
	out, err := r.Podman(strings.NewReader(list), "run", "--rm", "-i", "--network", "none", "--user", "nobody",
		"--security-opt", "no-new-privileges", "--pull", "never", Noop)
	if err == nil && !strings.Contains(out, "kind: ResourceList") {
		err = fmt.Errorf("the no-op function printed %q", out)
	}
	return err
}

// Env returns the environment variables with which podman, or a program that runs it, uses this Runtime.
func (r *Runtime) Env() []string {
	return []string{
		"CONTAINERS_CONF=" + filepath.Join(r.dir, "containers.conf"),
		"CONTAINERS_STORAGE_CONF=" + filepath.Join(r.dir, "storage.conf"),
		"CONTAINERS_REGISTRIES_CONF=" + filepath.Join(r.dir, "registries.conf"),
		"XDG_RUNTIME_DIR=" + filepath.Join(r.dir, "run"), "XDG_DATA_HOME=" + filepath.Join(r.dir, "data"),
		"HTTP_PROXY=" + nowhere, "HTTPS_PROXY=" + nowhere,
	}
}

// Podman runs podman with the arguments and returns its standard output; errors include its standard error. The input
// may be nil.
func (r *Runtime) Podman(stdin io.Reader, args ...string) (string, error) {
	cmd := exec.Command("podman", args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, &stdout, &stderr
	cmd.Env = append(os.Environ(), r.Env()...)
	if err := cmd.Run(); err != nil {
		return stdout.String(), fmt.Errorf("podman %s: %w: %s", strings.Join(args, " "), err,
			strings.TrimSpace(stderr.String()))
	}
	return stdout.String(), nil
}

// Load loads the image in a file, under the name in the file.
func (r *Runtime) Load(file string) error {
	_, err := r.Podman(nil, "load", "--quiet", "--input", file)
	return err
}
