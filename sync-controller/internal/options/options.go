// SPDX-License-Identifier: Apache-2.0

// Package options reads the controller's flags and makes what main needs from them.
package options

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"github.com/package-variants/package-variants/engine/mutate"
	"github.com/package-variants/package-variants/engine/reconcile"
	"github.com/package-variants/package-variants/functions/version"
	"github.com/package-variants/package-variants/sync-controller/internal/functions/functionrunner"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/scheme"
	"github.com/package-variants/package-variants/sync-controller/internal/kube/timeouts"
	"github.com/package-variants/package-variants/sync-controller/internal/porch"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
)

// The runtimes of functions.
const (
	builtin      = "builtin"
	porchRuntime = "porch"
)

// gracePeriod is how long the manager waits for running steps, which end before, when the controller is asked to stop.
var gracePeriod = reconcile.Grace + 2*time.Second

// Options are the flags.
type Options struct {
	Kubeconfig      string
	Namespaces      []string
	Concurrency     int
	LookWithin      time.Duration
	RequestTimeout  time.Duration
	FunctionRuntime string
	FunctionRunner  functionrunner.Options

	Metrics      Metrics
	ProbeAddress string
	LogFormat    string
	LogLevel     slog.Level

	LeaderElection                            bool
	LeaderElectionNamespace, LeaderElectionID string
	LeaseDuration, RenewDeadline, RetryPeriod time.Duration

	// Version is whether to print the version and do nothing else.
	Version bool
}

// Parse reads the flags. Usage and errors of the flag package are written to out.
func Parse(args []string, out io.Writer) (*Options, error) {
	o := &Options{}
	f := o.Flags()
	f.SetOutput(out)
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if f.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q: there are flags only, see --help", f.Arg(0))
	}
	return o, o.validate()
}

// Flags returns the flags, each with its default, which set the options.
func (o *Options) Flags() *flag.FlagSet {
	f := flag.NewFlagSet("sync-controller", flag.ContinueOnError)
	f.StringVar(&o.Kubeconfig, "kubeconfig", "",
		"path of the kubeconfig; not needed inside the cluster")
	f.Func("namespace", "namespaces to work in, separated by commas (default all)", func(s string) error {
		for _, namespace := range strings.Split(s, ",") {
			if namespace = strings.TrimSpace(namespace); namespace != "" {
				o.Namespaces = append(o.Namespaces, namespace)
			}
		}
		return nil
	})
	f.IntVar(&o.Concurrency, "concurrency", 16,
		"how many PackageVariants of one namespace to work on at once; twice as many in all namespaces together")
	f.DurationVar(&o.LookWithin, "upgrade-window", 10*time.Minute,
		"time over which to check all PackageVariants once after an upgrade of the controller")
	f.DurationVar(&o.RequestTimeout, "request-timeout", 2*time.Minute,
		"how long a request to the Kubernetes API, or through it to Porch, may take")
	f.StringVar(&o.FunctionRuntime, "function-runtime", builtin,
		"how the functions run: builtin in this process, porch by image")
	f.StringVar(&o.FunctionRunner.Address, "function-runner", "",
		"host:port of Porch's function-runner, which runs the images")
	f.StringVar(&o.FunctionRunner.Registry, "function-registry", "ghcr.io/package-variants",
		"registry and path of the images")
	f.StringVar(&o.FunctionRunner.Version, "function-version", "",
		"tag of the images; empty for the controller's own version, or latest if it has none")
	f.DurationVar(&o.FunctionRunner.Timeout, "function-timeout", time.Minute,
		"how long a function that runs by image may take")
	o.Metrics.register(f)
	f.StringVar(&o.ProbeAddress, "health-probe-bind-address", ":8081", "address of /healthz and /readyz; 0 for none")
	f.StringVar(&o.LogFormat, "log-format", "json", "format of the log: json or text")
	f.TextVar(&o.LogLevel, "log-level", slog.LevelInfo, "lowest level to log: debug, info, warn or error")
	f.BoolVar(&o.LeaderElection, "leader-elect", false,
		"work only while holding a Lease, so only one of several replicas works")
	f.StringVar(&o.LeaderElectionNamespace, "leader-election-namespace", "",
		"namespace of the Lease; empty for the controller's own")
	f.StringVar(&o.LeaderElectionID, "leader-election-id", "package-variants-sync-controller",
		"name of the Lease; controllers for different namespaces need different names")
	f.DurationVar(&o.LeaseDuration, "leader-election-lease-duration", 15*time.Second,
		"how long the other replicas wait for a silent leader")
	f.DurationVar(&o.RenewDeadline, "leader-election-renew-deadline", 10*time.Second,
		"how long a leader tries to renew its Lease before it exits")
	f.DurationVar(&o.RetryPeriod, "leader-election-retry-period", 2*time.Second,
		"how long to wait between attempts to get or renew the Lease")
	f.BoolVar(&o.Version, "version", false, "print the version and exit")
	return f
}

func (o *Options) validate() error {
	for _, flag := range []struct {
		name, value string
		allowed     []string
	}{
		{"function-runtime", o.FunctionRuntime, []string{builtin, porchRuntime}},
		{"log-format", o.LogFormat, []string{"json", "text"}},
	} {
		if !slices.Contains(flag.allowed, flag.value) {
			return fmt.Errorf("--%s is %q, but must be one of %s", flag.name, flag.value, strings.Join(flag.allowed, ", "))
		}
	}
	if o.Concurrency < 1 {
		return fmt.Errorf("--concurrency is %d, but must be 1 or more", o.Concurrency)
	}
	if o.RequestTimeout <= 0 {
		return fmt.Errorf("--request-timeout is %s, but must be more than 0", o.RequestTimeout)
	}
	if o.LogLevel < slog.LevelDebug {
		return fmt.Errorf("--log-level is %q, but must be debug, info, warn or error: below debug, libraries log what the "+
			"API answers, Secrets included", o.LogLevel)
	}
	if err := o.Metrics.validate(); err != nil {
		return err
	}
	return o.validateFunctions()
}

var (
	registryPattern = regexp.MustCompile(`^[a-zA-Z0-9.-]+(:[0-9]+)?(/[a-z0-9._-]+)*$`)
	tagPattern      = regexp.MustCompile(`^([a-zA-Z0-9_][a-zA-Z0-9._-]{0,127})?$`)
)

// validateFunctions checks the flags of functions that run by image.
func (o *Options) validateFunctions() error {
	f := &o.FunctionRunner
	host, port, err := net.SplitHostPort(f.Address)
	number, numberErr := strconv.ParseUint(port, 10, 16)
	switch {
	case o.FunctionRuntime == builtin && f.Address != "":
		return fmt.Errorf("--function-runner is %q, but nothing runs there without --function-runtime=%s", f.Address,
			porchRuntime)
	case o.FunctionRuntime != builtin && (err != nil || host == "" || numberErr != nil || number == 0):
		return fmt.Errorf("--function-runner is %q, but must be the host:port of Porch's function-runner, such as "+
			"function-runner.porch-system:9445", f.Address)
	case !registryPattern.MatchString(f.Registry):
		return fmt.Errorf("--function-registry is %q, but must be a registry and a path, such as ghcr.io/package-variants",
			f.Registry)
	case !tagPattern.MatchString(f.Version):
		return fmt.Errorf("--function-version is %q, but must be a tag of images, such as v0.1.0", f.Version)
	case f.Timeout <= 0:
		return fmt.Errorf("--function-timeout is %s, but must be more than 0", f.Timeout)
	}
	return nil
}

// Logger returns the logger, and makes the libraries use it, too.
func (o *Options) Logger(out io.Writer) logr.Logger {
	options := &slog.HandlerOptions{Level: o.LogLevel}
	var h slog.Handler = slog.NewJSONHandler(out, options)
	if o.LogFormat == "text" {
		h = slog.NewTextHandler(out, options)
	}
	logger := logr.FromSlogHandler(h)
	klog.SetLogger(logger)
	return logger
}

// Functions returns what runs the functions.
func (o *Options) Functions() (mutate.Runtime, error) {
	if o.FunctionRuntime == builtin {
		return mutate.Builtin{}, nil
	}
	options := o.FunctionRunner
	options.Version = cmp.Or(options.Version, version.Stamped(), "latest")
	return functionrunner.New(options)
}

// FunctionsVersion identifies the controller and the functions that it runs.
func (o *Options) FunctionsVersion() string {
	if o.FunctionRuntime == builtin {
		return version.Line()
	}
	return version.Line() + " " + o.FunctionRunner.Registry + ":" + o.FunctionRunner.Version
}

// Manager returns a manager that has no controllers yet.
func (o *Options) Manager(ctx context.Context) (ctrl.Manager, error) {
	config, err := o.config()
	if err != nil {
		return nil, err
	}
	types, err := scheme.New()
	if err != nil {
		return nil, err
	}
	namespaces, err := o.open(ctx, config, types)
	if err != nil {
		return nil, err
	}
	cacheOptions := cache.Options{DefaultNamespaces: namespaces, DefaultTransform: cache.TransformStripManagedFields()}
	var mgr ctrl.Manager
	porch.ConfigureCache(&cacheOptions, func() client.Reader { return mgr.GetAPIReader() })
	mgr, err = ctrl.NewManager(config, ctrl.Options{
		Scheme: types, Cache: cacheOptions,
		Metrics:                o.Metrics.server(),
		HealthProbeBindAddress: o.ProbeAddress,
		LeaderElection:         o.LeaderElection, LeaderElectionID: o.LeaderElectionID,
		LeaderElectionNamespace: o.LeaderElectionNamespace,
		LeaseDuration:           &o.LeaseDuration, RenewDeadline: &o.RenewDeadline, RetryPeriod: &o.RetryPeriod,
		LeaderElectionReleaseOnCancel: true, GracefulShutdownTimeout: &gracePeriod,
	})
	if err != nil && o.LeaderElection && o.LeaderElectionNamespace == "" { // which is known only inside a Pod
		err = fmt.Errorf("%w; outside of a cluster, set --leader-election-namespace", err)
	}
	if err != nil {
		return nil, err
	}
	if err := mgr.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return nil, err
	}
	return mgr, mgr.AddReadyzCheck("ping", healthz.Ping)
}

// config returns how to reach the cluster. It sets no rate limit: the API server's priority and fairness, and
// --concurrency, limit the requests. Each request has a timeout, and only the work queues retry a failed one.
func (o *Options) config() (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", o.Kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("cannot find out how to reach the cluster: %w; outside of a cluster, set --kubeconfig", err)
	}
	config.QPS = -1
	config.Wrap(timeouts.Bound(o.RequestTimeout))
	config.UserAgent = "package-variants-sync-controller"
	return config, nil
}
