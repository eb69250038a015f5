#!/usr/bin/env bash
# Measures what a new user waits for: make demo in a fresh clone, with empty caches of Go.
# It prints what make prints, and then a table of when what was done. It wants an idle
# machine, and leaves nothing behind.
#
# usage: hack/first-run.sh [-m] [TARGET]
#   -m      with an empty cache of modules, too, so all are downloaded again
#   TARGET  what to make instead of demo
set -euo pipefail
cd "$(dirname "$0")/.."

modules=''
while getopts m option; do
	case $option in
	m) modules=yes ;;
	*) sed -n '/^# usage/,/^[^#]/s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
	esac
done
shift $((OPTIND - 1))
target=${1:-demo}

work=$(mktemp -d)
# The cache of modules is read-only, unless it was made with this flag.
export GOFLAGS=-modcacherw
trap 'rm -rf "$work"' EXIT
git clone -q --no-hardlinks . "$work/clone"
export GOCACHE=$work/cache
[[ -n $modules ]] && export GOMODCACHE=$work/modules

# stamp writes each line of its input after the seconds since the start.
stamp() {
	local line
	while IFS= read -r line; do
		printf '%5d %s\n' "$SECONDS" "$line"
	done
}

# clock writes seconds as minutes.
clock() { printf '%d:%02d' $(($1 / 60)) $(($1 % 60)); }

commit=$(git describe --always --dirty --abbrev=12 --exclude='*')
load=$(cut -d' ' -f1 /proc/loadavg 2>/dev/null || echo unknown)
SECONDS=0 failed=0
make -C "$work/clone" --no-print-directory "$target" 2>&1 | stamp | tee "$work/log" || failed=1
total=$SECONDS

cat <<END

make $target of commit $commit, from empty caches of Go${modules:+ and an empty cache of modules}:
$(go env GOVERSION), $(nproc 2>/dev/null || echo '?') cores, load $load before, kubectl $(hack/users-kubectl.sh | grep . || echo 'built').

| after | |
|---:|---|
END
while read -r seconds line; do
	case $line in
	'== built '*) printf '| %s | %s |\n' "$(clock "$seconds")" "${line#== }" ;;
	esac
done <"$work/log"
printf '| %s | %s |\n' "$(clock "$total")" "$([[ $failed == 0 ]] && echo 'the end' || echo 'FAILED')"
exit "$failed"
