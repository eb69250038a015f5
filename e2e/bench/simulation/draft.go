// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"fmt"
	"maps"
	"regexp"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/yaml"
)

// kptfileName is the file that describes a package.
const kptfileName = "Kptfile"

// draft returns a new draft as the object's task makes it. The lock must be held.
func (p *Porch) draft(object *porchapi.PackageRevision) (*packageRevision, error) {
	if len(object.Spec.Tasks) != 1 {
		return nil, apierrors.NewBadRequest("a draft is made by one task")
	}
	p.name(object)
	object.Spec.Lifecycle = porchapi.PackageRevisionLifecycleDraft
	if p.repository(object.Namespace, object.Spec.RepositoryName).revisions[object.Name] != nil {
		return nil, apierrors.NewInternalError(fmt.Errorf("package revision workspaceNames must be unique; package "+
			"revision %s exists", object.Name))
	}
	source, upstream, err := p.origin(object.Namespace, &object.Spec.Tasks[0])
	if err != nil {
		return nil, err
	}
	r := &packageRevision{object: *object, files: maps.Clone(source.files)}
	r.object.Status.UpstreamLock = source.object.Status.UpstreamLock
	if upstream != nil {
		r.object.Status.UpstreamLock = lockOf(upstream)
		r.files[kptfileName] = upstream.files[kptfileName] + upstreamOf(upstream)
	}
	return r, r.render()
}

// origin returns the revision whose files a task takes, and the upstream that it locks, if any. An upgrade is simulated
// by taking the files of the new upstream.
func (p *Porch) origin(namespace string, task *porchapi.Task) (source, upstream *packageRevision, err error) {
	var name string
	switch {
	case task.Clone != nil && task.Clone.Upstream.UpstreamRef != nil:
		name = task.Clone.Upstream.UpstreamRef.Name
	case task.Upgrade != nil:
		name = task.Upgrade.NewUpstream.Name
	case task.Edit != nil && task.Edit.Source != nil:
		source, err = p.get(namespace, task.Edit.Source.Name)
		return source, nil, err
	default:
		return nil, nil, apierrors.NewBadRequest(fmt.Sprintf("a task %q is not simulated", task.Type))
	}
	source, err = p.get(namespace, name)
	return source, source, err
}

// address is the base of the repositories' addresses.
const address = "http://git.example.com/"

func lockOf(upstream *packageRevision) *porchapi.UpstreamLock {
	spec := upstream.object.Spec
	return &porchapi.UpstreamLock{Type: porchapi.OriginType("git"), Git: &porchapi.GitLock{
		Repo: address + spec.RepositoryName, Directory: spec.PackageName,
		Ref: spec.PackageName + "/" + spec.WorkspaceName, Commit: upstream.commit,
	}}
}

// upstreamOf is what Porch writes into the Kptfile of a clone.
func upstreamOf(upstream *packageRevision) string {
	git := lockOf(upstream).Git
	text := "  type: git\n  git:\n    repo: " + git.Repo + "\n    directory: " + git.Directory + "\n    ref: " + git.Ref +
		"\n"
	return "upstream:\n" + text + "upstreamLock:\n" + text + "    commit: " + git.Commit + "\n"
}

// kptfile has the parts of a Kptfile that Porch reads.
type kptfile struct {
	Info struct {
		ReadinessGates []porchapi.ReadinessGate `json:"readinessGates"`
	} `json:"info"`
	Status struct {
		Conditions []porchapi.Condition `json:"conditions"`
	} `json:"status"`
	UpstreamLock *porchapi.UpstreamLock `json:"upstreamLock"`
	Pipeline     struct {
		Mutators []struct {
			Name      string            `json:"name"`
			ConfigMap map[string]string `json:"configMap"`
		} `json:"mutators"`
	} `json:"pipeline"`
}

// namespaceLine matches the line of a resource that set-namespace changes.
var namespaceLine = regexp.MustCompile(`(?m)^  namespace: .*$`)

// render does what Porch does with the files of a draft: it runs the pipeline, simulating only functions with a
// namespace in their config, and reads the Kptfile.
func (r *packageRevision) render() error {
	var k kptfile
	if err := yaml.Unmarshal([]byte(r.files[kptfileName]), &k); err != nil {
		return apierrors.NewInternalError(fmt.Errorf("cannot read the Kptfile of %s: %w", r.object.Name, err))
	}
	for _, function := range k.Pipeline.Mutators {
		namespace, sets := function.ConfigMap["namespace"]
		if !sets {
			continue
		}
		for path, content := range r.files {
			if path != kptfileName {
				r.files[path] = namespaceLine.ReplaceAllLiteralString(content, "  namespace: "+namespace)
			}
		}
	}
	if k.UpstreamLock != nil && k.UpstreamLock.Git != nil { // a client's merge may set another one
		r.object.Status.UpstreamLock = k.UpstreamLock
	}
	r.object.Spec.ReadinessGates, r.object.Status.Conditions = k.Info.ReadinessGates, k.Status.Conditions
	return nil
}
