#!/usr/bin/env bash
# Fails when code of the modules calls a function with a known vulnerability. The database is https://vuln.go.dev, or
# what GOVULNDB names, by its address (file:///path is one). Where it cannot be reached nothing is checked, which is
# said, and is an error with REQUIRE_VULNDB=1.
#
# usage: hack/vulncheck.sh GOVULNCHECK MODULE...
set -euo pipefail

cd "$(dirname "$0")/.."
govulncheck=$1
shift

rc=0
for module in "$@"; do
	code=0
	out=$(cd "$module" && GOWORK=off "$govulncheck" ${GOVULNDB:+-db "$GOVULNDB"} ./... 2>&1) || code=$?
	case $code in
	0) ;;
	3) # found
		printf '== %s\n%s\n' "$module" "$out" >&2
		rc=1
		;;
	*)
		if [[ $out != *"fetching vulnerabilities"* ]]; then
			printf '== %s: govulncheck failed\n%s\n' "$module" "$out" >&2
			exit 1
		fi
		echo "NOT CHECKED for known vulnerabilities, the database cannot be reached (GOVULNDB names another): $out" >&2
		[[ ${REQUIRE_VULNDB:-} != 1 ]]
		exit
		;;
	esac
done
exit $rc
