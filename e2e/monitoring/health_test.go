// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	lua "github.com/yuin/gopher-lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"
	"sigs.k8s.io/yaml"
)

// health is what a check says of an object, and what kstatus says.
type health struct{ Status, Message, Kstatus string }

// agrees are the results of kstatus that go with a health.
var agrees = map[string][]string{
	"Healthy": {"Current"}, "Degraded": {"Failed"}, "Progressing": {"InProgress"}, "Suspended": {"InProgress", "Failed"},
}

// TestHealth is the table of what Argo CD is told, which must agree with kstatus.
func TestHealth(t *testing.T) {
	t.Parallel()
	const both = ""
	conditions := func(isTrue, reason, generation string) string {
		out := "status: {observedGeneration: " + generation + ", conditions: ["
		for _, kind := range []string{"Ready", "Stalled", "Reconciling"} {
			value, why := "False", "Valid"
			if kind == isTrue {
				value = "True"
			}
			if kind == isTrue || kind == "Ready" {
				why = reason
			}
			out += "{type: " + kind + ", status: '" + value + "', reason: " + why + ", message: so it is, observedGeneration: " + generation + "},"
		}
		return out + "]}"
	}
	for name, c := range map[string]struct {
		kind, object string
		want         health
	}{
		"new": {both, "status: {observedGeneration: -1}",
			health{"Progressing", "the controller has not seen this spec yet", "InProgress"}},
		"ready":       {both, conditions("Ready", "UpToDate", "2"), health{"Healthy", "so it is", "Current"}},
		"stalled":     {both, conditions("Stalled", "InvalidSpec", "2"), health{"Degraded", "InvalidSpec: so it is", "Failed"}},
		"reconciling": {both, conditions("Reconciling", "Pending", "2"), health{"Progressing", "Pending: so it is", "InProgress"}},
		"ready, of an older spec": {both, conditions("Ready", "UpToDate", "1"),
			health{"Progressing", "the controller has not seen this spec yet", "InProgress"}},
		"stalled, of an older spec": {both, conditions("Stalled", "InvalidSpec", "1"),
			health{"Progressing", "the controller has not seen this spec yet", "InProgress"}},
		"suspended, with something to do": {both, "spec: {suspend: true}\n" + conditions("Stalled", "Suspended", "2"),
			health{"Suspended", "suspended: so it is", "Failed"}},
		"suspended, not seen yet": {both, "spec: {suspend: true}\n" + conditions("Stalled", "Suspended", "1"),
			health{"Suspended", "suspended", "InProgress"}},
		"suspended, with nothing to do": {both, "spec: {suspend: true}\n" + conditions("Ready", "UpToDate", "2"),
			health{"Healthy", "so it is", "Current"}},
		"a rollout progresses": {"PackageVariantSet", conditions("Reconciling", "RolloutProgressing", "2"),
			health{"Progressing", "RolloutProgressing: so it is", "InProgress"}},
		"a rollout waits for approval": {"PackageVariantSet", conditions("Reconciling", "RolloutAwaitingApproval", "2"),
			health{"Suspended", "so it is", "InProgress"}},
		"a rollout is paused": {"PackageVariantSet", conditions("Reconciling", "RolloutPaused", "2"),
			health{"Suspended", "so it is", "InProgress"}},
		"a rollout is stopped": {"PackageVariantSet", conditions("Stalled", "RolloutStopped", "2"),
			health{"Degraded", "RolloutStopped: so it is", "Failed"}},
	} {
		for _, kind := range []string{"PackageVariant", "PackageVariantSet"} {
			if c.kind != both && c.kind != kind {
				continue
			}
			t.Run(kind+", "+name, func(t *testing.T) {
				t.Parallel()
				object := map[string]any{"spec": map[string]any{}}
				content, err := yaml.YAMLToJSON([]byte(c.object))
				if err == nil {
					err = json.Unmarshal(content, &object)
				}
				if err != nil {
					t.Fatal(err)
				}
				object["metadata"] = map[string]any{"name": "web", "generation": int64(2)}
				got := check(t, kind, object)
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
				if !slices.Contains(agrees[got.Status], got.Kstatus) {
					t.Errorf("Argo CD is told %s, kstatus says %s", got.Status, got.Kstatus)
				}
			})
		}
	}
}

// check runs the check of a kind over an object as Argo CD does: with the object as the global obj.
func check(t *testing.T, kind string, object map[string]any) health {
	t.Helper()
	script, err := os.ReadFile(filepath.Join(dir, "argo-cd", "config.porch.kpt.dev", kind, "health.lua"))
	if err != nil {
		t.Fatal(err)
	}
	l := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer l.Close()
	l.Push(l.NewFunction(lua.OpenBase))
	l.Call(0, 0)
	l.SetGlobal("obj", toLua(l, object))
	if err := l.DoString(string(script)); err != nil {
		t.Fatal(err)
	}
	result, ok := l.Get(-1).(*lua.LTable)
	if !ok {
		t.Fatalf("the check returns %v", l.Get(-1))
	}
	computed, err := status.Compute(&unstructured.Unstructured{Object: object})
	if err != nil {
		t.Fatal(err)
	}
	return health{result.RawGetString("status").String(), result.RawGetString("message").String(), computed.Status.String()}
}

// toLua returns a value of YAML in Lua.
func toLua(l *lua.LState, value any) lua.LValue {
	switch v := value.(type) {
	case map[string]any:
		table := l.NewTable()
		for key, each := range v {
			table.RawSetString(key, toLua(l, each))
		}
		return table
	case []any:
		table := l.NewTable()
		for _, each := range v {
			table.Append(toLua(l, each))
		}
		return table
	case string:
		return lua.LString(v)
	case bool:
		return lua.LBool(v)
	case int64:
		return lua.LNumber(v)
	default:
		return lua.LNil
	}
}
