// SPDX-License-Identifier: Apache-2.0

package snapshot

import (
	"context"
	"fmt"

	"github.com/package-variants/package-variants/sync-controller/internal/admission"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// admit returns an error for a manifest that an API server refuses.
func admit(at place, kind string, text []byte) error {
	data, err := yaml.YAMLToJSON(text)
	if err != nil {
		return err
	}
	var object map[string]any
	if err := json.Unmarshal(data, &object); err != nil {
		return err
	}
	if err := admission.Check(context.Background(), object); err != nil {
		return fmt.Errorf("cannot use %s, line %d: an API server refuses this %s: %w", at.path, at.line, kind, err)
	}
	return nil
}
