#!/usr/bin/env bash
# Fails when a commit has no line "Signed-off-by: NAME <ADDRESS>" of its author: CONTRIBUTING.md, "Sign your work".
#
# usage: hack/signed-off.sh BASE
# The commits are those of HEAD that BASE has not, but for merges.
set -euo pipefail

rc=0
commits=$(git rev-list --no-merges "$1..HEAD")
for commit in $commits; do
	author=$(git show --no-patch --format=%ae "$commit")
	if ! git show --no-patch --format='%(trailers:key=Signed-off-by)' "$commit" | grep -qiF "<$author>"; then
		git show --no-patch --format="not signed off by <%ae>: %h %s" "$commit" >&2
		rc=1
	fi
done
if ((rc)); then
	echo "sign them off by 'git rebase --signoff $1', and push again: CONTRIBUTING.md says what that means" >&2
fi
exit $rc
