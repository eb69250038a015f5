// SPDX-License-Identifier: Apache-2.0

package packagevariant

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/engine/decide"
	"github.com/package-variants/package-variants/engine/revision"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// interruptedError says which files a draft lacks because Porch has not written all of them, and since when.
type interruptedError struct {
	draft   string
	missing []string
	since   time.Time
}

func (e *interruptedError) Error() string {
	return fmt.Sprintf("%s lacks files: %s", e.draft, strings.Join(e.missing, ", "))
}

// lacks returns an interruptedError if a draft with these files lacks some of those that it is to have.
func lacks(draft string, files map[string]string, wanted []string, since time.Time) error {
	missing := slices.DeleteFunc(slices.Clone(wanted), func(path string) bool {
		_, there := files[path]
		return there
	})
	if len(missing) == 0 {
		return nil
	}
	slices.Sort(missing)
	return &interruptedError{draft, missing, since}
}

// interrupted returns an interruptedError if a draft lacks files of a save of which no outcome is known, or if it was
// asked for and has no Kptfile. Porch gives a draft its new version before it writes the files.
func (in *inspection) interrupted(target *revision.Revision, content *porch.Content) error {
	saving := in.pv.Status.SavingDraft
	switch {
	case target.Lifecycle != revision.Draft:
		return nil
	case saving != nil && saving.Name == target.Name && saving.Version != content.Version:
		return lacks(target.Name, content.Files, saving.Files, saving.Since.Time)
	case decide.Requested(&in.Input, target):
		return lacks(target.Name, content.Files, []string{"Kptfile"}, target.Created)
	}
	return nil
}

// savingDraft returns the status of the draft that steps save, to be written before them; nil if they save
// none, or if Porch saves it as a whole. Without such a step, a draft keeps its status until it was seen whole or is
// gone.
func (in *inspection) savingDraft(steps []decide.Step) *v1alpha1.SavingDraft {
	for i := range steps {
		r := steps[i].Revision
		if steps[i].Action != decide.Mutate || r == nil {
			continue
		}
		e, inspected := in.contents[r.Name]
		if !inspected || e.content.KeptInGit() {
			return nil
		}
		return &v1alpha1.SavingDraft{Name: r.Name, Version: e.content.Version, Since: metav1.Now().Rfc3339Copy(),
			Files: slices.Sorted(maps.Keys(e.wanted()))}
	}
	known := in.pv.Status.SavingDraft
	if known == nil || decide.Guard(&in.Input) == nil && in.target(known.Name) == nil {
		return nil
	}
	if _, whole := in.contents[known.Name]; whole {
		return nil
	}
	return known
}
