// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/package-variants/package-variants/e2e/bench/report"
)

// versions returns the versions of what is measured and of what it runs on. Those of the tools come from the binaries
// themselves.
func versions(ctx context.Context, root string) ([]report.Version, error) {
	dir := os.Getenv("TOOLS_BIN")
	if dir == "" {
		return nil, errors.New("the environment variable TOOLS_BIN must name the directory of the tools: " +
			"run make bench, which builds them and sets it")
	}
	commit, err := exec.CommandContext(ctx, "git", "-C", root, "describe", "--always", "--dirty", "--abbrev=12",
		"--exclude=*").Output()
	if err != nil {
		return nil, fmt.Errorf("cannot find the version of this project: git describe: %w", err)
	}
	all := []report.Version{
		{Name: "this project", Version: "commit " + strings.TrimSpace(string(commit))},
		{Name: "Go", Version: strings.TrimPrefix(runtime.Version(), "go")},
	}
	for _, tool := range []struct{ name, binary, module string }{
		{"Porch", "porch-controllers", "github.com/nephio-project/porch"},
		{"Kubernetes", "kube-apiserver", "k8s.io/kubernetes"},
		{"etcd", "etcd", "go.etcd.io/etcd/server/v3"},
	} {
		version, err := moduleVersion(filepath.Join(dir, tool.binary), tool.module)
		if err != nil {
			return nil, err
		}
		all = append(all, report.Version{Name: tool.name, Version: version})
	}
	return all, nil
}

// moduleVersion returns the version of a module that a binary was built from.
func moduleVersion(binary, module string) (string, error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return "", fmt.Errorf("cannot read what %s was built from: %w", binary, err)
	}
	if info.Main.Path == module {
		return info.Main.Version, nil
	}
	for _, dependency := range info.Deps {
		if dependency.Path == module {
			return dependency.Version, nil
		}
	}
	return "", fmt.Errorf("%s was not built from %s", binary, module)
}
