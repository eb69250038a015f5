// SPDX-License-Identifier: Apache-2.0

package merging_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
	"sigs.k8s.io/kustomize/kyaml/yaml/merge3"
)

// longLists returns a Deployment with lists of environment variables, every tenth of them changed.
func longLists(lists, entries int, change string) string {
	var out strings.Builder
	out.WriteString(pod)
	for list := range lists {
		fmt.Fprintf(&out, "      - name: c%d\n        env:\n", list)
		for i := range entries {
			value := "same"
			if i%10 == len(change)%10 {
				value = change
			}
			fmt.Fprintf(&out, "        - name: V%d\n          value: %s\n", i, value)
		}
	}
	return out.String()
}

// wideMap returns a ConfigMap with entries, every tenth of them changed.
func wideMap(entries int, change string) string {
	var out strings.Builder
	out.WriteString(cm + "data:\n")
	for i := range entries {
		value := "same"
		if i%10 == len(change)%10 {
			value = change
		}
		fmt.Fprintf(&out, "  k%d: %s\n", i, value)
	}
	return out.String()
}

// TestLong checks that long maps and lists are merged as short ones are.
func TestLong(t *testing.T) {
	t.Parallel()
	for name, version := range map[string]func(change string) string{
		"map":            func(change string) string { return wideMap(450, change) },
		"map in a map":   func(change string) string { return strings.Replace(wideMap(450, change), "v1", "x.io/v1", 1) },
		"list":           func(change string) string { return longLists(2, 150, change) },
		"entries come":   func(change string) string { return wideMap(450+len(change), change) },
		"entries go":     func(change string) string { return wideMap(450-len(change), change) },
		"elements come":  func(change string) string { return longLists(1, 150+len(change), change) },
		"up to the rest": func(change string) string { return wideMap(101, change) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			original, updated, local := version("o"), version("up"), version("own")
			got, conflicts := merge(t, one(original), one(updated), one(local), merging.Options{})
			want, err := merge3.MergeStrings(local, original, updated, false)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(values(t, want), values(t, got["a.yaml"])); diff != "" || len(conflicts) > 0 {
				t.Errorf("%v, -merge3 +ours:\n%s", told(conflicts), diff)
			}
		})
	}
}

// BenchmarkLists merges resources with long lists, which takes a time that grows with their length.
func BenchmarkLists(b *testing.B) {
	for _, size := range []struct{ lists, entries int }{{1, 1000}, {1, 2000}, {5, 2000}, {1, 5000}, {1, 10000}} {
		b.Run(fmt.Sprintf("%dx%d", size.lists, size.entries), func(b *testing.B) {
			benchmark(b, longLists(size.lists, size.entries, "o"), longLists(size.lists, size.entries, "up"),
				longLists(size.lists, size.entries, "own"))
		})
	}
}

// BenchmarkMap does the same with a map.
func BenchmarkMap(b *testing.B) {
	for _, entries := range []int{1000, 2000, 5000, 10000} {
		b.Run(fmt.Sprint(entries), func(b *testing.B) {
			benchmark(b, wideMap(entries, "o"), wideMap(entries, "up"), wideMap(entries, "own"))
		})
	}
}

func benchmark(b *testing.B, original, updated, local string) {
	b.Helper()
	b.ReportAllocs()
	b.SetBytes(int64(len(local)))
	for b.Loop() {
		if _, _, err := merging.Merge(with(one(original)), with(one(updated)), with(one(local)), merging.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
