// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ledger has what entries can have.
var ledger = Ledger{
	{"default", "nyc", "web"}: {Place: Place{Address: "git.example.com/sites", Branch: "main", Directory: "nyc"},
		Drafts: map[string]Draft{"packagevariant-1": {Written: "2222", Seen: "2222", Announced: true}}},
	{"default", "fra", "web"}: {Place: Place{Address: "git.example.com/sites", Branch: "main", Directory: "fra"},
		Owners:    []metav1.OwnerReference{{APIVersion: "config.porch.kpt.dev/v1alpha1", Kind: "PackageVariant", Name: "web", UID: "1"}},
		Published: &Published{Number: 2, Commit: "cccc", Tree: "3333"},
		Rejected:  &Rejected{Asked: "f00", Workspace: "packagevariant-3", Draft: Draft{Base: "3333", Seen: "4444"}}},
}

const encoded = `- namespace: default
  owners:
  - apiVersion: config.porch.kpt.dev/v1alpha1
    kind: PackageVariant
    name: web
    uid: "1"
  package: web
  place:
    address: git.example.com/sites
    branch: main
    directory: fra
  published:
    commit: cccc
    number: 2
    tree: "3333"
  rejected:
    asked: f00
    draft:
      base: "3333"
      seen: "4444"
      written: ""
    workspace: packagevariant-3
  repository: fra
- drafts:
    packagevariant-1:
      announced: true
      seen: "2222"
      written: "2222"
  namespace: default
  package: web
  place:
    address: git.example.com/sites
    branch: main
    directory: nyc
  repository: nyc
`

// TestFile writes a ledger, and reads it again.
func TestFile(t *testing.T) {
	t.Parallel()
	text, digest, err := ledger.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(encoded, text); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	read, err := Decode(text, digest)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(ledger, read); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	empty, digestOfEmpty, err := Ledger{}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if read, err := Decode(empty, digestOfEmpty); err != nil || len(read) > 0 {
		t.Error(read, err)
	}
}

// TestOtherFile refuses what is not the file that was written.
func TestOtherFile(t *testing.T) {
	t.Parallel()
	text, digest, err := ledger.Encode()
	if err != nil {
		t.Fatal(err)
	}
	older := digest
	older.Format = 0
	strange, of := "- nothing: here\n", digestOf([]byte("- nothing: here\n"), 1)
	for _, c := range []struct {
		text string
		Digest
		want string
	}{
		{text, older, "it has the format 0, and only 1 can be read"},
		{text[:len(text)-20], digest, "it is not the file that was written"},
		{"", digest, "it is not the file that was written"},
		{strange, of, `error unmarshaling JSON: while decoding JSON: json: unknown field "nothing"`},
		{text, digestOf([]byte(text), 3), "it has 2 packages, and 3 were written"},
	} {
		if _, err := Decode(c.text, c.Digest); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("got %v\nwant %s", err, c.want)
		}
	}
}
