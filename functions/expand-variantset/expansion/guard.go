// SPDX-License-Identifier: Apache-2.0

package expansion

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha2"
	"github.com/package-variants/package-variants/functions/internal/node"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// EmptySelection says that a set keeps variants that no target wants, by their names, because selectors select nothing:
// a label may have been lost. The set's spec stands at path. The controller uses the same message.
func EmptySelection(path string, selectors, kept []string) string {
	return fmt.Sprintf("%d variants that no target wants are kept (%s), because they may belong to what selects nothing "+
		"(%s): correct it, or the labels that it selects by, or have them deleted by %s: true",
		len(kept), firstOf(kept), firstOf(selectors), node.Join(path, "allowEmpty"))
}

// TooManyDeletions says that a set, whose spec stands at path, would delete more of its variants than its maxDeletions
// allows, and that it changes nothing; "" if it does not. The controller has the same rule. Neither the number of
// existing variants nor that of variants to delete includes those that are being deleted already. The set must be
// valid.
func TooManyDeletions(spec *v1alpha2.PackageVariantSetSpec, path string, there int, doomed []string) string {
	limit := spec.MaxDeletions
	allowed := v1alpha2.Scaled(limit, there)
	if limit == nil || len(doomed) <= allowed {
		return ""
	}
	field := node.Join(path, "maxDeletions")
	return fmt.Sprintf("nothing is changed, for %d of the %d variants of this set would be deleted (%s), and %s, "+
		"which is %s, allows %d: correct the targets, or the labels that they select by, or raise %s",
		len(doomed), there, firstOf(doomed), field, limit, allowed, field)
}

// percentage is a number of percent from 0 to 100.
var percentage = regexp.MustCompile(`^(100|[0-9]{1,2})%$`)

// maxDeletions refuses a value that is neither a number of variants nor a percentage of them.
func (v *validator) maxDeletions(path string, limit *intstr.IntOrString) {
	if limit != nil && (limit.Type == intstr.Int && limit.IntVal < 0 ||
		limit.Type == intstr.String && !percentage.MatchString(limit.StrVal)) {
		v.errorf(path,
			"is %q, but must be a number of variants from 0, or a percentage of them from 0%% to 100%%, such as 20%%", limit)
	}
}

// firstOf joins the first three of a list, and says how many more there are.
func firstOf(list []string) string {
	const shown = 3
	if len(list) > shown {
		return fmt.Sprintf("%s and %d more", strings.Join(list[:shown], ", "), len(list)-shown)
	}
	return strings.Join(list, ", ")
}
