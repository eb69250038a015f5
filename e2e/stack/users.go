// SPDX-License-Identifier: Apache-2.0

package stack

import (
	"path/filepath"

	"k8s.io/client-go/rest"
)

// As returns the configuration of a user with a certificate of the cluster, whose only rights are those that roles give
// to the user, the groups and all users.
func (s *Stack) As(user string, groups ...string) (*rest.Config, error) {
	files, err := s.certs.client(filepath.Join("users", user), user, groups...)
	if err != nil {
		return nil, err
	}
	config := rest.AnonymousClientConfig(s.Config)
	config.CertFile, config.KeyFile, config.QPS = files.cert, files.key, s.Config.QPS
	return config, rest.LoadTLSFiles(config)
}
