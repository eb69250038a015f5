// SPDX-License-Identifier: Apache-2.0

package kpt

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/functions/bounds"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/yaml"
)

// gated has the parts of a Kptfile that concern readiness gates (kpt's API kpt.dev/v1).
type gated struct {
	Info struct {
		ReadinessGates []struct {
			ConditionType string `json:"conditionType"`
		} `json:"readinessGates"`
	} `json:"info"`
	Status struct {
		Conditions []struct {
			Type    string `json:"type"`
			Status  string `json:"status"`
			Message string `json:"message"`
		} `json:"conditions"`
	} `json:"status"`
}

// UnmetGates returns the readiness gates of the root Kptfile that are not True, in its order: each by the type of its
// condition, with the condition's message where there is one. A Kptfile that cannot be read is an error.
func UnmetGates(files map[string]string) ([]string, error) {
	var k gated
	if err := yaml.Unmarshal([]byte(files[kptfileName]), &k); err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", kptfileName, err)
	}
	var unmet []string
gates:
	for _, gate := range k.Info.ReadinessGates {
		text := gate.ConditionType
		for _, c := range k.Status.Conditions {
			switch {
			case c.Type != gate.ConditionType:
			case c.Status == "True":
				continue gates
			case c.Message != "":
				text += " (" + c.Message + ")"
			}
		}
		unmet = append(unmet, text)
	}
	return unmet, nil
}

// Digest identifies the files of a package except for the conditions in the status of the root Kptfile, which others
// set, and its status.renderStatus, which some homes and kpt write at each render.
func Digest(files map[string]string) string {
	h := sha256.New()
	for _, path := range slices.Sorted(maps.Keys(files)) {
		text := files[path]
		if path == kptfileName {
			text = withoutReports(text)
		}
		_, _ = fmt.Fprintf(h, "%q %d\n%s", path, len(text), text) // a hash never fails
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Meaning identifies the files of a package as Digest does, but ignores comments, order and quotes in the root Kptfile.
// A home may rewrite it when a draft is proposed.
func Meaning(files map[string]string) string {
	text, found := files[kptfileName]
	if !found {
		return Digest(files)
	}
	meant := maps.Clone(files)
	text = withoutReports(text)
	var k map[string]any
	if len(text) > bounds.KptfileBytes {
		return Digest(files)
	}
	if err := yaml.Unmarshal([]byte(text), &k); err == nil && !strings.Contains(text, "\n---") {
		if canonical, err := json.Marshal(k); err == nil {
			meant[kptfileName] = string(canonical)
		}
	}
	return Digest(meant)
}

// withoutReports returns a Kptfile without the conditions and the renderStatus in its status, with its comments and any
// documents that follow. One that cannot be read is returned as it is.
func withoutReports(text string) string {
	if len(text) > bounds.KptfileBytes {
		return text // such a package is left alone
	}
	var out bytes.Buffer
	decoder, encoder := kyaml.NewDecoder(bytes.NewBufferString(text)), kyaml.NewEncoder(&out)
	for first := true; ; first = false {
		var document kyaml.Node
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			return out.String()
		}
		if err == nil && first && len(document.Content) == 1 {
			removeReports(document.Content[0])
		}
		if err == nil {
			err = encoder.Encode(&document)
		}
		if err != nil {
			return text
		}
	}
}

// removeReports removes status.conditions and status.renderStatus from a mapping, and also the status if it is then
// empty and has no comment.
func removeReports(root *kyaml.Node) {
	for i := 0; root.Kind == kyaml.MappingNode && i+1 < len(root.Content); i += 2 {
		key, status := root.Content[i], root.Content[i+1]
		if key.Value != "status" || status.Kind != kyaml.MappingNode {
			continue
		}
		for j := len(status.Content) - 2; j >= 0; j -= 2 {
			if field := status.Content[j].Value; field == "conditions" || field == "renderStatus" {
				status.Content = slices.Delete(status.Content, j, j+2)
			}
		}
		if len(status.Content) == 0 && key.HeadComment+key.LineComment+key.FootComment == "" {
			root.Content = slices.Delete(root.Content, i, i+2)
		}
		return
	}
}
