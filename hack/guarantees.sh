#!/usr/bin/env bash
# Takes away, one by one, what keeps a promise of docs/guarantees.md, in a copy of the tree, and fails if no test
# notices:
#
#   rules    each rule of a table of rules of the engine; the tests of its package have to fail
#   patches  what hack/guarantees/NAME.patch takes away; each test that its first line names has to fail with it, and to
#            pass without. The line is "Test: PKG=./sync RUN=TestA|TestB", where PKG is a package of e2e, or of another
#            module with MODULE=functions before it
#
# usage: hack/guarantees.sh rules | patches [NAME...] | check
# check only says whether every patch applies to the tree, and every table, every patch and every test is there.
set -euo pipefail
export RARE=1 # some of the tests are rare

cd "$(dirname "$0")/.."
root=$PWD copy=$(mktemp -d) wrong=0
trap 'rm -rf "$copy"' EXIT

# tables are the tables of rules: a file, the variable in it, and tests that take too long to be run for each rule.
tables='
engine/decide/guards.go guards
engine/decide/decide.go policies
engine/decide/decide.go followUps
engine/decide/approval.go approvals
engine/decide/holds.go holds
engine/rollout/wave.go waveRules TestSimulation|TestClocks|TestThousand|TestLinear
engine/rollout/report.go phaseRules TestSimulation|TestClocks|TestThousand|TestLinear
'

# complain WHAT says what is wrong, and lets the script fail in the end.
complain() {
	echo "$1"
	wrong=1
}

# copy_tree copies what is under version control, as it is now, and what make has built for it.
copy_tree() {
	git ls-files -z | tar --null --files-from=- --create --ignore-failed-read 2>/dev/null | tar --extract -C "$copy"
	mkdir "$copy/bin"
	ln -s "$root"/bin/*-???????????? "$copy/bin/"
}

# rules FILE VARIABLE prints the rules of a table.
rules() {
	perl -0ne 'print "$1\n" if /^var '"$2"' = [^\n]*?\{(\s.*?|[^\n]*?)\}$/ms' "$1" |
		tr -s ',\t\n ' '\n' | sed '/^$/d'
}

# without_rules sees the tests fail without each rule.
without_rules() {
	local file variable long rule in
	while read -r file variable long; do
		[[ $file ]] || continue
		in=$copy/$file
		for rule in $(rules "$file" "$variable"); do
			perl -0pi -e 's/(^var '"$variable"' = .*?[\s{])'"$rule"',?([\s}])/$1$2/ms' "$in"
			if go -C "$(dirname "$in")" test -count=1 -skip "$long" . >"$copy/log" 2>&1; then
				complain "UNNOTICED  $variable without $rule"
			elif grep -qP '^\s*--- FAIL|^panic: (?!test timed out)' "$copy/log"; then
				echo "noticed    $variable without $rule"
			else
				complain "no test ran: $variable without $rule: $(tail -20 "$copy/log")"
			fi
			cp "$file" "$in"
		done
	done <<<"$tables"
}

# value_of PATCH KEY prints a value of a patch's first line: its MODULE, its PKG, or its tests, RUN.
value_of() {
	local value
	value=$(sed -n "1s/^Test: .*\b$2=\([^ ]*\).*/\1/p" "hack/guarantees/$1.patch")
	echo "${value:-$([[ $2 != MODULE ]] || echo e2e)}"
}

# run MODULE PKG TESTS runs tests, separated by "|", in the copy.
run() {
	if [[ $1 == e2e ]]; then
		make -C "$copy" e2e PKG="$2" RUN="^($3)\$\$" >"$copy/log" 2>&1
	else
		go -C "$copy/$1" test -count=1 -run "^($3)\$" "$2" >"$copy/log" 2>&1
	fi
}

# without_patches [NAME...] sees tests fail with each patch, after it has seen them pass.
without_patches() {
	local name test
	declare -A all
	for name in "$@"; do
		test="$(value_of "$name" MODULE) $(value_of "$name" PKG)"
		all[$test]=${all[$test]+${all[$test]}|}$(value_of "$name" RUN)
	done
	for test in "${!all[@]}"; do
		# shellcheck disable=SC2086 # a module and a package
		run $test "${all[$test]}" || complain "FAIL without any patch: $test ${all[$test]}: $(tail -20 "$copy/log")"
	done
	for name in "$@"; do
		git -C "$copy" apply "$root/hack/guarantees/$name.patch"
		run "$(value_of "$name" MODULE)" "$(value_of "$name" PKG)" "$(value_of "$name" RUN)" || true
		for test in $(value_of "$name" RUN | tr '|' ' '); do
			if grep -q "^--- FAIL: $test " "$copy/log"; then
				echo "noticed    $name by $test"
			elif grep -q '^ok\|^--- FAIL' "$copy/log"; then
				complain "UNNOTICED  $name by $test"
			else
				complain "no test ran: $name: $(tail -20 "$copy/log")"
			fi
		done
		git -C "$copy" apply --reverse "$root/hack/guarantees/$name.patch"
	done
}

# check NAME... checks the tables, and patches.
check() {
	local file variable name test dir
	while read -r file variable _; do
		[[ ! $file || $(rules "$file" "$variable") ]] || complain "hack/guarantees.sh: there is no table $variable in $file"
	done <<<"$tables"
	for name in "$@"; do
		git apply --check "hack/guarantees/$name.patch" || complain "hack/guarantees/$name.patch does not apply: write it again"
		dir=$(value_of "$name" MODULE)/$(value_of "$name" PKG)
		for test in $(value_of "$name" RUN | tr '|' ' ' | grep . || echo NONE); do
			grep -qs "^func $test(t \*testing.T)" "$dir"/*_test.go ||
				complain "hack/guarantees/$name.patch: there is no test $test in $dir"
		done
	done
}

mode=${1:-}
shift $(($# > 0))
mapfile -t patches < <(basename -s .patch hack/guarantees/*.patch)
case $mode in
rules) copy_tree && without_rules ;;
patches) copy_tree && without_patches "${@:-${patches[@]}}" ;;
check) check "${patches[@]}" ;;
*)
	sed -n 's/^# usage/usage/p' "$0" >&2
	exit 2
	;;
esac
exit $wrong
