// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

const conditionsIntroduction = "The types and the reasons of all conditions, as the packages `api/v1alpha1` and " +
	"`api/v1alpha2` define them.\nWhat to do about each is in [what the conditions say](../conditions.md)."

// constant is a type or a reason of a condition.
type constant struct{ name, value, doc string }

// group is a declaration of such constants, with its comment.
type group struct {
	doc       string
	constants []constant
}

// conditionsPage returns the page of the conditions, from the packages of PackageVariants and of PackageVariantSets.
func conditionsPage(variants, sets string) (string, error) {
	out := page("The conditions and their reasons", "the constants in api", conditionsIntroduction)
	values := map[string]string{}
	for _, kind := range []struct{ name, dir string }{{"PackageVariant", variants}, {"PackageVariantSet", sets}} {
		groups, err := conditionGroups(kind.dir)
		if err != nil {
			return "", err
		}
		for _, g := range groups {
			for _, c := range g.constants {
				values[c.name] = c.value
			}
		}
		out += "\n## Of a " + kind.name + "\n"
		for _, g := range groups {
			out += g.section(values)
		}
	}
	return out, nil
}

// conditionGroups returns the groups of a package's constants for conditions, in source order.
func conditionGroups(dir string) (groups []group, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, source, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		for _, declaration := range parsed.Decls {
			if d, ok := declaration.(*ast.GenDecl); ok && d.Tok == token.CONST {
				if g := groupOf(d); len(g.constants) > 0 {
					groups = append(groups, g)
				}
			}
		}
	}
	if len(groups) == 0 {
		return nil, fmt.Errorf("%s has no constants of conditions: it is not the directory of the API", dir)
	}
	return groups, nil
}

func groupOf(declaration *ast.GenDecl) group {
	g := group{doc: sentence(declaration.Doc)}
	for _, spec := range declaration.Specs {
		value, ok := spec.(*ast.ValueSpec)
		if !ok || value.Type != nil || len(value.Values) != 1 {
			continue
		}
		name := value.Names[0].Name
		literal, ok := value.Values[0].(*ast.BasicLit)
		if !ok || !strings.HasPrefix(name, "Reason") && !strings.HasPrefix(name, "Condition") {
			continue
		}
		text, err := strconv.Unquote(literal.Value)
		if err != nil {
			continue
		}
		doc := sentence(value.Doc)
		if !declaration.Lparen.IsValid() {
			doc, g.doc = g.doc, ""
		}
		g.constants = append(g.constants, constant{name: name, value: text, doc: doc})
	}
	return g
}

// sentence returns a comment on one line.
func sentence(comment *ast.CommentGroup) string {
	if comment == nil {
		return ""
	}
	return strings.Join(strings.Fields(comment.Text()), " ")
}

// names matches such constants in comments.
var names = regexp.MustCompile(`\b(?:Reason|Condition)[A-Z]\w+\b`)

// section returns a group under the first sentence of its comment. A single constant is a paragraph.
func (g group) section(values map[string]string) string {
	inWords := func(text string) string {
		return names.ReplaceAllStringFunc(plain(text), func(name string) string {
			if value, known := values[name]; known {
				return code(value)
			}
			return name
		})
	}
	if g.doc == "" {
		var out string
		for _, c := range g.constants {
			out += "\n" + inWords(c.doc) + "\n"
		}
		return out
	}
	title, rest, _ := strings.Cut(g.doc, ". ")
	out := "\n### " + strings.TrimSuffix(title, ".") + "\n"
	if rest != "" {
		out += "\n" + inWords(rest) + "\n"
	}
	var rows [][]string
	for _, c := range g.constants {
		doc := strings.TrimPrefix(c.doc, c.name+" ")
		for _, verb := range []string{"says that ", "tells "} {
			doc = strings.TrimPrefix(doc, verb)
		}
		rows = append(rows, []string{code(c.value), inWords(doc)})
	}
	return out + table([]string{"value", "it says"}, rows)
}
