#!/usr/bin/env bash
# Takes away, one by one, what keeps a promise of docs/guarantees.md, in a copy of the tree, and fails if no test
# notices:
#
#   rules    each rule of a table of rules of sync-controller; the tests of its package have to fail
#   patches  what hack/guarantees/NAME.patch takes away; the test that its line "Test:" names has to fail
#
# usage: hack/guarantees.sh rules | patches [NAME...] | check
# check only says whether every patch applies to the tree.
set -euo pipefail

cd "$(dirname "$0")/.."
root=$PWD copy=$(mktemp -d) unnoticed=0
trap 'rm -rf "$copy"' EXIT

git ls-files -z | tar --null --files-from=- --create --ignore-failed-read 2>/dev/null | tar --extract -C "$copy"

# tables are the tables of rules: a file, and the variable in it.
tables='
internal/decide/guards.go guards
internal/decide/decide.go policies
internal/decide/decide.go followUps
internal/decide/approval.go approvals
internal/decide/holds.go holds
internal/rollout/wave.go waveRules
internal/rollout/report.go phaseRules
'

# rules FILE VARIABLE prints the rules of a table.
rules() {
	perl -0ne 'print "$1\n" if /^var '"$2"' = [^\n]*?\{(\s.*?|[^\n]*?)\}$/ms' "$1" | tr -s ',\t\n ' '\n' | sed '/^$/d'
}

# noticed WHAT COMMAND... says whether the tests fail that the command runs.
noticed() {
	local what=$1
	shift
	if "$@" >"$copy/log" 2>&1; then
		echo "UNNOTICED  $what"
		unnoticed=1
	elif ! grep -q -e '^\s*--- FAIL' -e '^panic' "$copy/log"; then
		echo "no test ran for $what:" >&2
		tail -20 "$copy/log" >&2
		exit 1
	else
		echo "noticed    $what"
	fi
}

without_rules() {
	local file variable rule
	while read -r file variable; do
		[[ $file ]] || continue
		file=sync-controller/$file
		for rule in $(rules "$file" "$variable"); do
			perl -0pi -e 's/(^var '"$variable"' = .*?[\s{])'"$rule"',?([\s}])/$1$2/ms' "$copy/$file"
			noticed "$variable without $rule" go -C "$copy/$(dirname "$file")" test -count=1 .
			cp "$file" "$copy/$file"
		done
	done <<<"$tables"
}

# header PATCH KEY prints what a line of the patch's head says.
header() { sed -n "s/^$2: //p;/^diff/q" "$1"; }

without_patches() {
	local patch name
	mkdir -p "$copy/bin"
	ln -sf "$root"/bin/*-???????????? "$root/bin/tools" "$copy/bin/"
	for patch in hack/guarantees/*.patch; do
		name=$(basename "$patch" .patch)
		[[ $# == 0 || " $* " == *" $name "* ]] || continue
		git -C "$copy" apply "$root/$patch"
		# shellcheck disable=SC2046 # a package and a pattern
		set -- "$@" && noticed "$name" make -C "$copy" e2e $(header "$patch" Test)
		git -C "$copy" apply --reverse "$root/$patch"
	done
}

case ${1:-} in
rules) without_rules ;;
patches) without_patches "${@:2}" ;;
check) for patch in hack/guarantees/*.patch; do git -C "$copy" apply --check "$root/$patch"; done ;;
*)
	sed -n 's/^# usage/usage/p' "$0" >&2
	exit 2
	;;
esac
exit $unnoticed
