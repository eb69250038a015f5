#!/usr/bin/env bash
# Makes the package of each site what its PackageVariant says. A new package begins as a copy of the blueprint.
set -euo pipefail

# quietly runs a command, and prints what it printed if it failed.
quietly() {
	local out
	out=$("$@" 2>&1) || { echo "$out" >&2 && exit 1; }
}

# sync makes the package of one variant.
sync() {
	local site function
	site=$(sed -n '/downstream/,$s/^ *repo: //p' "$1")
	[[ -e sites/$site ]] || cp -r blueprint "sites/$site"
	for function in apply-package-context prepend-pipeline inject-config; do
		quietly kpt fn eval "sites/$site" --exec $function --fn-config "$1"
	done
	quietly kpt fn render "sites/$site" --allow-exec
}

jobs=()
for variant in cluster/packagevariants/default/*; do
	sync "$variant" &
	jobs+=($!)
done
for job in "${jobs[@]}"; do
	wait "$job"
done
