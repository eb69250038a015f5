#!/usr/bin/env bash
# Fails when a variable OF_... of the Makefile, a pattern of tests of e2e/sync, has an alternative that matches no test:
# go test runs the others and says nothing.
#
# usage: hack/tests.sh
set -euo pipefail

cd "$(dirname "$0")/.."
tests=$(sed -n 's/^func Test\([A-Za-z0-9_]*\)(t \*testing\.T).*/\1/p' e2e/sync/*_test.go)
patterns=$(sed -n 's/^\(OF_[A-Z]*\) := ^Test(\(.*\))\$\$$/\1 \2/p' Makefile)
[[ $patterns ]] || { echo "hack/tests.sh: the Makefile has no pattern OF_..." >&2 && exit 1; }
wrong=0
while read -r variable names; do
	while read -r name; do
		grep -qxE "$name" <<<"$tests" || {
			echo "$variable in the Makefile: there is no test Test$name in e2e/sync" >&2
			wrong=1
		}
	done < <(tr '|' '\n' <<<"$names")
done <<<"$patterns"
exit $wrong
