// SPDX-License-Identifier: Apache-2.0

package stack

import (
	"path/filepath"

	"k8s.io/client-go/rest"
)

// As returns the means to reach the Kubernetes API as a user who has a certificate of the cluster, and no right but
// those that roles give to the user, the groups and everybody.
func (s *Stack) As(user string, groups ...string) (*rest.Config, error) {
	files, err := s.certs.client(filepath.Join("users", user), user, groups...)
	if err != nil {
		return nil, err
	}
	config := rest.AnonymousClientConfig(s.Config)
	config.CertFile, config.KeyFile, config.QPS = files.cert, files.key, s.Config.QPS
	return config, nil
}
