// SPDX-License-Identifier: Apache-2.0

// Package mutate runs the functions: those that make a package variant, over the files of a package, and the one that
// expands a set, over a snapshot of the cluster.
package mutate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/functions/apply-package-context/packagecontext"
	"github.com/package-variants/package-variants/functions/inject-config/injection"
	"github.com/package-variants/package-variants/functions/krm"
	"github.com/package-variants/package-variants/functions/prepend-pipeline/pipeline"
	"github.com/package-variants/package-variants/functions/yamledit"
	"k8s.io/apimachinery/pkg/util/cache"
	"sigs.k8s.io/kustomize/kyaml/kio"
	"sigs.k8s.io/kustomize/kyaml/kio/kioutil"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Request says how to change a package.
type Request struct {
	// Name and Namespace are the PackageVariant's.
	Name, Namespace string
	Spec            *variant.Spec
	// Objects are those of the package's Candidates that exist, in the form in which the API serves them, and Unreadable
	// those that cannot be read.
	Objects    []map[string]any
	Unreadable []injection.Unreadable
}

// Outcome is the result of the functions for a package.
type Outcome struct {
	// Files are the files that changed, by their path in the package, with their new text.
	Files map[string]string
	// Points are the package's injection points.
	Points []decide.Point
}

// FunctionError is the failure of a function on the files of a package, or of reading or writing them. It recurs until
// the package or the variant changes.
type FunctionError struct {
	// Function is the function's name; empty for files that cannot be read or written.
	Function string
	// Err is what the function said, or what is wrong with a file.
	Err error
}

// Error returns the function's name, if there is one, and what it said.
func (e *FunctionError) Error() string {
	if e.Function == "" {
		return e.Err.Error()
	}
	return e.Function + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *FunctionError) Unwrap() error { return e.Err }

// Changed returns the paths of the files that changed, in order.
func (o Outcome) Changed() []string {
	return slices.Sorted(maps.Keys(o.Files))
}

// Candidates returns the objects that the injectors of a variant name for the injection points of a package: what Apply
// needs of the cluster. Of files over which Apply fails there may be none.
func Candidates(files map[string]string, injectors []variant.InjectionSelector) []injection.Candidate {
	items, err := parse(files)
	if err != nil {
		return nil
	}
	candidates, _ := injection.Candidates(items, injectors) // none for points over which inject-config fails
	return candidates
}

// Apply runs the functions over the files of a package, by their path in it, and returns what changes. A file changes
// only if its content does: one that a function would only format differently is left as it is. The error is a
// *FunctionError.
func Apply(ctx context.Context, runtime Runtime, files map[string]string, r Request) (Outcome, error) {
	before, err := parse(files)
	if err != nil {
		return Outcome{}, &FunctionError{Err: err}
	}
	after, err := run(ctx, runtime, before, r)
	if err != nil {
		return Outcome{}, err
	}
	changed, err := difference(files, before, after)
	if err != nil {
		return Outcome{}, &FunctionError{Err: err}
	}
	return Outcome{Files: changed, Points: points(after)}, nil
}

// run runs the functions over the items of a package, one after the other.
func run(ctx context.Context, runtime Runtime, items []*yaml.RNode, r Request) ([]*yaml.RNode, error) {
	next := func(function string, config map[string]any) error {
		n, err := krm.FromValue(config)
		if err != nil {
			return fmt.Errorf("cannot configure %s: %w", function, err)
		}
		out, err := runtime.Run(ctx, function, n, items)
		if err == nil && len(out.Items) > len(items) {
			err = fmt.Errorf("the output has %s, which was not given to the function; nothing of it is used: "+
				"name images of these functions by --function-registry and --function-version", PlaceOf(out.Items[len(items)]))
		}
		if err != nil {
			return &FunctionError{Function: function, Err: err}
		}
		items = out.Items
		return nil
	}
	if r.Spec.PackageContext != nil {
		if err := next(ApplyPackageContext, contextConfig(r)); err != nil {
			return nil, err
		}
	}
	if err := next(PrependPipeline, pipelineConfig(r)); err != nil {
		return nil, err
	}
	if err := next(InjectConfig, injectionConfig(r)); err != nil {
		return nil, err
	}
	return items, nil
}

// parse reads the resources in those files that a function may need.
func parse(files map[string]string) ([]*yaml.RNode, error) {
	var paths []string
	for p, content := range files {
		if isKRM(p) && (packagecontext.Relevant(p, content) || pipeline.Relevant(p, content) ||
			injection.Relevant(p, content)) {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	var items []*yaml.RNode
	for _, p := range paths {
		resources, err := read(p, files[p])
		if err != nil {
			return nil, fmt.Errorf("cannot read %s: %w", p, err)
		}
		items = append(items, resources...)
	}
	return items, nil
}

// Most variants of a blueprint have the same files for the functions, so those read last are kept, for as long as the
// content of an upstream: keptFiles of at most keptBytes.
const keptFiles, keptBytes, keptFor = 128, 4096, time.Minute

// kept are the resources of the files that were read last, by path and text. No function changes what it is given.
var kept = cache.NewLRUExpireCache(keptFiles)

// read returns the resources in a file, which are shared and must not be changed.
func read(file, text string) ([]*yaml.RNode, error) {
	key := file + "\n" + text
	if known, found := kept.Get(key); found {
		if resources, ok := known.([]*yaml.RNode); ok {
			return resources, nil
		}
	}
	reader := &kio.ByteReader{
		Reader: strings.NewReader(text),
		//nolint:staticcheck // kpt sets both
		SetAnnotations:    map[string]string{kioutil.PathAnnotation: file, kioutil.LegacyPathAnnotation: file},
		DisableUnwrapping: true,
		PreserveSeqIndent: true,
	}
	resources, err := reader.Read()
	if err == nil && len(text) <= keptBytes {
		kept.Add(key, resources, keptFor)
	}
	return resources, err
}

// isKRM reports whether kpt takes a file for one with resources.
func isKRM(p string) bool {
	base := path.Base(p)
	return base == "Kptfile" || slices.ContainsFunc(kio.MatchAll, func(pattern string) bool {
		matches, err := path.Match(pattern, base)
		return err == nil && matches
	})
}

// difference returns the texts of the files whose resources in after differ from those in before, which were read from
// them. Each document that differs has only the lines changed that have to be.
func difference(files map[string]string, before, after []*yaml.RNode) (map[string]string, error) {
	was, is := byFile(before), byFile(after)
	changed := map[string]string{}
	for file, items := range is {
		if slices.EqualFunc(was[file], items, krm.Same) {
			continue
		}
		text, err := edited(files[file], was[file], items)
		if errors.Is(err, yamledit.ErrUnreadable) {
			err = errors.New("it would be no YAML any more: " +
				"move comments that stand between a key and the anchor or tag of its value")
		}
		if err != nil {
			return nil, fmt.Errorf("cannot write %s: %w", file, err)
		}
		if text != files[file] {
			changed[file] = text
		}
	}
	return changed, nil
}

func byFile(items []*yaml.RNode) map[string][]*yaml.RNode {
	files := map[string][]*yaml.RNode{}
	for _, item := range items {
		file := krm.Identify(item).File
		files[file] = append(files[file], item)
	}
	return files
}

// edited returns the text of a file whose resources, was, become other ones. A resource that is not there any more goes
// with its document.
func edited(text string, was, is []*yaml.RNode) (string, error) {
	by := map[int]*yaml.RNode{}
	for _, item := range is {
		by[krm.Identify(item).Index] = item
	}
	var out strings.Builder
	index := 0
	for i, document := range yamledit.Split(text) {
		separator := ""
		if i > 0 { // the reader has it in no document
			separator = document[:strings.IndexByte(document+"\n", '\n')+1]
		}
		if index == len(was) || !holdsResource(document) {
			out.WriteString(document)
			continue
		}
		item := by[index]
		if index++; item == nil {
			continue
		}
		if krm.Same(was[index-1], item) {
			out.WriteString(document)
			continue
		}
		wanted, err := withoutAnnotations(item)
		if err != nil {
			return "", err
		}
		result, err := yamledit.Document(document[len(separator):], wanted)
		if err != nil {
			return "", err
		}
		out.WriteString(separator + result.Text)
	}
	return out.String(), nil
}

// holdsResource reports whether the reader finds a resource in a document.
func holdsResource(document string) bool {
	n, err := yaml.Parse(document)
	return err == nil && !yaml.IsMissingOrNull(n)
}

// withoutAnnotations returns the document of a resource without the annotations that the reader sets. It has a comment
// at the top of the file that an empty line follows, such as a license: the SDK's objects have none.
func withoutAnnotations(item *yaml.RNode) (*yaml.Node, error) {
	item = item.Copy()
	//nolint:staticcheck // the reader sets the old ones, too
	for _, key := range []string{kioutil.PathAnnotation, kioutil.LegacyPathAnnotation, kioutil.IndexAnnotation,
		kioutil.LegacyIndexAnnotation, kioutil.SeqIndentAnnotation} {
		if err := item.PipeE(yaml.ClearAnnotation(key)); err != nil {
			return nil, err
		}
	}
	err := yaml.ClearEmptyAnnotations(item)
	return item.Document(), err
}
