#!/bin/sh
# tests/sdk/ported/run.sh OPSRUN FLAGS...: builds the source with one line and runs the graph.
#
# FLAGS are options of `opsrun sdk`. With --absl, exits with 77 if abseil is not installed. The compiler must report nothing.
# SPDX-License-Identifier: Apache-2.0
set -u
opsrun=$1 here=$(dirname "$0")
shift
if [ "$*" != "--cflags" ] && ! pkg-config --exists absl_status 2> /dev/null; then
  echo "SKIPPED: abseil is not installed (libabsl-dev and pkg-config)"
  exit 77
fi
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
flags=$("$opsrun" sdk "$@") || exit 1
eval g++ -std=c++17 -O1 -Wall -shared '"$here/word_counts_op.cc"' -o '"$out/word_counts.so"' "$flags" > "$out/log" 2>&1 ||
  { cat "$out/log"; exit 1; }
[ -s "$out/log" ] && { echo "the compiler reports:"; cat "$out/log"; exit 1; }
got=$("$opsrun" run -q --no-default-plugins --plugins "$out" "$here/word_counts.yaml" 2>&1)
wanted='common.words  string [1]
['\''the'\'']
common.counts  int32 [1]
[3]
all.counts  int32 [5]
[1 1 1 1 3]'
[ "$got" = "$wanted" ] && exit 0
echo "expected:"; echo "$wanted"; echo "got:"; echo "$got"
exit 1
