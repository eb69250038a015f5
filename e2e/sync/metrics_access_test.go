// SPDX-License-Identifier: Apache-2.0

package sync

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

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/cert"
)

// TestMetricsAccess checks who can read the metrics: only by HTTPS, and only with the token of an account that may get
// the URL /metrics.
func TestMetricsAccess(t *testing.T) {
	w := newWorld(t)
	reader, other := w.token("reader"), w.token("other")
	w.kubectl("create", "clusterrolebinding", w.Namespace+"-metrics-reader", "--clusterrole=package-variants-metrics-reader",
		"--serviceaccount="+w.Namespace+":reader")
	roots, dir := signed(t)
	for name, c := range map[string]struct {
		args  []string
		roots *x509.CertPool // to verify the server; none if it makes its own certificate
	}{
		"its own certificate": {},
		"a given certificate": {[]string{"--metrics-cert-dir=" + dir}, roots},
	} {
		t.Run(name, func(t *testing.T) {
			p := w.start(append(c.args, "--metrics-secure=true")...)
			defer p.Kill()
			w.Eventually("metrics are served", func() error {
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
				"no token of ours":  {"https", "a.b.c", http.StatusInternalServerError},
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
}

// token returns the token of a new ServiceAccount.
func (w *world) token(account string) string {
	w.t.Helper()
	clients, err := kubernetes.NewForConfig(w.stack.Config)
	if err != nil {
		w.t.Fatal(err)
	}
	accounts := clients.CoreV1().ServiceAccounts(w.Namespace)
	if _, err := accounts.Create(w.t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: account}},
		metav1.CreateOptions{}); err != nil {
		w.t.Fatal(err)
	}
	request, err := accounts.CreateToken(w.t.Context(), account, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		w.t.Fatal(err)
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
