// SPDX-License-Identifier: Apache-2.0

package plans

import "cmp"

// Refusal is why the API server refuses a set or a variant from this user.
type Refusal struct {
	Kind, Namespace, Name string
	// Message is what the API server says.
	Message string
}

// Refuse marks the sets and variants that the API server refuses as failed. The plan still has what the controller
// would do about them.
func (p *Plan) Refuse(refusals []Refusal) {
	for _, r := range refusals {
		message := "the API server does not take this from you: " + r.Message
		for i := range p.Sets {
			s := &p.Sets[i]
			if r.Kind == "PackageVariantSet" && s.Namespace == r.Namespace && s.Name == r.Name {
				s.Error = cmp.Or(s.Error, message)
			}
		}
		for i := range p.Variants {
			v := &p.Variants[i]
			if r.Kind == "PackageVariant" && v.Namespace == r.Namespace && v.Name == r.Name {
				v.Action, v.Error = Fail, cmp.Or(v.Error, message)
			}
		}
	}
	p.Count()
}
