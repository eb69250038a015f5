#!/usr/bin/env bash
# Builds the image for CI jobs from the programs in DIR, for this machine, with docker or else podman. With --push, it
# builds the image for both platforms with docker buildx, pushes it and writes its digest to DIR/digests.txt; an image
# that the registry has already stays as it is.
#
# usage: hack/ci-image.sh [--push] DIR [FLAGS of build]
# REGISTRY and VERSION are in the environment.
set -euo pipefail

push=''
if [[ $1 == --push ]]; then
	push=1
	shift
fi
dir=$1
shift
image=$REGISTRY/variants:$VERSION
build=(--file release/ci/Containerfile --build-arg "VERSION=$VERSION" --tag "$image" "$@" "$dir")
cd "$(dirname "$0")/.."

if [[ $push ]]; then
	if ! docker buildx version >/dev/null 2>&1; then
		echo "docker buildx is not there, which builds for both platforms: see https://docs.docker.com/build/install-buildx" >&2
		exit 1
	fi
	if ! docker buildx imagetools inspect "$image" >/dev/null 2>&1; then
		docker buildx build --platform linux/amd64,linux/arm64 --sbom=true --provenance=mode=max --push "${build[@]}"
	fi
	"$RELEASE" follow -registry "$REGISTRY" -version "$VERSION" >"$dir/digests.txt"
	exit
fi
for engine in docker podman; do
	if "$engine" info >/dev/null 2>&1; then
		exec "$engine" build "${build[@]}"
	fi
done
echo "the image for CI jobs is built by docker or podman, and neither is running here: install one, such as by" \
	"apt-get install podman runc" >&2
exit 1
