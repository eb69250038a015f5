#!/usr/bin/env bash
# Fails when a workflow of GitHub Actions is wrong: by actionlint, where it takes an action of others by a name that can
# be moved, and where .github/dependabot.yml leaves out a module.
#
# usage: hack/workflows.sh ACTIONLINT [--self-check]
# --self-check fails if nothing is found in workflows that are wrong.
set -euo pipefail

cd "$(dirname "$0")/.."
actionlint=$1
self_check=${2:-}

# lint FILE... has actionlint check workflows; without shellcheck, which is not everywhere.
lint() {
	"$actionlint" -no-color -shellcheck= -pyflakes= "$@"
}

# pinned FILE... fails if an action is not named by its commit, with its version behind.
pinned() {
	local loose
	loose=$(grep -Hn 'uses:' "$@" | grep -vE 'uses: (\./|[A-Za-z0-9._/-]+@[0-9a-f]{40} # v[0-9])' || true)
	if [[ $loose ]]; then
		printf 'an action is to be named by its commit, with its version as a comment:\n%s\n' "$loose" >&2
		return 1
	fi
}

# updated FILE fails if it does not list a module that dependabot is to keep up to date.
updated() {
	local module rc=0
	while read -r module; do
		if ! grep -qxE " *- ['\"]?/${module%/go.mod}['\"]?" "$1"; then
			echo "$1 does not list the module /${module%/go.mod}" >&2
			rc=1
		fi
	done < <(find . -path ./bin -prune -o -path ./dist -prune -o -name testdata -prune -o -name go.mod -print |
		sed 's|^\./||' | sort)
	return $rc
}

if [[ $self_check == --self-check ]]; then
	wrong=$(mktemp -d)
	trap 'rm -rf "$wrong"' EXIT
	printf 'on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n    - uses: actions/checkout@v6\n%s\n' \
		"    - run: echo \${{ steps.none.outputs.x }}" >"$wrong/wrong.yaml"
	for check in lint pinned updated; do
		if "$check" "$wrong/wrong.yaml" >/dev/null 2>&1; then
			echo "hack/workflows.sh: $check finds nothing in what is wrong: the check is broken" >&2
			exit 1
		fi
	done
	exit 0
fi

rc=0
lint .github/workflows/*.yaml examples/*/.github/workflows/*.yaml || rc=1
pinned .github/workflows/*.yaml .github/actions/*/action.yaml || rc=1
updated .github/dependabot.yml || rc=1
exit $rc
