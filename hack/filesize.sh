#!/usr/bin/env bash
# Fails when a Go file is longer than a reader wants it to be: 500 lines, or 600
# for a test file. Generated files do not count.
#
# usage: hack/filesize.sh DIR...
set -euo pipefail

max_code=500
max_test=600

rc=0
while IFS= read -r file; do
	if grep -q -m1 '^// Code generated .* DO NOT EDIT\.$' "$file"; then
		continue
	fi
	max=$max_code
	[[ $file == *_test.go ]] && max=$max_test
	lines=$(($(wc -l <"$file")))
	if ((lines > max)); then
		echo "$file has $lines lines, more than $max: it wants to be two files" >&2
		rc=1
	fi
done < <(find "$@" -name '*.go' -type f | sort -u)
exit $rc
