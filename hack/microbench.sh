#!/usr/bin/env bash
# Runs the benchmarks of the given modules and keeps the result in
# dist/bench.txt, in the format that benchstat compares.
#
# usage: [BENCH=REGEXP] [BENCHCOUNT=N] [OUTSIDE="MODULE_DIR..."] hack/microbench.sh MODULE_DIR...
#
# Modules of OUTSIDE are no part of go.work.
set -euo pipefail

cd "$(dirname "$0")/.."
mkdir -p dist
out=dist/bench.txt
: >"$out"

for module in "$@"; do
	# Packages without a benchmark say nothing worth keeping.
	case " ${OUTSIDE:-} " in
	*" $module "*) gowork=off ;;
	*) gowork= ;;
	esac
	(cd "$module" && GOWORK=$gowork go test -run '^$' -bench "${BENCH:-.}" -benchmem -count "${BENCHCOUNT:-1}" ./...) |
		sed -e '/\[no test files\]$/d' -e '/^PASS$/d' -e '/^ok /d' | tee -a "$out"
done
if ! grep -q '^Benchmark' "$out"; then
	echo "no benchmark matches ${BENCH:-.} in: $*" >&2
	exit 1
fi
echo "written to $out"
