#!/usr/bin/env bash
# Fails when a line of prose in a Markdown file is longer than a reader wants it to be: 120 columns. Tables, code, HTML,
# and the pages that make bench and make generate write do not count; nor does README.md, whose lines are bounded.
#
# usage: hack/columns.sh [FILE...]
set -euo pipefail

cd "$(dirname "$0")/.."
if (($# == 0)); then
	mapfile -t files < <(git ls-files '*.md' | grep -vE '(^|/)testdata/|^docs/(benchmarks|reference)/|^README\.md$')
	set -- "${files[@]}"
fi

LC_ALL=C.UTF-8 awk '
	FNR == 1 { fenced = 0 }
	/^ *(```|~~~)/ { fenced = !fenced }
	fenced || /^ *[|<]/ || /^    / && !/^    +([-*]|[0-9]+\.) / { next }
	/^<!-- begin of what/, /^<!-- end of what/ { next }
	length($0) > 120 {
		printf "%s:%d: the line is %d columns long, more than 120\n", FILENAME, FNR, length($0) > "/dev/stderr"
		long = 1
	}
	END { exit long }' "$@"
