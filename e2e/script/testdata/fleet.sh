#!/usr/bin/env bash
# What a platform team writes without package variants: a branch for each site, with the blueprint as kpt gets or updates
# it, and the values of the site. It is run in a clone of the repository with the sites.
#
# usage: fleet.sh BLUEPRINT-REPOSITORY VERSION SITES
set -euo pipefail
blueprints=$1 version=$2 sites=$3
branches=()
for ((i = 0; i < sites; i++)); do
	site=site-$i
	git checkout -q -B "draft/$site" origin/main
	if [[ -d $site ]]; then
		kpt pkg update "$site@web/$version" --strategy resource-merge >/dev/null
	else
		kpt pkg get "$blueprints/web@web/$version" "$site" >/dev/null 2>&1
	fi
	kpt fn eval "$site" --exec set-namespace -- namespace="$site" >/dev/null 2>&1
	sed -i "s/region: .*/region: region-$i # where it runs/" "$site/package-context.yaml"
	sed -i "s/payment: .*/payment: pay-$i.example.com # who takes the money/" "$site/endpoints.yaml"
	git add "$site"
	git diff --cached --quiet && continue
	git commit -qm "Bring $site to web/$version"
	branches+=("draft/$site")
done
[[ ${#branches[@]} == 0 ]] || git push -q --force origin "${branches[@]}"
