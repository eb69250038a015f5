// SPDX-License-Identifier: Apache-2.0

// Package kptfile reads of the files of a package what an approval depends on.
package kptfile

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"sigs.k8s.io/yaml"
)

// name is the path of the Kptfile of the root package.
const name = "Kptfile"

// gated is the part of a Kptfile that readiness gates are about (kpt's API kpt.dev/v1).
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
	if err := yaml.Unmarshal([]byte(files[name]), &k); err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", name, err)
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

// Digest identifies the files of a package but for the status in the root Kptfile: others set the conditions there, and
// Porch writes a Kptfile anew, without its comments, where labels of a draft change.
func Digest(files map[string]string) string {
	h := sha256.New()
	for _, path := range slices.Sorted(maps.Keys(files)) {
		text := files[path]
		if path == name {
			text = withoutStatus(text)
		}
		_, _ = fmt.Fprintf(h, "%q %d\n%s", path, len(text), text) // a hash never fails
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// withoutStatus returns what a Kptfile says beside its status; one that cannot be read, as it is.
func withoutStatus(text string) string {
	var fields map[string]any
	if err := yaml.Unmarshal([]byte(text), &fields); err != nil {
		return text
	}
	delete(fields, "status")
	data, err := json.Marshal(fields)
	if err != nil {
		return text
	}
	return string(data)
}
