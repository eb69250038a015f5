// SPDX-License-Identifier: Apache-2.0

// Package kpt runs the real kpt on packages, with functions as executables or as container images.
package kpt

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// Tool is a kpt binary and the directory of the function binaries.
type Tool struct {
	// Path is the kpt binary.
	Path string
	// Functions is the directory of the function binaries. It is first on kpt's PATH, so a Kptfile can name a function
	// without its directory.
	Functions string
	// Env has additional environment variables for kpt, such as those for its container runtime.
	Env []string
}

// FromEnv returns the tool in the environment variables KPT and FUNCTIONS_BIN, which the Makefile sets.
func FromEnv() (Tool, error) {
	t := Tool{Path: os.Getenv("KPT"), Functions: os.Getenv("FUNCTIONS_BIN")}
	if t.Path == "" || t.Functions == "" {
		return t, fmt.Errorf("the environment variables KPT and FUNCTIONS_BIN must name the kpt binary and the directory " +
			"of the functions: run this by make, which builds both and sets them")
	}
	return t, nil
}

// Output is what a run printed.
type Output struct {
	Stdout, Stderr string
}

var duration = regexp.MustCompile(`in [0-9.]+m?s`)

// Normal returns the output of a run on the package in dir, without the parts that differ between runs.
func (t Tool) Normal(printed, dir string) string {
	s := strings.ReplaceAll(printed, t.Functions+string(filepath.Separator), "")
	s = strings.ReplaceAll(s, dir, "PACKAGE")
	return duration.ReplaceAllString(s, "in 0s")
}

// String returns both streams, standard output first.
func (o Output) String() string { return o.Stdout + o.Stderr }

// Function returns the path of a function's binary; an absolute path is returned as it is.
func (t Tool) Function(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(t.Functions, name)
}

// Render runs `kpt fn render --allow-exec` on the package in dir; args are further flags.
func (t Tool) Render(dir string, args ...string) (Output, error) {
	return t.kpt(nil, append([]string{"fn", "render", "--allow-exec", dir}, args...)...)
}

// RenderImages runs `kpt fn render` on the package in dir, which runs container images only; args are further flags.
func (t Tool) RenderImages(dir string, args ...string) (Output, error) {
	return t.kpt(nil, append([]string{"fn", "render", dir}, args...)...)
}

// Eval runs `kpt fn eval --exec` with a function on the package in dir. The config is a file, or "" for none; args are
// further flags.
func (t Tool) Eval(dir, function, config string, args ...string) (Output, error) {
	return t.eval(dir, "--exec", t.Function(function), config, args)
}

// EvalImage runs `kpt fn eval --image` on the package in dir, as Eval does with an executable.
func (t Tool) EvalImage(dir, image, config string, args ...string) (Output, error) {
	return t.eval(dir, "--image", image, config, args)
}

func (t Tool) eval(dir, flag, function, config string, args []string) (Output, error) {
	all := []string{"fn", "eval", dir, flag, function}
	if config != "" {
		all = append(all, "--fn-config", config)
	}
	return t.kpt(nil, append(all, args...)...)
}

// Pipe runs `kpt fn source | function | kpt fn sink`: the package in dir goes through the function into the new
// directory out.
func (t Tool) Pipe(dir, function, config, out string) (Output, error) {
	source, err := t.Source(dir, config)
	if err != nil {
		return source, fmt.Errorf("kpt fn source: %w", err)
	}
	result, err := t.Feed(function, source.Stdout)
	if err != nil {
		return result, fmt.Errorf("%s: %w", function, err)
	}
	sink, err := t.kpt(strings.NewReader(result.Stdout), "fn", "sink", out)
	if err != nil {
		return sink, fmt.Errorf("kpt fn sink: %w", err)
	}
	return Output{Stderr: result.Stderr}, nil
}

// Source runs `kpt fn source` on the package in dir, which prints its ResourceList. The config is a file, or "" for
// none.
func (t Tool) Source(dir, config string) (Output, error) {
	args := []string{"fn", "source", dir}
	if config != "" {
		args = append(args, "--fn-config", config)
	}
	return t.kpt(nil, args...)
}

// Feed passes a ResourceList to a function, without kpt.
func (t Tool) Feed(function, resourceList string) (Output, error) {
	return t.run(strings.NewReader(resourceList), t.Function(function))
}

// Doc runs kpt fn doc.
func (t Tool) Doc(image string) (Output, error) { return t.kpt(nil, "fn", "doc", "--image", image) }

func (t Tool) kpt(stdin *strings.Reader, args ...string) (Output, error) {
	return t.run(stdin, t.Path, args...)
}

func (t Tool) run(stdin *strings.Reader, binary string, args ...string) (Output, error) {
	cmd := exec.Command(binary, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if stdin != nil {
		cmd.Stdin = stdin
	}
	cmd.Env = append(os.Environ(), "PATH="+t.Functions+string(os.PathListSeparator)+os.Getenv("PATH"))
	cmd.Env = append(cmd.Env, t.Env...)
	err := cmd.Run()
	out := Output{Stdout: stdout.String(), Stderr: stderr.String()}
	if err != nil {
		err = fmt.Errorf("%s: %w\n%s", strings.Join(append([]string{filepath.Base(binary)}, args...), " "), err, out)
	}
	return out, err
}
