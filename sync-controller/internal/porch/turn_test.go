// SPDX-License-Identifier: Apache-2.0

package porch

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/timeouts"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestLarge checks that a large content is read in its turn, which ends once it is read, that a small one needs none,
// and that a content without a turn is not read.
func TestLarge(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		size := 10
		if strings.HasSuffix(r.URL.Path, "large") {
			size = 8 << 20
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(&porchapi.PackageRevisionResources{
			TypeMeta: metav1.TypeMeta{APIVersion: porchapi.SchemeGroupVersion.String(), Kind: "PackageRevisionResources"},
			Spec:     porchapi.PackageRevisionResourcesSpec{Resources: map[string]string{"a": strings.Repeat("x", size)}},
		})
	}))
	t.Cleanup(server.Close)
	scheme := runtime.NewScheme()
	if err := porchapi.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.AddSpecific(porchapi.SchemeGroupVersion.WithKind("PackageRevisionResources"),
		porchapi.SchemeGroupVersion.WithResource("packagerevisionresources"),
		porchapi.SchemeGroupVersion.WithResource("packagerevisionresources"), meta.RESTScopeNamespace)
	config := &rest.Config{Host: server.URL}
	config.Wrap(timeouts.Bound(time.Minute))
	reader, err := client.New(config, client.Options{Scheme: scheme, Mapper: mapper})
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	boom := errors.New("boom")
	c := Client{Reader: reader, Large: func(namespace, name string) (func(), error) {
		said = append(said, "begin "+namespace+"/"+name)
		return func() { said = append(said, "done") }, nil
	}}
	for _, name := range []string{"small", "large"} {
		if content, err := c.Content(t.Context(), "fleet", name); err != nil || len(content.Files["a"]) == 0 {
			t.Errorf("%s: %d bytes, error %v", name, len(content.Files["a"]), err)
		}
	}
	if diff := cmp.Diff([]string{"begin fleet/large", "done"}, said); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	c.Large = func(string, string) (func(), error) { return nil, boom }
	if _, err := c.Content(t.Context(), "fleet", "large"); !errors.Is(err, boom) {
		t.Errorf("the error is %v, want %v", err, boom)
	}
}
