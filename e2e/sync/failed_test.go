// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/e2e/stack"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// unanswered is how long a test waits in which a call may get no answer: the controller gives one up after two minutes
// (--request-timeout), and then tries again.
const unanswered = 4 * time.Minute

// tellFailure prints, when the test ends and has failed, what its variants say and what Porch logged.
func (w *world) tellFailure() {
	reader := w.Client
	w.t.Cleanup(func() {
		if w.t.Failed() {
			w.t.Logf("what Porch logged last of %s:\n%s", w.Namespace, porchLog(w.stack, w.Namespace))
			w.t.Logf("what its variants say:\n%s", statusesOf(reader, w.Namespace))
		}
	})
}

// statusesOf returns the statuses of the PackageVariants in a namespace, for a test that failed.
func statusesOf(reader client.Reader, namespace string) string {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	var list v1alpha1.PackageVariantList
	if err := reader.List(ctx, &list, client.InNamespace(namespace)); err != nil {
		return err.Error()
	}
	var out strings.Builder
	for i := range list.Items {
		text, err := yaml.Marshal(list.Items[i].Status)
		fmt.Fprintf(&out, "%s, generation %d, error %v:\n%s", list.Items[i].Name, list.Items[i].Generation, err, text)
	}
	return out.String()
}

// porchLog returns the last lines of Porch's log about a namespace.
func porchLog(s *stack.Stack, namespace string) string {
	const last = 60
	log, err := os.ReadFile(filepath.Join(s.Dir, "porch.log"))
	if err != nil {
		return err.Error()
	}
	var lines []string
	for line := range strings.Lines(string(log)) {
		if strings.Contains(line, namespace) && !strings.Contains(line, "httplog.go") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-last):], "")
}
