// SPDX-License-Identifier: Apache-2.0

package expansion

import (
	"errors"
	"fmt"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
)

// written is where people wrote what gives a value of a variant: the path of the field, and the expressions, quoted;
// "" for a plain value.
type written struct{ path, by string }

// of returns a pair as the user wrote it: by its expression if it has one, or else as a whole.
func (p *pairTemplate) of() written {
	switch {
	case p.key == nil && p.value == nil:
		return written{p.path, ""}
	case p.key == nil:
		return p.value.of()
	case p.value == nil:
		return p.key.of()
	default:
		return written{p.path, quote(p.key.source) + " and " + quote(p.value.source)}
	}
}

func (e *expression) of() written { return written{e.path, quote(e.source)} }

// trace renders the template once more, to find out where people wrote the values of a variant, by their paths.
func (t *template) trace(vars *variables) map[string]written {
	cost, trace := vars.cost, map[string]written{}
	vars.trace = trace
	_ = t.render(&variant.Spec{}, vars) // it has been rendered before, and what is still missing is not named
	vars.trace, vars.cost = nil, cost
	return trace
}

// forTarget returns what is wrong with a variant, as FieldErrors joined that name the target, and the field and the
// expressions that people wrote.
func (e *expander) forTarget(w want, errs variant.FieldErrors) error {
	if len(errs) == 0 {
		return nil
	}
	trace := w.target.template.trace(&e.vars)
	all := make([]error, len(errs))
	for i, err := range errs {
		field := written{path: err.Path}
		if traced, ok := trace[err.Path]; ok {
			field = traced
		}
		all[i] = fieldErrorf(field.path, "%s (for target %s%s)", err.Reason, w, field.suffix())
	}
	return errors.Join(all...)
}

// suffix names the expressions after a target.
func (w written) suffix() string {
	if w.by == "" {
		return ""
	}
	return ", by " + w.by
}

// twice warns that two entries of a list of expressions give the same key, of which the last one counts, as with
// Porch's controller. It warns once of each entry.
func (v *variables) twice(first, last *pairTemplate, key string) {
	if v.warned[last.path] {
		return
	}
	if v.warned == nil {
		v.warned = map[string]bool{}
	}
	v.warned[last.path] = true
	other := first.path[strings.LastIndex(first.path, ".")+1:]
	v.warnings = append(v.warnings, fmt.Sprintf("%s gives the key %s, which %s gives too, for target %s/%s%s: the last "+
		"one counts, remove the other", last.path, quote(key), other, v.repoDefault, v.packageDefault, v.of))
}
