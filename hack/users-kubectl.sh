#!/usr/bin/env bash
# Prints the path of the kubectl on the PATH, if it can be used with the API server that
# the demo starts: no more than one minor version older. Otherwise it prints nothing.
#
# usage: hack/users-kubectl.sh
set -euo pipefail
cd "$(dirname "$0")/.."

# minor reads the minor version out of the first v1.N in its input, or v0.N as modules have it.
minor() { sed -n 's/.*v[01]\.\([0-9][0-9]*\)\..*/\1/p' | head -1; }

kubectl=$(command -v kubectl) || exit 0
[[ $kubectl == "$PWD"/* ]] && exit # what make has built
has=$("$kubectl" version --client -o json 2>/dev/null | grep '"gitVersion"' | minor) || exit 0
server=$(grep -E '^\s+k8s.io/apiserver v' tools/kubernetes/go.mod | minor)
if [[ -n $has ]] && ((has >= server - 1)); then
	echo "$kubectl"
fi
