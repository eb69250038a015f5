#!/usr/bin/env bash
# Prints the config by which merge-upstream merges one version of the blueprint, a tag in git, over another.
#
# usage: ./merge.sh OLD NEW
set -euo pipefail

# files prints the files of the blueprint at a tag, by path.
files() {
	for file in $(git ls-tree -r --name-only "$1" blueprint/); do
		echo "    ${file#blueprint/}: |"
		git show "$1:$file" | sed 's/^/      /'
	done
}

cat <<END
apiVersion: fn.kpt.dev/v1alpha1
kind: MergeUpstream
metadata:
  name: merge
onConflict: KeepLocal
original:
  resources:
$(files "$1")
updated:
  resources:
$(files "$2")
upstream:
  type: git
  git: {repo: https://git.example.com/fleet, directory: blueprint, ref: $2}
upstreamLock:
  type: git
  git: {repo: https://git.example.com/fleet, directory: blueprint, ref: $2, commit: $(git rev-parse "$2^{commit}")}
END
