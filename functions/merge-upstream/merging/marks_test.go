// SPDX-License-Identifier: Apache-2.0

package merging_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/functions/merge-upstream/merging"
)

const packageContext = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: kptfile.kpt.dev\ndata:\n"

func point(annotations, data string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: endpoints\n  annotations:\n" +
		"    kpt.dev/config-injection: required\n" + annotations + "data:\n" + data
}

// notPoint returns the same ConfigMap before it was an injection point.
func notPoint(data string) string {
	return strings.Replace(point("", data), "  annotations:\n    kpt.dev/config-injection: required\n", "", 1)
}

// TestMarks checks that what functions and renderers write into a package is neither lost nor a conflict, under each
// conflict policy.
func TestMarks(t *testing.T) {
	t.Parallel()
	const injected = "    kpt.dev/injected-resource-name: eu\n"
	const identified = "    internal.kpt.dev/upstream-identifier: '|ConfigMap|default|settings'\n"
	for name, c := range map[string]struct{ file, original, updated, local, want string }{
		"package context": {"c.yaml", packageContext + "  name: web\n  region: none\n  old: x\n",
			packageContext + "  name: web2\n  region: any\n  zone: a\n  old: z\n",
			packageContext + "  name: eu-web\n  region: eu # mine\n",
			packageContext + "  name: eu-web\n  region: eu # mine\n  zone: a\n"},
		"package context removed upstream": {"c.yaml", packageContext + "  name: web\n", "",
			packageContext + "  name: eu-web\n", packageContext + "  name: eu-web\n"},
		"injected values": {"p.yaml", point("", "  api: none\n  auth: none\n"),
			point("", "  api: any\n  log: none\n"), point(injected, "  api: eu\n  auth: eu\n"),
			point(injected, "  api: eu\n  auth: eu\n")},
		"injected, removed upstream": {"p.yaml", point("", "  api: none\n"), "", point(injected, "  api: eu\n"), ""},
		"injected binary values": {"p.yaml", point("", "  a: none\n") + "binaryData: {b: AAE=, c: AAE=}\n",
			point("", "  a: any\n") + "binaryData: {b: AAI=, c: AAI=}\n", point(injected, "  a: eu\n") + "binaryData: {b: AAM=, c: AAE=}\n",
			point(injected, "  a: eu\n") + "binaryData: {b: AAM=, c: AAI=}\n"},
		"injected binary values, removed upstream": {"p.yaml", point("", "  a: none\n"), "",
			point(injected, "  a: eu\n") + "binaryData: {b: AAM=}\n", ""},
		"values that become injected": {"p.yaml", notPoint("  api: dev\n  log: none\n"), point("", "  api: none\n  log: none\n  new: none\n"),
			notPoint("  api: prod\n"), point("", "  api: prod\n  new: none\n")},
		"injected by Porch": {"p.yaml", point("", "  api: none\n"), point("", "  api: any\n"),
			point("    kpt.dev/injected-resource: x/eu\n", "  api: eu\n"),
			point("    kpt.dev/injected-resource: x/eu\n", "  api: eu\n")},
		"injected into a spec": {"p.yaml", strings.Replace(point("", "  a: 1\n"), "v1\nkind: ConfigMap", "x/v1\nkind: A", 1) +
			"spec: {a: 1}\n", strings.Replace(point("", "  a: 2\n"), "v1\nkind: ConfigMap", "x/v1\nkind: A", 1) +
			"spec: {a: 2}\n",
			strings.Replace(point(injected, "  a: 1\n"), "v1\nkind: ConfigMap", "x/v1\nkind: A", 1) +
				"spec: {a: eu}\n", strings.Replace(point(injected, "  a: 2\n"), "v1\nkind: ConfigMap", "x/v1\nkind: A", 1) +
				"spec: {a: eu}\n"},
		"upstream identifier": {"a.yaml", cmv1, cmv2,
			strings.Replace(cmMine, "\ndata:", "\n  annotations:\n"+identified+"data:", 1),
			strings.Replace(cmBoth, "\ndata:", "\n  annotations:\n"+identified+"data:", 1)},
		"removed upstream, with an identifier and a comment": {"a.yaml", cmv1, "",
			strings.NewReplacer("\ndata:", "\n  annotations:\n"+identified+"data:", "metadata:",
				"metadata: # kpt-merge: /settings").Replace(cmv1), ""},
		"identifier of the upstream's own upstream": {"a.yaml", cmv1,
			strings.Replace(cmv2, "\ndata:", "\n  annotations:\n    internal.kpt.dev/upstream-identifier: x\ndata:", 1),
			strings.Replace(cmMine, "\ndata:", "\n  annotations:\n"+identified+"data:", 1),
			strings.Replace(cmBoth, "\ndata:", "\n  annotations:\n"+identified+"data:", 1)},
	} {
		for _, onConflict := range []merging.OnConflict{merging.TakeUpstream, merging.KeepLocal, merging.Stop} {
			t.Run(name+"/"+string(onConflict), func(t *testing.T) {
				t.Parallel()
				pkg := func(text string) files {
					f := files{"z.yaml": deploy}
					if text != "" {
						f[c.file] = text
					}
					return f
				}
				got, conflicts := merge(t, pkg(c.original), pkg(c.updated), pkg(c.local), merging.Options{OnConflict: onConflict})
				if diff := cmp.Diff(with(pkg(c.want)), got); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
				if len(conflicts) > 0 {
					t.Errorf("conflicts %v", told(conflicts))
				}
			})
		}
	}
}

// TestKptfile checks how Kptfiles are merged.
func TestKptfile(t *testing.T) {
	t.Parallel()
	upstream := &merging.Upstream{Type: "git", Git: &merging.Git{Repo: "https://x/b.git", Directory: "web", Ref: "web/v2"}}
	lock := &merging.UpstreamLock{Type: "git", Git: &merging.GitLock{Repo: "https://x/b.git", Directory: "web",
		Ref: "web/v2", Commit: "22"}}
	const at1 = "upstream:\n  type: git\n  git:\n    repo: https://x/b.git # ours\n    directory: web\n    ref: web/v1\n" +
		"  updateStrategy: resource-merge\nupstreamLock:\n  type: git\n  git:\n    repo: https://x/b.git\n" +
		"    directory: web\n    ref: web/v1\n    commit: \"11\"\n"
	const at2 = "upstream:\n  type: git\n  git:\n    repo: https://x/b.git # ours\n    directory: web\n    ref: web/v2\n" +
		"  updateStrategy: resource-merge\nupstreamLock:\n  type: git\n  git:\n    repo: https://x/b.git\n" +
		"    directory: web\n    ref: web/v2\n    commit: \"22\"\n"
	const fresh = "upstream:\n  type: git\n  git:\n    repo: https://x/b.git\n    directory: web\n    ref: web/v2\n" +
		"upstreamLock:\n  type: git\n  git:\n    repo: https://x/b.git\n    directory: web\n    ref: web/v2\n" +
		"    commit: \"22\"\n"
	const mutators = "pipeline:\n  mutators:\n"
	for name, c := range map[string]struct {
		original, updated, local, want string
		conflicts                      []string
	}{
		"new upstream":       {"", "", at1, at2, nil},
		"no upstream before": {"", "", "info:\n  description: d\n", fresh + "info:\n  description: d\n", nil},
		"upstream's own": {"upstream: {type: git, git: {ref: r1}}\n",
			"upstream: {type: git, git: {ref: r2}}\n", at1, at2, nil},
		"unnamed functions": {mutators + "  - image: a:v1\n  - image: b:v1\n",
			mutators + "  - image: a:v2\n  - image: b:v1\n  - image: c:v1\n",
			at1 + mutators + "  - image: a:v1\n  - image: b:v1\n    configMap: {x: y1}\n",
			at2 + mutators + "  - image: a:v2\n  - image: b:v1\n    configMap: {x: y1}\n  - image: c:v1\n", nil},
		"prepended functions": {mutators + "  - image: a:v1\n", mutators + "  - image: a:v2\n",
			at1 + mutators + "  # ours\n  - image: p:v1\n    name: PackageVariant.pv..0\n  - image: p:v1\n" +
				"    name: PackageVariant.pv..1\n  - image: a:v1\n  - image: mine:v1\n", at2 + mutators + "  # ours\n" +
				"  - image: p:v1\n    name: PackageVariant.pv..0\n  - image: p:v1\n    name: PackageVariant.pv..1\n" +
				"  - image: a:v2\n  - image: mine:v1\n", nil},
		"prepended upstream": {mutators + "  - {image: \"p:v1\", name: PackageVariant.up..0}\n",
			mutators + "  - {image: \"p:v2\", name: PackageVariant.up..0}\n",
			at1 + mutators + "  - {image: \"p:v3\", name: PackageVariant.up..0}\n",
			at2 + mutators + "  - {image: \"p:v3\", name: PackageVariant.up..0}\n", nil},
		"registry with a port": {mutators + "  - image: l:5000/a:v1\n  - image: l:5000/b:v1\n",
			mutators + "  - image: l:5000/a:v2\n  - image: l:5000/b:v1\n", at1 + mutators + "  - image: l:5000/a:v1\n",
			at2 + mutators + "  - image: l:5000/a:v2\n", nil},
		"a function twice": {mutators + "  - image: a:v1\n  - image: a:v1\n",
			mutators + "  - image: a:v2\n  - image: a:v2\n", at1 + mutators + "  - image: a:v1\n",
			at2 + mutators + "  - image: a:v2\n",
			[]string{`Kptfile Kptfile "web" pipeline.mutators[image=a,position=2]: local`}},
		"function changed": {mutators + "  - image: a:v1\n", mutators + "  - image: a:v2\n",
			at1 + mutators + "  - image: a:v3\n", at2 + mutators + "  - image: a:v3\n",
			[]string{`Kptfile Kptfile "web" pipeline.mutators[image=a].image: local`}},
		"gates": {"info:\n  readinessGates:\n  - conditionType: x\n",
			"info:\n  readinessGates:\n  - conditionType: x\n  - conditionType: y1\n",
			at1 + "info:\n  readinessGates:\n  - conditionType: mine\n  - conditionType: config.injection.A.b\n",
			at2 + "info:\n  readinessGates:\n  - conditionType: mine\n  - conditionType: config.injection.A.b\n" +
				"  - conditionType: y1\n", nil},
		"gates of the upstream's injection": {"info: {readinessGates: [{conditionType: config.injection.A.b}]}\n",
			"info: {readinessGates: []}\n", at1 + "info:\n  readinessGates:\n  - conditionType: config.injection.A.b\n",
			at2 + "info:\n  readinessGates:\n  - conditionType: config.injection.A.b\n", nil},
		"status": {"status:\n  conditions:\n  - {type: Rendered, status: \"True\", message: a}\n" +
			"  - {type: z, status: \"True\"}\n  renderStatus: {a: 1}\n", "status:\n  conditions:\n" +
			"  - {type: Rendered, status: \"False\", message: b}\n  - {type: z, status: \"False\"}\n  renderStatus: {a: 2}\n",
			at1 + "status:\n  conditions:\n    - {type: Rendered, status: \"True\", message: mine}\n" +
				"    - {type: z, status: Unknown}\n  renderStatus: {a: 3}\n", at2 + "status:\n  conditions:\n" +
				"    - {type: Rendered, status: \"True\", message: mine}\n    - {type: z, status: Unknown}\n" +
				"  renderStatus: {a: 3}\n", nil},
		"info": {"info:\n  description: one\n  keywords: [a]\n", "info:\n  description: two\n  keywords: [b]\n",
			at1 + "info:\n  keywords: [a] # k\n  description: mine # c\n",
			at2 + "info:\n  keywords: [b] # k\n  description: mine # c\n",
			[]string{`Kptfile Kptfile "web" info.description: local`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pkg := func(text, name string) files {
				return files{"Kptfile": strings.Replace(kptfile, "web", name, 1) + text}
			}
			options := merging.Options{Upstream: upstream, UpstreamLock: lock}
			got, conflicts := merge(t, pkg(c.original, "blueprint"), pkg(c.updated, "blueprint-2"), pkg(c.local, "web"), options)
			if diff := cmp.Diff(pkg(c.want, "web"), got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if diff := cmp.Diff(c.conflicts, told(conflicts)); diff != "" {
				t.Errorf("conflicts -want +got:\n%s", diff)
			}
		})
	}
}
