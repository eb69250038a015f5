// SPDX-License-Identifier: Apache-2.0

package merging_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
	"sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/kustomize/kyaml/yaml/merge3"
)

// TestRandom merges random changes of a Deployment. Where there is no conflict, the outcome is what merge3 makes of the
// three versions by itself, under each conflict policy. Where there are conflicts, another merge of what KeepLocal
// gives finds as many.
func TestRandom(t *testing.T) {
	t.Parallel()
	const rounds = 600
	var merged, conflicting int
	for seed := range uint64(rounds) {
		r := random{rand.New(rand.NewPCG(seed, 0))}
		base := r.deployment()
		original, updated, local := base.text(), r.changed(base).text(), r.changed(base).text()
		got, conflicts, err := merging.Merge(with(one(original)), with(one(updated)), with(one(local)), merging.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		again, _, err := merging.Merge(with(one(original)), with(one(updated)), got, merging.Options{})
		if diff := cmp.Diff(got, again); diff != "" || err != nil {
			t.Fatalf("seed %d: a second merge changes the package: %v\n%s", seed, err, diff)
		}
		kept, told, err := merging.Merge(with(one(original)), with(one(updated)), with(one(local)),
			merging.Options{OnConflict: merging.KeepLocal})
		if err != nil || len(told) != len(conflicts) {
			t.Fatalf("seed %d: %v, conflicts %v and %v", seed, err, conflicts, told)
		}
		areUnsettled(t, got, conflicts)
		areUnsettled(t, kept, told)
		if len(conflicts) > 0 {
			conflicting++
			if _, left, _ := merging.Merge(with(one(original)), with(one(updated)), kept,
				merging.Options{}); len(left) != len(conflicts) {
				t.Errorf("seed %d: of the conflicts %v, KeepLocal leaves %v:\n%s\n%s\n%s", seed, conflicts, left, original, updated,
					local)
			}
			continue
		}
		merged++
		want, err := merge3.MergeStrings(local, original, updated, false)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(values(t, want), values(t, got["a.yaml"])); diff != "" {
			t.Errorf("seed %d: -merge3 +ours:\n%s\n%s\n%s\n%s", seed, diff, original, updated, local)
		}
		if diff := cmp.Diff(got, kept); diff != "" {
			t.Errorf("seed %d: without conflicts, KeepLocal gives something else:\n%s", seed, diff)
		}
	}
	if merged < rounds/8 || conflicting < rounds/8 {
		t.Errorf("%d merges without conflicts, %d with: too few", merged, conflicting)
	}
}

func values(t *testing.T, text string) (value any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	return value
}

// random makes Deployments.
type random struct{ *rand.Rand }

// deployment is a Deployment: fields by name, and for each container its fields.
type deployment struct {
	fields     map[string]string
	containers []string
	of         map[string]map[string]string
}

func (r random) deployment() deployment {
	d := deployment{fields: map[string]string{}, of: map[string]map[string]string{}}
	for i := range 4 {
		d.fields[fmt.Sprintf("field%d", i)] = r.value()
	}
	for i := range 1 + r.IntN(3) {
		d.add(fmt.Sprintf("c%d", i), r)
	}
	return d
}

func (d *deployment) add(name string, r random) {
	d.containers = append(d.containers, name)
	d.of[name] = map[string]string{"image": r.value(), "command": "[" + r.value() + "]"}
}

func (r random) value() string { return fmt.Sprintf("v%d", r.IntN(6)) }

// changed returns a copy with a few changes.
func (r random) changed(d deployment) deployment {
	c := deployment{fields: map[string]string{}, of: map[string]map[string]string{},
		containers: append([]string(nil), d.containers...)}
	for k, v := range d.fields {
		c.fields[k] = v
	}
	for name, fields := range d.of {
		c.of[name] = map[string]string{}
		for k, v := range fields {
			c.of[name][k] = v
		}
	}
	for range 1 + r.IntN(3) {
		switch r.IntN(6) {
		case 0, 1:
			c.fields[fmt.Sprintf("field%d", r.IntN(6))] = r.value()
		case 2:
			delete(c.fields, fmt.Sprintf("field%d", r.IntN(4)))
		case 3:
			if name := fmt.Sprintf("c%d", 3+r.IntN(4)); c.of[name] == nil {
				c.add(name, r)
			}
		default:
			name := c.containers[r.IntN(len(c.containers))]
			c.of[name][[]string{"image", "command", "tty"}[r.IntN(3)]] = "[" + r.value() + "]"
			c.of[name]["image"] = r.value()
		}
	}
	return c
}

func (d deployment) text() string {
	var out strings.Builder
	out.WriteString("apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  template:\n    spec:\n" +
		"      containers:\n")
	for _, name := range d.containers {
		fmt.Fprintf(&out, "      - name: %s\n", name)
		for _, field := range []string{"image", "command", "tty"} {
			if v := d.of[name][field]; v != "" {
				fmt.Fprintf(&out, "        %s: %s\n", field, v)
			}
		}
	}
	for i := range 6 {
		if v := d.fields[fmt.Sprintf("field%d", i)]; v != "" {
			fmt.Fprintf(&out, "  field%d: %s\n", i, v)
		}
	}
	return out.String()
}
