#!/usr/bin/env bash
# Says each minute for how long tests have been running, and of which packages now: go test prints nothing of a package
# before it has ended. It ends with the process that started it.
#
# usage: hack/running.sh [SECONDS between the lines]
set -euo pipefail

parent=$PPID
trap exit TERM
trap 'kill $! 2>/dev/null || true' EXIT
while sleep "${1:-60}" & wait $! && kill -0 "$parent" 2>/dev/null; do
	packages=$(ps -A -o comm= | sed -n 's|^.*/||; s|\.test$||p' | sort -u | paste -sd ' ' -)
	echo "== $(((SECONDS + 30) / 60)) min: ${packages:-building}" >&2
done
