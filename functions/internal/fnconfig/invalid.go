// SPDX-License-Identifier: Apache-2.0

package fnconfig

import (
	"errors"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/functions/krm"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Invalid returns the errors that the API's rules find in the config, joined; nil if there are none.
func Invalid(config *yaml.RNode, errs variant.FieldErrors) error {
	all := make([]error, len(errs))
	for i, e := range errs {
		all[i] = krm.Errorf(config, e.Path, "%s", e.Reason)
	}
	return errors.Join(all...)
}
