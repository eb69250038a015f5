// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/package-variants/package-variants/api/v1alpha1"
	"github.com/package-variants/package-variants/api/v1alpha2"

	porchconfig "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

//go:embed scenario
var scenario embed.FS

const (
	// namespace is the namespace of all objects.
	namespace = "fleet"
	// perRepository is the number of variants in a Repository where growth is measured, perSet the most that a
	// PackageVariantSet has.
	perRepository = 10
	perSet        = 1000
	// elsewhere is the Repository of packages without variants, and strangers is the number of those packages.
	elsewhere = "elsewhere"
	strangers = 100
	// groupLabel is the label of the Repositories of a set.
	groupLabel = "group"
	// waveLabel is the label of the Repositories of a wave.
	waveLabel = "wave"
	// firstImage is the image in the first revision of the blueprint, nextImage the one in the next.
	firstImage = "registry.example.com/web:1.4"
	nextImage  = "registry.example.com/web:1.5"
	// firstWorkspace and nextWorkspace are the workspaces of a variant's first two revisions.
	firstWorkspace = "packagevariant-1"
	nextWorkspace  = "packagevariant-2"
	// atOnce is how many objects are created in parallel.
	atOnce = 16
)

// fleet is what a platform team has in its cluster.
type fleet struct {
	variants int
	// each is the number of variants in a Repository.
	each   int
	config *rest.Config
	client client.WithWatch
	porch  *Porch
}

func newFleet(config *rest.Config, porch *Porch, variants, each int) (*fleet, error) {
	scheme := runtime.NewScheme()
	if err := errors.Join(corev1.AddToScheme(scheme), v1alpha1.AddToScheme(scheme), v1alpha2.AddToScheme(scheme),
		porchconfig.AddToScheme(scheme)); err != nil {
		return nil, err
	}
	c, err := client.NewWithWatch(config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, err
	}
	return &fleet{variants: variants, each: each, config: config, client: c, porch: porch}, nil
}

func (f *fleet) repositories() int { return f.variants / f.each }

func (f *fleet) sets() int { return (f.variants + perSet - 1) / perSet }

func repositoryName(i int) string { return fmt.Sprintf("site-%04d", i) }

// prepare makes everything except the sets: the blueprint, a Repository and a ConfigMap for each site, and packages
// without variants.
func (f *fleet) prepare(ctx context.Context) error {
	files, err := blueprint()
	if err != nil {
		return err
	}
	f.porch.Publish(namespace, "blueprints", "web", "v1", files)
	for i := range strangers {
		f.porch.Publish(namespace, elsewhere, packageName(i), "v1", files)
	}
	if err := f.client.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}); err != nil {
		return err
	}
	if err := f.register(ctx, "blueprints", nil); err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i := range f.repositories() {
		group.Go(func() error {
			name := repositoryName(i)
			facts := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "endpoints-" + name},
				Data: map[string]string{"payment": payment(name)}}
			if err := f.client.Create(ctx, facts); err != nil {
				return err
			}
			return f.register(ctx, name, map[string]string{groupLabel: fmt.Sprint(i * f.each / perSet),
				waveLabel: waveOf(i)})
		})
	}
	return group.Wait()
}

// payment is the value that is injected for a site.
func payment(site string) string { return "payment." + site + ".example.com" }

// register makes a Repository that Porch has already read.
func (f *fleet) register(ctx context.Context, name string, labels map[string]string) error {
	return f.registerIn(ctx, namespace, name, labels)
}

func (f *fleet) registerIn(ctx context.Context, namespace, name string, labels map[string]string) error {
	return Register(ctx, f.client, namespace, name, labels)
}

// Register makes a Repository that Porch has already read.
func Register(ctx context.Context, c client.Client, namespace, name string, labels map[string]string) error {
	content := porchconfig.RepositoryContentPackage
	r := &porchconfig.Repository{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: labels},
		Spec: porchconfig.RepositorySpec{
			Type: porchconfig.RepositoryTypeGit, Content: &content,
			Git: &porchconfig.GitRepository{Repo: address + name, Branch: "main", Directory: "/"},
		},
	}
	if err := c.Create(ctx, r); err != nil {
		return err
	}
	r.Status.Conditions = []metav1.Condition{{
		Type: porchconfig.RepositoryReady, Status: metav1.ConditionTrue, Reason: porchconfig.ReasonReady,
		Message: "Repository Ready", LastTransitionTime: metav1.Now(), ObservedGeneration: r.Generation,
	}}
	return c.Status().Update(ctx, r)
}

// Blueprint returns the files of the upstream package, which run an image.
func Blueprint(image string) (map[string]string, error) {
	files, err := blueprint()
	if err != nil {
		return nil, err
	}
	const deployment = "deployment.yaml"
	files[deployment] = strings.Replace(files[deployment], firstImage, image, 1)
	return files, nil
}

// blueprint returns the files of the upstream package.
func blueprint() (map[string]string, error) {
	files := map[string]string{}
	err := fs.WalkDir(scenario, "scenario/blueprint", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := scenario.ReadFile(file)
		files[path.Base(file)] = string(content)
		return err
	})
	return files, err
}

// apply makes the sets, each for some of the Repositories, from files of the scenario. Each file adds to the ones
// before it.
func (f *fleet) apply(ctx context.Context, files ...string) error {
	for i := range f.sets() {
		var set v1alpha2.PackageVariantSet
		for _, file := range files {
			text, err := scenario.ReadFile("scenario/" + file)
			if err != nil {
				return err
			}
			if err := yaml.UnmarshalStrict(text, &set); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
		}
		set.Namespace, set.Name = namespace, fmt.Sprintf("%s-%d", set.Name, i)
		selector := set.Spec.Targets[0].RepositorySelector
		selector.MatchLabels = map[string]string{groupLabel: fmt.Sprint(i)}
		for n := range f.each {
			selector.PackageNames = append(selector.PackageNames, packageName(n))
		}
		if err := f.client.Create(ctx, &set); err != nil {
			return err
		}
	}
	return nil
}

func packageName(i int) string { return fmt.Sprintf("web-%d", i) }

// drafts returns the names of the variants' revisions in a workspace.
func (f *fleet) drafts(workspace string) []string {
	var names []string
	for i := range f.repositories() {
		for n := range f.each {
			names = append(names, nameOf(repositoryName(i), packageName(n), workspace))
		}
	}
	return names
}

// strangers returns the names of revisions without variants.
func (f *fleet) strangers() []string {
	var names []string
	for i := range strangers {
		names = append(names, nameOf(elsewhere, packageName(i), "v1"))
	}
	return names
}

// ready returns how many variants are ready, according to the sets.
func (f *fleet) ready(ctx context.Context) (int, error) {
	var sets v1alpha2.PackageVariantSetList
	if err := f.client.List(ctx, &sets, client.InNamespace(namespace)); err != nil {
		return 0, err
	}
	ready := 0
	for i := range sets.Items {
		ready += int(sets.Items[i].Status.Ready)
	}
	return ready, nil
}

// check returns an error that names a revision in a workspace whose content is not what its variant asks for, or whose
// image is not the upstream's.
func (f *fleet) check(workspace, image string) error {
	for _, name := range f.drafts(workspace) {
		files, err := f.porch.Files(namespace, name)
		if err != nil {
			return err
		}
		site, _, _ := strings.Cut(name, ".")
		for _, has := range []struct{ file, text string }{
			{"package-context.yaml", "  site: " + site + "\n"}, {"endpoints.yaml", "  payment: " + payment(site) + " #"},
			{"deployment.yaml", "  namespace: web-" + site + "\n"}, {"service.yaml", "  namespace: web-" + site + "\n"},
			{kptfileName, "    message: injected resource \"endpoints-" + site + "\" from cluster\n"},
			{"deployment.yaml", "        image: " + image + "\n"},
		} {
			if !strings.Contains(files[has.file], has.text) {
				return fmt.Errorf("%s of %s has no %q:\n%s", has.file, name, has.text, files[has.file])
			}
		}
	}
	return nil
}
