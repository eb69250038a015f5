# Everything a change needs. Requirements: Go, git, make and bash; every other
# tool is pinned in tools, built from the module proxy and kept in bin/.

GO_NEEDED := 1.26
GO_VERSION := $(shell go env GOVERSION 2>/dev/null)
ifneq ($(shell printf '%s\n' go$(GO_NEEDED) '$(filter go%,$(GO_VERSION))' | sort -VC && echo new),new)
$(error Go $(GO_NEEDED) or newer is not on the PATH: install it from https://go.dev/dl/)
endif
ifeq ($(shell git --version 2>/dev/null),)
$(error git is not on the PATH: install it)
endif
ifneq ($(words $(CURDIR)),1)
$(error the path "$(CURDIR)" has a space, which make cannot handle: clone to a path without one)
endif

SHELL := bash
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

# No C compiler is needed, and build, test and lint share one build cache.
# The race detector needs one: see make race.
CGO_ENABLED ?= 0
export CGO_ENABLED

# The modules of this repository. A module that is not there is passed over; one
# of OUTSIDE is not part of go.work and builds with its own go.mod only.
ALL_MODULES := api functions engine local sync-controller sync-controller/kubectl-variants release e2e
OUTSIDE := release e2e
MODULES := $(patsubst %/go.mod,%,$(wildcard $(addsuffix /go.mod,$(ALL_MODULES))))
TOOL_MODULES := $(patsubst %/go.mod,%,$(wildcard tools/go.mod tools/*/go.mod))

# Images are $(REGISTRY)/<name>:$(VERSION). References to them, in examples and
# manuals, follow by make tags.
REGISTRY ?= ghcr.io/package-variants
VERSION ?= v0.1.0

GOTESTFLAGS ?=
TEST_TIMEOUT ?= 40m
FUZZTIME ?= 30s

# $(call stamp,NAME) is what tells a tool of Kubernetes its version, for the linker,
# from the tool's go.mod. Without it, the tool calls itself v0.0.0-master.
stamp = $(if $(filter kubernetes kubectl,$(1)),$(shell awk -v p=k8s.io/component-base/version \
	'$$1 == "k8s.io/$(1)" { sub("^v0", "v1", $$2); split($$2, v, "."); \
	print "-X " p ".gitVersion=" $$2 " -X " p ".gitMajor=1 -X " p ".gitMinor=" v[2]; exit }' tools/$(1)/go.mod))

# What a command says but for the hundreds of modules that Go gets the first time.
QUIET := 2> >(grep -v '^go: downloading ' >&2)

# Compiling is many short processes: none collects garbage below the memory that the largest package takes anyway, which
# saves a quarter of the time. It is for the go command only: what make runs has limits of its own.
GO_BUILD := GOGC=off GOMEMLIMIT=768MiB $(QUIET) go build

# How our own binaries are built: without what only debuggers read, and without the page that gRPC has for its calls,
# whose templates would have the linker keep each method of each type.
OWN_BUILD := $(GO_BUILD) -ldflags '-s -w' -tags grpcnotrace

# How tools are built: as our own binaries are, so that the standard library and what else is the same is compiled once,
# without what only debuggers read. Each tells how long it took.
TOOL_BUILD = GOWORK=off $(GO_BUILD) -ldflags '-s -w $(call stamp,$(1))'
built = { [ $$SECONDS -lt 3 ] || echo "== built $(1) in $$((SECONDS / 60)) min $$((SECONDS % 60)) s"; }

# $(call module,NAME) is the module of a tool: tools/NAME, or else tools.
module = $(if $(wildcard tools/$(1)/go.mod),tools/$(1),tools)

# $(call tool,NAME) is the binary of a tool. Its directory carries a hash of what
# decides the binary, so a change of version or of Go builds it again.
tool = $(CURDIR)/bin/$(1)-$(shell { echo $(GO_VERSION); cat $(call module,$(1))/go.mod $(call module,$(1))/go.sum; \
	printf '%s' '$(call stamp,$(1))'; cat $(call module,$(1))/*.go 2>/dev/null; } | git hash-object --stdin | cut -c1-12)/$(1)

# $(call package,NAME) is what to build in the module of a tool: its main.go, or the
# one of the tools that its go.mod lists which has the name.
package = $(if $(wildcard $(call module,$(1))/main.go),.,$$(GOWORK=off $(QUIET) go list tool | grep -E '/$(1)(/v[0-9]+)?$$'))

KPT_BUILD := $(call tool,kpt)
CATALOG_BUILD := $(dir $(call tool,catalog))set-namespace
CONTROLLER_GEN := $(call tool,controller-gen)
GOLANGCI_LINT := $(call tool,golangci-lint)
ETCD := $(call tool,etcd)
KUBE_APISERVER := $(dir $(call tool,kubernetes))kube-apiserver
KUBE_CONTROLLER_MANAGER := $(dir $(KUBE_APISERVER))kube-controller-manager
PORCH_SERVER := $(call tool,porch)
PORCH_CONTROLLERS := $(dir $(PORCH_SERVER))controllers
KUBECTL := $(call tool,kubectl)
KUSTOMIZE := $(call tool,kustomize)
GOJQ := $(call tool,gojq)
HELM := $(call tool,helm)
CRANE := $(call tool,crane)
PROMTOOL := $(call tool,promtool)
GOVULNCHECK := $(call tool,govulncheck)
KUBE_STATE_METRICS := $(call tool,kube-state-metrics)
VALIDATE_KREW := $(call tool,validate-krew-manifest)
GITEA := $(call tool,gitea)
ACTIONLINT := $(call tool,actionlint)
# Where users, examples and tests find what they run: our functions, and kpt with
# kustomize and functions of the catalog beside it.
FUNCTIONS_BIN := $(CURDIR)/bin/functions
TOOLS_BIN := $(CURDIR)/bin/tools
KPT := $(TOOLS_BIN)/kpt
SYNC_CONTROLLER := $(CURDIR)/bin/sync-controller
VARIANTS := $(CURDIR)/bin/variants
KUBECTL_VARIANTS := $(CURDIR)/bin/kubectl-variants
# Where tests find the images, and what made them.
IMAGES := $(CURDIR)/dist/images
CI_PROGRAMS := $(CURDIR)/dist/ci
RELEASE := $(CURDIR)/bin/release
export KPT FUNCTIONS_BIN TOOLS_BIN VARIANTS SYNC_CONTROLLER KUBECTL_VARIANTS IMAGES CI_PROGRAMS RELEASE REGISTRY VERSION

# $(call each,MODULES,COMMAND) runs COMMAND in each module, in all of them even
# when one fails, and fails if one did.
each = rc=0; for m in $(1); do echo "== $$m: $(2)"; case " $(OUTSIDE) $(TOOL_MODULES) " in \
	*" $$m "*) export GOWORK=off;; *) unset GOWORK;; esac; \
	(cd $$m && $(2)) $(QUIET) || { rc=1; echo "== $$m: FAILED: $(2)" >&2; }; done; (exit $$rc)

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

##
# Building

.PHONY: kpt-tools
kpt-tools: $(KPT_BUILD) $(CATALOG_BUILD)
	@mkdir -p bin/tools && ln -sfn $(KPT_BUILD) $(addprefix $(dir $(CATALOG_BUILD)),set-namespace starlark) bin/tools/

# With kustomize and jq, which examples run, and then with what only rare tests run.
.PHONY: tools
tools: kpt-tools $(KUSTOMIZE) $(GOJQ) ## Build kpt, functions of the catalog, and what examples run, into bin/tools
	@ln -sfn $(KUSTOMIZE) bin/tools/ && ln -sfn $(GOJQ) bin/tools/jq

# Gitea has SQLite, and so needs a C compiler.
RARE_TOOLS := $(HELM) $(CRANE) $(PROMTOOL) $(KUBE_STATE_METRICS) $(VALIDATE_KREW) $(if $(shell command -v gcc),$(GITEA))
.PHONY: rare-tools
rare-tools: tools $(RARE_TOOLS)
	@ln -sfn $(RARE_TOOLS) bin/tools/

# The binary is moved into place when it is complete, so that two makes at once
# do no harm.
$(KPT_BUILD) $(CONTROLLER_GEN) $(GOLANGCI_LINT) $(ETCD) $(KUBECTL) $(KUSTOMIZE) $(GOJQ) $(HELM) $(CRANE) $(PROMTOOL) $(GOVULNCHECK) $(KUBE_STATE_METRICS) $(VALIDATE_KREW) $(ACTIONLINT):
	@echo "== building $(@F) (once per version)"
	@mkdir -p $(@D) && cd $(call module,$(@F)) && \
	$(call TOOL_BUILD,$(@F)) -o $@.$$$$ $(call package,$(@F)) && mv $@.$$$$ $@ && $(call built,$(@F))

$(CATALOG_BUILD):
	@echo "== building functions of the catalog (once per version)"
	@mkdir -p $(@D) && cd tools/catalog && $(TOOL_BUILD) -o $(@D)/ tool && $(call built,them)

# It reads what is in static beside it.
$(GITEA):
	@echo "== building Gitea (once per version)"
	@rm -rf $(@D) && mkdir -p $(@D)/static && cd tools/gitea && GOWORK=off $(QUIET) go mod download code.gitea.io/gitea && \
	of() { GOWORK=off go list -m -f "{{.$$1}}" code.gitea.io/gitea; } && from=$$(of Dir) && version=$$(of Version) && \
	cp -r $$from/options $$from/public $$from/templates $(@D)/static && chmod -R u+w $(@D)/static && \
	CGO_ENABLED=1 GOWORK=off $(GO_BUILD) -trimpath -tags 'sqlite sqlite_unlock_notify' \
	-ldflags "-s -w -X main.Version=$${version#v}" -o $@.$$$$ code.gitea.io/gitea && mv $@.$$$$ $@ && $(call built,it)

# What a Kubernetes API and Porch are made of, as the demo starts them. USERS_KUBECTL is a kubectl to take in place of ours.
USERS_KUBECTL ?=
PLAIN_STACK = $(ETCD) $(KUBE_APISERVER) $(if $(USERS_KUBECTL),,$(KUBECTL)) $(PORCH_SERVER)

.PHONY: plain-stack-tools
plain-stack-tools: $(PLAIN_STACK)
	@mkdir -p bin/tools && ln -sfn $(ETCD) $(KUBE_APISERVER) $(addprefix $(dir $(PORCH_SERVER)),porch porchctl) bin/tools/
	@ln -sfn $(or $(USERS_KUBECTL),$(KUBECTL)) bin/tools/kubectl
	@ln -sfn $(dir $(PORCH_SERVER))server bin/tools/function-runner && ln -sfn $(dir $(PORCH_SERVER))git bin/tools/git-server

# With what only rare tests and benchmarks start: the controllers of both.
.PHONY: stack-tools
stack-tools: plain-stack-tools $(KUBE_CONTROLLER_MANAGER) $(PORCH_CONTROLLERS) ## Build etcd, Kubernetes and Porch into bin/tools
	@ln -sfn $(KUBE_CONTROLLER_MANAGER) bin/tools/ && ln -sfn $(PORCH_CONTROLLERS) bin/tools/porch-controllers

# These take minutes, so they wait for one another even under make -j: what one has compiled is there for the next.
$(KUBE_APISERVER): | $(ETCD)
$(KUBECTL): | $(KUBE_APISERVER)
$(PORCH_SERVER): | $(KUBE_APISERVER)
$(KUBE_CONTROLLER_MANAGER): | $(PORCH_SERVER)
$(PORCH_CONTROLLERS): | $(KUBE_CONTROLLER_MANAGER)

$(KUBE_APISERVER) $(KUBE_CONTROLLER_MANAGER):
	@echo "== building $(@F) (once per version)"
	@mkdir -p $(@D) && cd tools/kubernetes && \
	$(call TOOL_BUILD,kubernetes) -o $@.$$$$ k8s.io/kubernetes/cmd/$(@F) && mv $@.$$$$ $@ && $(call built,$(@F))

# The binary that make takes for all of them is moved last.
PORCH_PACKAGES := $(addprefix github.com/nephio-project/porch/,func/server test/git cmd/porchctl cmd/porch)
$(PORCH_SERVER):
	@echo "== building Porch (once per version)"
	@mkdir -p $(@D)/$$$$ && cd tools/porch && $(TOOL_BUILD) -o $(@D)/$$$$/ $(PORCH_PACKAGES) && cd $(@D) && \
	mv $$$$/server $$$$/git $$$$/porchctl . && mv $$$$/porch . && rmdir $$$$ && $(call built,Porch)

$(PORCH_CONTROLLERS):
	@echo "== building the controllers of Porch (once per version)"
	@mkdir -p $(@D) && cd tools/porch && \
	$(TOOL_BUILD) -o $@.$$$$ github.com/nephio-project/porch/controllers && mv $@.$$$$ $@ && $(call built,them)

.PHONY: build
build: build-functions build-variants build-controller build-plugin ## Build the functions, variants, the controller and the kubectl plugin into bin

.PHONY: build-functions
build-functions:
	@echo '== building the functions' && mkdir -p $(FUNCTIONS_BIN)
	@cd functions && $(OWN_BUILD) -o $(FUNCTIONS_BIN)/ $(patsubst functions/%/main.go,./%,$(wildcard functions/*/main.go))

.PHONY: build-variants
build-variants: ## Build bin/variants, which needs nothing but git
	@echo '== building variants' && cd local && $(OWN_BUILD) -o $(VARIANTS) .

.PHONY: build-controller
build-controller:
ifneq ($(filter sync-controller,$(MODULES)),)
	@echo '== building sync-controller' && cd sync-controller && $(OWN_BUILD) -o $(CURDIR)/bin/ .
endif

.PHONY: build-plugin
build-plugin: ## Build the kubectl plugin, bin/kubectl-variants
	@echo '== building kubectl-variants' && cd sync-controller/kubectl-variants && $(OWN_BUILD) -o $(CURDIR)/bin/ .

.PHONY: generate
generate: $(CONTROLLER_GEN) ## Regenerate deep-copy code and CRDs of the API, and the pages of docs/reference
	@rm -f sync-controller/config/crds/*.yaml local/admission/*.yaml
	cd api && $(CONTROLLER_GEN) object crd output:crd:dir=../sync-controller/config/crds paths=./...
	cd api && $(CONTROLLER_GEN) crd:maxDescLen=0 output:crd:dir=../local/admission paths=./...
	cd sync-controller/kubectl-variants && go run -ldflags '-s -w' ./internal/reference/write ../../docs/reference

.PHONY: fmt
fmt: $(GOLANGCI_LINT) ## Format all Go code
	@gofmt -s -w tools
	@$(call each,$(MODULES),$(GOLANGCI_LINT) fmt)

.PHONY: tidy
tidy: ## Bring the go.mod files of all modules in step
	go work sync
	@$(call each,$(MODULES) $(TOOL_MODULES),go mod tidy)

.PHONY: clean
clean: ## Remove everything that make has built
	rm -rf bin dist

##
# Images and releases

# $(call release_command,COMMAND) runs a command of release/main.go.
release_command = cd release && GOWORK=off $(GO_BUILD) -o $(RELEASE) . && cd .. && $(RELEASE) $(1) -registry '$(REGISTRY)' -version '$(VERSION)'

.PHONY: images
images: ## Make the container images, as archives in dist/images (REGISTRY=, VERSION=)
	@echo "== making images"
	@$(call release_command,images) -dir $(IMAGES)

.PHONY: push
push: images ## Push the images (REGISTRY=host/path)
	@$(call release_command,push) -dir $(IMAGES)

# The image for CI jobs has programs of Debian beside ours, so a container engine builds it: for this machine, or, to be
# pushed, for both platforms.
ci-programs: ARCHITECTURES ?= $$(go env GOARCH)
push-ci-image: ARCHITECTURES := amd64 arm64

.PHONY: ci-programs
ci-programs:
	@echo "== building what the image for CI jobs has"
	@for arch in $(ARCHITECTURES); do $(call release_command,variants) -dir $(CI_PROGRAMS) -platforms linux/$$arch && \
	(cd tools/kpt && GOOS=linux GOARCH=$$arch $(TOOL_BUILD) -o $(CI_PROGRAMS)/linux-$$arch/kpt .) || exit; done

.PHONY: ci-image
ci-image: ci-programs ## Build the image for CI jobs with docker or podman (REGISTRY=, VERSION=, BUILDFLAGS=)
	@hack/ci-image.sh $(CI_PROGRAMS) $(BUILDFLAGS)

.PHONY: push-ci-image
push-ci-image: ci-programs ## Build the image for CI jobs with docker buildx, push it and sign it
	@hack/ci-image.sh --push $(CI_PROGRAMS) && hack/sign.sh $(CI_PROGRAMS)

.PHONY: release
release: ## Write a release to dist/VERSION (VERSION=v0.1.0)
	@$(call release_command,dist) -dir dist

.PHONY: install-yaml
install-yaml: ## Print what installs the controller (REGISTRY=, VERSION=), for kubectl apply -f -
	@$(call release_command,install)

# What follows is for .github/workflows/release.yaml: it needs cosign, gh, and the rights of that workflow.
.PHONY: sign
sign: ## Sign the images that were pushed, and attest their bills of materials
	@$(call release_command,digests) -dir $(IMAGES) >$(IMAGES)/digests.txt && hack/sign.sh $(IMAGES)

.PHONY: publish
publish: ## Publish the release in dist/VERSION on GitHub
	@hack/publish.sh $(VERSION)

.PHONY: verify-changelog
verify-changelog: ## Verify that CHANGELOG.md says what is in VERSION, and that it is released
	@hack/publish.sh --check $(VERSION)

.PHONY: verify-release
verify-release: ## Verify a published release as docs/images.md has it
	@hack/verify-release.sh $(VERSION)

.PHONY: tags
tags: ## Write REGISTRY and VERSION into the references to images in examples and manuals
	@$(call release_command,tags)

##
# Testing

GO_TEST = go test -count=1 -timeout $(TEST_TIMEOUT) $(GOTESTFLAGS)

# The tests have three layers, and each says at its end how long its parts took. Results are not cached: tests run binaries
# and read examples outside their module, which go test does not see change. Nor does it show what tests that pass print:
# what they had to skip stands in a file.
#
# $(call part,NAME,COMMAND) runs one part of a layer, and $(begin) and $(end) stand around them.
begin = took='' failed=0; hack/running.sh & trap "kill $$!" EXIT; rm -f $(SKIPPED)
part = began=$$SECONDS; { $(2); } || failed=1; took+="$${took:+, }$(1) $$(((SECONDS - began) / 60)) min $$(((SECONDS - began) % 60)) s"
end = sort -u $(SKIPPED) >&2 2>/dev/null; echo "== took: $$took"; exit $$failed
test test-with-kubectl test-all: export SKIPPED = $(CURDIR)/bin/skipped-$@

# Functions run by image in the last layer only.
test test-with-kubectl: export WITHOUT_CONTAINERS := 1
WITH_KPT := ./binaries ./corpus ./kpt ./script ./internal/harness ./internal/machine ./internal/rights

.PHONY: test
test: ## Run the tests that need no cluster: tables, stories, the contract in memory and on git, and the functions with the real kpt
	@hack/announce.sh $(KPT) $(CATALOG_BUILD) $(FUNCTIONS_BIN) $(VARIANTS) $(SYNC_CONTROLLER) $(KUBECTL_VARIANTS)
	@$(MAKE) --no-print-directory kpt-tools build
	@echo '== testing: this takes about 7 minutes on two cores'; $(begin); \
	$(call part,tables and stories,$(call each,$(filter-out e2e,$(MODULES)),GOGC=400 $(GO_TEST) ./...)); \
	$(call part,functions with kpt,$(call each,e2e,PROPERTIES=10 $(GO_TEST) $(WITH_KPT))); \
	$(end)

# With the DB cache, of e2e/sync only what differs between the caches.
ON_DATABASE := PORCH_CACHE=DB UPDATE_GOLDEN=

.PHONY: test-cluster
test-cluster: ## Run the tests that need a Kubernetes API, and those that need Porch, on both of its caches
	@kubectl=$$(hack/users-kubectl.sh) && $(MAKE) --no-print-directory test-with-kubectl USERS_KUBECTL="$$kubectl"

.PHONY: test-with-kubectl
test-with-kubectl:
	@hack/announce.sh $(KPT) $(CATALOG_BUILD) $(KUSTOMIZE) $(GOJQ) $(FUNCTIONS_BIN) $(VARIANTS) $(SYNC_CONTROLLER) $(KUBECTL_VARIANTS) $(PLAIN_STACK)
	@$(MAKE) --no-print-directory tools build plain-stack-tools
	@echo '== testing in a cluster: this takes about 12 minutes on two cores'; $(begin); \
	$(call part,contract of Porch,$(call each,e2e,$(GO_TEST) ./contract)); \
	$(call part,contract on PostgreSQL,$(call each,e2e,$(ON_DATABASE) $(GO_TEST) ./contract)); \
	$(call part,API server and manuals,$(call each,e2e,$(GO_TEST) ./apiserver ./compat ./examples/...)); \
	$(call part,controller,$(call each,e2e,$(GO_TEST) ./sync ./plugin)); \
	$(call part,controller on PostgreSQL,$(call each,e2e,$(ON_DATABASE) $(GO_TEST) ./sync ./sites -run '$(OF_PORCH)|^TestSites$$')); \
	$(end)

# The tests of the controller that are about functions are run once more with functions that run by image, and all of them
# on PostgreSQL; both are held to the golden files of the first run.
BY_IMAGE := FUNCTION_RUNTIME=porch KILLS=30
OF_FUNCTIONS := ^Test(BigPackage|Clone|EditDraft|EditPublished|Injection.*|Killed|Merge.*|NoSecretTold|RenderFails|Requests|Set|Upgrade)$$

REST_OF_E2E = $(filter-out $(WITH_KPT) ./apiserver ./compat ./contract ./examples ./examples/% ./plugin ./sync,\
	$(patsubst e2e/%/,./%,$(sort $(dir $(filter-out e2e/bench/%,$(wildcard e2e/*/*_test.go e2e/internal/*/*_test.go))))))

.PHONY: test-all
test-all: ## Run the tests that are left: faults and hostile input, installing, images, monitoring, and all on both caches
	@$(MAKE) --no-print-directory rare-tools build stack-tools images ci-programs
	@echo '== testing what is left: this takes about 20 minutes on two cores, once all is built'; $(begin); \
	$(call part,benchmarks,$(call each,e2e,$(GO_TEST) ./bench/...)); \
	$(call part,the plugin for krew,$(call each,release,RARE=1 $(GO_TEST) ./internal/programs)); \
	$(call part,what surrounds the controller,$(call each,e2e,$(GO_TEST) $(REST_OF_E2E))); \
	$(call part,functions by image and at random,$(call each,e2e,$(GO_TEST) ./kpt ./examples ./corpus)); \
	$(call part,rare tests of the controller,$(call each,e2e,RARE=1 $(GO_TEST) ./sync)); \
	$(call part,on PostgreSQL,$(call each,e2e,RARE=1 $(ON_DATABASE) $(GO_TEST) ./sync ./switching ./chaos)); \
	$(call part,controller by image,$(call each,e2e,$(BY_IMAGE) $(GO_TEST) -run '$(OF_FUNCTIONS)' ./sync)); \
	$(end)

# What runs as processes of their own is not seen by it, so e2e has nothing for it.
.PHONY: race
race: export CGO_ENABLED := 1
race: ## Run the tests of the modules in go.work under the race detector, which needs a C compiler
	@$(call each,$(filter-out $(OUTSIDE),$(MODULES)),$(GO_TEST) -race ./...)

# One package of e2e, or some of its tests, with what make test gives them.
.PHONY: e2e
e2e: rare-tools build stack-tools ## Run tests of one package of e2e (PKG=./sync RUN=regexp)
	@cd e2e && GOWORK=off $(GO_TEST) $(PKG) $(if $(RUN),-run '$(RUN)')

# PORCH and PORCH_CACHE reach whatever starts Porch, under every target: make hands on what the command line sets.
.PHONY: e2e-porch
e2e-porch: PKG = ./sync
e2e-porch: e2e ## The same with a Porch that was built elsewhere (PORCH=DIR), or on a database (PORCH_CACHE=DB)

# Those of what differs between versions of Porch, or is the main job: it takes minutes, and all of e2e-porch a quarter of
# an hour.
OF_PORCH := ^Test(Adopt|ApprovalAutomatic|BrokenRepository|Clone|Delete|EditDraft|EditPublished|MergeIntoDraft|Requests|Set|Silence|Upgrade)$$

.PHONY: newer-porch
newer-porch: ## Run the tests of what differs with a Porch that was built elsewhere (PORCH=DIR), on both caches
	@[ -d "$(PORCH)" ] || { echo "name the directory of a Porch that was built elsewhere: make newer-porch PORCH=DIR" >&2; exit 2; }
	@$(MAKE) --no-print-directory tools build stack-tools
	@$(call each,e2e,PORCH_CACHE=CR $(GO_TEST) ./contract ./sync -run '^TestContract$$|$(OF_PORCH)'); failed=$$?; \
	$(call each,e2e,PORCH_CACHE=DB $(GO_TEST) ./contract ./sync -run '^TestContract$$|$(OF_PORCH)'); failed=$$((failed | $$?)); \
	$(call each,e2e,PORCH_CACHE=CR $(GO_TEST) ./render); exit $$((failed | $$?))

# What has to hold of every catalog: a package that nobody changed becomes what its upstream is. Without a catalog, make
# test looks at the history in functions/merge-upstream/merging/testdata.
.PHONY: history
history: ## Merge unchanged packages over each step of the history of a catalog (CATALOG=clone of a git repository)
	@[ -d "$(CATALOG)" ] || { echo "name a clone of a git repository with kpt packages: make history CATALOG=DIR" >&2; exit 2; }
	@cd functions && CATALOG='$(abspath $(CATALOG))' $(GO_TEST) -v -run '^TestHistory$$' ./merge-upstream/merging

# The manifests and packages of a public catalog, as they are. The ports of Porch's controllers are fixed, so nothing else
# may use 8080 and 8081.
.PHONY: manifests
manifests: tools build stack-tools ## Make the variants of a catalog's manifests, and with Porch's controllers (CATALOG=clone of a git repository)
	@[ -d "$(CATALOG)" ] || { echo "name a clone of a git repository with PackageVariants: make manifests CATALOG=DIR" >&2; exit 2; }
	@cd e2e && CATALOG='$(abspath $(CATALOG))' GOWORK=off $(GO_TEST) -v -run '^TestManifests$$' ./bench/contest

.PHONY: chaos
chaos: export CHAOS_FOR ?= 5m
chaos: PKG := ./chaos
chaos: RUN := ^TestChaos$$
chaos: GOTESTFLAGS += -v
chaos: TEST_TIMEOUT := 24h
chaos: e2e ## Kill a fleet's components at random while people work with it (CHAOS_FOR=5m, CHAOS_SEED=1)

.PHONY: guarantees
guarantees: tools build stack-tools ## Take away what keeps the promises of docs/guarantees.md, and see tests fail
	@hack/guarantees.sh rules && hack/guarantees.sh patches

.PHONY: golden
golden: export UPDATE_GOLDEN := 1
golden: test test-cluster ## Run the tests and rewrite their golden files; review the diff
	@cd e2e && GOWORK=off $(GO_TEST) ./bench ./bench/report

.PHONY: fuzz
fuzz: ## Run every fuzz target of the functions, the engine and the home of git for FUZZTIME (30s) each
	@hack/fuzz.sh functions $(FUZZTIME)
	@hack/fuzz.sh engine $(FUZZTIME)
	@hack/fuzz.sh local $(FUZZTIME)

# It takes half an hour, and what it measures depends on what else the machine does. It
# ends what it starts, so it is not run by go run, which does not hand signals on.
.PHONY: bench
bench: tools build stack-tools ## Measure all beside Porch's own controllers, and write docs/benchmarks (BENCHFLAGS=-help)
	@cd e2e && GOWORK=off $(GO_BUILD) -o ../bin/bench ./bench && exec ../bin/bench $(BENCHFLAGS)

.PHONY: microbench
microbench: ## Run the benchmarks of the modules (BENCH=regexp, BENCHCOUNT=n)
	@OUTSIDE="$(OUTSIDE)" hack/microbench.sh $(MODULES)

# Each demo says what it has to build before that begins, and builds nothing else.
.PHONY: demo
demo: ## Show a blueprint become the packages of a fleet, with nothing but git: drafts, an edit, a hotfix, waves, a conflict
	@hack/announce.sh $(VARIANTS)
	@$(MAKE) --no-print-directory build-variants
	@hack/demo.sh

.PHONY: demo-cluster
demo-cluster: ## Show the same in a cluster, and a rollout in waves, with Porch and the controller
	@kubectl=$$(hack/users-kubectl.sh) && $(MAKE) --no-print-directory demo-with-kubectl USERS_KUBECTL="$$kubectl"

# It ends what it starts, so it is not run by go run, which does not hand signals on.
.PHONY: demo-with-kubectl
demo-with-kubectl:
	@hack/announce.sh $(PLAIN_STACK) $(SYNC_CONTROLLER)
	@$(MAKE) --no-print-directory -j2 plain-stack-tools build-controller
	@cd e2e && GOWORK=off $(GO_BUILD) -o ../bin/demo ./demo && exec ../bin/demo

# The stack runs until make stack-down, with all it writes in bin/stack.
STACK := cd e2e && GOWORK=off $(GO_BUILD) -o ../bin/stackctl ./stack/stackctl && ../bin/stackctl

.PHONY: stack-up
stack-up: stack-tools build ## Start a Kubernetes API and Porch (PORCH=DIR, PORCH_CACHE=DB), and print the path of their kubeconfig
	@$(STACK) up $(CURDIR)/bin/stack

.PHONY: stack-down
stack-down: ## Stop what stack-up started
	@$(STACK) down $(CURDIR)/bin/stack

##
# Checking

# What vulncheck says at its end is the last line of the run.
.PHONY: verify
verify: verify-format verify-files verify-boundaries verify-guarantees verify-tests verify-workflows verify-vet lint verify-generated verify-tags verify-tidy vulncheck ## Run every check that needs no test run

.PHONY: lint
lint: $(GOLANGCI_LINT) ## Run golangci-lint on all modules
	@$(call each,$(MODULES),$(GOLANGCI_LINT) run ./...)

.PHONY: vulncheck
vulncheck: export SKIPPED := $(CURDIR)/bin/unchecked
vulncheck: $(GOVULNCHECK) ## Look for known vulnerabilities in what the modules call (GOVULNDB=address of a database)
	@rm -f $(SKIPPED); hack/vulncheck.sh $(GOVULNCHECK) $(MODULES)

.PHONY: verify-format
verify-format:
	@unformatted=$$(gofmt -s -l $(MODULES) tools | grep -v /zz_generated || true) && \
	if [ -n "$$unformatted" ]; then echo "not formatted, run 'make fmt':" $$unformatted >&2; exit 1; fi

.PHONY: verify-files
verify-files:
	@hack/filesize.sh $(MODULES) tools
	@hack/columns.sh

.PHONY: verify-boundaries
verify-boundaries:
	@hack/boundaries.sh --self-check
	@hack/boundaries.sh

.PHONY: verify-guarantees
verify-guarantees:
	@hack/guarantees.sh check

.PHONY: verify-tests
verify-tests:
	@hack/tests.sh

.PHONY: verify-workflows
verify-workflows: $(ACTIONLINT)
	@hack/workflows.sh $(ACTIONLINT) --self-check
	@hack/workflows.sh $(ACTIONLINT)

.PHONY: verify-vet
verify-vet:
	@$(call each,$(MODULES),go vet ./...)

.PHONY: verify-generated
verify-generated: $(CONTROLLER_GEN)
	@hack/verify-generated.sh

.PHONY: verify-tags
verify-tags:
	@$(call release_command,check-tags)

.PHONY: verify-tidy
verify-tidy:
	@$(call each,$(MODULES) $(TOOL_MODULES),go mod tidy -diff) || \
	{ echo "go.mod files are not tidy: run 'make tidy' and commit what it changes" >&2; exit 1; }
