// SPDX-License-Identifier: Apache-2.0

package snapshot

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// rewrite says how to repair a damaged snapshot.
const rewrite = "write the snapshot again, by kubectl get ... -o yaml"

// damaged returns the error for a damaged part of a file. Strict is for manifests, which a user writes.
func damaged(at place, strict bool, format string, args ...any) error {
	remedy := rewrite
	if strict {
		remedy = "correct it"
	}
	return fmt.Errorf("cannot read %s, line %d: %s: the file is damaged: %s", at.path, at.line,
		fmt.Sprintf(format, args...), remedy)
}

// isConflict reports whether a line is a conflict marker of git. The files of a package are indented in a snapshot.
func isConflict(line string) bool {
	return strings.HasPrefix(line, "<<<<<<< ") || strings.HasPrefix(line, ">>>>>>> ")
}

// conflict returns the error for a conflict marker.
func conflict(at place, strict bool) error {
	remedy := "resolve the conflict"
	if !strict {
		remedy += ", or " + rewrite
	}
	return fmt.Errorf("cannot read %s, line %d: it has a conflict marker of git: %s", at.path, at.line, remedy)
}

// checkList returns an error if the text of a list, without its items, does not say that it is a list: kubectl writes
// the kind at the end. parts are the texts before and after the items, at is where the items begin.
func checkList(at place, strict bool, parts ...part) error {
	var list head
	for _, p := range parts {
		if err := yaml.Unmarshal(p.text, &list); err != nil {
			line, what := reasonOf(err, p.line)
			return damaged(place{path: at.path, line: line}, strict, "%s", what)
		}
	}
	return checkListHead(at, strict, &list)
}

// part is a part of a list's text.
type part struct {
	text []byte
	line int
}

// checkListHead returns an error for a list whose head is incomplete.
func checkListHead(at place, strict bool, list *head) error {
	switch {
	case list.Kind == "":
		return damaged(at, strict, "this list has no kind: List")
	case list.APIVersion == "":
		return damaged(at, strict, "this list has no apiVersion")
	case !isList(list.Kind):
		return damaged(at, strict, "this list is of kind %s", list.Kind)
	}
	return nil
}

func isList(kind string) bool { return strings.HasSuffix(kind, "List") }

// checkItem returns an error for a list item that is not an object, given its head or the error from reading it.
func checkItem(at place, strict bool, h *head, err error) error {
	var wrong *json.UnmarshalTypeError
	isText := errors.As(err, &wrong) && wrong.Field == ""
	missing := ""
	switch {
	case err != nil && !isText:
		line, reason := reasonOf(err, at.line)
		return damaged(place{path: at.path, line: line}, strict, "%s", reason)
	case isText, h.APIVersion == "" && h.Kind == "":
		return damaged(at, strict, "an item of the list is no object")
	case h.APIVersion == "":
		missing = "apiVersion"
	case h.Kind == "":
		missing = "kind"
	case h.Metadata.Name == "" && !isList(h.Kind):
		missing = "metadata.name"
	default:
		return nil
	}
	return damaged(at, strict, "an item of the list has no %s", missing)
}

// someVersion is the version of snapshot objects that were stripped of theirs: writes need a version.
const someVersion = "1"

// complete gives an object of a snapshot a version if it has none. It returns an error if the object lacks what cannot
// be made up: its namespace, or a package revision's commit, which is needed to find the base of an upgrade.
func complete(at place, h *head, o client.Object) error {
	_, other := o.(*unstructured.Unstructured)
	_, isRevision := o.(*porchapi.PackageRevision)
	switch {
	case !other && o.GetNamespace() == "":
		return damaged(at, false, "%s %s has no metadata.namespace", h.Kind, o.GetName())
	case isRevision && o.GetResourceVersion() == "":
		return damaged(at, false, "PackageRevision %s has no metadata.resourceVersion, which is its commit",
			o.GetName())
	case o.GetResourceVersion() == "":
		o.SetResourceVersion(someVersion)
	}
	return nil
}

// yamlReason matches the parser's errors, which count lines in the text that it read.
var yamlReason = regexp.MustCompile(`line (\d+): (.*)`)

// reasonOf returns the line and the reason of an error about a text that begins at a line of its file.
func reasonOf(err error, begin int) (int, string) {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		value, _, _ := strings.Cut(wrong.Value, " ") // a number comes with its digits
		value = strings.NewReplacer("object", "map", "array", "list").Replace(value)
		if wrong.Field == "" {
			return begin, fmt.Sprintf("it is a %s, and no object", value)
		}
		return begin, fmt.Sprintf("%s is a %s, but must be %s", wrong.Field, value, inYAML(wrong.Type))
	}
	found := yamlReason.FindStringSubmatch(err.Error())
	if found == nil {
		for _, prefix := range []string{"yaml: ", "while decoding JSON: "} {
			if _, reason, there := strings.Cut(err.Error(), prefix); there {
				return begin, reason
			}
		}
		return begin, err.Error()
	}
	line, err := strconv.Atoi(found[1])
	if err != nil {
		return begin, found[2]
	}
	return begin + line - 1, found[2]
}

// inYAML names the YAML form of a type's values.
func inYAML(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return inYAML(t.Elem())
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "a map"
	default:
		return "a number"
	}
}
