// SPDX-License-Identifier: Apache-2.0

package forge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/package-variants/package-variants/e2e/internal/process"
	"github.com/package-variants/package-variants/e2e/internal/skipped"
)

// gitea is a Gitea with two users: ada, who has the fleet and the token, and berta.
type gitea struct {
	*testing.T
	url, token string
}

// settings are those of a Gitea that works for itself, in a directory, as a user, and at a port.
const settings = `APP_NAME = test
RUN_MODE = prod
RUN_USER = %[2]s
WORK_PATH = %[1]s
I_AM_BEING_UNSAFE_RUNNING_AS_ROOT = true
[server]
HTTP_ADDR = 127.0.0.1
HTTP_PORT = %[3]d
ROOT_URL = http://127.0.0.1:%[3]d/
STATIC_ROOT_PATH = %[4]s
DISABLE_SSH = true
OFFLINE_MODE = true
[database]
DB_TYPE = sqlite3
PATH = %[1]s/gitea.db
[security]
INSTALL_LOCK = true
[log]
LEVEL = Warn
`

// startGitea starts a Gitea, which ends with the test. Without one the test is skipped.
func startGitea(t *testing.T) *gitea {
	t.Helper()
	binary, err := filepath.EvalSymlinks(filepath.Join(os.Getenv("TOOLS_BIN"), "gitea"))
	if err != nil {
		if os.Getenv("REQUIRE_GITEA") != "" {
			t.Fatal("there is no Gitea, and REQUIRE_GITEA is set")
		}
		why := errors.New("no Gitea: it needs a C compiler, such as that of apt-get install gcc libc6-dev")
		if err := skipped.Report("pull requests on a real forge", why); err != nil {
			t.Fatal(err)
		}
		t.Skip(why)
	}
	dir, port := t.TempDir(), 0
	me, err := user.Current()
	if err = errors.Join(err, process.FreePorts(&port)); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "app.ini")
	text := fmt.Sprintf(settings, dir, me.Username, port, filepath.Join(filepath.Dir(binary), "static"))
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	// Gitea writes the global configuration of git: into a file of its own, and never into what tests have as one, which
	// is /dev/null.
	env := []string{"HOME=" + dir, "GITEA_WORK_DIR=" + dir, "GIT_CONFIG_GLOBAL=" + filepath.Join(dir, "gitconfig")}
	admin := func(args ...string) string {
		cmd := exec.Command(binary, append([]string{"--config", config}, args...)...)
		cmd.Env = append(os.Environ(), env...)
		var said bytes.Buffer
		cmd.Stderr = &said
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("gitea %s: %v\n%s%s", args, err, out, said.String())
		}
		return strings.TrimSpace(string(out))
	}
	admin("migrate")
	for _, name := range []string{"ada", "berta"} {
		admin("admin", "user", "create", "--username", name, "--email", name+"@example.com", "--password", "pa55-word",
			"--must-change-password=false")
	}
	g := &gitea{T: t, url: "http://127.0.0.1:" + strconv.Itoa(port)}
	said := strings.Fields(admin("admin", "user", "generate-access-token", "--username", "ada", "--scopes", "all", "--raw"))
	g.token = said[len(said)-1] // after what it logs
	server, err := process.Start(dir, "gitea", binary, env, "--config", config, "web")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Kill)
	client := &http.Client{Timeout: 5 * time.Second}
	t.Cleanup(client.CloseIdleConnections)
	if err := server.Await(t.Context(), "it answers", func(ctx context.Context) error {
		return process.Answers(ctx, client, g.url+"/api/v1/version")
	}); err != nil {
		t.Fatal(err)
	}
	return g
}

// api has ada call the API, and returns the status; 0 as wanted takes any.
func (g *gitea) api(method, path string, value, into any, wanted ...int) int {
	g.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		g.Fatal(err)
	}
	request, err := http.NewRequestWithContext(g.Context(), method, g.url+"/api/v1/"+path, bytes.NewReader(text))
	if err != nil {
		g.Fatal(err)
	}
	request.Header.Set("Authorization", "token "+g.token)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		g.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	if err == nil && into != nil {
		err = json.Unmarshal(answer, into)
	}
	if err != nil || len(wanted) == 0 && response.StatusCode/100 != 2 {
		g.Fatalf("%s %s: %s: %v\n%s", method, path, response.Status, err, answer)
	}
	return response.StatusCode
}
