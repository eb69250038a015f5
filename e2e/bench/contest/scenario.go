// SPDX-License-Identifier: Apache-2.0

package contest

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1/variant"
	"github.com/package-variants/package-variants/api/v1alpha2"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

//go:embed scenario
var files embed.FS

const (
	// namespace is the namespace of all objects.
	namespace = "bench"
	// blueprints is the Repository of the upstream packages; deployEnv is the label env of all other Repositories.
	blueprints = "blueprints"
	deployEnv  = "prod"
	// fixed is the blueprint whose first revision the variants of the fan-out stay on; the variants of floating follow its
	// newest revision.
	fixed    = "web"
	floating = "shop"
)

// firstTag and secondTag are the image tags in the first and second revision of a blueprint.
const firstTag, secondTag = "1.4", "1.5"

// Scenario is how large the fleet is.
type Scenario struct {
	// Variants is how many variants there are, and Repositories how many Repositories they are spread over.
	Variants     int
	Repositories int
}

// Validate returns an error for an impossible fleet.
func (s Scenario) Validate() error {
	if s.Repositories < len(regions) {
		return fmt.Errorf("%d repositories: there must be %d or more, one for each region", s.Repositories, len(regions))
	}
	if s.Variants < s.Repositories {
		return fmt.Errorf("%d variants: there must be one or more for each of the %d repositories", s.Variants,
			s.Repositories)
	}
	return nil
}

// regions are the regions of the Repositories, in turn. Each region has an object to inject; the object that changes is
// the last region's.
var regions = []string{"eu", "us"}

// changed is the region whose object changes.
var changed = regions[len(regions)-1]

// region returns the region of a Repository.
func region(repository int) string { return regions[repository%len(regions)] }

// repositoryName returns the name of a Repository.
func repositoryName(repository int) string { return fmt.Sprintf("edge-%d", repository+1) }

// floatingVariants is how many variants follow the newest revision of their blueprint, in addition to those of the
// fan-out.
func (s Scenario) floatingVariants() int { return max(s.Repositories, s.Variants/5) }

// packages returns the packages of n variants of a blueprint, spread evenly over the Repositories.
func (s Scenario) packages(blueprint string, n int) []pkg {
	var packages []pkg
	for i := range n {
		repository := i % s.Repositories
		packages = append(packages, pkg{
			Blueprint: blueprint, Repository: repositoryName(repository), Region: region(repository),
			Name: fmt.Sprintf("%s-%02d", blueprint, i/s.Repositories), Tag: firstTag, Endpoints: endpoints(region(repository),
				1),
		})
	}
	return packages
}

// endpoints returns the data of a region after a number of changes.
func endpoints(region string, version int) map[string]string {
	return map[string]string{
		"payment": fmt.Sprintf("payment-v%d.%s.example.com", version, region),
		"search":  fmt.Sprintf("search.%s.example.com", region),
	}
}

// endpointsObject returns the object to inject into the packages of a region.
func endpointsObject(region string, version int) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: endpointsName(region)}, Data: endpoints(region, version)}
}

// endpointsName returns the name of that object.
func endpointsName(region string) string { return "endpoints-" + region }

// set returns the PackageVariantSet of the packages. Porch's controllers also understand its list of Repositories and
// packages, its expressions and its template.
func set(blueprint string, revision variant.Revision, packages []pkg) (*v1alpha2.PackageVariantSet, error) {
	text, err := files.ReadFile("scenario/set.yaml")
	if err != nil {
		return nil, err
	}
	var set v1alpha2.PackageVariantSet
	if err := yaml.UnmarshalStrict(text, &set); err != nil {
		return nil, fmt.Errorf("set.yaml: %w", err)
	}
	set.Name = blueprint
	set.Spec.Upstream = &variant.Upstream{Repo: blueprints, Package: blueprint, Revision: revision}
	names := map[string][]string{}
	for _, p := range packages {
		names[p.Repository] = append(names[p.Repository], p.Name)
	}
	for _, repository := range slices.Sorted(maps.Keys(names)) {
		set.Spec.Targets[0].Repositories = append(set.Spec.Targets[0].Repositories,
			v1alpha2.RepositoryTarget{Name: repository, PackageNames: names[repository]})
	}
	return &set, nil
}

// blueprintFiles returns the files of a blueprint, by path, with a tag of the image.
func blueprintFiles(tag string) (map[string]string, error) {
	const dir = "scenario/blueprint"
	content := map[string]string{}
	err := fs.WalkDir(files, dir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := files.ReadFile(file)
		content[path.Base(file)] = strings.ReplaceAll(string(text), "registry.example.com/web:"+firstTag,
			"registry.example.com/web:"+tag)
		return err
	})
	return content, err
}

// functions returns the functions that the packages use, by image, as binaries in TOOLS_BIN.
func functions() (map[string]string, error) {
	tools := os.Getenv("TOOLS_BIN")
	if tools == "" {
		return nil, errors.New("the environment variable TOOLS_BIN must name the directory of the tools: " +
			"run this by make, which builds them and sets it")
	}
	return map[string]string{
		namespaceImage: filepath.Join(tools, "set-namespace"),
		labelsImage:    filepath.Join(tools, "starlark"),
	}, nil
}
