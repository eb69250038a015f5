// SPDX-License-Identifier: Apache-2.0

package podman

import (
	"archive/tar"
	"bytes"
	"io"
	"os"
)

// entrypoint is the path of the function in an image.
const entrypoint = "/usr/local/bin/function"

// rootfs returns the file system of an image with a static binary, as an archive. kpt runs functions as the user
// nobody, so the image must have that user.
func rootfs(binary string) (io.Reader, error) {
	content, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	for _, file := range []struct {
		name    string
		mode    int64
		content []byte
	}{
		{"etc/passwd", 0o644, []byte("nobody:x:65534:65534:nobody:/:/\n")},
		{entrypoint[1:], 0o755, content},
	} {
		if err := w.WriteHeader(&tar.Header{Name: file.name, Mode: file.mode, Size: int64(len(file.content))}); err != nil {
			return nil, err
		}
		if _, err := w.Write(file.content); err != nil {
			return nil, err
		}
	}
	return &archive, w.Close()
}
