#!/bin/sh
# tests/sdk/path_with_space.sh OPSRUN SHARE SOURCE: an SDK in a folder with a space and a quote in its name. The command
# of the README cannot work there, but the alternative in the note on stderr does.
# SPDX-License-Identifier: Apache-2.0
set -u
opsrun=$1 share=$2 source=$3
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
prefix="$out/the author's tools"
mkdir -p "$prefix/bin" && cp "$opsrun" "$prefix/bin" && ln -s "$share" "$prefix/share" && cp "$source" "$out/my_op.cc" || exit 1
cd "$out" || exit 1
PATH="$prefix/bin:$PATH"

opsrun sdk --cflags > flags 2> note
grep -q 'contains spaces' note || { echo "no note about the space:"; cat note; exit 1; }
sed -n 's/.*eval: //p' note > build.sh
sh ./build.sh 2> log || { echo "what the note says does not work:"; cat note log; exit 1; }
opsrun inspect my_op.so || exit 1
# Compilers read the same flags from a file.
g++ -std=c++17 -shared my_op.cc -o from_file.so @flags && opsrun inspect from_file.so || exit 1
# An SDK in a plain folder needs no note.
case $opsrun in
*[!a-zA-Z0-9/._-]*) ;;
*) "$opsrun" sdk --cflags 2>&1 > flags | grep . && { echo "a note without a reason"; exit 1; } ;;
esac
exit 0
