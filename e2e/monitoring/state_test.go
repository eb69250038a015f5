// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/package-variants/package-variants/e2e/internal/process"
	"github.com/package-variants/package-variants/e2e/internal/tree"
	"github.com/package-variants/package-variants/e2e/stack"
	"github.com/package-variants/package-variants/e2e/stack/stacktest"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// TestState has kube-state-metrics tell of objects of our kinds, which an API server with our CRDs holds, and compares
// that with the golden file.
func TestState(t *testing.T) {
	t.Parallel()
	s := stacktest.Start(t, stack.Options{})
	if err := s.InstallVariants(t.Context()); err != nil {
		t.Fatal(err)
	}
	create(t, s, filepath.Join("testdata", "objects.yaml"))
	config, err := filepath.Abs(filepath.Join(dir, "kube-state-metrics.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var port, telemetry int
	if err := process.FreePorts(&port, &telemetry); err != nil {
		t.Fatal(err)
	}
	p, err := process.Start(t.TempDir(), "kube-state-metrics", filepath.Join(os.Getenv("TOOLS_BIN"), "kube-state-metrics"),
		nil, "--custom-resource-state-only", "--custom-resource-state-config-file="+config, "--kubeconfig="+s.Kubeconfig,
		"--host=127.0.0.1", "--port="+strconv.Itoa(port), "--telemetry-host=127.0.0.1", "--telemetry-port="+strconv.Itoa(telemetry))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Stop(0) })
	var told string
	if err := p.Await(t.Context(), "it told of all objects", func(ctx context.Context) (err error) {
		told, err = get(ctx, "http://"+process.Local(port)+"/metrics")
		for _, object := range []string{`name="web-eu"`, `name="web-us"`, `name="web-new"`, `name="web"`, `name="new"`} {
			if err == nil && !strings.Contains(told, object) {
				err = errors.New("there is nothing of " + object)
			}
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	tree.Golden(t, filepath.Join("testdata", "state.prom"), inOrder(told))
	if log := p.Tail(1000); strings.Contains(log, "\nE") {
		t.Errorf("it logged errors:\n%s", log)
	}
}

// create creates the objects of a file, with their status.
func create(t *testing.T, s *stack.Stack, file string) {
	t.Helper()
	c, err := client.New(s.Config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for text := range strings.SplitSeq(string(content), "\n---\n") {
		object := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(text), &object.Object); err != nil {
			t.Fatal(err)
		}
		status, found := object.Object["status"]
		if err := c.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
		if !found {
			continue
		}
		object.Object["status"] = status
		if err := c.Status().Update(t.Context(), object, client.FieldValidation("Strict")); err != nil {
			t.Fatal(err)
		}
	}
}

// get returns what a server answers.
func get(ctx context.Context, url string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	return string(body), err
}

// inOrder returns the series of each metric in an order: there are several objects.
func inOrder(told string) string {
	var out, series []string
	for line := range strings.Lines(told) {
		if strings.HasPrefix(line, "#") {
			slices.Sort(series)
			out, series = append(append(out, series...), line), nil
		} else {
			series = append(series, line)
		}
	}
	slices.Sort(series)
	return strings.Join(append(out, series...), "")
}
