#!/usr/bin/env bash
# Verifies a published release with the very commands of docs/images.md, section "Verify a release", in an empty
# directory.
#
# usage: hack/verify-release.sh VERSION
set -euo pipefail

cd "$(dirname "$0")/.."
commands=$(awk '/^## / { within = $0 == "## Verify a release" } within && /^```/ { code = $0 == "```bash"; next }
	within && code' docs/images.md)
if [[ $commands != *"cosign verify "*"@refs/tags/$1"* ]]; then
	echo "docs/images.md does not say how $1 is verified: run 'make tags VERSION=$1'" >&2
	exit 1
fi
empty=$(mktemp -d)
trap 'rm -rf "$empty"' EXIT
cd "$empty"
bash -euxo pipefail -c "$commands"
