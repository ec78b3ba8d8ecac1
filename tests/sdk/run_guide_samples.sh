#!/bin/sh
# tests/sdk/run_guide_samples.sh OPSRUN FOLDER: the guide's samples, unchanged, each a plugin in a directory of its own, as users build them.
#
# `opsrun inspect` must name every op of a sample; those with CPU kernels must compute what the guide says. Exits with 77 if there is no
# such folder.
# SPDX-License-Identifier: Apache-2.0
set -u
opsrun=$1 folder=${OPSRUN_GUIDE_SAMPLES:-$2}
[ -n "$folder" ] && [ -d "$folder" ] || { echo "SKIPPED: there is no folder '$folder'"; exit 77; }
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
failed=0
complain() {
  echo "$*"
  failed=1
}

# run SAMPLE OP ATTRS EXPECTED: the op on [7, 8, 9]
run() {
  printf 'opsrun: 1\nfeeds: {x: {value: [7, 8, 9], dtype: int32}}\nnodes: {z: {op: %s, in: x, attrs: {%s}}}\noutputs: [z]\n' \
    "$2" "$3" > "$out/graph.yaml"
  got=$("$opsrun" run -q --no-default-plugins --plugins "$out/$1" "$out/graph.yaml" 2>&1 | tail -n 1)
  [ "$got" = "$4" ] || complain "$1: expected $4, got $got"
}

for source in "$folder"/*.cc; do
  case $source in *.cu.cc) continue ;; esac
  name=$(basename "$source" .cc)
  mkdir "$out/$name"
  eval g++ -std=c++17 -O1 -shared '"$source"' -o '"$out/$name/$name.so"' "$("$opsrun" sdk --cflags)" 2> "$out/log" ||
    { complain "$name does not compile"; cat "$out/log"; continue; }
  for op in $(sed -n 's/^REGISTER_OP("\([^"]*\)").*/\1/p' "$source"); do
    "$opsrun" inspect "$out/$name/$name.so" | grep -q "^  op $op\$" || complain "$name: inspect does not list $op"
  done
done

for name in zero_out zero_out_macro zero_out_preserve_index_default zero_out_real_number zero_out_template zero_out_two_classes \
  zero_out_vector zero_out_vector_at_run; do
  run "$name" ZeroOut '' '[7 0 0]'
done
run zero_out_preserve_index ZeroOut 'preserve_index: 1' '[0 8 0]'
run kernel_example Example '' '[14 16 18]'
exit $failed
