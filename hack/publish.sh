#!/usr/bin/env bash
# Publishes the files of a release on GitHub, with what CHANGELOG.md says of the version.
#
# usage: hack/publish.sh [--check] VERSION
# --check only says whether CHANGELOG.md is ready for that.
set -euo pipefail

cd "$(dirname "$0")/.."
version=${!#}
notes=$(mktemp)
trap 'rm -f "$notes"' EXIT

# The section of the version, up to the next one. A candidate without one has that of its release.
section=$version
if ! grep -q "^## $version\( \|$\)" CHANGELOG.md; then
	section=${version%-rc.*}
fi
awk -v version="$section" '/^## / { within = $2 == version; next } within' CHANGELOG.md >"$notes"
if [[ $section == "$version" ]] && grep -q "^## $version .*not released" CHANGELOG.md; then
	echo "CHANGELOG.md says that $version is not released: put the day in the place of that" >&2
	exit 1
fi
if ! grep -q '[^[:space:]]' "$notes"; then
	echo "CHANGELOG.md says nothing of $section: give it a section '## $section'" >&2
	exit 1
fi
if [[ $1 == --check ]]; then
	exit 0
fi
if [[ ! -f dist/$version/SHA256SUMS ]]; then
	echo "there is no dist/$version: run 'make release VERSION=$version' first" >&2
	exit 1
fi
before=()
if [[ $version == *-* ]]; then
	before=(--prerelease)
fi
gh release create "$version" dist/"$version"/* --verify-tag --title "$version" --notes-file "$notes" "${before[@]}"
