#!/usr/bin/env bash
# Says what has to be built, about how long that takes on two cores with empty caches of
# Go, and if the disk may be too small. It says nothing when everything is there.
#
# usage: hack/announce.sh BINARY...
set -euo pipefail

# minutes NAME is what a binary takes when those before it have been built.
minutes() {
	case $1 in
	kube-apiserver) echo 5 ;;
	porch) echo 3 ;;
	kpt) echo 3 ;;
	sync-controller | promtool) echo 4 ;;
	*) echo 1 ;;
	esac
}

list='' total=0 advice=''
for binary in "$@"; do
	[[ -e $binary ]] && continue
	name=${binary##*/}
	list+="${list:+, }$name ($(minutes "$name") min)"
	total=$((total + $(minutes "$name")))
	[[ $name == kubectl ]] && advice=' A kubectl on the PATH that is not older would be used instead.'
done
[[ -z $list ]] && exit
cat <<END
== Building from source first: $list.
== This takes about $total minutes on two cores, once; the results stay in bin. A warm Go cache makes it faster.$advice
END
# What is compiled in three minutes takes about a gigabyte.
need=$((total / 3 + 1)) free=$(df -Pk . | awk 'NR == 2 { print int($4 / 1024 / 1024) }')
if ((free < need)); then
	echo "== The disk may be too small: $free GB are free, and this needs about $need GB with empty caches of Go."
fi
