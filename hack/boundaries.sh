#!/usr/bin/env bash
# Fails when a module depends, itself or through others, on what it must never
# depend on, and prints the chain of imports that leads there. Tests count: what
# they import is in go.mod too.
#
# usage: hack/boundaries.sh [--self-check]
# --self-check tries a rule that every module breaks and fails if nothing is found.
set -euo pipefail

cd "$(dirname "$0")/.."
root=$(cd api && GOWORK=off go list -m)
root=${root%/api}

# check MODULE PACKAGE... fails if MODULE depends on a PACKAGE or a part of one.
check() {
	local module=$1
	shift
	# One line for each import; a test variant "p [q.test]" is the package p.
	# shellcheck disable=SC2016 # $p is a variable of the template
	(cd "$module" && go list -deps -test \
		-f '{{$p := .ImportPath}}{{range .Imports}}{{$p}}{{"\t"}}{{.}}{{"\n"}}{{end}}' ./...) |
		sed -e 's/ \[[^]]*\]//g' -e '/^$/d' |
		awk -F '\t' -v own="$root/$module" -v denied="$*" '
			function within(pkg, prefix) { return pkg == prefix || index(pkg, prefix "/") == 1 }
			{ imports[$1] = imports[$1] "\t" $2 }
			END {
				n = split(denied, deny, " ")
				for (pkg in imports) if (within(pkg, own)) { queue[++tail] = pkg; chain[pkg] = pkg }
				while (head < tail) {
					pkg = queue[++head]
					bad = ""
					for (i = 1; i <= n; i++) if (within(pkg, deny[i])) bad = deny[i]
					if (bad) { # one chain for each rule, the shortest
						if (!seen[bad]++) print own " must not depend on " bad ":\n  " chain[pkg]
						found = 1
						continue
					}
					m = split(substr(imports[pkg], 2), next_, "\t")
					for (i = 1; i <= m; i++) if (!(next_[i] in chain)) {
						chain[next_[i]] = chain[pkg] "\n  -> " next_[i]
						queue[++tail] = next_[i]
					}
				}
				exit found
			}' >&2
}

if [[ ${1:-} == --self-check ]]; then
	for module in api functions engine local; do
		found=$(check "$module" fmt 2>&1) || true
		if [[ $found != *"must not depend on fmt"* ]]; then
			echo "$found" >&2
			echo "hack/boundaries.sh does not see that $module depends on fmt: the check is broken" >&2
			exit 1
		fi
	done
	exit 0
fi

rc=0
check api k8s.io/client-go sigs.k8s.io/controller-runtime sigs.k8s.io/kustomize/kyaml \
	"$root/functions" "$root/engine" "$root/local" "$root/sync-controller" "$root/release" "$root/e2e" || rc=1
check functions k8s.io/client-go sigs.k8s.io/controller-runtime \
	"$root/engine" "$root/local" "$root/sync-controller" "$root/release" "$root/e2e" || rc=1
check engine k8s.io/client-go sigs.k8s.io/controller-runtime github.com/nephio-project/porch \
	"$root/local" "$root/sync-controller" "$root/release" "$root/e2e" || rc=1
check local k8s.io/client-go sigs.k8s.io/controller-runtime github.com/nephio-project/porch \
	"$root/sync-controller" "$root/release" "$root/e2e" || rc=1
# These bring a hundred packages each.
check sync-controller k8s.io/apiserver/pkg/server sigs.k8s.io/kustomize/api/krusty || rc=1
check sync-controller/kubectl-variants k8s.io/apiserver/pkg/server sigs.k8s.io/kustomize/api/krusty || rc=1
exit $rc
