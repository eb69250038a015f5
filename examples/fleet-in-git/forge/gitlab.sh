#!/usr/bin/env bash
# Opens, updates and closes the merge requests of a fleet by the report of variants sync, with glab and jq.
#
# usage: forge/gitlab.sh DIR REPORT
set -euo pipefail
report=$2 failed=0
mark="<!-- variants sync $1 of $CI_PROJECT_PATH -->"

# requests ADDRESS prints where the API has the merge requests of a git repository.
requests() {
	jq -rn --arg address "$1" '"projects/\($address | sub("^[a-z+]+://[^/]+/"; "") | sub("^[^/]+:"; "") |
		sub("\\.git/?$"; "") | @uri)/merge_requests"'
}

# steps REPOSITORY prints what to do, a step a line.
steps() {
	glab api --paginate "$at?state=opened&per_page=100" |
		jq -s '[add[]? | select(.source_project_id == .target_project_id) |
			{id: .iid, branch: .source_branch, title, body: .description}]' |
		jq -c --slurpfile report "$report" --arg repository "$1" --arg mark "$mark" -f "${0%/*}/steps.jq"
}

# send METHOD PATH FIELDS sends fields of the step.
send() {
	jq "$3" <<<"$step" | glab api --silent --method "$1" "$2" --header 'Content-Type: application/json' --input -
}

for repository in $(jq -r '.repositories[]?' "$report"); do
	at=$(requests "$repository")
	all=$(steps "$repository") || { failed=1 && continue; }
	while read -r step; do
		case $(jq -r .do <<<"$step") in
		open) send POST "$at" '{source_branch: .branch, target_branch: .base, title, description: .body}' ;;
		update) send PUT "$at/$(jq .id <<<"$step")" '{title, description: .body}' ;;
		close) send PUT "$at/$(jq .id <<<"$step")" '{state_event: "close"}' ;;
		esac || failed=1
	done <<<"$all"
done
exit "$failed"
