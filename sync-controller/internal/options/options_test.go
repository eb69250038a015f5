// SPDX-License-Identifier: Apache-2.0

package options

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/sync-controller/internal/functions/functionrunner"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/scheme"
	dto "github.com/prometheus/client_model/go"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
)

func defaults() Options {
	return Options{
		Concurrency: 16, LookWithin: 10 * time.Minute, RequestTimeout: 2 * time.Minute, FunctionRuntime: "builtin",
		FunctionRunner: functionrunner.Options{Registry: "ghcr.io/package-variants", Timeout: time.Minute},
		Metrics:        Metrics{Address: ":8443", Secure: true}, ProbeAddress: ":8081",
		LogFormat: "json", LogLevel: slog.LevelInfo,
		LeaderElectionID: "package-variants-sync-controller",
		LeaseDuration:    15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second,
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	with := func(edit func(*Options)) Options {
		o := defaults()
		edit(&o)
		return o
	}
	for name, c := range map[string]struct {
		args string
		want Options
	}{
		"defaults":             {"", defaults()},
		"a namespace":          {"--namespace=fleet", with(func(o *Options) { o.Namespaces = []string{"fleet"} })},
		"namespaces":           {"--namespace=a,b,,c,", with(func(o *Options) { o.Namespaces = []string{"a", "b", "c"} })},
		"namespaces, each":     {"-namespace a -namespace b", with(func(o *Options) { o.Namespaces = []string{"a", "b"} })},
		"empty namespace":      {"--namespace=", defaults()},
		"leader election":      {"--leader-elect", with(func(o *Options) { o.LeaderElection = true })},
		"one at once":          {"--concurrency=1", with(func(o *Options) { o.Concurrency = 1 })},
		"level in any case":    {"--log-level=WARN", with(func(o *Options) { o.LogLevel = slog.LevelWarn })},
		"level between":        {"--log-level=info+2", with(func(o *Options) { o.LogLevel = slog.LevelInfo + 2 })},
		"the last of two wins": {"--log-format=text --log-format=json", defaults()},
		"end of the flags":     {"--concurrency 2 --", with(func(o *Options) { o.Concurrency = 2 })},
		"addresses, turned off": {"--metrics-bind-address=0 --health-probe-bind-address=0",
			with(func(o *Options) { o.Metrics.Address, o.ProbeAddress = "0", "0" })},
		"functions by image": {"--function-runtime=porch --function-runner=[::1]:9445 --function-registry=localhost:5000 " +
			"--function-version=v0.1.0 --function-timeout=90s",
			with(func(o *Options) {
				o.FunctionRuntime = "porch"
				o.FunctionRunner = functionrunner.Options{Address: "[::1]:9445", Registry: "localhost:5000", Version: "v0.1.0",
					Timeout: 90 * time.Second}
			})},
		"an upgrade at once": {"--upgrade-window=0s", with(func(o *Options) { o.LookWithin = 0 })},
		"version":            {"--version", with(func(o *Options) { o.Version = true })},
		"all": {"--kubeconfig=k --namespace=n --concurrency=3 --upgrade-window=1h --request-timeout=9s --function-runtime=builtin " +
			"--metrics-bind-address=:1 --metrics-secure=false --health-probe-bind-address=:2 " +
			"--log-format=text --log-level=debug --leader-elect --leader-election-namespace=l --leader-election-id=i " +
			"--leader-election-lease-duration=3s " +
			"--leader-election-renew-deadline=2s --leader-election-retry-period=1s",
			Options{
				Kubeconfig: "k", Namespaces: []string{"n"}, Concurrency: 3, LookWithin: time.Hour, RequestTimeout: 9 * time.Second,
				FunctionRuntime: "builtin",
				FunctionRunner:  defaults().FunctionRunner, Metrics: Metrics{Address: ":1"}, ProbeAddress: ":2",
				LogFormat: "text", LogLevel: slog.LevelDebug, LeaderElection: true, LeaderElectionNamespace: "l",
				LeaderElectionID: "i",
				LeaseDuration:    3 * time.Second, RenewDeadline: 2 * time.Second, RetryPeriod: time.Second,
			}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			got, err := Parse(strings.Fields(c.args), &out)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, *got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if out.Len() > 0 {
				t.Errorf("printed %q", out.String())
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	notAnAddress := func(value string) string {
		return fmt.Sprintf("--function-runner is %q, but must be the host:port of Porch's function-runner, such as "+
			"function-runner.porch-system:9445", value)
	}
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"argument": {[]string{"run"}, `unexpected argument "run": there are flags only, see --help`},
		"argument behind": {[]string{"--leader-elect", "true"},
			`unexpected argument "true": there are flags only, see --help`},
		"no flag": {[]string{"--verbose"}, "flag provided but not defined: -verbose"},
		"function runtime": {[]string{"--function-runtime=docker"},
			`--function-runtime is "docker", but must be one of builtin, porch`},
		"no function-runner": {[]string{"--function-runtime=porch"}, notAnAddress("")},
		"no port":            {[]string{"--function-runtime=porch", "--function-runner=runner"}, notAnAddress("runner")},
		"no host":            {[]string{"--function-runtime=porch", "--function-runner=:9445"}, notAnAddress(":9445")},
		"port 0": {[]string{"--function-runtime=porch", "--function-runner=runner:0"},
			notAnAddress("runner:0")},
		"a URL": {[]string{"--function-runtime=porch", "--function-runner=http://runner:9445"},
			notAnAddress("http://runner:9445")},
		"unused runner": {[]string{"--function-runner=runner:9445"},
			`--function-runner is "runner:9445", but nothing runs there without --function-runtime=porch`},
		"no registry": {[]string{"--function-registry="},
			`--function-registry is "", but must be a registry and a path, such as ghcr.io/package-variants`},
		"registry with a URL": {[]string{"--function-registry=https://ghcr.io/a"},
			`--function-registry is "https://ghcr.io/a", but must be a registry and a path, such as ghcr.io/package-variants`},
		"version of an image": {[]string{"--function-version=inject-config:v1"},
			`--function-version is "inject-config:v1", but must be a tag of images, such as v0.1.0`},
		"no time":              {[]string{"--function-timeout=0s"}, "--function-timeout is 0s, but must be more than 0"},
		"no time for a call":   {[]string{"--request-timeout=0s"}, "--request-timeout is 0s, but must be more than 0"},
		"log format":           {[]string{"--log-format=xml"}, `--log-format is "xml", but must be one of json, text`},
		"empty log format":     {[]string{"--log-format="}, `--log-format is "", but must be one of json, text`},
		"no concurrency":       {[]string{"--concurrency=0"}, "--concurrency is 0, but must be 1 or more"},
		"negative concurrency": {[]string{"--concurrency=-1"}, "--concurrency is -1, but must be 1 or more"},
		"concurrency":          {[]string{"--concurrency=x"}, `invalid value "x" for flag -concurrency: parse error`},
		"log level": {[]string{"--log-level=loud"},
			`invalid value "loud" for flag -log-level: slog: level string "loud": unknown name`},
		"certificates of http": {[]string{"--metrics-cert-dir=certs", "--metrics-secure=false"},
			`--metrics-cert-dir is "certs", but no metrics are served by https`},
		"certificates of nothing": {[]string{"--metrics-cert-dir=certs", "--metrics-bind-address=0"},
			`--metrics-cert-dir is "certs", but no metrics are served by https`},
		"no certificates": {[]string{"--metrics-cert-dir=nowhere"}, `--metrics-cert-dir is "nowhere", but must have the ` +
			"certificate tls.crt and its key tls.key: open nowhere/tls.crt: no such file or directory"},
		"contents of requests": {[]string{"--log-level=debug-4"}, `--log-level is "DEBUG-4", but must be debug, info, warn or ` +
			"error: below debug, libraries log what the API answers, Secrets included"},
		"duration": {[]string{"--leader-election-retry-period=2"},
			`invalid value "2" for flag -leader-election-retry-period: parse error`},
		"switch": {[]string{"--leader-elect=maybe"},
			`invalid boolean value "maybe" for -leader-elect: parse error`},
		"no value": {[]string{"--kubeconfig"}, "flag needs an argument: -kubeconfig"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Parse(c.args, &bytes.Buffer{})
			if err == nil || err.Error() != c.want {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if _, err := Parse([]string{"--help"}, &out); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("got error %v", err)
	}
	var got []string
	for _, match := range regexp.MustCompile(`(?m)^  -(\S+)`).FindAllStringSubmatch(out.String(), -1) {
		got = append(got, match[1])
	}
	want := []string{
		"kubeconfig", "namespace", "concurrency", "function-runtime", "function-runner", "function-registry",
		"function-version", "function-timeout", "metrics-bind-address", "metrics-secure", "metrics-cert-dir",
		"health-probe-bind-address", "log-format", "log-level", "leader-elect", "leader-election-namespace",
		"leader-election-id", "leader-election-lease-duration", "leader-election-renew-deadline",
		"leader-election-retry-period", "upgrade-window", "request-timeout", "version",
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, line := range []string{
		"Usage of sync-controller:",
		"how many PackageVariants of one namespace to work on at once; twice as many in all namespaces together (default 16)",
		"namespaces to work in, separated by commas (default all)",
		"lowest level to log: debug, info, warn or error (default INFO)",
	} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("%q is not in\n%s", line, out.String())
		}
	}
}

// TestLogger is not parallel: the logger becomes that of the libraries.
func TestLogger(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"json":         {nil, `{"time":"T","level":"INFO","msg":"hello","a":1}` + "\n"},
		"text":         {[]string{"--log-format=text"}, "time=T level=INFO msg=hello a=1\n"},
		"nothing less": {[]string{"--log-level=warn"}, ""},
	} {
		o, err := Parse(c.args, &bytes.Buffer{})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		logger := o.Logger(&out)
		logger.Info("hello", "a", 1)
		logger.V(4).Info("detail")
		got := regexp.MustCompile(`20\d\d-[0-9T:.Z+-]+`).ReplaceAllString(out.String(), "T")
		if got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestFunctions(t *testing.T) {
	t.Parallel()
	o := defaults()
	runtime, err := o.Functions()
	if _, ok := runtime.(mutate.Builtin); !ok || err != nil {
		t.Errorf("got %T, %v", runtime, err)
	}
	// Nobody listens there: the image that it asks for is not what this holds, but that it asks.
	o.FunctionRuntime, o.FunctionRunner.Address = "porch", "127.0.0.1:1"
	if runtime, err = o.Functions(); err != nil {
		t.Fatal(err)
	}
	_, err = runtime.Run(t.Context(), mutate.InjectConfig, nil, nil)
	if down, ok := errors.AsType[*mutate.UnavailableError](err); !ok ||
		down.Message != "the function-runner at 127.0.0.1:1 does not answer" {
		t.Errorf("got %v", err)
	}
}

const kubeconfig = `apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "%s"}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
users: [{name: u, user: {}}]
current-context: c
`

// discovery answers what kinds there are, and that all may be done but in the namespace closed, which is all that a
// manager asks before it starts.
func discovery(t *testing.T) string {
	answers := map[string]any{
		"/api": metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"}},
		"/apis": metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"},
			Groups: []metav1.APIGroup{
				{Name: "porch.kpt.dev", Versions: []metav1.GroupVersionForDiscovery{{GroupVersion: "porch.kpt.dev/v1alpha1",
					Version: "v1alpha1"}}},
				{Name: "authorization.k8s.io", Versions: []metav1.GroupVersionForDiscovery{{
					GroupVersion: "authorization.k8s.io/v1", Version: "v1"}}},
			}},
		"/apis/authorization.k8s.io/v1": metav1.APIResourceList{
			TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: "authorization.k8s.io/v1",
			APIResources: []metav1.APIResource{{Name: "selfsubjectaccessreviews", Kind: "SelfSubjectAccessReview"}},
		},
		"/apis/porch.kpt.dev/v1alpha1": metav1.APIResourceList{
			TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: "porch.kpt.dev/v1alpha1",
			APIResources: []metav1.APIResource{{Name: "packagerevisions", Kind: "PackageRevision", Namespaced: true}},
		},
		"/api/v1": metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"},
			GroupVersion: "v1"},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			reviewed(t, w, r)
			return
		}
		answer, ok := answers[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// reviewed answers a question about a right.
func reviewed(t *testing.T, w http.ResponseWriter, r *http.Request) {
	types, err := scheme.New()
	if err != nil {
		t.Error(err)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Error(err)
		return
	}
	var review authorizationv1.SelfSubjectAccessReview
	_, _, err = serializer.NewCodecFactory(types).UniversalDeserializer().Decode(body, nil, &review)
	if err != nil {
		t.Error(err)
		return
	}
	review.APIVersion, review.Kind = "authorization.k8s.io/v1", "SelfSubjectAccessReview"
	review.Status.Allowed = review.Spec.ResourceAttributes.Namespace != "closed"
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(review); err != nil {
		t.Error(err)
	}
}

// TestManagerOfNamespaces checks that a namespace in which the controller has no rights is left out, and named in a
// metric, and that it is an error if there is no other.
func TestManagerOfNamespaces(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(path, fmt.Appendf(nil, kubeconfig, discovery(t)), 0o600); err != nil {
		t.Fatal(err)
	}
	of := func(namespaces string) (*Options, error) {
		o, err := Parse([]string{"--kubeconfig", path, "--namespace", namespaces, "--metrics-bind-address=0",
			"--health-probe-bind-address=0"}, &bytes.Buffer{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = o.Manager(t.Context())
		return o, err
	}
	o, err := of("a,closed,b")
	if err != nil {
		t.Fatal(err)
	}
	config, err := o.config()
	if err != nil {
		t.Fatal(err)
	}
	types, err := scheme.New()
	if err != nil {
		t.Fatal(err)
	}
	open, err := o.open(t.Context(), config, types)
	if err != nil {
		t.Fatal(err)
	}
	if got := slices.Sorted(maps.Keys(open)); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("it works in %q", got)
	}
	var series dto.Metric
	if err := leftOut.WithLabelValues("closed").Write(&series); err != nil || series.GetGauge().GetValue() != 1 {
		t.Errorf("the metric does not name the namespace: %v %v", &series, err)
	}
	const want = "--namespace names nothing to work in: the controller does nothing in namespace closed, because it may " +
		"not list packagevariants.config.porch.kpt.dev, packagevariantsets.config.porch.kpt.dev, " +
		"repositories.config.porch.kpt.dev, packagerevisions.porch.kpt.dev there: bind its ServiceAccount to the " +
		"ClusterRole package-variants-sync-controller in that namespace"
	if _, err := of("closed"); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestManager(t *testing.T) {
	t.Parallel()
	url := discovery(t)
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(path, fmt.Appendf(nil, kubeconfig, url), 0o600); err != nil {
		t.Fatal(err)
	}
	o, err := Parse([]string{"--kubeconfig", path, "--namespace=a,b", "--metrics-bind-address=0",
		"--health-probe-bind-address=0"}, &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	mgr, err := o.Manager(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []schema.GroupVersionKind{
		{Group: "config.porch.kpt.dev", Version: "v1alpha1", Kind: "PackageVariant"},
		{Group: "config.porch.kpt.dev", Version: "v1alpha2", Kind: "PackageVariantSet"},
		{Group: "config.porch.kpt.dev", Version: "v1alpha1", Kind: "Repository"},
		{Group: "porch.kpt.dev", Version: "v1alpha1", Kind: "PackageRevision"},
		{Group: "porch.kpt.dev", Version: "v1alpha1", Kind: "PackageRevisionResources"},
	} {
		if !mgr.GetScheme().Recognizes(kind) {
			t.Errorf("the scheme has no %s", kind)
		}
	}
	config := mgr.GetConfig()
	if config.Host != url || config.QPS != -1 || config.UserAgent != "package-variants-sync-controller" {
		t.Errorf("the config is %s, QPS %v, %q", config.Host, config.QPS, config.UserAgent)
	}
}

func TestManagerErrors(t *testing.T) {
	t.Parallel()
	o := defaults()
	o.Kubeconfig = "/nowhere/kubeconfig"
	_, err := o.Manager(t.Context())
	want := "cannot find out how to reach the cluster: stat /nowhere/kubeconfig: " +
		"no such file or directory; outside of a cluster, set --kubeconfig"
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
	if !errors.Is(err, os.ErrNotExist) {
		t.Error("the cause is not in the error")
	}
}

// TestLeaderElectionOutsideOfCluster checks that a replica started outside of a cluster fails with the name of the
// missing flag.
func TestLeaderElectionOutsideOfCluster(t *testing.T) {
	t.Parallel()
	o := defaults()
	o.Kubeconfig = filepath.Join(t.TempDir(), "kubeconfig")
	o.Metrics.Address, o.ProbeAddress, o.LeaderElection = "0", "0", true
	if err := os.WriteFile(o.Kubeconfig, fmt.Appendf(nil, kubeconfig, discovery(t)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := o.Manager(t.Context())
	const want = "; outside of a cluster, set --leader-election-namespace"
	if err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("got %v\nwant ...%s", err, want)
	}
}

// TestFunctionsVersion checks what makes another version of the functions, after which each variant is looked at once.
func TestFunctionsVersion(t *testing.T) {
	t.Parallel()
	of := func(args string) string {
		o, err := Parse(strings.Fields(args), io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		return o.FunctionsVersion()
	}
	const image = "--function-runtime=porch --function-runner=a:1 "
	same := []string{of(""), of("--concurrency=3 --function-version=v0.1.0"), of("--upgrade-window=1h")}
	if same[0] == "" || same[0] != same[1] || same[0] != same[2] {
		t.Errorf("flags that change no function change the version: %q", same)
	}
	if a, b := of(image), of("--function-runtime=porch --function-runner=b:2"); a != b {
		t.Errorf("where the functions run changes the version: %q, %q", a, b)
	}
	different := []string{of(""), of(image), of(image + "--function-version=v0.1.0"),
		of(image + "--function-version=v0.2.0"), of(image + "--function-registry=localhost:5000")}
	for i, version := range different {
		if slices.Contains(different[:i], version) {
			t.Errorf("two sets of functions have the version %q", version)
		}
	}
}
