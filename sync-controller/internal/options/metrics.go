// SPDX-License-Identifier: Apache-2.0

package options

import (
	"crypto/tls"
	"flag"
	"fmt"
	"path/filepath"

	"github.com/package-variants/package-variants/sync-controller/internal/kube/guard"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// Metrics are the flags about metrics.
type Metrics struct {
	// Address is where they are served; 0 is nowhere.
	Address string
	// Secure is whether they are served by https, and only to clients that RBAC allows to get /metrics.
	Secure bool
	// CertDir is the directory of tls.crt and tls.key, which are read again when they change. Without it, the controller
	// makes a self-signed certificate.
	CertDir string
}

// noMetrics is the address of metrics that are not served.
const noMetrics = "0"

func (m *Metrics) register(f *flag.FlagSet) {
	f.StringVar(&m.Address, "metrics-bind-address", ":8443", "address of the metrics; 0 for none")
	f.BoolVar(&m.Secure, "metrics-secure", true,
		"serve metrics over https to accounts that may get the URL /metrics; otherwise over http to everyone")
	f.StringVar(&m.CertDir, "metrics-cert-dir", "",
		"directory with tls.crt and tls.key for the metrics, read again when they change; if empty, the controller makes a "+
			"self-signed certificate")
}

func (m *Metrics) validate() error {
	switch {
	case m.CertDir == "":
		return nil
	case !m.Secure || m.Address == noMetrics:
		return fmt.Errorf("--metrics-cert-dir is %q, but no metrics are served by https", m.CertDir)
	}
	// Otherwise the server would silently make its own certificate.
	certificate, key := filepath.Join(m.CertDir, "tls.crt"), filepath.Join(m.CertDir, "tls.key")
	if _, err := tls.LoadX509KeyPair(certificate, key); err != nil {
		return fmt.Errorf("--metrics-cert-dir is %q, but must have the certificate tls.crt and its key tls.key: %w",
			m.CertDir, err)
	}
	return nil
}

// server returns the options of the server. HTTP/2 is off, because Prometheus does not need it.
func (m *Metrics) server() metricsserver.Options {
	options := metricsserver.Options{BindAddress: m.Address}
	if m.Secure {
		options.SecureServing, options.CertDir = true, m.CertDir
		options.TLSOpts = []func(*tls.Config){func(c *tls.Config) { c.NextProtos = []string{"http/1.1"} }}
		options.FilterProvider = guard.Filter
	}
	return options
}
