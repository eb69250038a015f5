// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/e2e/internal/controller"
	"github.com/package-variants/package-variants/e2e/internal/fleet"
	"github.com/package-variants/package-variants/e2e/internal/proxy"
	"github.com/package-variants/package-variants/e2e/internal/rights"
	"github.com/package-variants/package-variants/e2e/stack"
	"github.com/package-variants/package-variants/e2e/stack/stacktest"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/cert"
)

var shared *stack.Stack

// porchs is what answers every request in the place of Porch: which resources it would have.
const porchs = `{"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "porch.kpt.dev/v1alpha1", "resources": [` +
	`{"name": "packagerevisions", "kind": "PackageRevision", "namespaced": true, "verbs": ["list", "watch"]}]}`

func TestMain(m *testing.M) {
	os.Exit(stacktest.Main(m, &shared, stack.Options{PorchAPI: http.HandlerFunc(
		func(answer http.ResponseWriter, _ *http.Request) {
			answer.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(answer, porchs) // whoever asked hears of an error
		})}))
}

// TestMetricsAccess checks who can read the metrics: only by HTTPS, and only with the token of an account that may get
// the URL /metrics. The controller finds that out by the rights of its role for metrics, and needs all of them.
func TestMetricsAccess(t *testing.T) {
	if err := controller.Install(t.Context(), shared); err != nil {
		t.Fatal(err)
	}
	f := fleet.New(t, shared, "metrics")
	reader, other := token(t, f.Namespace, "reader"), token(t, f.Namespace, "other")
	if out, err := shared.Kubectl(t.Context(), "create", "clusterrolebinding", "reader",
		"--clusterrole=package-variants-metrics-reader", "--serviceaccount="+f.Namespace+":reader"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	server, kubeconfig := proxy.StartFor(t, shared.Config, proxy.Options{ImpersonateUser: controller.Account,
		ImpersonateGroups: []string{"system:serviceaccounts", "system:authenticated"}})
	roots, dir := signed(t)
	for name, c := range map[string]struct {
		args  []string
		roots *x509.CertPool // to verify the server; none if it makes its own certificate
	}{
		"its own certificate": {},
		"a given certificate": {[]string{"--metrics-cert-dir=" + dir}, roots},
	} {
		t.Run(name, func(t *testing.T) {
			p := controller.Start(t, controller.Options{Kubeconfig: kubeconfig, Namespaces: []string{f.Namespace},
				Args: append(c.args, "--log-level=debug", "--metrics-secure=true")})
			f.Eventually("metrics are served", func() error {
				connection, err := net.Dial("tcp", p.MetricsAddress())
				if err == nil {
					err = connection.Close()
				}
				return err
			})
			client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{
				RootCAs: c.roots, InsecureSkipVerify: c.roots == nil, // it is self-signed
			}}}
			for name, asked := range map[string]struct {
				scheme, token string
				want          int
			}{
				"plain":             {"http", reader, http.StatusBadRequest},
				"no token":          {"https", "", http.StatusUnauthorized},
				"no token of ours":  {"https", "a.b.c", http.StatusUnauthorized},
				"a token of no use": {"https", other, http.StatusForbidden},
				"a reader's token":  {"https", reader, http.StatusOK},
			} {
				status, body := get(t, client, asked.scheme+"://"+p.MetricsAddress()+"/metrics", asked.token)
				if status != asked.want {
					t.Errorf("%s: %d %s, want %d", name, status, body, asked.want)
				}
				if shown := strings.Contains(body, "controller_runtime_"); shown != (asked.want == http.StatusOK) {
					t.Errorf("%s: metrics are shown: %t:\n%s", name, shown, body)
				}
			}
			for _, token := range []string{reader, other, "a.b.c"} {
				if strings.Contains(p.Log(), token) {
					t.Error("a token is in the log")
				}
			}
		})
	}
	grants, err := rights.Read(controller.MetricsRole)
	if err != nil {
		t.Fatal(err)
	}
	if unused := rights.Unused(grants, server.Accesses()); len(unused) > 0 {
		t.Errorf("it does not need %q", unused)
	}
}

// token returns the token of a new ServiceAccount.
func token(t *testing.T, namespace, account string) string {
	t.Helper()
	clients, err := kubernetes.NewForConfig(shared.Config)
	if err != nil {
		t.Fatal(err)
	}
	accounts := clients.CoreV1().ServiceAccounts(namespace)
	if _, err := accounts.Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: account}},
		metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	request, err := accounts.CreateToken(t.Context(), account, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return request.Status.Token
}

// signed returns a directory with a certificate for this machine and its key, and the roots to verify it.
func signed(t *testing.T) (*x509.CertPool, string) {
	t.Helper()
	dir := t.TempDir()
	crt, key, err := cert.GenerateSelfSignedCertKey("localhost", []net.IP{net.IPv4(127, 0, 0, 1)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"tls.crt": crt, "tls.key": key} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(crt) {
		t.Fatal("the certificate cannot be read")
	}
	return roots, dir
}

// get returns the status and the body of an answer.
func get(t *testing.T, client *http.Client, url, token string) (status int, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, fmt.Sprint(err)
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body) // the server closes a connection without TLS
	return response.StatusCode, fmt.Sprint(string(content), err)
}
