#!/usr/bin/env bash
# Fails when generated code, CRDs or the workspace's go.mod files are not what
# their sources make them. It works on copies, so that a tree with uncommitted
# changes can be checked and stays as it is.
set -euo pipefail

cd "$(dirname "$0")/.."
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/committed" "$tmp/current"

tar --exclude=./bin --exclude=./dist --exclude=./.git -cf - . | tar -xf - -C "$tmp/committed"
cp -R "$tmp/committed/." "$tmp/current"
# Tools are found by a hash of their sources, so the copy finds ours.
mkdir -p bin
ln -s "$PWD/bin" "$tmp/current/bin"

# check HINT COMMAND... fails with HINT if COMMAND changes a file of the copy.
check() {
	local hint=$1
	shift
	if ! (cd "$tmp/current" && "$@") >"$tmp/log" 2>&1; then
		cat "$tmp/log" >&2
		echo "'$*' failed" >&2
		exit 1
	fi
	# Any go command in a workspace may rewrite go.work.sum: it says nothing.
	if ! (cd "$tmp" && diff -ruN --exclude=bin --exclude=go.work.sum committed current); then
		echo "$hint" >&2
		exit 1
	fi
}

check "generated files are not current: run 'make generate' and commit what it changes" \
	make --no-print-directory generate
check "the modules of go.work disagree on versions: run 'make tidy' and commit what it changes" \
	go work sync
