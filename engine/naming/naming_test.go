// SPDX-License-Identifier: Apache-2.0

package naming

import "testing"

func TestNotFound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		known []string
		want  string
	}{
		"one is close": {[]string{"shop", "web-eu"}, `there is no PackageVariant "web-ue" in the namespace "fleet": did you ` +
			`mean "web-eu"?`},
		"none is close": {[]string{"shop"}, `there is no PackageVariant "web-ue" in the namespace "fleet", which has shop`},
		"there is none": {nil, `there is no PackageVariant "web-ue" in the namespace "fleet", which has none: set --namespace to ` +
			"another"},
	} {
		if got := NotFound(Variant, "web-ue", "fleet", c.known).Error(); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, c.want)
		}
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	known := []string{"web", "web-eu", "shop", "sites-alpha-web-yx0tyy54f9", "sites-north-web-4s00hqjm7w"}
	for name, want := range map[string]string{
		"wep": "web", "shp": "shop", "alpha": "sites-alpha-web-yx0tyy54f9", "sites": "", "database": "",
		"sites-alpha-web": "sites-alpha-web-yx0tyy54f9", "": "",
	} {
		if got := Nearest(name, known); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	all := []Kind{Variant, Set, Revision, Package}
	for argument, c := range map[string]struct {
		kinds []Kind
		want  string
	}{
		"web":                     {all, "PackageVariant web"},
		"packagevariant/web":      {all, "PackageVariant web"},
		"PackageVariants/web":     {all, "PackageVariant web"},
		"pkgvar/web":              {all, "PackageVariant web"},
		"packagevariantset/fleet": {all, "PackageVariantSet fleet"},
		"packagevariantsets.v1/f": {all, "PackageVariantSet f"},
		"packagerevision/a.b.v1":  {all, "PackageRevision a.b.v1"},
		"blueprints/web":          {all, "Package blueprints/web"},
		"blueprints/infra/web":    {all, "Package blueprints/infra/web"},
		"package/blueprints/web":  {all, "Package blueprints/web"},
		"packagevariantset/x":     {all[:1], "this command is for PackageVariants, and packagevariantset/x is a PackageVariantSet"},
		"repository/edge":         {all[:2], "this command is for PackageVariants and PackageVariantSets, and repository/edge is a Repository"},
		"deployment/web":          {all[:2], "this command is for PackageVariants and PackageVariantSets, and deployment is no kind that it knows"},
		"packagevariant/":         {all, `"packagevariant/" names nothing: write NAME or TYPE/NAME`},
		"/web":                    {all, `"/web" names nothing: write NAME or TYPE/NAME`},
		"":                        {all, `"" names nothing: write NAME or TYPE/NAME`},
	} {
		of, err := Parse(argument, c.kinds...)
		got := of.Kind.Name + " " + of.Name
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q:\ngot  %s\nwant %s", argument, got, c.want)
		}
	}
}
