// SPDX-License-Identifier: Apache-2.0

package stack

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"path/filepath"
	"strconv"

	"github.com/package-variants/package-variants/e2e/internal/process"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// startEtcd starts etcd. It does not wait for the disk, since its data is not kept.
func (s *Stack) startEtcd(ctx context.Context) error {
	client, peer := "http://"+local(s.ports.etcd), "http://"+local(s.ports.etcdPeer)
	p, err := s.launch("etcd", nil,
		"--data-dir="+filepath.Join(s.Dir, "etcd"), "--unsafe-no-fsync", "--log-level=warn",
		"--listen-client-urls="+client, "--advertise-client-urls="+client,
		"--listen-peer-urls="+peer, "--initial-advertise-peer-urls="+peer, "--initial-cluster=default="+peer)
	if err != nil {
		return err
	}
	return p.Await(ctx, "it was ready", s.answers(client+"/readyz"))
}

// startAPIServer starts kube-apiserver with API aggregation, and with or without policies, and sets up access as its
// administrator.
func (s *Stack) startAPIServer(ctx context.Context, noPolicies bool) error {
	args, err := s.apiServerArgs()
	if err != nil {
		return err
	}
	if noPolicies {
		args = append(args, "--disable-admission-plugins=ValidatingAdmissionPolicy") // in addition to the default ones
	}
	admin, err := s.certs.client("admin", "admin", "system:masters")
	if err != nil {
		return err
	}
	p, err := s.launch(APIServer, nil, args...)
	if err != nil {
		return err
	}
	host := "https://" + local(s.ports.apiserver)
	if err := s.writeKubeconfig(host, admin); err != nil {
		return err
	}
	return p.Await(ctx, "it was ready", s.answers(host+"/readyz"))
}

// apiServerArgs makes the certificates of kube-apiserver and returns its arguments. ServiceAccount is disabled because
// no controller makes the accounts that it requires. OwnerReferencesPermissionEnforcement is off by default, but on in
// some clusters: it requires an extra right from users who make an object that blocks the deletion of its owner.
func (s *Stack) apiServerArgs() ([]string, error) {
	serving, err := s.certs.server("kube-apiserver")
	if err != nil {
		return nil, err
	}
	proxy, err := s.certs.client("front-proxy", "front-proxy")
	if err != nil {
		return nil, err
	}
	accounts := filepath.Join(s.certs.dir, "service-accounts.key")
	if _, err := writeKey(accounts); err != nil {
		return nil, err
	}
	return []string{
		"--etcd-servers=http://" + local(s.ports.etcd),
		"--bind-address=127.0.0.1", "--secure-port=" + strconv.Itoa(s.ports.apiserver),
		"--tls-cert-file=" + serving.cert, "--tls-private-key-file=" + serving.key,
		"--client-ca-file=" + s.certs.file(), "--authorization-mode=RBAC",
		"--disable-admission-plugins=ServiceAccount",
		"--enable-admission-plugins=OwnerReferencesPermissionEnforcement", "--service-cluster-ip-range=10.0.0.0/24",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + accounts, "--service-account-signing-key-file=" + accounts,
		"--requestheader-client-ca-file=" + s.certs.file(), "--requestheader-allowed-names=front-proxy",
		"--requestheader-username-headers=X-Remote-User", "--requestheader-group-headers=X-Remote-Group",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--proxy-client-cert-file=" + proxy.cert, "--proxy-client-key-file=" + proxy.key,
	}, nil
}

// writeKubeconfig writes and loads a kubeconfig for the API at host. It contains the certificate: clients read files of
// certificates again and again, and log that they are gone when the stack has ended.
func (s *Stack) writeKubeconfig(host string, user pair) error {
	config := clientcmdapi.NewConfig()
	config.Clusters["stack"] = &clientcmdapi.Cluster{Server: host, CertificateAuthorityData: s.certs.pem()}
	config.AuthInfos["admin"] = &clientcmdapi.AuthInfo{ClientCertificate: user.cert, ClientKey: user.key}
	config.Contexts["stack"] = &clientcmdapi.Context{Cluster: "stack", AuthInfo: "admin", Namespace: "default"}
	config.CurrentContext = "stack"
	s.Kubeconfig = filepath.Join(s.Dir, "kubeconfig")
	if err := clientcmdapi.FlattenConfig(config); err != nil {
		return err
	}
	if err := clientcmd.WriteToFile(*config, s.Kubeconfig); err != nil {
		return err
	}
	var err error
	if s.Config, err = clientcmd.BuildConfigFromFlags("", s.Kubeconfig); err != nil {
		return err
	}
	s.Config.QPS = -1 // tests wait only for the servers
	return nil
}

// answers returns a check that a server answers a GET with 200. It uses the administrator's certificate once there is
// one.
func (s *Stack) answers(url string) func(context.Context) error {
	return func(ctx context.Context) error {
		client, err := s.HTTPClient()
		if err != nil {
			return err
		}
		defer client.CloseIdleConnections()
		return process.Answers(ctx, client, url)
	}
}

// HTTPClient returns a client for the stack's servers, Kubernetes and Porch, with the administrator's credentials.
func (s *Stack) HTTPClient() (*http.Client, error) {
	if s.Config == nil { // there is no administrator yet
		roots := x509.NewCertPool()
		roots.AddCert(s.certs.cert)
		transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}
		return &http.Client{Transport: transport}, nil
	}
	return rest.HTTPClientFor(s.Config)
}
