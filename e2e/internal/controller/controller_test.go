// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// standIn names the environment variable that makes the test binary act as the controller: these tests check how a
// controller is run, not what it does.
const standIn = "CONTROLLER_TEST_STAND_IN"

func TestMain(m *testing.M) {
	if os.Getenv(standIn) != "" {
		serve()
		return
	}
	for name, value := range map[string]string{standIn: "1", "SYNC_CONTROLLER": os.Args[0]} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// serve has the controller's flags and servers. It becomes ready at the third request, serves its metrics a moment after
// that, and ends with code 7 when asked to.
func serve() {
	flags := flag.NewFlagSet("sync-controller", flag.ExitOnError)
	flags.String("kubeconfig", "", "")
	flags.Func("namespace", "", func(string) error { return nil })
	metricsAddress, healthAddress := flags.String("metrics-bind-address", "",
		""), flags.String("health-probe-bind-address", "", "")
	flags.Bool("metrics-secure", true, "")
	crash := flags.Bool("crash", false, "")
	_ = flags.Parse(os.Args[1:])
	fmt.Println("started with", os.Args[1:])
	if *crash {
		os.Exit(3)
	}
	var asked atomic.Int32
	go listen(*healthAddress, func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) < 3 {
			http.Error(w, "not yet", http.StatusServiceUnavailable)
		}
	})
	go func() {
		for asked.Load() < 3 {
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(200 * time.Millisecond)
		listen(*metricsAddress, serveMetrics)
	}()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM)
	select {
	case <-signals:
		os.Exit(7)
	case <-time.After(time.Minute):
	}
}

// serveMetrics answers with the metrics of a controller.
func serveMetrics(w http.ResponseWriter, _ *http.Request) {
	fmt.Fprint(w, `# TYPE reconciles counter
reconciles{controller="a",result="ok"} 3
reconciles{controller="a",result="error"} 1
reconciles{controller="b",result="ok"} 5
# TYPE depth gauge
depth 4
# TYPE seconds histogram
seconds_bucket{le="1"} 2
seconds_bucket{le="+Inf"} 6
seconds_sum 9
seconds_count 6
`)
}

// listen serves until the process ends.
func listen(address string, handler http.HandlerFunc) {
	listener, err := net.Listen("tcp", address)
	if err == nil {
		err = http.Serve(listener, handler)
	}
	fmt.Println(err)
	os.Exit(1)
}

// TestProcess checks the methods with a controller that works.
func TestProcess(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Kubeconfig: "/kubeconfig", Namespaces: []string{"one", "two"}, Args: []string{"--crash=false"}})
	p.WaitReady(t.Context())
	for _, args := range []string{"--kubeconfig=/kubeconfig --namespace=one --namespace=two " +
		"--metrics-secure=false --metrics-bind-address=127.0.0.1:", " --crash=false]\n"} {
		if log := p.Log(); !strings.Contains(log, args) {
			t.Errorf("log %q, want the arguments %q in it", log, args)
		}
	}
	for _, test := range []struct {
		name   string
		labels map[string]string
		want   float64
	}{
		{"reconciles", nil, 9},
		{"reconciles", map[string]string{"controller": "a"}, 4},
		{"reconciles", map[string]string{"controller": "a", "result": "ok"}, 3},
		{"reconciles", map[string]string{"controller": "c"}, 0},
		{"reconciles", map[string]string{"color": "a"}, 0},
		{"depth", nil, 4},
		{"seconds", nil, 6},
		{"missing", nil, 0},
	} {
		if got := p.Metric(test.name, test.labels); got != test.want {
			t.Errorf("metric %s %v is %v, want %v", test.name, test.labels, got, test.want)
		}
	}
	if code := p.Stop(); code != 7 {
		t.Errorf("exit code %d, want 7", code)
	}
	if err := p.Ready(t.Context()); err == nil {
		t.Error("a controller that has ended is ready")
	}
}

// TestKill checks that a killed controller has ended, and that the next one appends to its log.
func TestKill(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "controller")
	p := Start(t, Options{Dir: dir})
	p.WaitReady(t.Context())
	p.Kill()
	select {
	case <-p.Ended():
	default:
		t.Error("the controller has not ended")
	}
	if code := p.Stop(); code != -1 {
		t.Errorf("exit code %d, want -1", code)
	}
	again := Start(t, Options{Dir: dir})
	again.WaitReady(t.Context())
	if got := strings.Count(again.Log(), "started with"); got != 2 {
		t.Errorf("the log has %d starts, want 2", got)
	}
	again.Interrupt()
	<-again.Ended()
}

// failing is a test whose failure does not fail the real test.
type failing struct {
	testing.TB
	messages []string
	cleanups []func()
}

func (f *failing) Fatal(args ...any) { f.messages = append(f.messages, fmt.Sprint(args...)); panic(f) }
func (f *failing) Logf(format string, args ...any) {
	f.messages = append(f.messages, fmt.Sprintf(format, args...))
}
func (f *failing) Failed() bool           { return true }
func (f *failing) Cleanup(cleanup func()) { f.cleanups = append(f.cleanups, cleanup) }

// TestCrash checks that a test fails at once when its controller ends, and shows the log.
func TestCrash(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	f := &failing{TB: t}
	func() {
		defer func() {
			if recover() != any(f) {
				t.Error("WaitReady did not end the test")
			}
		}()
		Start(f, Options{Args: []string{"--crash"}}).WaitReady(ctx)
	}()
	for _, cleanup := range f.cleanups {
		cleanup()
	}
	all := strings.Join(f.messages, "\n")
	for _, want := range []string{"sync-controller ended before it was ready: exit status 3\nthe end of its log:\n" +
		"  started with", "sync-controller (process "} {
		if !strings.Contains(all, want) {
			t.Errorf("messages:\n%s\nwant %q in them", all, want)
		}
	}
}
