// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	stdsync "sync"
	"testing"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha1/variant"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// reasons are all reasons of the condition Ready of a PackageVariant, each with its kstatus. A Failed variant needs a
// person: the condition Stalled is then True. For InProgress, Reconciling is True. Terminating variants are being
// deleted.
var reasons = map[string]status.Status{
	"UpToDate":    status.CurrentStatus,
	"BranchMoved": status.CurrentStatus,

	"InvalidSpec":           status.FailedStatus,
	"UpstreamNotFound":      status.FailedStatus,
	"UpstreamNotPublished":  status.FailedStatus,
	"UpstreamIsPlaceholder": status.FailedStatus,
	"UpstreamLockMissing":   status.FailedStatus,
	"RepositoryNotFound":    status.FailedStatus,
	"RepositoryMigrated":    status.FailedStatus,
	"RepositoriesOverlap":   status.FailedStatus,
	"UpstreamReplaced":      status.FailedStatus,
	"DownstreamClaimed":     status.FailedStatus,
	"DownstreamExists":      status.FailedStatus,
	"DownstreamProposed":    status.FailedStatus,
	"Conflicted":            status.FailedStatus,
	"BaseNotFound":          status.FailedStatus,
	"PipelineConflict":      status.FailedStatus,
	"RenderFailed":          status.FailedStatus,
	"FunctionFailed":        status.FailedStatus,
	"PackageTooLarge":       status.FailedStatus,
	"PackageRefused":        status.FailedStatus,
	"PorchTimedOut":         status.FailedStatus,
	"SaveInterrupted":       status.FailedStatus,
	"TwoDrafts":             status.FailedStatus,
	"Suspended":             status.FailedStatus,
	"DependencyNotFound":    status.FailedStatus,
	"DependencyCycle":       status.FailedStatus,

	"Pending":            status.InProgressStatus,
	"RepositoryNotReady": status.InProgressStatus,
	"DependencyNotReady": status.InProgressStatus,

	"DependentsExist":           status.TerminatingStatus,
	"PorchUnavailable":          status.InProgressStatus,
	"FunctionRunnerUnavailable": status.InProgressStatus,
}

// setReasons are all reasons of the condition Ready of a PackageVariantSet, each with its kstatus.
var setReasons = map[string]status.Status{
	"VariantsReady": status.CurrentStatus,

	"InvalidSpec":          status.FailedStatus,
	"UpstreamNotFound":     status.FailedStatus,
	"RepositoryNotFound":   status.FailedStatus,
	"RepositoryMigrated":   status.FailedStatus,
	"UpstreamNotPublished": status.FailedStatus,
	"EmptySelection":       status.FailedStatus,
	"TooManyDeletions":     status.FailedStatus,
	"Suspended":            status.FailedStatus,
	"ExpansionFailed":      status.FailedStatus,
	"VariantRefused":       status.FailedStatus,
	"KindNotFound":         status.FailedStatus,
	"PermissionMissing":    status.FailedStatus,
	"NameTaken":            status.FailedStatus,
	"RolloutStopped":       status.FailedStatus,

	"VariantsNotReady":          status.InProgressStatus,
	"ApplyFailed":               status.InProgressStatus,
	"RolloutProgressing":        status.InProgressStatus,
	"RolloutAwaitingApproval":   status.InProgressStatus,
	"RolloutPaused":             status.InProgressStatus,
	"FunctionRunnerUnavailable": status.InProgressStatus,
}

// ofFaults are the reasons of a set that need a fault, and that only the stories of packagevariantset have.
var ofFaults = []string{"ApplyFailed", "FunctionRunnerUnavailable"}

// reasonsSeen are those that a test has seen on a variant and compared with the table, and setReasonsSeen those on a
// set.
var reasonsSeen, setReasonsSeen stdsync.Map

// reasonsUnseen returns the reasons of the tables that no test has seen, in order, except the given ones of a set.
func reasonsUnseen(except ...string) []string {
	var unseen []string
	for reason := range reasons {
		// Only some Porches lose sight of drafts.
		if _, seen := reasonsSeen.Load(reason); !seen && (reason != "TwoDrafts" || keepsDrafts(shared) == "") {
			unseen = append(unseen, reason)
		}
	}
	for reason := range setReasons {
		if _, seen := setReasonsSeen.Load(reason); !seen && !slices.Contains(except, reason) {
			unseen = append(unseen, reason+" of a set")
		}
	}
	slices.Sort(unseen)
	return unseen
}

// TestReasons compares the tables with the manual: each reason has a row, with the kstatus of the condition that is True
// with it. Besides its own, a set has the reasons of a variant that docs/conditions.md names for it, Suspended, and that
// of a rollout without a published upstream.
func TestReasons(t *testing.T) {
	t.Parallel()
	const sets = "\n## Of a PackageVariantSet\n"
	ofVariant, ofSet, _ := strings.Cut(readPage(t, "reference/conditions.md"), sets)
	want, wantOfSet := reasonsIn(ofVariant), reasonsIn(ofSet)
	_, shared, _ := strings.Cut(readPage(t, "conditions.md"), sets)
	shared, _, _ = strings.Cut(shared, "as above")
	names := append(strings.Split(shared, "`"), "Suspended", "UpstreamNotPublished")
	for _, name := range names {
		if kstatus, is := want[name]; is {
			wantOfSet[name] = kstatus
		}
	}
	want["DependentsExist"] = status.TerminatingStatus
	if diff := cmp.Diff(want, reasons); diff != "" {
		t.Errorf("of a variant (-manual +table):\n%s", diff)
	}
	if diff := cmp.Diff(wantOfSet, setReasons); diff != "" {
		t.Errorf("of a set (-manual +table):\n%s", diff)
	}
}

// readPage returns a page of the manual.
func readPage(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// reasonRow is a row of a reason, with the first condition in brackets.
var reasonRow = regexp.MustCompile("(?m)^\\| `(\\w+)` \\|.*?\\((Ready|Stalled|Reconciling)\\)")

// reasonsIn returns the reasons of the condition Ready in a part of docs/reference/conditions.md, each with the kstatus
// of the condition that is the first in brackets.
func reasonsIn(part string) map[string]status.Status {
	of := map[string]status.Status{"Ready": status.CurrentStatus, "Stalled": status.FailedStatus,
		"Reconciling": status.InProgressStatus}
	found := map[string]status.Status{}
	for _, section := range strings.Split(part, "\n### ") {
		if !strings.HasPrefix(section, "Reasons of the conditions Ready") {
			continue
		}
		for _, row := range reasonRow.FindAllStringSubmatch(section, -1) {
			found[row[1]] = of[row[2]]
		}
	}
	return found
}

// WaitReason is the Fleet's, and checks that the variant's kstatus is that of the reason.
func (w *world) WaitReason(name, reason string) *v1alpha1.PackageVariant {
	w.t.Helper()
	pv := w.Fleet.WaitReason(name, reason)
	w.busy = false
	w.checkKstatus(name, reason)
	w.reached(name, func(v *plannedVariant) bool { return v.Condition.Reason == reason })
	return pv
}

// Ready is the Fleet's, and checks that the variant's kstatus is Current.
func (w *world) Ready(name string) *v1alpha1.PackageVariant {
	w.t.Helper()
	pv := w.Fleet.Ready(name)
	w.checkKstatus(name, "UpToDate")
	w.busy = false
	w.reached(name, func(*plannedVariant) bool { return true })
	return pv
}

// checkKstatus fails the test unless the kstatus of a variant with a reason is that of the table. It skips a variant
// whose reason has changed meanwhile. A hook may call it.
func (w *world) checkKstatus(name, reason string) {
	w.t.Helper()
	u, err := w.read("PackageVariant", "v1alpha1", name)
	if err != nil {
		w.t.Error(err)
		return
	}
	conditions := conditionsOf(u)
	if conditions[v1alpha1.ConditionReady].reason != reason ||
		u.GetGeneration() != conditions[v1alpha1.ConditionReady].generation {
		return
	}
	want, known := reasons[reason]
	if !known {
		w.t.Errorf("the reason %s is not in the table", reason)
	}
	if u.GetDeletionTimestamp() == nil || want == status.TerminatingStatus {
		reasonsSeen.Store(reason, true)
	} else {
		want = status.TerminatingStatus
	}
	got, err := kstatusOf(u)
	if err == nil && got == want {
		return
	}
	if _, told := w.contradictions.LoadOrStore(reason, err); !told {
		w.t.Errorf("to kstatus, %s with the reason %s is %s, want %s: %v", name, reason, got, want, err)
	}
}

// checkSet fails the test unless the kstatus of the set is that of its reason in the table.
func (w *world) checkSet() {
	w.t.Helper()
	u := w.object("PackageVariantSet", "v1alpha2", "fleet")
	got, err := kstatusOf(u)
	want := status.InProgressStatus
	if ready := conditionsOf(u)[v1alpha1.ConditionReady]; ready.generation == u.GetGeneration() {
		var known bool
		if want, known = setReasons[ready.reason]; !known {
			w.t.Errorf("the reason %s is not in the table of a set's", ready.reason)
		}
		setReasonsSeen.Store(ready.reason, true)
	}
	if err == nil && got == want {
		return
	}
	if _, told := w.contradictions.LoadOrStore("PackageVariantSet", err); !told {
		w.t.Errorf("to kstatus, the set is %s, want %s: %v", got, want, err)
	}
}

// conditionNow is what is read of a condition.
type conditionNow struct {
	status, reason string
	generation     int64
}

func conditionsOf(u *unstructured.Unstructured) map[string]conditionNow {
	out := map[string]conditionNow{}
	list, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions") // a status of another form has no conditions
	for _, each := range list {
		c, ok := each.(map[string]any)
		if !ok {
			continue
		}
		typ, _, _ := unstructured.NestedString(c, "type")
		var now conditionNow
		now.status, _, _ = unstructured.NestedString(c, "status")
		now.reason, _, _ = unstructured.NestedString(c, "reason")
		now.generation, _, _ = unstructured.NestedInt64(c, "observedGeneration")
		out[typ] = now
	}
	return out
}

// kstatusOf returns the kstatus of an object. It returns an error if the conditions contradict it or each other: if
// there are any, exactly one of Ready, Stalled and Reconciling is True, and all have the observedGeneration of the
// status.
func kstatusOf(u *unstructured.Unstructured) (status.Status, error) {
	result, err := status.Compute(u)
	if err != nil {
		return "", err
	}
	conditions := conditionsOf(u)
	if len(conditions) == 0 {
		return result.Status, nil
	}
	observed, _, err := unstructured.NestedInt64(u.Object, "status", "observedGeneration")
	if err != nil {
		return result.Status, err
	}
	var isTrue []string
	for _, typ := range []string{v1alpha1.ConditionReady, v1alpha1.ConditionStalled, "Reconciling"} {
		c, has := conditions[typ]
		if !has || c.generation != observed {
			return result.Status, fmt.Errorf("the condition %s is %+v, observedGeneration %d", typ, c, observed)
		}
		if c.status == "True" {
			isTrue = append(isTrue, typ)
		}
	}
	if len(isTrue) != 1 {
		return result.Status, fmt.Errorf("of the conditions, %v are True: %v", isTrue, conditions)
	}
	return result.Status, nil
}

// TestNotCurrentBeforeReconcile creates one object of each kind when no controller runs: neither is Current.
func TestNotCurrentBeforeReconcile(t *testing.T) {
	w := newWorld(t)
	w.Repository("edge-1", prod("eu"), true)
	w.Apply(newVariant("web"), newSet(t, fleetSet))
	for _, u := range []*unstructured.Unstructured{w.object("PackageVariant", "v1alpha1", "web"),
		w.object("PackageVariantSet", "v1alpha2", "fleet")} {
		if got, err := kstatusOf(u); err != nil || got != status.InProgressStatus {
			t.Errorf("to kstatus, a new %s is %s, want InProgress: %v", u.GetKind(), got, err)
		}
		if n, _, err := unstructured.NestedInt64(u.Object, "status", "observedGeneration"); n != -1 || err != nil {
			t.Errorf("status.observedGeneration of a new %s is %d, want -1: %v", u.GetKind(), n, err)
		}
	}
	// With a controller, each gets its kstatus, and waiting for it succeeds.
	w.Publish("blueprints", "web", "v1", blueprint())
	w.Apply(configMap("eu", map[string]string{"api": "eu"}), newVariant("typo",
		func(s *variant.Spec) { s.Downstream.Repo = "typo" }))
	w.start()
	w.kubectl("wait", "--for=condition=Ready", "--timeout=60s", "--namespace", w.Namespace, "packagevariant/web",
		"packagevariantset/fleet")
	w.kubectl("wait", "--for=condition=Stalled", "--timeout=60s", "--namespace", w.Namespace, "packagevariant/typo")
	w.kubectl("wait", "--for=condition=Ready=false", "--timeout=60s", "--namespace", w.Namespace, "packagevariant/typo")
	w.kubectl("wait", "--for=condition=ConfigInjected", "--timeout=60s", "--namespace", w.Namespace, "packagevariant/web")
	w.Eventually("the set is Current", func() error {
		u := w.object("PackageVariantSet", "v1alpha2", "fleet")
		if got, err := kstatusOf(u); err != nil || got != status.CurrentStatus {
			return fmt.Errorf("it is %s: %w", got, err)
		}
		return nil
	})
}

// TestKstatusOverTime follows the kstatus of a variant that is made, changed, published, edited, upgraded, broken and
// repaired. It is never Current while a draft is still to come, and its conditions never contradict each other.
func TestKstatusOverTime(t *testing.T) {
	w := newWorld(t)
	w.Publish("blueprints", "web", "v1", blueprint())
	w.Publish("blueprints", "web", "v2", settingsV2)
	w.Apply(configMap("eu", map[string]string{"api": "0"}))
	watcher, err := client.NewWithWatch(w.stack.Config, client.Options{Scheme: w.Client.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	list := &unstructured.UnstructuredList{}
	list.SetAPIVersion("config.porch.kpt.dev/v1alpha1")
	list.SetKind("PackageVariantList")
	events, err := watcher.Watch(t.Context(), list, client.InNamespace(w.Namespace))
	if err != nil {
		t.Fatal(err)
	}
	seen := make(chan []string)
	go func() { seen <- kstatusStates(events.ResultChan()) }()
	w.start()
	w.Apply(newVariant("web"))
	w.publish(w.target("web"))
	w.seesPublished("web")
	w.Apply(newVariant("web", zone))
	w.waitTarget("web", "edge.web.packagevariant-2")
	w.publish("edge.web.packagevariant-2")
	w.seesPublished("web")
	w.Apply(newVariant("web", zone, revision(2)))
	w.waitTarget("web", "edge.web.packagevariant-3")
	w.Apply(newVariant("web", zone, revision(9)))
	w.WaitReason("web", "UpstreamNotFound")
	w.Apply(newVariant("web", zone, revision(2)))
	w.waitTarget("web", "edge.web.packagevariant-3")
	events.Stop()
	want := []string{"InProgress", "Current", "InProgress", "Current", "InProgress", "Current", "InProgress", "Failed",
		"InProgress", "Current"}
	if diff := cmp.Diff(want, <-seen); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// kstatusStates returns the kstatus of an object from event to event, until there are no more.
func kstatusStates(events <-chan watch.Event) []string {
	var seen []string
	for e := range events {
		u, ok := e.Object.(*unstructured.Unstructured)
		if !ok || e.Type == watch.Error { // the end of the watch
			continue
		}
		got, err := kstatusOf(u)
		now := string(got)
		if err != nil {
			now = strings.Join([]string{now, err.Error()}, ": ")
		}
		if len(seen) == 0 || seen[len(seen)-1] != now {
			seen = append(seen, now)
		}
	}
	return seen
}
