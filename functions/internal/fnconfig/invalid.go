// SPDX-License-Identifier: Apache-2.0

package fnconfig

import (
	"errors"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/functions/krm"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Invalid returns what the API's rules say is wrong with the config, joined, and nil if that is nothing.
func Invalid(config *yaml.RNode, errs variant.FieldErrors) error {
	all := make([]error, len(errs))
	for i, e := range errs {
		all[i] = krm.Errorf(config, e.Path, "%s", e.Reason)
	}
	return errors.Join(all...)
}
