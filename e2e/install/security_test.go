// SPDX-License-Identifier: Apache-2.0

package install

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// pod returns a pod as the Deployment makes them.
func (g *guide) pod(t *testing.T) *corev1.Pod {
	t.Helper()
	var deployment appsv1.Deployment
	out := g.run(t, "kubectl get deployment sync-controller --namespace="+namespace+" --output=json")
	if err := json.Unmarshal([]byte(out), &deployment); err != nil {
		t.Fatal(err)
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "sync-controller", Labels: deployment.Spec.Template.Labels},
		Spec:       deployment.Spec.Template.Spec,
	}
}

// admitted checks that the namespace admits the controller's pod, which must meet the strictest of the Pod Security
// Standards there, and does not admit one that asks for more.
func admitted(t *testing.T, g *guide) {
	create := func(pod *corev1.Pod) error {
		_, err := g.client.CoreV1().Pods(namespace).Create(t.Context(), pod,
			metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err
	}
	if err := create(g.pod(t)); err != nil {
		t.Error(err)
	}
	yes, no := true, false
	for name, loosen := range map[string]func(pod *corev1.PodSpec, container *corev1.SecurityContext){
		"capabilities":    func(_ *corev1.PodSpec, c *corev1.SecurityContext) { c.Capabilities.Drop = nil },
		"escalation":      func(_ *corev1.PodSpec, c *corev1.SecurityContext) { c.AllowPrivilegeEscalation = &yes },
		"any user":        func(p *corev1.PodSpec, _ *corev1.SecurityContext) { p.SecurityContext.RunAsNonRoot = &no },
		"any system call": func(p *corev1.PodSpec, _ *corev1.SecurityContext) { p.SecurityContext.SeccompProfile = nil },
		"network of host": func(p *corev1.PodSpec, _ *corev1.SecurityContext) { p.HostNetwork = true },
	} {
		pod := g.pod(t)
		loosen(&pod.Spec, pod.Spec.Containers[0].SecurityContext)
		if err := create(pod); err == nil || !strings.Contains(err.Error(), `violates PodSecurity "restricted`) {
			t.Errorf("%s: error %v, want that it violates restricted", name, err)
		}
	}
}

// bounded checks what no standard requires of the controller's pod: a read-only root file system, resource limits, no
// volume, and a token by its own request, because its account gives none by default.
func bounded(t *testing.T, g *guide) {
	pod := g.pod(t).Spec
	if len(pod.Containers) != 1 || len(pod.InitContainers) > 0 || len(pod.Volumes) > 0 {
		t.Fatalf("the pod is %+v, want one container and no volume", pod)
	}
	c := pod.Containers[0]
	if c.SecurityContext.ReadOnlyRootFilesystem == nil || !*c.SecurityContext.ReadOnlyRootFilesystem {
		t.Error("the root file system can be written")
	}
	for _, resource := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		request, limit := c.Resources.Requests[resource], c.Resources.Limits[resource]
		if request.IsZero() || limit.Cmp(request) < 0 {
			t.Errorf("%s: requests %s, limit %s", resource, request.String(), limit.String())
		}
	}
	account, err := g.client.CoreV1().ServiceAccounts(namespace).Get(t.Context(), pod.ServiceAccountName, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for name, mounts := range map[string]*bool{"the pod": pod.AutomountServiceAccountToken,
		"the account": account.AutomountServiceAccountToken} {
		if mounts == nil || *mounts != (name == "the pod") {
			t.Errorf("%s mounts the token: %v", name, mounts)
		}
	}
}

// guarded checks that the NetworkPolicy selects the controller's pod and names its ports, and that the API accepts the
// manual's addition to it. No network enforces it here.
func guarded(t *testing.T, g *guide) {
	policy := func() networkingv1.NetworkPolicySpec {
		p, err := g.client.NetworkingV1().NetworkPolicies(namespace).Get(t.Context(), "sync-controller", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return p.Spec
	}
	before, pod := policy(), g.pod(t)
	selector, err := metav1.LabelSelectorAsSelector(&before.PodSelector)
	if err != nil || !selector.Matches(labels.Set(pod.Labels)) || selector.Empty() {
		t.Errorf("the policy is for %v (%v), the pod has %v", selector, err, pod.Labels)
	}
	var open, has []string
	for _, rule := range before.Ingress {
		for _, port := range rule.Ports {
			open = append(open, port.Port.String())
		}
	}
	for _, port := range pod.Spec.Containers[0].Ports {
		has = append(has, port.Name)
	}
	if diff := cmp.Diff(has, open); diff != "" {
		t.Errorf("ports of the pod (-) and of the policy (+):\n%s", diff)
	}
	if diff := cmp.Diff([]networkingv1.PolicyType{"Ingress"}, before.PolicyTypes); diff != "" {
		t.Errorf("types of the policy (-want +got):\n%s", diff)
	}
	g.follow(t, "Restrict its network")
	after := policy()
	if diff := cmp.Diff([]networkingv1.PolicyType{"Ingress", "Egress"}, after.PolicyTypes); diff != "" {
		t.Errorf("types of the policy as the manual has it (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before.Ingress, after.Ingress); diff != "" || len(after.Egress) != 3 {
		t.Errorf("the policy as the manual has it lets out %v, and lets in (-before +after):\n%s", after.Egress, diff)
	}
}

// readable checks who may read metrics: users bound as the manual says, and not the controller itself.
func readable(t *testing.T, g *guide) {
	const prometheus = "system:serviceaccount:monitoring:prometheus"
	may := func(user, verb, path string) bool {
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
			User: user, Groups: []string{"system:serviceaccounts", "system:authenticated"},
			NonResourceAttributes: &authorizationv1.NonResourceAttributes{Verb: verb, Path: path},
		}}
		answer, err := g.client.AuthorizationV1().SubjectAccessReviews().Create(t.Context(), review, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return answer.Status.Allowed
	}
	if may(prometheus, "get", "/metrics") {
		t.Error("Prometheus may read metrics before it is bound")
	}
	g.reading(t, monitoring).follow(t, "Who may read the metrics")
	g.run(t, "kubectl auth can-i get /metrics --as="+prometheus)
	for _, c := range []struct {
		user, verb, path string
		want             bool
	}{
		{prometheus, "get", "/metrics", true},
		{prometheus, "post", "/metrics", false},
		{prometheus, "get", "/logs", false},
		{account, "get", "/metrics", false},
	} {
		if got := may(c.user, c.verb, c.path); got != c.want {
			t.Errorf("%s may %s %s: %t, want %t", c.user, c.verb, c.path, got, c.want)
		}
	}
}
