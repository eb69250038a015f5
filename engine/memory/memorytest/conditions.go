// SPDX-License-Identifier: Apache-2.0

package memorytest

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// seen are the reasons of the condition Ready that stories have seen, and played counts the stories.
var (
	seen   sync.Map
	played atomic.Int64
)

// reasonRow is a row of the manual: a reason, and the condition that is True with it.
var reasonRow = regexp.MustCompile("(?m)^\\| `(\\w+)` \\| `(Ready|Stalled|Reconciling)` \\|")

// reasons returns the reasons of the condition Ready in docs/conditions.md, each with the condition that is True with
// it: of variants, and those that sets have of their own.
var reasons = sync.OnceValues(func() (all [2]map[string]string, err error) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "conditions.md"))
	ofVariants, ofSets, _ := strings.Cut(string(text), "\n## Of a PackageVariantSet\n")
	for i, part := range []string{ofVariants, ofSets} {
		all[i] = map[string]string{}
		for _, row := range reasonRow.FindAllStringSubmatch(part, -1) {
			all[i][row[1]] = row[2]
		}
	}
	return all, err
})

// checkConditions checks what the variants and sets say: exactly one of the conditions Ready, Stalled and Reconciling
// is True, from which kstatus computes the same status each time, and it is the one that the manual has for the reason.
func (c *Cluster) checkConditions(after string) {
	c.T.Helper()
	of, err := reasons()
	c.Must(err)
	for _, pv := range c.Objects.AllVariants() {
		c.check(after+": "+pv.Name, pv.Status.Conditions, of[0])
	}
	for _, set := range c.Objects.AllSets() {
		c.check(after+": the set "+set.Name, set.Status.Conditions, of[1], of[0])
	}
}

// check checks the conditions of an object, whose reason is in one of the tables.
func (c *Cluster) check(what string, conditions []metav1.Condition, tables ...map[string]string) {
	c.T.Helper()
	var isTrue []string
	reason := ""
	for _, condition := range conditions {
		if !slices.Contains([]string{v1alpha1.ConditionReady, v1alpha1.ConditionStalled, v1alpha1.ConditionReconciling},
			condition.Type) {
			continue
		}
		if condition.Status == metav1.ConditionTrue {
			isTrue = append(isTrue, condition.Type)
		}
		if condition.Type == v1alpha1.ConditionReady {
			reason = condition.Reason
		}
	}
	if len(conditions) == 0 { // nothing is reported yet
		return
	}
	want := ""
	for _, table := range tables {
		if want = table[reason]; want != "" {
			break
		}
	}
	if len(isTrue) != 1 || isTrue[0] != want {
		c.T.Errorf("%s has the reason %s, and of its conditions %v are True, want %q", what, reason, isTrue, want)
	}
	seen.Store(key{len(tables) > 1, reason}, nil)
}

// key is a reason of a set, or of a variant.
type key struct {
	ofSet  bool
	reason string
}

// AllSeen checks that stories have seen each reason of the manual, except some, once so many stories are told, and that
// they were compared with plans.
func AllSeen(t *testing.T, ofSets bool, stories int, except ...string) {
	t.Helper()
	if played.Load() < int64(stories) || t.Failed() {
		return // only some of them were run
	}
	if Foresee == nil {
		t.Error("no story was compared with a plan")
	}
	of, err := reasons()
	if err != nil {
		t.Fatal(err)
	}
	table := of[0]
	if ofSets {
		table = of[1]
	}
	for reason := range table {
		if _, ok := seen.Load(key{ofSets, reason}); !ok && !slices.Contains(except, reason) {
			t.Errorf("no story has the reason %s", reason)
		}
	}
	for _, reason := range except {
		if _, ok := seen.Load(key{ofSets, reason}); ok {
			t.Errorf("a story has the reason %s, which is excepted", reason)
		}
	}
}
