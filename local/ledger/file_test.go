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

const encoded = `{"namespace":"default","repository":"fra","package":"web",` +
	`"place":{"address":"git.example.com/sites","branch":"main","directory":"fra"},` +
	`"owners":[{"apiVersion":"config.porch.kpt.dev/v1alpha1","kind":"PackageVariant","name":"web","uid":"1"}],` +
	`"published":{"number":2,"commit":"cccc","tree":"3333"},"rejected":{"asked":"f00",` +
	`"workspace":"packagevariant-3","draft":{"base":"3333","written":"","seen":"4444"}}}
{"namespace":"default","repository":"nyc","package":"web",` +
	`"place":{"address":"git.example.com/sites","branch":"main","directory":"nyc"},` +
	`"drafts":{"packagevariant-1":{"written":"2222","seen":"2222","announced":true}}}
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
	const strange = "{\"nothing\": \"here\"}\n"
	of := digestOf([]byte(strange), 1)
	for _, c := range []struct {
		text string
		Digest
		want string
	}{
		{text, older, "it has the format 0, and only 1 can be read"},
		{text[:len(text)-20], digest, "it is not the file that was written"},
		{"", digest, "it is not the file that was written"},
		{strange, of, `unknown field "nothing"`},
		{text, digestOf([]byte(text), 3), "it has 2 packages, and 3 were written"},
	} {
		if _, err := Decode(c.text, c.Digest); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("got %v\nwant %s", err, c.want)
		}
	}
}
