// SPDX-License-Identifier: Apache-2.0

package revision

import "github.com/package-variants/package-variants/api/v1alpha1/variant"

// Missing is what is known of the place of an upstream that is not there; zero for nothing.
type Missing struct {
	// Found says where it was looked for, and what is there.
	Found string
	// Do says how a person publishes it; "" if only what asks for it can be wrong.
	Do string
}

// Of returns the sentence about an upstream that is not there, which a field has. The scope follows its description,
// and the branch is that of its Repository.
func (m *Missing) Of(u *variant.Upstream, scope, path, branch string) string {
	text := "there is no " + u.Describe() + scope + ": "
	switch {
	case m.Found == "":
		return text + u.Remedy(path, branch)
	case m.Do == "":
		return text + m.Found + "; correct " + path
	}
	return text + m.Found + "; correct " + path + ", or " + m.Do
}
