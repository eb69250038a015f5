// SPDX-License-Identifier: Apache-2.0

package variant

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReservedPackageContextKeys(t *testing.T) {
	t.Parallel()
	got := ReservedPackageContextKeys()
	if diff := cmp.Diff([]string{"name", "package-path"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	got[0] = "changed"
	if ReservedPackageContextKeys()[0] != "name" {
		t.Error("a caller can change the reserved keys")
	}
}
