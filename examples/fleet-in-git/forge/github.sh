#!/usr/bin/env bash
# Opens, updates and closes the pull requests of a fleet by the report of variants sync, with gh and jq.
#
# usage: forge/github.sh DIR REPORT
set -euo pipefail
report=$2 failed=0
mark="<!-- variants sync $1 of $GITHUB_REPOSITORY -->"

# steps REPOSITORY prints what to do, a step a line.
steps() {
	gh pr list --repo "$1" --state open --limit 1000 --json number,headRefName,title,body,isCrossRepository |
		jq '[.[] | select(.isCrossRepository | not) | {id: .number, branch: .headRefName, title, body}]' |
		jq -c --slurpfile report "$report" --arg repository "$1" --arg mark "$mark" -f "${0%/*}/steps.jq"
}

# of FIELD prints a field of the step.
of() { jq -r ".$1" <<<"$step"; }

for repository in $(jq -r '.repositories[]?' "$report"); do
	all=$(steps "$repository") || { failed=1 && continue; }
	while read -r step; do
		case $(of do) in
		open)
			of body | gh pr create --repo "$repository" --head "$(of branch)" --base "$(of base)" --title "$(of title)" \
				--body-file -
			;;
		update) of body | gh pr edit "$(of id)" --repo "$repository" --title "$(of title)" --body-file - ;;
		close) gh pr close "$(of id)" --repo "$repository" --comment "No variant asks for this branch any more." ;;
		esac </dev/null || failed=1
	done <<<"$all"
done
exit "$failed"
