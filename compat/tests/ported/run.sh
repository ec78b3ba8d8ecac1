#!/bin/sh
# compat/tests/ported/run.sh OPSRUN NAME FLAGS...: builds NAME_op.cc with one command, runs NAME.yaml, and compares with
# NAME.out.
#
# FLAGS are options of `opsrun sdk`. With --absl, exits with 77 if abseil is not installed. The compiler must not print
# anything.
# SPDX-License-Identifier: Apache-2.0
set -u
opsrun=$1 name=$2 here=$(dirname "$0")
shift 2
if [ "$*" != "--cflags" ] && ! pkg-config --exists absl_status 2> /dev/null; then
  echo "SKIPPED: abseil is not installed (libabsl-dev and pkg-config)"
  exit 77
fi
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
flags=$("$opsrun" sdk "$@") || exit 1
eval g++ -std=c++17 -O1 -Wall -shared '"$here/${name}_op.cc"' -o '"$out/$name.so"' "$flags" > "$out/log" 2>&1 ||
  { cat "$out/log"; exit 1; }
[ -s "$out/log" ] && { echo "the compiler reports:"; cat "$out/log"; exit 1; }
"$opsrun" run -q --no-default-plugins --plugins "$out" "$here/$name.yaml" > "$out/got" 2>&1
diff "$here/$name.out" "$out/got"
