#!/usr/bin/env bash
# Runs the commands of docs/getting-started.md in a temporary directory, and prints what they print. It
# fails if a command fails, or if its output differs from what the page shows.
#
# usage: hack/demo.sh
set -euo pipefail
cd "$(dirname "$0")/.."

page=docs/getting-started.md
step='the set-up' expected=''

# fail TEXT ends the demo.
fail() { printf '\ndemo: %s: %s\n' "$step" "$1" >&2 && exit 1; }

[[ -x bin/variants ]] || fail 'bin/variants is missing: run make demo, which builds it'
work=$(mktemp -d) || fail 'cannot make a temporary directory'
trap 'rm -rf "$work"' EXIT

# What the user has set for git changes nothing, and make has already run.
unset "${!GIT_@}"
export HOME=$work LC_ALL=C GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=demo GIT_AUTHOR_EMAIL=demo@example.com GIT_COMMITTER_NAME=demo GIT_COMMITTER_EMAIL=demo@example.com
make() { :; }

# tidy leaves out what a reader does not need of git's output, and blank lines.
tidy() { sed -E 's/[[:space:]]+$//; /^(diff --git |index [0-9a-f]+\.\.|(new|deleted) file mode |$)/d'; }

# settle leaves out what differs from run to run.
settle() { tidy | sed -E 's/(\[(PASS|FAIL)\] .* in )[0-9.]+m?s$/\10s/'; }

# run COMMAND runs a command in this shell, and keeps what it prints for check.
run() {
	[[ $step == 'the set-up' ]] || fold -s -w 100 <<<"$ $1"
	local failed=0
	eval "$1" >"$work/output" 2>&1 </dev/null || failed=$?
	tidy <"$work/output" | fold -s -w 100
	cat "$work/output" >>"$work/printed"
	[[ $failed == 0 ]] || fail "exit code $failed of: $1"
}

# check compares what the commands since the last check printed with what the page shows.
check() {
	settle <<<"$expected" >"$work/expected"
	settle <"$work/printed" >"$work/output"
	diff "$work/expected" "$work/output" >&2 || fail "this is not (>) what $page shows (<)"
	: >"$work/printed"
	expected=''
}

# say TEXT prints a paragraph, with the text of links only.
say() {
	[[ -z $1 || $step == 'the set-up' ]] || sed -E 's/\[([^]]*)\]\([^)]*\)/\1/g' <<<"$1" | fold -s -w 100
}

# block LANGUAGE TEXT handles a block of the page.
block() {
	case $1 in
	sh)
		check
		[[ $step == 'the set-up' ]] || echo
		local line command=''
		while IFS= read -r line; do
			command+=$line
			if [[ $line == *\\ ]]; then command+=$'\n'; else run "$command" && command=''; fi
		done <<<"$2"
		[[ $step == 'the set-up' ]] || echo
		;;
	console | diff) expected+=$2$'\n' ;;
	*) printf '\n%s\n' "$2" ;;
	esac
}

: >"$work/printed"
echo 'One blueprint becomes the packages of three sites, with nothing but git.'$'\n'
began=$SECONDS language='' text='' paragraph=''
while IFS= read -r line <&3; do
	case $language:$line in
	':```'*) language=${line#'```'} text='' ;;
	*:'```') block "$language" "${text%$'\n'}" && language='' ;;
	':### '*) check && step=${line#'### '} && echo "== $step" ;;
	:?*) paragraph+="${paragraph:+ }$line" ;;
	:) say "$paragraph" && paragraph='' ;;
	*) text+=$line$'\n' ;;
	esac
done 3< <(sed '1,/^## /d' "$page")
check
say "$paragraph"
kpt="it is not on the PATH: https://kpt.dev"
if command -v kpt >/dev/null; then kpt='it is on the PATH'; fi
printf '\nvariants sync --render has kpt run the pipelines of packages (%s).\n' "$kpt"
printf '\nThat took %d seconds. The same step by step: %s\n' $((SECONDS - began)) "$page"
