// SPDX-License-Identifier: Apache-2.0

package stack

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"

	"github.com/package-variants/package-variants/e2e/internal/process"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
)

const (
	// porchService is the name of the Service for Porch's API server.
	porchService = "api"
	// porchNamespace is the namespace of that Service.
	porchNamespace = "porch-system"
)

// startGit starts the git server of Porch's tests. It always listens on all addresses.
func (s *Stack) startGit(ctx context.Context) error {
	dir := filepath.Join(s.Dir, "git")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	p, err := s.launch(GitServer, nil, "--port="+strconv.Itoa(s.ports.git), dir)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(s.Dir, "git-url"), []byte(s.GitURL("")+"\n"), 0o600); err != nil {
		return err
	}
	return p.Await(ctx, "it was listening", listens(s.ports.git))
}

// listens returns a check that a local port accepts connections.
func listens(port int) func(context.Context) error {
	return func(ctx context.Context) error {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", local(port))
		if err != nil {
			return err
		}
		return conn.Close()
	}
}

// startPorch starts Porch's API server, with its webhook.
func (s *Stack) startPorch(ctx context.Context) error {
	serving, err := s.certs.server("porch", porchService+"."+porchNamespace+".svc")
	if err != nil {
		return err
	}
	env, err := s.webhookEnv()
	if err != nil {
		return err
	}
	args := []string{
		"--bind-address=127.0.0.1", "--secure-port=" + strconv.Itoa(s.ports.porch),
		"--tls-cert-file=" + serving.cert, "--tls-private-key-file=" + serving.key,
		"--kubeconfig=" + s.Kubeconfig, "--authentication-kubeconfig=" + s.Kubeconfig,
		"--authorization-kubeconfig=" + s.Kubeconfig,
		"--cache-type=" + string(s.cache), "--cache-directory=" + s.cacheDirectory(Porch),
		"--function-runner=" + local(s.ports.runner),
	}
	if !s.porch.foreign { // otherwise porch-controllers reads the Repositories
		args = append(args, "--repo-sync-frequency="+s.frequency.String())
	}
	p, err := s.launch(Porch, append(env, s.porchEnv()...), args...)
	if err != nil {
		return err
	}
	return s.awaitPorch(ctx, p)
}

// porchEnv returns the environment of the program that reads the Repositories.
func (s *Stack) porchEnv() []string {
	env := append(s.databaseEnv(), "KUBECONFIG="+s.Kubeconfig)
	if s.porch.foreign {
		env = append(env, silence...)
	}
	return env
}

// cacheDirectory is the directory of a component's clones of git repositories.
func (s *Stack) cacheDirectory(component string) string {
	if component == Porch {
		return filepath.Join(s.Dir, "cache")
	}
	return filepath.Join(s.Dir, "cache-of-"+component)
}

// awaitPorch waits until Porch's API server is serving.
func (s *Stack) awaitPorch(ctx context.Context, p *process.Process) error {
	if err := p.Await(ctx, "it was ready", s.answers("https://"+local(s.ports.porch)+"/readyz")); err != nil {
		return err
	}
	return p.Await(ctx, "its webhook was listening", listens(s.ports.webhook))
}

// StopPorch ends Porch, as in an outage: its API server, and porch-controllers if there is one. The rest of the stack
// keeps running. It returns once kube-apiserver answers requests for Porch's API with 503.
func (s *Stack) StopPorch(ctx context.Context) error {
	s.process(Porch).Stop(grace)
	if s.porch.foreign {
		s.process(PorchControllers).Stop(grace)
	}
	client, err := dynamic.NewForConfig(s.Config)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, fmt.Errorf("porch is not missed after %s", startTimeout))
	defer cancel()
	return s.process(APIServer).Await(ctx, "it missed Porch", func(ctx context.Context) error {
		_, err := client.Resource(packageRevisions).Namespace(porchNamespace).List(ctx, metav1.ListOptions{})
		if apierrors.IsServiceUnavailable(err) {
			return nil
		}
		return fmt.Errorf("a list of package revisions gave %w, not a 503", err)
	})
}

// StartPorch starts Porch again, with the same address and cache, and returns once clients can find its API.
func (s *Stack) StartPorch(ctx context.Context) error {
	if s.porch.foreign {
		if err := s.Restart(ctx, PorchControllers); err != nil {
			return err
		}
	}
	return s.Restart(ctx, Porch)
}

// aggregate adds Porch's API to the Kubernetes API, and waits until clients find it there. The APIService names the
// process that serves it. With a new process the APIService changes, so kube-apiserver checks its availability at once
// instead of after half a minute.
func (s *Stack) aggregate(ctx context.Context) error {
	p := s.process(Porch)
	return s.register(ctx, p, p.PID())
}

// register is aggregate for the process with the ID. An error includes the log of p.
func (s *Stack) register(ctx context.Context, p *process.Process, pid int) error {
	if err := s.apply(ctx, apiService(s.certs.pem(), s.ports.porch, pid)); err != nil {
		return err
	}
	err := p.Await(ctx, "its API was available", func(ctx context.Context) error {
		return s.condition(ctx, apiServices, "", porchVersion+"."+porchGroup, "Available")
	})
	if err != nil {
		return err
	}
	// Porch reports ready before it knows the certificate with which kube-apiserver passes on users. Until then it takes
	// every user for system:anonymous and forbids everything.
	list := s.Config.Host + "/apis/" + porchGroup + "/" + porchVersion + "/namespaces/" + porchNamespace +
		"/packagerevisions"
	if err := p.Await(ctx, "it knew its users", s.answers(list)); err != nil {
		return err
	}
	client, err := discovery.NewDiscoveryClientForConfig(s.Config)
	if err != nil {
		return err
	}
	return p.Await(ctx, "clients found its API", func(context.Context) error {
		_, resources, err := client.ServerGroupsAndResources()
		if err != nil {
			return err
		}
		for _, list := range resources {
			if list.GroupVersion == porchGroup+"/"+porchVersion && len(list.APIResources) > 0 {
				return nil
			}
		}
		return errors.New("no resources of " + porchGroup)
	})
}
