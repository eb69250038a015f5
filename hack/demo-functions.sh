#!/usr/bin/env bash
# Shows the functions at work on their own: without kpt, a cluster or the network. It does what a runner of functions
# does, with the files of an example.
#
# usage: hack/demo-functions.sh FUNCTIONS_BIN
set -euo pipefail
cd "$(dirname "$0")/.."

bin=$(cd "$1" && pwd)
example=examples/variant-of-a-fleet
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# say TEXT writes a paragraph.
say() { printf '\n%s\n\n' "$1"; }

# items FILE... writes a ResourceList of files that have one resource each.
items() {
	printf 'apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n'
	local file
	for file in "$@"; do
		sed -e '1s/^/- /' -e '2,$s/^\(.\)/  \1/' "$file"
	done
}

# run FUNCTION CONFIG LIST runs a function over the items of a list, and writes the list
# that comes of it. Both lists have the items first, and nothing else matters of them.
run() {
	{
		sed '/^functionConfig:/,$d' "$3"
		echo 'functionConfig:'
		sed 's/^\(.\)/  \1/' "$2"
	} | "$bin/$1" | sed '/^functionConfig:/,$d;/^results:/,$d'
}

# item NAME LIST writes the PackageVariant of a list whose name begins so.
item() {
	awk -v name="$1" '
		/^- / { if (found) exit; text = "" }
		/^[- ] / { text = text substr($0, 3) "\n" }
		index($0, "    name: " name) == 1 { found = text ~ /kind: PackageVariant\n/ }
		END { if (found) printf "%s", text }' "$2"
}

# diff_of BEFORE AFTER shows what has changed, in colour on a terminal.
diff_of() {
	local colour=never
	[[ -t 1 && -z ${NO_COLOR-} ]] && colour=always
	git diff --no-index -U2 --color="$colour" "$1" "$2" | sed '/index [0-9a-f]*\.\./d;/^[^ ]*diff --git/d' || true
}

echo "# From a fleet to the package of one site, by functions alone"
say "A PackageVariantSet says which Repositories get a variant of a blueprint. expand-variantset makes the variants:"
items "$example"/cluster/default/*.yaml >"$work/cluster.yaml"
run expand-variantset "$example/set.yaml" "$work/cluster.yaml" >"$work/fleet.yaml"
item gateways-fra "$work/fleet.yaml" >"$work/variant.yaml"
grep -o '^    name: gateways-.*' "$work/fleet.yaml" | sed 's/^ *name: /  PackageVariant /'
say "The variant for Frankfurt is the config of the other functions. This is its spec:"
sed -n '/^spec:/,$p' "$work/variant.yaml" | sed 's/^/  /'

# A function writes items in the order and the style of its library, as a runner does not
# let users see: one that has nothing to do brings them into it before the first.
items "$example/blueprint/Kptfile" "$example"/blueprint/*.yaml "$example"/blueprint/regions/*.yaml >"$work/files.yaml"
printf 'apiVersion: fn.kpt.dev/v1alpha1\nkind: PrependPipeline\nmetadata:\n  name: nothing\n' >"$work/nothing.yaml"
run prepend-pipeline "$work/nothing.yaml" "$work/files.yaml" >"$work/blueprint.yaml"
step=$work/blueprint.yaml
for function in apply-package-context prepend-pipeline inject-config; do
	say "$function changes the package:"
	run "$function" "$work/variant.yaml" "$step" >"$work/$function.yaml"
	(cd "$work" && diff_of "$(basename "$step")" "$function.yaml")
	step=$work/$function.yaml
done

say "Run all three again: a second run changes nothing."
for function in apply-package-context prepend-pipeline inject-config; do
	run "$function" "$work/variant.yaml" "$step" >"$work/again.yaml"
	cmp "$step" "$work/again.yaml"
done
echo "  no byte has changed"
