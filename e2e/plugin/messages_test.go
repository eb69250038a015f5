// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
)

// allow gives a user a Role in the namespace.
func (w *world) allow(user string, rules ...rbacv1.PolicyRule) {
	w.t.Helper()
	for _, object := range []runtime.Object{
		&rbacv1.Role{TypeMeta: metav1.TypeMeta{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "Role"},
			ObjectMeta: metav1.ObjectMeta{Name: user, Namespace: w.Namespace}, Rules: rules},
		&rbacv1.RoleBinding{TypeMeta: metav1.TypeMeta{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "RoleBinding"},
			ObjectMeta: metav1.ObjectMeta{Name: user, Namespace: w.Namespace},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: user},
			Subjects:   []rbacv1.Subject{{Kind: "User", APIGroup: rbacv1.GroupName, Name: user}}},
	} {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
		if err == nil {
			err = w.Client.Create(w.t.Context(), &unstructured.Unstructured{Object: content})
		}
		if err != nil {
			w.t.Fatal(err)
		}
	}
}

func read(group string, resources ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: resources, Verbs: []string{"get", "list"}}
}

// TestMessages checks what a user reads who names a missing object or lacks a right, and which names a shell gets for
// completion.
func TestMessages(t *testing.T) {
	w := newWorld(t, "messages")
	w.Publish("blueprints", "web", "v1", settings("1", "web:1"))
	w.Apply(newVariant("web"), newVariant("shop", func(s *variant.Spec) { s.Suspend = true }))
	w.target("web", "edge.web.packagevariant-1")
	w.allow("alice", read("config.porch.kpt.dev", "packagevariants", "repositories"),
		read("porch.kpt.dev", "packagerevisions", "packagerevisionresources"))
	for name, c := range map[string]struct {
		args []string
		want answer
	}{
		"a name that is close": {[]string{"approve", "wep"},
			answer{"", `error: there is no PackageVariant "wep" in the namespace "messages": did you mean "web"?` + "\n", 2}},
		"another kind": {[]string{"approve", "packagevariantset/web"}, answer{"",
			"error: this command is for PackageVariants, and packagevariantset/web is a PackageVariantSet\n", 2}},
		"nothing is chosen": {[]string{"suspend"},
			answer{"", "error: nothing is chosen: name PackageVariants, or choose them by --selector or --set\n", 2}},
		"no such labels": {[]string{"resume", "-l", "region=eu"},
			answer{"", `error: no PackageVariant in the namespace "messages" has the labels region=eu` + "\n", 2}},
		"no right at all": {[]string{"diff", "web", "--as=bob"}, answer{"", "error: you may not get packagevariants in the " +
			`namespace "messages": someone has to give you a Role there with the rule {apiGroups: [config.porch.kpt.dev], ` +
			"resources: [packagevariants], verbs: [get]}\n", 2}},
		"no right to approve": {[]string{"approve", "web", "--yes", "--as=alice"},
			answer{w.kubectl("variants", "approve", "web").out, "error: you may not patch packagerevisions/approval in the " +
				`namespace "messages": someone has to give you a Role there with the rule {apiGroups: [porch.kpt.dev], ` +
				"resources: [packagerevisions/approval], verbs: [patch]}\n", 2}},
		"no right to suspend": {[]string{"suspend", "web", "--as=alice"}, answer{"", "error: web: you may not patch " +
			`packagevariants in the namespace "messages": someone has to give you a Role there with the rule ` +
			"{apiGroups: [config.porch.kpt.dev], resources: [packagevariants], verbs: [patch]}\n", 2}},
		"nobody listens": {[]string{"trace", "web", "--server=http://127.0.0.1:1"}, answer{"", "error: cannot reach the cluster " +
			"at http://127.0.0.1:1, which refuses connections: set --context to another, or see whether it runs\n", 2}},
		"no such context": {[]string{"trace", "web", "--context=nowhere"}, answer{"", "error: cannot find a cluster: " +
			`context "nowhere" does not exist; set --kubeconfig or --context` + "\n", 2}},
		"not suspended":       {[]string{"resume", "web"}, answer{"packagevariant/web is not suspended\n", "", 0}},
		"names for a shell":   {[]string{"__complete", "approve", ""}, answer{"shop\nweb\n:4\n", completed, 0}},
		"those that begin so": {[]string{"__complete", "trace", "blue"}, answer{"blueprints/web\n:4\n", completed, 0}},
		"but for those given": {[]string{"__complete", "suspend", "web", ""}, answer{"shop\n:4\n", completed, 0}},
		"none without rights": {[]string{"__complete", "approve", "--as=bob", ""}, answer{":4\n", completed, 0}},
		"the words of a flag": {[]string{"__complete", "diff", "web", "--against", "u"}, answer{"published\nupstream\n:4\n", completed, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			inner := *w
			inner.t = t
			inner.expect(c.want, c.args...)
		})
	}
	if got := w.kubectl("variants", "version"); got.code != 0 || !strings.HasPrefix(got.out, "client:     ") ||
		!strings.HasSuffix(got.out, "controller: not known: there is no Deployment sync-controller in the namespace "+
			"package-variants-system\n") {
		t.Errorf("the versions are %+v", got)
	}
	// kubectl itself completes by what stands beside the plugin on the PATH.
	if got := w.kubectl("__complete", "variants", "approve", "we"); got.out != "web\n:4\n" {
		t.Errorf("kubectl completes by %+v", got)
	}
}

const completed = "Completion ended with directive: ShellCompDirectiveNoFileComp\n"
