// SPDX-License-Identifier: Apache-2.0

package variant

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
)

// seen is all that a Revision can tell.
type seen struct {
	Number   int
	IsNumber bool
	Tag      string
	IsTag    bool
	Branch   bool
	Zero     bool
	String   string
	JSON     string
}

func look(t *testing.T, r Revision) seen {
	t.Helper()
	var s seen
	s.Number, s.IsNumber = r.Number()
	s.Tag, s.IsTag = r.Tag()
	s.Branch = r.Branch()
	s.Zero = r.IsZero()
	s.String = r.String()
	encoded, err := json.Marshal(struct {
		Revision Revision `json:"revision,omitzero"`
	}{r})
	if err != nil {
		t.Fatal(err)
	}
	s.JSON = string(encoded)
	return s
}

func TestRevisionDecode(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 63)
	cases := map[string]seen{
		`3`:               {Number: 3, IsNumber: true, String: "3", JSON: `{"revision":3}`},
		`"3"`:             {Number: 3, IsNumber: true, String: "3", JSON: `{"revision":"3"}`},
		`"v3"`:            {Number: 3, IsNumber: true, String: "v3", JSON: `{"revision":"v3"}`},
		`"v03"`:           {Number: 3, IsNumber: true, String: "v03", JSON: `{"revision":"v03"}`},
		`-1`:              {Number: -1, IsNumber: true, Branch: true, String: "-1", JSON: `{"revision":-1}`},
		`4294967296`:      {Number: 1 << 32, IsNumber: true, String: "4294967296", JSON: `{"revision":4294967296}`},
		`0`:               {Zero: true, JSON: `{}`},
		`null`:            {Zero: true, JSON: `{}`},
		`"latest"`:        {Tag: "latest", IsTag: true, String: "latest", JSON: `{"revision":"latest"}`},
		`"main"`:          {Number: -1, IsNumber: true, Branch: true, String: "main", JSON: `{"revision":"main"}`},
		`"main-2"`:        {Tag: "main-2", IsTag: true, String: "main-2", JSON: `{"revision":"main-2"}`},
		`"v"`:             {Tag: "v", IsTag: true, String: "v", JSON: `{"revision":"v"}`},
		`"v3.1"`:          {Tag: "v3.1", IsTag: true, String: "v3.1", JSON: `{"revision":"v3.1"}`},
		`"V3"`:            {Tag: "V3", IsTag: true, String: "V3", JSON: `{"revision":"V3"}`},
		`"3rd"`:           {Tag: "3rd", IsTag: true, String: "3rd", JSON: `{"revision":"3rd"}`},
		`"a_b"`:           {Tag: "a_b", IsTag: true, String: "a_b", JSON: `{"revision":"a_b"}`},
		`"` + long + `"`:  {Tag: long, IsTag: true, String: long, JSON: `{"revision":"` + long + `"}`},
		`"\u0073table-1"`: {Tag: "stable-1", IsTag: true, String: "stable-1", JSON: `{"revision":"stable-1"}`},
	}
	for in, want := range cases {
		t.Run(in, func(t *testing.T) {
			t.Parallel()
			// What was there before must not shine through.
			got := Revision{Int: 7, Str: "stale"}
			if err := json.Unmarshal([]byte(in), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, look(t, got)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestRevisionInvalid holds that what is no revision is decoded nevertheless, and told of by the validation: one object
// that cannot be decoded would keep a client from all others.
func TestRevisionInvalid(t *testing.T) {
	t.Parallel()
	const notOne = `is not a number, v and a number, main, or a tag of at most 63 letters, digits, '-', '_' and '.' ` +
		`that begins and ends with a letter or digit`
	long := strings.Repeat("x", 64)
	for in, want := range map[string]string{
		`"-1"`:                   `revision "-1" ` + notOne,
		`"stable-"`:              `revision "stable-" ` + notOne,
		`"a b"`:                  `revision "a b" ` + notOne,
		`"a/b"`:                  `revision "a/b" ` + notOne,
		`"` + long + `"`:         `revision "` + long + `" ` + notOne,
		`"0"`:                    `revision "0" does not exist: revisions are numbered from 1`,
		`"v00"`:                  `revision "v00" does not exist: revisions are numbered from 1`,
		`"v9223372036854775808"`: `revision "v9223372036854775808" is out of range`,
		`9223372036854775808`:    `revision "9223372036854775808" is out of range`,
	} {
		t.Run(in, func(t *testing.T) {
			t.Parallel()
			u := Upstream{Repo: "r", Package: "p"}
			if err := json.Unmarshal([]byte(`{"revision":`+in+`}`), &u); err != nil {
				t.Fatal(err)
			}
			got := u.Validate("spec.upstream").Err()
			if got == nil || got.Error() != "spec.upstream.revision is not valid: "+want {
				t.Errorf("got %v\nwant %s", got, want)
			}
		})
	}
}

func TestRevisionDecodeErrors(t *testing.T) {
	t.Parallel()
	const notOne = `is not a number, v and a number, main, or a tag of at most 63 letters, digits, '-', '_' and '.' ` +
		`that begins and ends with a letter or digit`
	cases := map[string]string{
		`""`:   `revision "" ` + notOne,
		`1.2`:  `revision 1.2 is neither an integer nor a string: a tag that looks like a number needs quotes`,
		`true`: `revision true is neither an integer nor a string: a tag that looks like a number needs quotes`,
		`{}`:   `revision {} is neither an integer nor a string: a tag that looks like a number needs quotes`,
	}
	for in, want := range cases {
		t.Run(in, func(t *testing.T) {
			t.Parallel()
			got := Revision{Int: 7}
			err := json.Unmarshal([]byte(in), &got)
			if err == nil {
				t.Fatalf("decoded %s to %#v, want error %q", in, got, want)
			}
			if diff := cmp.Diff(want, err.Error()); diff != "" {
				t.Errorf("error: -want +got:\n%s", diff)
			}
			if diff := cmp.Diff(Revision{Int: 7}, got); diff != "" {
				t.Errorf("the value changed in spite of the error: -want +got:\n%s", diff)
			}
		})
	}
}

func TestRevisionConstructors(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(Revision{Int: -1}, RevisionNumber(-1)); diff != "" {
		t.Errorf("RevisionNumber(-1): -want +got:\n%s", diff)
	}
	if !RevisionNumber(0).IsZero() {
		t.Error("RevisionNumber(0) is not the zero Revision")
	}
	got, err := ParseRevision("v3")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Revision{Str: "v3"}, got); diff != "" {
		t.Errorf("ParseRevision: -want +got:\n%s", diff)
	}
}

// TestRevisionOutOfRange is about values that no decoder makes.
func TestRevisionOutOfRange(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"v0", "9223372036854775808"} {
		if n, ok := (Revision{Str: s}).Number(); ok {
			t.Errorf("Number of %q = %d, want none", s, n)
		}
	}
}

// TestRevisionUnstructured checks the way that clients take which do not encode to JSON.
func TestRevisionUnstructured(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		in   Revision
		want map[string]any
	}{
		"Number": {in: Revision{Int: 3}, want: map[string]any{"repo": "r", "package": "p", "revision": int64(3)}},
		"Branch": {in: Revision{Str: "main"}, want: map[string]any{"repo": "r", "package": "p", "revision": "main"}},
		"String": {in: Revision{Str: "v3"}, want: map[string]any{"repo": "r", "package": "p", "revision": "v3"}},
		"Absent": {want: map[string]any{"repo": "r", "package": "p"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := &Upstream{Repo: "r", Package: "p", Revision: tc.in}
			object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(in)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, object); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			out := &Upstream{}
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object, out); err != nil {
				t.Fatal(err)
			}
			if !equality.Semantic.DeepEqual(in, out) {
				t.Errorf("-want +got:\n%s", cmp.Diff(in, out))
			}
		})
	}
}
