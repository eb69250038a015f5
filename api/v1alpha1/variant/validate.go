// SPDX-License-Identifier: Apache-2.0

package variant

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Validate returns all that is wrong with the spec of a PackageVariant in a cluster, as FieldErrors joined; nil if
// there is nothing. The rules are those of the CRD's schema, for objects that were stored without them, and what a
// schema cannot see.
func (s *Spec) Validate() error {
	const path = "spec"
	var errs FieldErrors
	if s.Upstream == nil {
		errs.Addf(path+".upstream", "is missing: name the package to derive from")
	} else {
		errs.add(s.Upstream.Validate(path + ".upstream"))
	}
	if s.Downstream == nil {
		errs.Addf(path+".downstream", "is missing: name the package to create")
	} else {
		errs.add(s.Downstream.Validate(path + ".downstream"))
	}
	if s.Upstream != nil && s.Downstream != nil && s.Upstream.Repo == s.Downstream.Repo &&
		s.Upstream.Package == s.Downstream.Package {
		errs.Addf(path+".downstream", "is the upstream itself: name another package")
	}
	oneOf(&errs, path+".adoptionPolicy", s.AdoptionPolicy, AdoptionPolicyAdoptNone, AdoptionPolicyAdoptExisting)
	oneOf(&errs, path+".deletionPolicy", s.DeletionPolicy, DeletionPolicyDelete, DeletionPolicyOrphan)
	if u := s.Upgrade; u != nil {
		oneOf(&errs, path+".upgrade.onConflict", u.OnConflict, OnConflictTakeUpstream, OnConflictKeepLocal, OnConflictStop)
	}
	errs.add(s.ValidateLifecycle(path))
	errs.add(s.ValidateContent(path))
	return errs.Err()
}

// ValidateLifecycle returns what is wrong with the rules of the spec, which stands at path, about the life of a
// package: approval and dependencies.
func (s *Spec) ValidateLifecycle(path string) FieldErrors {
	var errs FieldErrors
	oneOf(&errs, path+".approvalPolicy", s.ApprovalPolicy, ApprovalPolicyManual, ApprovalPolicyInitial,
		ApprovalPolicyAutomatic)
	if _, set := s.Annotations[ApproverAnnotation]; set && s.ApprovalPolicy != "" &&
		s.ApprovalPolicy != ApprovalPolicyManual {
		errs.Addf(path+".approvalPolicy", "is %s, and the annotation %s asks another approver: leave out one of them",
			s.ApprovalPolicy, ApproverAnnotation)
	}
	seen := map[string]bool{}
	for i := range s.DependsOn {
		at, d := path+".dependsOn["+strconv.Itoa(i)+"]", &s.DependsOn[i]
		switch {
		case d.Name == "":
			errs.Addf(at+".name", "is missing: name a PackageVariant of this namespace")
		case seen[d.Name]:
			errs.Addf(at+".name", "is %q, which is named before: keep one of them", d.Name)
		}
		seen[d.Name] = true
		if d.MinRevision < 0 {
			errs.Addf(at+".minRevision", "is %d: set it to 1 or more, or leave it out for any", d.MinRevision)
		}
	}
	return errs
}

// ValidateContent returns what is wrong with what the spec, which stands at path, makes of a package: its labels and
// annotations, of which none may steer Porch, package context, pipeline and injectors.
func (s *Spec) ValidateContent(path string) FieldErrors {
	errs := ValidateLabels(path+".labels", s.Labels)
	errs.add(ValidateAnnotations(path+".annotations", s.Annotations))
	errs.add(SteeringKeys(path+".labels", s.Labels))
	errs.add(SteeringKeys(path+".annotations", s.Annotations))
	errs.add(s.PackageContext.Validate(path + ".packageContext"))
	errs.add(s.Pipeline.Validate(path + ".pipeline"))
	for i := range s.Injectors {
		errs.add(s.Injectors[i].validate(path + ".injectors[" + strconv.Itoa(i) + "]"))
	}
	return errs
}

// Validate returns what is wrong with the upstream, which stands at path.
func (u *Upstream) Validate(path string) FieldErrors {
	var errs FieldErrors
	errs.problem(path+".repo", RepositoryProblem(u.Repo))
	errs.problem(path+".package", packagePathProblem(u.Package))
	if u.WorkspaceName != "" {
		errs.problem(path+".workspaceName", workspaceProblem(u.WorkspaceName))
	}
	if u.Revision.Str != "" {
		if _, err := ParseRevision(u.Revision.Str); err != nil {
			errs.problem(path+".revision", "is not valid: "+err.Error())
		}
	}
	return errs
}

// Validate returns what is wrong with the downstream, which stands at path.
func (d *Downstream) Validate(path string) FieldErrors {
	var errs FieldErrors
	errs.problem(path+".repo", RepositoryProblem(d.Repo))
	errs.problem(path+".package", PackageProblem(d.Package))
	return errs
}

// ValidateLabels returns what is wrong with labels of a package revision, which stand at path. Kubernetes has the
// rules.
func ValidateLabels(path string, labels map[string]string) FieldErrors {
	var errs FieldErrors
	for key, value := range labels {
		if !isQualifiedName(key) {
			errs.Addf(path+"."+key, "is %q, which no label can have as a key: use up to 63 letters, digits, '-', '_' and '.', "+
				"with a DNS name and a '/' before them if need be", key)
		}
		if value != "" && !isTag(value) {
			errs.Addf(path+"."+key,
				"is %s, which no label can have as its value: use up to 63 letters, digits, '-', '_' and '.', "+
					"beginning and ending with a letter or digit", shorten(value))
		}
	}
	return errs.sorted()
}

// steeringDomain is the domain of the labels and annotations by which Porch and its controllers are steered, with all
// domains below it. Users of Porch's controllers set none of these, but those of other domains, as ApproverAnnotation.
const steeringDomain = "kpt.dev"

// SteeringKeys returns the keys of labels or annotations, which stand at path, that a variant must not put on a package
// revision: they would say to Porch or to its controllers what only these know, as which revision is the latest one.
func SteeringKeys(path string, of map[string]string) FieldErrors {
	var errs FieldErrors
	for key := range of {
		domain, _, _ := strings.Cut(key, "/")
		if domain != key && (domain == steeringDomain || strings.HasSuffix(domain, "."+steeringDomain)) {
			errs.Addf(path+"."+key, "is set by Porch or its controllers, as all of %s and below is: remove it, or choose a key "+
				"of a domain of yours", steeringDomain)
		}
	}
	return errs.sorted()
}

// maxAnnotations is the size of all annotations of an object that Kubernetes allows.
const maxAnnotations = 256 << 10

// ValidateAnnotations is ValidateLabels for annotations.
func ValidateAnnotations(path string, annotations map[string]string) FieldErrors {
	var errs FieldErrors
	size := 0
	for key, value := range annotations {
		size += len(key) + len(value)
		if !isQualifiedName(strings.ToLower(key)) {
			errs.Addf(path+"."+key,
				"is %q, which no annotation can have as a key: use up to 63 letters, digits, '-', '_' and '.', "+
					"with a DNS name and a '/' before them if need be", key)
		}
	}
	if size > maxAnnotations {
		errs.Addf(path, "have %d bytes, and all annotations of an object may have %d: shorten them", size, maxAnnotations)
	}
	return errs.sorted()
}

// Validate returns what is wrong with the package context, which stands at path: keys that kpt sets, keys that no
// ConfigMap can have, and keys that are both set and removed. A nil one is valid.
func (p *PackageContext) Validate(path string) FieldErrors {
	if p == nil {
		return nil
	}
	var errs FieldErrors
	for key := range p.Data {
		errs.contextKey(join(path, "data."+key), key)
	}
	errs = errs.sorted()
	for i, key := range p.RemoveKeys {
		at := join(path, "removeKeys["+strconv.Itoa(i)+"]")
		errs.contextKey(at, key)
		if _, set := p.Data[key]; set {
			errs.Addf(at, "asks to remove the key %q, which data sets: decide for one", key)
		}
	}
	return errs
}

func (e *FieldErrors) contextKey(path, key string) {
	if key == PackageContextKeyName || key == PackageContextKeyPackagePath {
		e.Addf(path, "is set by kpt itself and cannot be changed: remove the key %q", key)
	}
	if !isConfigMapKey(key) {
		e.Addf(path, "is %q, which no ConfigMap can have as a key: use up to %d letters, digits, '-', '_' and '.'", key,
			maxObjectName)
	}
}

// Validate returns what is wrong with the pipeline, which stands at path. A nil one is valid.
func (p *Pipeline) Validate(path string) FieldErrors {
	if p == nil {
		return nil
	}
	var errs FieldErrors
	for i := range p.Mutators {
		errs.add(p.Mutators[i].Validate(join(path, "mutators["+strconv.Itoa(i)+"]")))
	}
	for i := range p.Validators {
		errs.add(p.Validators[i].Validate(join(path, "validators["+strconv.Itoa(i)+"]")))
	}
	return errs
}

// Validate returns what is wrong with the function, which stands at path: it runs an image or an executable, has one
// config at most, and its name has no dot.
func (f *Function) Validate(path string) FieldErrors {
	var errs FieldErrors
	switch {
	case f.Image == "" && f.Exec == "":
		errs.Addf(path, "has neither image nor exec: say which function to run")
	case f.Image != "" && f.Exec != "":
		errs.Addf(path, "has both image and exec: decide for one")
	}
	if f.Image != "" && !isImage(f.Image) {
		errs.Addf(path+".image", "%s, which kpt refuses as an image: correct it, as in registry.example.com/set-labels:v0.2",
			quote(f.Image))
	}
	errs.problem(path+".configPath", configPathProblem(f.ConfigPath))
	if has := f.configs(); len(has) > 1 {
		errs.Addf(path, "has both %s, which kpt refuses: decide for one", strings.Join(has, " and "))
	}
	if r := f.ConfigRef; r != nil && (r.Kind == "" || r.Name == "") {
		errs.Addf(path+".configRef", "has no kind or no name: name the resource")
	}
	if f.Condition != "" {
		errs.Addf(path+".condition", "was in no release of kpt, which has when: call it that")
	}
	if _, set := f.ConfigMap[""]; set {
		errs.Addf(path+".configMap.", "has an empty key: name it, or remove it")
	}
	if strings.Contains(f.Name, ".") {
		errs.Addf(path+".name", "is %q, but must have no dot: its name in the Kptfile is read by the dots", f.Name)
	}
	return errs
}

// configs returns the fields of the function that have its config.
func (f *Function) configs() (has []string) {
	if f.ConfigPath != "" {
		has = append(has, "configPath")
	}
	if len(f.ConfigMap) > 0 {
		has = append(has, "configMap")
	}
	if f.ConfigRef != nil {
		has = append(has, "configRef")
	}
	return has
}

func (s *InjectionSelector) validate(path string) FieldErrors {
	var errs FieldErrors
	if s.Name == "" {
		errs.Addf(path+".name", "%s", missing)
	}
	if len(s.InjectionPoint) > maxObjectName {
		errs.Addf(path+".injectionPoint", "has %d characters, and the name of an injection point has at most %d: shorten it",
			len(s.InjectionPoint), maxObjectName)
	}
	return errs
}

const missing = "is missing: set it"

// problem adds what is wrong with a field, unless that is "".
func (e *FieldErrors) problem(path, problem string) {
	if problem != "" {
		*e = append(*e, FieldError{Path: path, Reason: problem})
	}
}

// join appends a key to a path, which is empty for the root of a config.
func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// sorted returns the errors in the order of their paths, for maps have none.
func (e FieldErrors) sorted() FieldErrors {
	slices.SortStableFunc(e, func(a, b FieldError) int { return strings.Compare(a.Path, b.Path) })
	return e
}

func oneOf[T ~string](errs *FieldErrors, path string, value T, allowed ...T) {
	if value != "" && !slices.Contains(allowed, value) {
		errs.Addf(path, "is %q, but must be one of %q", value, allowed)
	}
}

// quote says which value a field has.
func quote(value string) string { return "is " + shorten(value) }

// shorten quotes a value, cut if it is long.
func shorten(value string) string {
	const shown = 100
	if len(value) > shown {
		value = value[:shown] + "..."
	}
	return fmt.Sprintf("%q", value)
}
