// SPDX-License-Identifier: Apache-2.0

package starting

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Place is a Repository that is to be: its address, its branch and the directory that it is over.
type Place struct{ Address, Branch, Directory string }

// header begins each manifest.
const header = "apiVersion: config.porch.kpt.dev/"

// repository returns the manifest of a Repository.
func repository(name string, p Place, labels string) string {
	text := header + "v1alpha1\nkind: Repository\nmetadata:\n  name: " + quote(name) + "\n" + labels +
		"spec:\n  type: git\n  git:\n    repo: " + quote(p.Address) + "\n    branch: " + quote(p.Branch) + "\n"
	if p.Directory != "" && p.Directory != "." {
		text += "    directory: " + quote(p.Directory) + "\n"
	}
	return text
}

var plainText = regexp.MustCompile(`^[A-Za-z/][-A-Za-z0-9._/@:+~]*$`)

// quote returns a text as YAML.
func quote(text string) string {
	if plainText.MatchString(text) && !strings.HasSuffix(text, ":") && !isKeyword(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

func isKeyword(text string) bool {
	return slices.Contains([]string{"y", "n", "yes", "no", "on", "off", "true", "false", "null"}, strings.ToLower(text))
}

// Name returns a name as objects may have it.
func Name(text string) string {
	name := strings.Trim(notInNames.ReplaceAllString(strings.ToLower(text), "-"), "-")
	return strings.Trim(name[:min(len(name), 50)], "-")
}

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// Blueprints is the name of the Repository of blueprints.
const Blueprints = "blueprints"

// manifests returns the manifests of a fleet of copies in a directory of a git repository, by the names of their files.
func (b *Begun) manifests(at Place) (map[string]string, error) {
	over, err := b.repositories()
	if err != nil {
		return nil, err
	}
	files, used := map[string]string{}, map[string]string{}
	use := func(name, pkg string) (repo, in string) {
		repo, in = within(over, name, pkg)
		used[repo] = repository(repo, Place{at.Address, at.Branch, path.Join(at.Directory, over[repo])}, b.labels(repo))
		return repo, in
	}
	for _, p := range b.Packages {
		repo, upstream := use(Blueprints, p.Name)
		targets := map[string][]string{}
		for _, c := range p.Copies {
			name, pkg := use(c.Repository, c.Package)
			targets[name] = append(targets[name], pkg)
		}
		files[Name(p.Name)+".yaml"] = set(Name(p.Name), repo, upstream, targets)
	}
	if len(files) < len(b.Packages) || files["repositories.yaml"] != "" {
		return nil, errors.New("the names of packages are too much alike: name fewer directories by --from")
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(used)) {
		all = append(all, used[name])
	}
	files["repositories.yaml"] = strings.Join(all, "---\n")
	return files, nil
}

// repositories returns the directories of Repositories, by their names.
func (b *Begun) repositories() (map[string]string, error) {
	over := map[string]string{Blueprints: b.Blueprints}
	for _, p := range b.Packages {
		for _, c := range p.Copies {
			if was, known := over[c.Repository]; c.Repository == "" || known && was != c.In {
				return nil, fmt.Errorf("%s and %s would both be the Repository %q: name fewer directories by --from",
					was, c.In, c.Repository)
			}
			over[c.Repository] = c.In
		}
	}
	return over, nil
}

// within returns the Repository that has a package of another one, and its path there. Where directories are inside
// each other, only the upper one may be a Repository.
func within(over map[string]string, name, pkg string) (repo, at string) {
	repo = name
	for _, other := range slices.Sorted(maps.Keys(over)) {
		dir, upper := over[repo], over[other]
		if dir == upper && other < repo || dir != upper && (upper == "" || strings.HasPrefix(dir, upper+"/")) {
			repo = other
		}
	}
	return repo, strings.TrimPrefix(strings.TrimPrefix("/"+path.Join(over[name], pkg), "/"+over[repo]), "/")
}

// labels returns those of a Repository.
func (b *Begun) labels(repo string) string {
	for _, p := range b.Packages {
		for _, c := range p.Copies {
			if c.Repository == repo && !c.Shared {
				return "  labels:\n    environment: " + quote(repo) + "\n"
			}
		}
	}
	return ""
}

// set returns the manifest of the set of the copies of a package, which are targets by their Repositories.
func set(name, repo, upstream string, targets map[string][]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%sv1alpha2\nkind: PackageVariantSet\nmetadata:\n  name: %s\nspec:\n  upstream:\n    repo: %s\n"+
		"    package: %s\n    revision: latest\n  targets:\n  - repositories:\n", header, quote(name), quote(repo),
		quote(upstream))
	for _, repo := range slices.Sorted(maps.Keys(targets)) {
		fmt.Fprintf(&b, "    - name: %s\n", quote(repo))
		if packages := targets[repo]; len(packages) > 1 || packages[0] != upstream {
			b.WriteString("      packageNames:\n")
			for _, each := range packages {
				fmt.Fprintf(&b, "      - %s\n", quote(each))
			}
		}
	}
	b.WriteString("    template:\n      adoptionPolicy: adoptExisting\n")
	return b.String()
}

// Smallest are the manifests of the smallest fleet, with comments that say what to fill in.
func Smallest(at Place) map[string]string {
	if at.Address == "" {
		at.Address = "https://git.example.com/fleet.git"
	}
	at.Branch = cmp.Or(at.Branch, "main")
	site := at
	at.Directory, site.Directory = path.Join(at.Directory, Blueprints), path.Join(at.Directory, "sites/first")
	return map[string]string{
		"repositories.yaml": "# Where the blueprints are. Write the address of your git repository, which may be that\n" +
			"# of this directory, and the directory in it. The tag blueprints/web/v1 publishes version 1 of blueprints/web.\n" +
			repository(Blueprints, at, "") +
			"---\n# A site, to which packages go. Add one for each site, with labels by which sets select them.\n" +
			repository("first", site, "  labels:\n    role: site\n"),
		"web.yaml": "# The packages: one of the newest version of the blueprint web for each site. Write the name of your\n" +
			"# blueprint, and the labels of your sites.\n" + header + "v1alpha2\nkind: PackageVariantSet\nmetadata:\n" +
			"  name: web\nspec:\n  upstream:\n    repo: blueprints\n    package: web\n    revision: latest\n  targets:\n" +
			"  - repositorySelector:\n      matchLabels:\n        role: site\n",
	}
}
