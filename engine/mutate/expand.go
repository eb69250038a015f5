// SPDX-License-Identifier: Apache-2.0

package mutate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kptdev/krm-functions-sdk/go/fn"
	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/functions/expand-variantset/expansion"
	"github.com/package-variants/package-variants/functions/krm"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/kustomize/kyaml/kio/kioutil"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
)

// Expansion is the result of expanding a set.
type Expansion struct {
	// Variants are those that the set wants. Their only annotation is v1alpha2.WaveAnnotation, if the set has a rollout.
	Variants []v1alpha1.PackageVariant
	// Notes are for the user: selectors that select nothing, and variants of themselves.
	Notes []string
	// Empty are the paths of the selectors that select nothing.
	Empty []string
	// Excluded are the variants that are not made because of an error, if the set's errorPolicy is Continue. They stay as
	// they are; expansion.Spare says which variants of the set these are.
	Excluded []Excluded
}

// Excluded is a variant that is not made because of an error, while all others are.
type Excluded struct {
	// Name is the name that the set gives to the variant; "" if its downstream is unknown. An older variant for the same
	// downstream may have another name.
	Name string
	// Downstream is the package that the variant is for; zero if unknown.
	Downstream variant.Downstream
	// Target is the target, as messages name it: edge/web for example.
	Target string
	// Message says what is wrong, with the path of the field.
	Message string
}

// Expand runs the function that expands a set over a snapshot: the set is its config, the snapshot its items.
// An *expansion.FieldError is the function's own error; any other error says why it could not run.
func Expand(
	ctx context.Context, runtime Runtime, set *v1alpha2.PackageVariantSet, s *expansion.Snapshot,
) (*Expansion, error) {
	config, err := krm.FromValue(map[string]any{
		"apiVersion": v1alpha2.GroupVersion.String(), "kind": v1alpha2.PackageVariantSetKind, "spec": set.Spec,
		"metadata": map[string]any{"name": set.Name, "namespace": set.Namespace, "uid": set.UID},
	})
	if err != nil {
		return nil, err
	}
	items := snapshotItems(s)
	out, err := runtime.Run(ctx, ExpandVariantSet, config, items)
	prefix := fmt.Sprintf("%s %q: ", v1alpha2.PackageVariantSetKind, set.Name)
	if _, said := errors.AsType[*krm.Error](err); said {
		reason := strings.ReplaceAll("\n"+err.Error(), "\n"+prefix, "\n")[1:]
		return nil, &expansion.FieldError{Reason: reason}
	}
	if err != nil {
		return nil, err
	}
	expanded := &Expansion{}
	if expanded.Variants, err = readVariants(out.Items[len(items):]); err != nil {
		return nil, err
	}
	for _, result := range out.Results {
		switch _, excluded := result.Tags[expansion.TargetTag]; {
		case excluded:
			expanded.Excluded = append(expanded.Excluded, readExcluded(result, prefix))
		case strings.HasPrefix(result.Message, "spec."): // the others are not about a target
			expanded.Notes = append(expanded.Notes, result.Message)
			if selector := result.Tags[expansion.SelectorTag]; selector != "" {
				expanded.Empty = append(expanded.Empty, selector)
			}
		}
	}
	return expanded, nil
}

// readExcluded reads the result that reports an excluded variant, without its text about the consequences, which is for
// users of the function.
func readExcluded(result *fn.Result, prefix string) Excluded {
	x := Excluded{Target: result.Tags[expansion.TargetTag], Message: strings.TrimPrefix(result.Message, prefix)}
	if end := strings.LastIndex(x.Message, expansion.LeftOut); end >= 0 {
		x.Message = x.Message[:end]
	}
	if repo, pkg, known := strings.Cut(result.Tags[expansion.DownstreamTag], "/"); known && result.ResourceRef != nil {
		x.Downstream, x.Name = variant.Downstream{Repo: repo, Package: pkg}, result.ResourceRef.Name
	}
	return x
}

// readVariants reads the items that the function added.
func readVariants(items []*kyaml.RNode) ([]v1alpha1.PackageVariant, error) {
	variants := make([]v1alpha1.PackageVariant, len(items))
	for i, item := range items {
		if err := readVariant(item, &variants[i]); err != nil {
			return nil, fmt.Errorf("the output of %s has a PackageVariant that cannot be read (%w); nothing of it is used: "+
				"name images of these functions by --function-registry and --function-version", ExpandVariantSet, err)
		}
		wave, inWave := variants[i].Annotations[v1alpha2.WaveAnnotation]
		variants[i].Annotations = nil // the others name the file that the variant would be written to
		if inWave {
			variants[i].Annotations = map[string]string{v1alpha2.WaveAnnotation: wave}
		}
	}
	return variants, nil
}

func readVariant(item *kyaml.RNode, pv *v1alpha1.PackageVariant) error {
	if kind := item.GetKind(); kind != variant.Kind {
		return fmt.Errorf("its kind is %q", kind)
	}
	var fields any
	if err := item.YNode().Decode(&fields); err != nil {
		return err
	}
	text, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	return decoder.Decode(pv)
}

// snapshotItems returns what the function reads of a snapshot. An object that a target may select can be one of the
// others, too.
func snapshotItems(s *expansion.Snapshot) (items []*kyaml.RNode) {
	type id struct {
		kind expansion.GroupKind
		name string
	}
	seen := map[id]bool{}
	add := func(kind expansion.GroupKind, o expansion.Object, spec map[string]string) {
		if !seen[id{kind, o.Name}] {
			seen[id{kind, o.Name}] = true
			items = append(items, snapshotItem(kind, o, spec, len(items)))
		}
	}
	revisions := groupKind(revision.Kind)
	for _, pr := range s.PackageRevisions {
		lifecycle := revision.Draft
		if pr.Published {
			lifecycle = revision.Published
		}
		add(revisions, pr.Object, map[string]string{
			"repository": pr.Repo, "packageName": pr.Package, "workspaceName": pr.WorkspaceName, "revision": pr.Revision,
			"lifecycle": string(lifecycle),
		})
	}
	repositories := groupKind(revision.RepositoryKind)
	for _, o := range s.Repositories {
		add(repositories, o, nil)
	}
	for kind, objects := range s.Objects {
		for _, o := range objects {
			add(kind, o, nil)
		}
	}
	return items
}

func groupKind(of schema.GroupVersionKind) expansion.GroupKind {
	return expansion.GroupKind{APIVersion: of.GroupVersion().String(), Kind: of.Kind}
}

// snapshotItem returns an object as the document with the index of the file snapshot.yaml.
func snapshotItem(kind expansion.GroupKind, o expansion.Object, spec map[string]string, index int) *kyaml.RNode {
	annotations := map[string]string{
		kioutil.PathAnnotation: "snapshot.yaml", kioutil.IndexAnnotation: strconv.Itoa(index),
	}
	for key, value := range o.Annotations {
		if !krm.IsInternalAnnotation(key) && key != expansion.LastApplied {
			annotations[key] = value
		}
	}
	metadata := mapping(map[string]string{"name": o.Name, "namespace": o.Namespace})
	metadata.Content = append(metadata.Content, scalar("labels"), mapping(o.Labels), scalar("annotations"),
		mapping(annotations))
	object := mapping(map[string]string{"apiVersion": kind.APIVersion, "kind": kind.Kind})
	object.Content = append(object.Content, scalar("metadata"), metadata)
	if spec != nil {
		object.Content = append(object.Content, scalar("spec"), mapping(spec))
	}
	return kyaml.NewRNode(object)
}

// mapping returns a map as YAML. It makes nodes one by one because, with thousands of targets, this dominates the cost
// of an expansion.
func mapping(fields map[string]string) *kyaml.Node {
	n := &kyaml.Node{Kind: kyaml.MappingNode, Tag: kyaml.NodeTagMap}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		n.Content = append(n.Content, scalar(key), scalar(fields[key]))
	}
	return n
}

func scalar(text string) *kyaml.Node {
	return &kyaml.Node{Kind: kyaml.ScalarNode, Tag: kyaml.NodeTagString, Style: kyaml.DoubleQuotedStyle, Value: text}
}
