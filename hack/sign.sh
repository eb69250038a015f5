#!/usr/bin/env bash
# Signs images in their registry, and attests their bills of materials, by cosign: keyless, as the workflow that runs
# this, or else as the person who logs in when cosign asks.
#
# usage: hack/sign.sh DIR
# DIR has digests.txt, a line "DIGEST  REPOSITORY" for each image, and <name>.cdx.json of each that does not have its bill
# of materials in its index.
set -euo pipefail

dir=$1
if ! command -v cosign >/dev/null; then
	echo "cosign is not on the PATH: install it from https://docs.sigstore.dev/cosign/system_config/installation" >&2
	exit 1
fi
if [[ ! -s $dir/digests.txt ]]; then
	echo "$dir/digests.txt names no image: run 'make sign'" >&2
	exit 1
fi
while read -r digest repository; do
	image=$repository@sha256:$digest
	echo "== signing $image"
	cosign sign --yes "$image" </dev/null
	if [[ -f $dir/${repository##*/}.cdx.json ]]; then
		cosign attest --yes --type cyclonedx --predicate "$dir/${repository##*/}.cdx.json" "$image" </dev/null
	fi
done <"$dir/digests.txt"
