#!/usr/bin/env bash
# Fails when code of the modules calls a function with a known vulnerability. The database is https://vuln.go.dev, or
# what GOVULNDB names, by its address (file:///path is one). Where it cannot be asked, the last line says which modules
# were left out, and so does the file that the environment names as SKIPPED. With REQUIRE_VULNDB=1 that is an error.
#
# usage: hack/vulncheck.sh GOVULNCHECK MODULE...
set -euo pipefail

cd "$(dirname "$0")/.."
govulncheck=$1
shift

rc=0 left_out=
for module in "$@"; do
	code=0
	out=$(cd "$module" && GOWORK=off "$govulncheck" ${GOVULNDB:+-db "$GOVULNDB"} ./... 2>&1) || code=$?
	[[ $code != 0 ]] || continue
	printf '== %s\n%s\n' "$module" "$out" >&2
	if [[ $code != 3 && $out == *"fetching vulnerabilities"* ]]; then
		left_out+=" $module"
	else
		rc=1
	fi
done
if [[ $left_out ]]; then
	line="SKIPPED: known vulnerabilities in$left_out: the database cannot be asked (GOVULNDB names another)"
	echo "$line" >&2
	[[ ! ${SKIPPED:-} ]] || echo "$line" >>"$SKIPPED"
	[[ ${REQUIRE_VULNDB:-} != 1 ]] || rc=1
fi
exit $rc
