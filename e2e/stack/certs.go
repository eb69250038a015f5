// SPDX-License-Identifier: Apache-2.0

package stack

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// authority signs the certificates of a stack.
type authority struct {
	dir  string // where certificates are written
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
}

// pair names the files of a certificate and its key.
type pair struct{ cert, key string }

// newAuthority makes an authority that writes its certificate to dir/ca.crt.
func newAuthority(dir string) (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := certificate("stack-ca")
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	a := &authority{dir: dir, key: key, cert: cert}
	return a, writePEM(a.file(), "CERTIFICATE", der)
}

// certificate returns the template for all certificates of a stack.
func certificate(name string, groups ...string) *x509.Certificate {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		panic(err) // crypto/rand never fails
	}
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: name, Organization: groups},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().AddDate(1, 0, 0),
		KeyUsage:     x509.KeyUsageDigitalSignature,
	}
}

// file is the authority's own certificate.
func (a *authority) file() string { return filepath.Join(a.dir, "ca.crt") }

// pem is the authority's own certificate.
func (a *authority) pem() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw})
}

// server makes a certificate for a server on this machine that also has the given names.
func (a *authority) server(base string, names ...string) (pair, error) {
	template := certificate(base)
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	template.DNSNames = append([]string{"localhost"}, names...)
	template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	return a.sign(base, template)
}

// client makes a certificate that identifies the user to the Kubernetes API.
func (a *authority) client(base, user string, groups ...string) (pair, error) {
	template := certificate(user, groups...)
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	return a.sign(base, template)
}

// sign writes a certificate and its key to base.crt and base.key; base may include directories.
func (a *authority) sign(base string, template *x509.Certificate) (pair, error) {
	files := pair{cert: filepath.Join(a.dir, base+".crt"), key: filepath.Join(a.dir, base+".key")}
	if err := os.MkdirAll(filepath.Dir(files.key), 0o700); err != nil {
		return files, err
	}
	key, err := writeKey(files.key)
	if err != nil {
		return files, err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
	if err != nil {
		return files, fmt.Errorf("cannot make the certificate %s: %w", base, err)
	}
	return files, writePEM(files.cert, "CERTIFICATE", der)
}

// writeKey makes a private key and writes it to a file.
func writeKey(file string) (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return key, writePEM(file, "EC PRIVATE KEY", der)
}

// writePEM writes a PEM block to a file that only the user may read.
func writePEM(file, kind string, der []byte) error {
	return os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}
