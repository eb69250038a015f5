// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	porchconfig "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// gitConfig keeps git from packing objects in the git server's repositories, where it would no longer find them.
const gitConfig = "[user]\n\tname = user\n\temail = user@example.com\n[gc]\n\tauto = 0\n[receive]\n\tautogc = false\n" +
	"\tunpackLimit = 100000\n"

// Push commits files to a branch of a Repository's git repository, as people do without Porch. The files are those of a
// package, which is a directory of that name, and nil removes it; the branch starts from the main branch.
func (f *Fleet) Push(repository, branch, pkg string, files map[string]string) {
	f.t.Helper()
	dir, config := f.t.TempDir(), filepath.Join(f.t.TempDir(), "config")
	if err := os.WriteFile(config, []byte(gitConfig), 0o600); err != nil {
		f.t.Fatal(err)
	}
	git := func(args ...string) {
		f.t.Helper()
		cmd := exec.CommandContext(f.t.Context(), "git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+config, "GIT_CONFIG_SYSTEM="+os.DevNull)
		if out, err := cmd.CombinedOutput(); err != nil {
			f.t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("clone", "--quiet", "--branch", "main", filepath.Join(f.stack.Dir, "git", f.Namespace+"-"+repository), ".")
	if files == nil {
		if err := os.RemoveAll(filepath.Join(dir, pkg)); err != nil {
			f.t.Fatal(err)
		}
	}
	for name, content := range files {
		path := filepath.Join(dir, pkg, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			f.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			f.t.Fatal(err)
		}
	}
	git("add", "--all")
	git("commit", "--quiet", "--message", "by hand")
	git("push", "--quiet", "origin", "HEAD:refs/heads/"+branch)
}

// noRepository waits until a Repository that was deleted has gone.
func (f *Fleet) noRepository(name string) {
	f.t.Helper()
	f.Eventually("the Repository "+name+" has gone", func() error {
		err := f.Client.Get(f.t.Context(), client.ObjectKey{Namespace: f.Namespace, Name: name}, &porchconfig.Repository{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("it is there: %w", err)
	})
}

// RegisterAnew unregisters a Repository and registers it again. Porch removes its clone a little later, and never reads
// a Repository that is registered before that. Events of the revisions that go may come after those of the revisions
// that are found.
func (f *Fleet) RegisterAnew(name string, deployment bool) {
	f.t.Helper()
	f.Delete(&porchconfig.Repository{ObjectMeta: metav1.ObjectMeta{Name: name}})
	if f.stack.Foreign() { // the clone of Porch's API server stays, and a Repository that goes is there for a while
		f.noRepository(name)
		f.Repository(name, nil, deployment)
		return
	}
	f.Eventually("Porch has no revision of "+name, func() error {
		var list porchapi.PackageRevisionList
		err := f.Client.List(f.t.Context(), &list, client.InNamespace(f.Namespace))
		isOf := func(r porchapi.PackageRevision) bool { return r.Spec.RepositoryName == name }
		if err == nil && slices.ContainsFunc(list.Items, isOf) {
			err = errors.New("it has one")
		}
		return err
	})
	f.Eventually("Porch has removed its clone of "+name, func() error {
		left, err := filepath.Glob(filepath.Join(f.stack.Dir, "cache", "*", "*-"+f.Namespace+"-"+name))
		if err != nil || len(left) > 0 {
			return fmt.Errorf("there is %v, %w", left, err)
		}
		return nil
	})
	f.Repository(name, nil, deployment)
}
