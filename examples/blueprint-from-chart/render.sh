#!/usr/bin/env bash
# Renders each chart and each kustomize base into a blueprint. What has changed is committed, and tagged as its next
# version.
set -euo pipefail
cd "$(dirname "$0")"
tags=()
for source in charts/* bases/*; do
  name=$(basename "$source") blueprint=blueprints/$(basename "$source")
  mkdir -p "$blueprint"
  case $source in
    charts/*) helm template "$name" "$source" --no-hooks > "$blueprint/resources.yaml" ;;
    bases/*) kustomize build "$source" > "$blueprint/resources.yaml" ;;
  esac
  printf 'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: %s\n' "$name" > "$blueprint/Kptfile"
  git add "$blueprint"
  if git diff --cached --quiet -- "$blueprint"; then
    continue
  fi
  last=$(git tag --list "$blueprint/v*" | sed 's,.*/v,,' | sort -n | tail -n 1)
  tag=$blueprint/v$((${last:-0} + 1))
  git commit -qm "Render $tag from $source"
  git tag "$tag"
  tags+=("$tag")
done
if ((${#tags[@]})); then
  git push -q --atomic origin HEAD:main "${tags[@]}"
  echo "published ${tags[*]}"
fi
