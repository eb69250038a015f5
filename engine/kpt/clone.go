// SPDX-License-Identifier: Apache-2.0

// Package kpt does to the files of a package what kpt and Porch v1.5 do when they clone, upgrade and save it.
// It reads and writes nothing but values.
package kpt

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"reflect"
	"strings"

	kptfile "github.com/kptdev/kpt/api/kptfile/v1"
	"github.com/package-variants/package-variants/engine/revision"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

const (
	// kptfileName is the name of the file that makes a directory a package.
	kptfileName = "Kptfile"
	// contextFile is where Porch writes the package context, contextName what it is called.
	contextFile = "package-context.yaml"
	contextName = "kptfile.kpt.dev"
	// mergeComment begins the comment by which kpt finds a resource upstream; identifier is the annotation with the
	// same purpose.
	mergeComment = "kpt-merge:"
	identifier   = "internal.kpt.dev/upstream-identifier"
)

// Clone returns the files of a clone of an upstream before any function runs. In a deployment Repository, each of its
// packages gets a package context.
func Clone(upstream map[string]string, pkg string, lock *revision.Lock, deployment bool) (map[string]string, error) {
	return (*Memo)(nil).Clone(upstream, pkg, lock, deployment)
}

// Clone does as the function Clone does.
func (m *Memo) Clone(upstream map[string]string, pkg string, lock *revision.Lock, deployment bool) (map[string]string,
	error) {
	files, err := locked(upstream, pkg, lock)
	if err != nil {
		return nil, err
	}
	if deployment {
		if files, err = WithContexts(files, pkg); err != nil {
			return nil, err
		}
	}
	return m.identified(files)
}

// Upgrade returns the files that Porch saves after it has merged the files of a package with those of another upstream.
func (m *Memo) Upgrade(merged map[string]string, lock *revision.Lock) (map[string]string, error) {
	files, err := locked(merged, "", lock)
	if err != nil {
		return nil, err
	}
	return m.identified(files)
}

// locked returns the files with another upstream and, unless it is "", another package name.
func locked(files map[string]string, name string, lock *revision.Lock) (map[string]string, error) {
	file, read, err := kptfileOf(files)
	if err != nil {
		return nil, err
	}
	address := revision.TrimAddress(lock.Repo) + ".git"
	directory := strings.TrimPrefix(lock.Directory, "/")
	file.Upstream = &kptfile.Upstream{Type: kptfile.GitOrigin,
		Git: &kptfile.Git{Repo: address, Directory: directory, Ref: lock.Ref}}
	file.UpstreamLock = &kptfile.Locator{Type: kptfile.GitOrigin,
		Git: &kptfile.GitLock{Repo: address, Directory: directory, Ref: lock.Ref, Commit: lock.Commit}}
	if name != "" { // the upstream of the upstream goes
		file.Name = name
		if err := read.PipeE(yaml.Tee(yaml.Clear("upstream")), yaml.Tee(yaml.Clear("upstreamLock"))); err != nil {
			return nil, err
		}
	}
	return written(files, file, read, yaml.WideSequenceStyle)
}

// written returns the files with a Kptfile as kpt's types write it, without comments. What the types do not know stays
// as it was read: newer versions of kpt know it.
func written(files map[string]string, file *kptfile.KptFile, read *yaml.RNode, style yaml.SequenceIndentStyle) (
	map[string]string, error) {
	var root yaml.Node
	text, err := yaml.Marshal(file)
	if err == nil {
		err = yaml.Unmarshal(text, &root)
	}
	if err == nil {
		restore(root.Content[0], read.YNode(), reflect.TypeOf(file))
		text, err = yaml.MarshalWithOptions(&root, &yaml.EncoderOptions{SeqIndent: style})
	}
	if err != nil {
		return nil, fmt.Errorf("cannot write the Kptfile: %w", err)
	}
	files = maps.Clone(files)
	files[kptfileName] = string(text)
	return files, nil
}

// kptfileOf reads the Kptfile among the files, also as it is, without its status.renderStatus: newer Porch writes that
// at each render, and Porch v1.5 does not know it.
func kptfileOf(files map[string]string) (*kptfile.KptFile, *yaml.RNode, error) {
	read, err := yaml.Parse(files[kptfileName])
	if err == nil && read.Field("status") != nil {
		err = read.PipeE(yaml.Lookup("status"), yaml.Clear("renderStatus"))
	}
	file := &kptfile.KptFile{}
	switch {
	case errors.Is(err, io.EOF):
		err = errors.New("it is empty")
	case err == nil && read.GetKind() != kptfileName:
		err = fmt.Errorf("it is of the kind %q", read.GetKind())
	case err == nil:
		err = cmp.Or(conforms(read.YNode(), reflect.TypeOf(file), ""), read.YNode().Decode(file))
	}
	if err != nil {
		return nil, nil, fmt.Errorf("cannot read the Kptfile: %w", err)
	}
	return file, read, nil
}

// CheckKptfile returns an error, which names the field, if kpt and Porch cannot read the Kptfile among the files.
func CheckKptfile(files map[string]string) error {
	_, _, err := kptfileOf(files)
	return err
}

// Touch returns the files of a draft whose metadata or lifecycle is changed: Porch rewrites its Kptfile without
// comments.
func Touch(files map[string]string) (map[string]string, error) {
	file, read, err := kptfileOf(files)
	if err != nil {
		return nil, err
	}
	return written(files, file, read, yaml.CompactSequenceStyle)
}

// Lock returns a Kptfile with another upstream and upstreamLock, as the lock has them. Comments stay. Where no commit
// is known, there is none, since kpt v1.0 refuses a Kptfile with an empty one.
func Lock(text string, lock *revision.Lock) (string, error) {
	return edited(kptfileName, text, func(file *yaml.RNode) error {
		for _, field := range [][]string{
			{"upstream", "type", "git"}, {"upstreamLock", "type", "git"},
			{"upstream", "git", "repo", lock.Repo}, {"upstreamLock", "git", "repo", lock.Repo},
			{"upstream", "git", "directory", strings.TrimPrefix(lock.Directory, "/")},
			{"upstreamLock", "git", "directory", strings.TrimPrefix(lock.Directory, "/")},
			{"upstream", "git", "ref", lock.Ref}, {"upstreamLock", "git", "ref", lock.Ref},
			{"upstreamLock", "git", "commit", lock.Commit},
		} {
			last := len(field) - 1
			scalar, err := file.Pipe(yaml.LookupCreate(yaml.ScalarNode, field[:last]...))
			if err != nil {
				return err
			}
			scalar.YNode().Value, scalar.YNode().Tag = field[last], yaml.NodeTagString
		}
		if lock.Commit == "" {
			return file.PipeE(yaml.Lookup("upstreamLock", "git"), yaml.Clear("commit"))
		}
		return nil
	})
}

// Annotate returns a Kptfile with an annotation of several lines. Comments stay.
func Annotate(text, key, lines string) (string, error) {
	return edited(kptfileName, text, func(file *yaml.RNode) error {
		value, err := file.Pipe(yaml.LookupCreate(yaml.ScalarNode, yaml.MetadataField, yaml.AnnotationsField, key))
		if err == nil {
			n := value.YNode()
			n.Value, n.Tag, n.Style = lines, yaml.NodeTagString, yaml.LiteralStyle
		}
		return err
	})
}

// LockOf returns the upstream lock in the Kptfile among the files; nil if it has none.
func LockOf(files map[string]string) *revision.Lock {
	var file struct {
		UpstreamLock struct {
			Git revision.Lock `yaml:"git"`
		} `yaml:"upstreamLock"`
	}
	git := &file.UpstreamLock.Git
	if err := yaml.Unmarshal([]byte(files[kptfileName]), &file); err != nil || git.Commit == "" && git.Ref == "" {
		return nil
	}
	return git
}

// Pipelines returns the functions in the pipelines of a package and its subpackages, as images, or else as commands:
// also beside entries that are no functions.
func Pipelines(files map[string]string) []string {
	var out []string
	for _, name := range sorted(files) {
		var file struct {
			Pipeline struct {
				Mutators, Validators []struct{ Image, Exec string }
			}
		}
		if path.Base(name) != kptfileName {
			continue
		}
		_ = yaml.Unmarshal([]byte(files[name]), &file) // what has another type is left out
		for _, f := range append(file.Pipeline.Mutators, file.Pipeline.Validators...) {
			out = append(out, strings.TrimSpace(f.Image+f.Exec))
		}
	}
	return out
}

// WithContexts returns the files of an upstream with one package context for each package, instead of the existing
// ones, as in a clone into a deployment Repository.
func WithContexts(files map[string]string, pkg string) (map[string]string, error) {
	out := map[string]string{}
	contexts := map[string]string{}
	for _, name := range sorted(files) {
		if !isResources(name) || path.Base(name) != kptfileName && !strings.Contains(files[name], contextName) {
			out[name] = files[name]
			continue
		}
		nodes, err := parse(name, files[name], false)
		if err != nil {
			return nil, err
		}
		var kept []*yaml.RNode
		for _, node := range nodes {
			if node.GetKind() == "ConfigMap" && node.GetApiVersion() == "v1" && node.GetName() == contextName {
				continue
			}
			kept = append(kept, node)
			if node.GetKind() == kptfileName {
				contexts[path.Join(path.Dir(name), contextFile)] = contextOf(node.GetName(), pkg)
			}
		}
		switch len(kept) {
		case 0:
			continue
		case len(nodes):
			out[name] = files[name]
			continue
		}
		if out[name], err = encode(kept); err != nil {
			return nil, err
		}
	}
	maps.Copy(out, contexts)
	return out, nil
}

// WithContext returns the files of a package, with a package context at its root if it has none anywhere.
func WithContext(files map[string]string, pkg string) (map[string]string, error) {
	for _, text := range files {
		if strings.Contains(text, contextName) {
			return files, nil
		}
	}
	file, _, err := kptfileOf(files)
	if err != nil {
		return nil, err
	}
	files = maps.Clone(files)
	files[contextFile] = contextOf(file.Name, pkg)
	return files, nil
}

// WithoutNestedContexts returns the files of a clone as newer Porch makes it: with a package context for the root
// package only.
func WithoutNestedContexts(files map[string]string) map[string]string {
	out := maps.Clone(files)
	maps.DeleteFunc(out, func(name, _ string) bool { return name != contextFile && path.Base(name) == contextFile })
	return out
}

// contextOf returns the package context of a package.
func contextOf(name, pkg string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: %s\n  annotations:\n"+
		"    config.kubernetes.io/local-config: \"true\"\ndata:\n  name: %s\n  package-path: %s\n", contextName, name, pkg)
}

// identified returns the files with the comments and annotations that say for each resource which upstream resource it
// is.
func (m *Memo) identified(files map[string]string) (map[string]string, error) {
	out := map[string]string{}
	for name, text := range files {
		if !isResources(name) {
			out[name] = text
			continue
		}
		var err error
		out[name], err = remember(m, fileKey{done: "identified", name: name, text: text}, func() (string, error) {
			return identifiedFile(name, text)
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// identifiedFile does the same for the text of one file.
func identifiedFile(name, text string) (string, error) {
	nodes, err := parse(name, text, false)
	if err != nil {
		return "", err
	}
	for _, node := range nodes {
		if err := identify(node); err != nil {
			return "", fmt.Errorf("cannot mark the resources in %s: %w", name, err)
		}
	}
	return encode(nodes)
}

// identify marks a resource by the name and the namespace that it has, unless it is marked; the annotation always says
// what the comment says.
func identify(node *yaml.RNode) error {
	field := node.Field(yaml.MetadataField)
	if field == nil || node.GetName() == "" && node.GetNamespace() == "" && len(node.GetLabels()) == 0 {
		return nil
	}
	key := field.Key.YNode()
	_, marked, found := strings.Cut(key.LineComment, mergeComment)
	if !found {
		marked = node.GetNamespace() + "/" + node.GetName()
		key.LineComment = mergeComment + " " + marked
	}
	namespace, name, _ := strings.Cut(strings.TrimSpace(marked), "/")
	if namespace == "" {
		namespace = "default"
	}
	group, _, hasGroup := strings.Cut(node.GetApiVersion(), "/")
	if !hasGroup {
		group = ""
	}
	return node.PipeE(yaml.SetAnnotation(identifier,
		strings.Join([]string{group, node.GetKind(), namespace, name}, "|")))
}
