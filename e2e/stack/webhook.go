// SPDX-License-Identifier: Apache-2.0

package stack

import (
	"context"
	"encoding/base64"
	"path/filepath"
	"strconv"
)

// webhook is a check that kube-apiserver requests from Porch. Porch would configure it if it made its own webhook
// certificate.
type webhook struct {
	configuration, name, path string
	group, version, resource  string
	operations                []any
}

var (
	// deletions lets Porch refuse to delete a published package that is not proposed for deletion.
	deletions = webhook{configuration: "packagerev-deletion-validating-webhook", name: "packagerevdeletion.google.com",
		path: "/validate-deletion", group: porchGroup, version: porchVersion, resource: packageRevisions.Resource,
		operations: []any{"DELETE"}}
	// registrations lets Porch refuse Repositories that share a directory of a git repository. A Porch that was built
	// elsewhere uses it, and checks deletions itself.
	registrations = webhook{configuration: "repository-validating-webhook", name: "porchrepositorywebhook.nephio.org",
		path: "/validate-repository", group: repositories.Group, version: repositories.Version,
		resource: repositories.Resource, operations: []any{"CREATE", "UPDATE"}}
)

// installWebhook registers Porch's webhook with kube-apiserver.
func (s *Stack) installWebhook(ctx context.Context) error {
	w := deletions
	if s.porch.foreign {
		w = registrations
	}
	return s.apply(ctx, w.object(s.certs.pem(), local(s.ports.webhook)))
}

// webhookEnv makes the certificate of Porch's webhook, and returns the environment in which Porch serves it. Porch
// would take seconds to make one.
func (s *Stack) webhookEnv() ([]string, error) {
	serving, err := s.certs.server(filepath.Join("webhook", "tls"))
	return []string{"CERT_STORAGE_DIR=" + filepath.Dir(serving.cert), "USE_CERT_MAN_FOR_WEBHOOK=true",
		"WEBHOOK_HOST=127.0.0.1", "WEBHOOK_PORT=" + strconv.Itoa(s.ports.webhook),
		"WEBHOOK_SERVICE_NAME=" + porchService, "WEBHOOK_SERVICE_NAMESPACE=" + porchNamespace}, err
}

// object is the configuration that makes kube-apiserver call the webhook at an address.
func (w webhook) object(ca []byte, address string) object {
	return object{resource: webhooks, name: w.configuration, content: map[string]any{
		"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
		"webhooks": []any{map[string]any{
			"name":                    w.name,
			"admissionReviewVersions": []any{"v1", "v1beta1"},
			"sideEffects":             "None",
			"failurePolicy":           "Fail",
			"clientConfig": map[string]any{
				"url":      "https://" + address + w.path,
				"caBundle": base64.StdEncoding.EncodeToString(ca),
			},
			"rules": []any{map[string]any{
				"operations": w.operations, "apiGroups": []any{w.group}, "apiVersions": []any{w.version},
				"resources": []any{w.resource},
			}},
		}},
	}}
}
