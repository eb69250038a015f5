// SPDX-License-Identifier: Apache-2.0

package fntest

import (
	"fmt"
	"reflect"
	"strings"
)

// Commented is a resource with comments in as many places as there are, made of arbitrary bytes. Its fields are called
// a to d, on every level.
type Commented struct {
	// Text is the resource.
	Text string
	// Comments are the comments in it.
	Comments []Comment

	Choices
}

// Choices makes choices of arbitrary bytes.
type Choices struct{ bytes []byte }

// NewChoices returns the choices that the bytes make.
func NewChoices(b []byte) *Choices { return &Choices{bytes: b} }

// Choose returns a number below n, of the next of the bytes; 0 when they have run out.
func (c *Choices) Choose(n int) int {
	if len(c.bytes) == 0 {
		return 0
	}
	choice := int(c.bytes[0]) % n
	c.bytes = c.bytes[1:]
	return choice
}

// Comment is a comment of a Commented.
type Comment struct {
	// Text is the comment, which begins with # and is no part of another.
	Text string
	// Path are the keys (string) and positions (int) of the value that the comment belongs to; if Inside ends it, the
	// comment belongs to what is in that value.
	Path []any
}

// Inside ends the path of a comment that belongs to none of the fields of a map.
type Inside struct{}

// NewCommented returns the resource that the choices make.
func NewCommented(choices []byte) *Commented {
	c := &Commented{Choices: Choices{bytes: choices}}
	c.Text = "apiVersion: v1\nkind: A\nmetadata:\n  name: a\n"
	c.mapping(nil, "", "")
	c.Text += "last: field\n"
	return c
}

// comment returns a new comment of the value at path, or nothing, one time in of.
func (c *Commented) comment(of int, before string, path []any, after string) string {
	if c.Choose(of) != 1 {
		return ""
	}
	text := fmt.Sprintf("# c%d.", len(c.Comments))
	c.Comments = append(c.Comments, Comment{Text: text, Path: append([]any(nil), path...)})
	return before + text + after
}

// mapping writes one to three fields of the value at path; the first line begins with lead.
func (c *Commented) mapping(path []any, lead, indent string) {
	start := c.Choose(2)
	for i := range 1 + c.Choose(3) {
		key := string(rune('a' + start + i))
		if i > 0 || lead == indent {
			c.Text += c.comment(9, indent, child(path, Inside{}), "\n\n")
			c.Text += c.comment(3, indent, child(path, key), "\n")
		}
		c.Text += lead + key + ":"
		lead = indent
		c.value(child(path, key), indent)
	}
	c.Text += c.comment(8, indent, child(path, Inside{}), "\n\n")
}

// value writes the value at path, behind its key.
func (c *Commented) value(path []any, indent string) {
	line := func() string { return c.comment(2, " ", path, "") + "\n" }
	kind := c.Choose(11)
	if len(path) > 3 && kind > 6 {
		kind -= 5
	}
	switch kind {
	case 0:
		c.Text += " x" + line()
	case 1:
		c.Text += ` "y z"` + line()
	case 2:
		c.Text += " {}" + line()
	case 3:
		c.Text += " []" + line()
	case 4:
		c.Text += line()
	case 5:
		c.Text += " {a: 1, b: {c: x}}" + line()
	case 6:
		c.Text += " |\n" + indent + "  x\n" + indent + "  y\n"
	case 7, 8:
		c.Text += line()
		c.mapping(path, indent+"  ", indent+"  ")
	case 9:
		c.Text += line()
		start := c.Choose(4)
		for i := range 1 + c.Choose(3) {
			c.Text += c.comment(3, indent, child(path, i), "\n")
			c.Text += indent + fmt.Sprintf("- v%d", (start+i)%4) + c.comment(2, " ", child(path, i), "") + "\n"
		}
	case 10:
		c.Text += line()
		for i := range 1 + c.Choose(3) {
			c.Text += c.comment(3, indent, child(path, i), "\n")
			c.Text += indent + fmt.Sprintf("- name: %s%d", []string{"mine", "other"}[c.Choose(2)], i) +
				c.comment(2, " ", child(path, i), "") + "\n"
			c.mapping(child(path, i), indent+"  ", indent+"  ")
		}
	}
}

func child(path []any, step any) []any { return append(append([]any(nil), path...), step) }

// Survives reports whether the value at path of the resource before is still there in the resource after: under the
// same key, or as an equal element of a list, or one of the same name.
func Survives(path []any, before, after any) bool {
	if len(path) == 0 {
		return true
	}
	switch step := path[0].(type) {
	case Inside:
		return reflect.TypeOf(before) == reflect.TypeOf(after)
	case string:
		b, _ := before.(map[string]any)
		a, _ := after.(map[string]any)
		_, found := a[step]
		return found && Survives(path[1:], b[step], a[step])
	case int:
		b, _ := before.([]any)
		a, _ := after.([]any)
		for _, element := range a {
			if reflect.DeepEqual(element, b[step]) || nameOf(element) != "" && nameOf(element) == nameOf(b[step]) {
				return Survives(path[1:], b[step], element)
			}
		}
	}
	return false
}

func nameOf(element any) string {
	m, _ := element.(map[string]any)
	name, _ := m["name"].(string)
	return strings.TrimSpace(name)
}
