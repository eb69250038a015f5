#!/usr/bin/env bash
# Runs every fuzz target of a module, one after the other. Inputs that fail are
# left in testdata/fuzz, where go test picks them up: commit them with the fix.
#
# usage: hack/fuzz.sh MODULE_DIR FUZZTIME
set -euo pipefail

cd "$1"
fuzztime=$2

found=0 rc=0
while IFS= read -r pkg; do
	# go test -list also prints the line "ok <package>".
	for target in $(go test -list '^Fuzz' "$pkg" | grep '^Fuzz' || true); do
		found=1
		echo "== $pkg $target"
		# By default minutes go into making each new input smaller, and none into finding others.
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$fuzztime" -fuzzminimizetime 20x "$pkg" || rc=1
	done
done < <(go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' ./...)

if ((!found)); then
	echo "no fuzz targets in $1" >&2
	exit 1
fi
exit $rc
