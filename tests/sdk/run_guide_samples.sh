#!/bin/sh
# tests/sdk/run_guide_samples.sh OPSRUN SDK EIGEN COMPILER FLAGS...: the guide's samples, unchanged, are built, checked and
# run, each in its own directory.
#
# `opsrun test` must find nothing, `opsrun inspect` must list every op of a sample, and `opsrun explain` must describe the
# spec as the guide does; samples with CPU kernels must compute the guide's results. They are in the folder
# OPSRUN_GUIDE_SAMPLES; exits with 77 if it is not set.
# SPDX-License-Identifier: Apache-2.0
set -u
opsrun=$1 sdk=$2 eigen=$3 folder=${OPSRUN_GUIDE_SAMPLES-}
shift 3
[ -n "$folder" ] || { echo "SKIPPED: OPSRUN_GUIDE_SAMPLES is not set"; exit 77; }
[ -d "$folder" ] || { echo "there is no folder '$folder'"; exit 1; }
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
failed=0
KEEP_PLUGINS=$out "$(dirname "$0")/build_plugins.sh" "$sdk" "$eigen" "" "$@" || failed=1
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
  for op in $(sed -n 's/^REGISTER_OP("\([^"]*\)").*/\1/p' "$source"); do
    "$opsrun" inspect "$out/$name/$name.so" | grep -q "^  op $op\$" || complain "$name: inspect does not list $op"
  done
  "$opsrun" test "$out/$name/$name.so" > "$out/said" 2>&1 || { complain "$name: opsrun test finds:"; cat "$out/said"; }
done

for name in zero_out zero_out_macro zero_out_preserve_index_default zero_out_real_number zero_out_template zero_out_two_classes \
  zero_out_vector zero_out_vector_at_run; do
  run "$name" ZeroOut '' '[7 0 0]'
done
run zero_out_preserve_index ZeroOut 'preserve_index: 1' '[0 8 0]'
run kernel_example Example '' '[14 16 18]'

# says SAMPLE OP LINE...: each line is in the output of explain for the op, ignoring leading and repeated spaces.
says() {
  sample=$1 op=$2
  shift 2
  "$opsrun" explain --no-default-plugins --plugins "$out/$sample" "$op" 2>&1 | sed 's/^ *//; s/  */ /g' > "$out/said"
  for line in "$@"; do
    grep -qxF -- "$line" "$out/said" || { complain "$sample: explain $op does not say '$line':"; cat "$out/said"; }
  done
}

numbers='float32, float64, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, uint16, complex128, float16, uint32, uint64'
real_numbers='float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64'

says attr_specs EnumExample "e string, one of 'apple', 'orange'; required"
says attr_specs RestrictedTypeExample 't type, one of int32, float32, bool; required'
says attr_specs NumberType "t type, one of $numbers; required"
says attr_specs NumberOrBooleanType "t type, one of $numbers, bool; required"
says attr_specs MinIntExample 'a int, 2 or more; required'
says attr_specs TypeListExample 'a list(type), 3 values or more, each one of int32, float32; required' \
  'node: {op: TypeListExample, attrs: {a: [<type>, ...]}}'
says attr_specs AttrDefaultExample 'i int; default 0' 'node: {op: AttrDefaultExample}'
says attr_specs AttrConstraintAndDefaultExample 'i int, 1 or more; default 1'
says attr_specs AttrDefaultExampleForAllTypes "s string; default 'foo'" 'i int; default 0' 'f float; default 1' 'b bool; default true' \
  'ty type; default int32' 'sh shape; default [1, 2]' 'te tensor; default int32 5' 'l_empty list(int); default []' \
  'l_int list(int); default [2, 3, 5, 7]'

says io_specs BuiltInTypesExample 'integers int32' 'complex_numbers complex64'
says io_specs PolymorphicSingleInput 'in T' "T type; inferred from input 'in'"
says io_specs RestrictedPolymorphicSingleInput "T type, one of int32, int64; inferred from input 'in'"
says io_specs ArbitraryTensorSequenceExample 'in T, a list' 'out T, a list' "T list(type), 1 value or more; inferred from input 'in'"
says io_specs RestrictedTensorSequenceExample "T list(type), 1 value or more, each one of int32, int64; inferred from input 'in'"
says io_specs Int32SequenceExample 'in NumTensors * int32, a list' "NumTensors int, 1 or more; inferred from input 'in'"
says io_specs SameTypeSequenceExample 'in NumTensors * T, a list' "NumTensors int, 1 or more; inferred from input 'in'" "T type; inferred from input 'in'"

says list_specs PolymorphicListExample 'in T, a list' 'out T, a list'
says list_specs ListTypeRestrictionExample "T list(type), 1 value or more, each one of float32, float64; inferred from input 'in'"
says list_specs IntListInputExample 'in N * int32, a list' 'out int32' "N int, 1 or more; inferred from input 'in'"
says list_specs SameListInputExample 'in N * T, a list' 'out T'
says list_specs MinLengthIntListExample "N int, 2 or more; inferred from input 'in'"
says list_specs MinimumLengthPolymorphicListExample "T list(type), 3 values or more; inferred from input 'in'"
says list_specs MultipleInsAndOuts 'MultipleInsAndOuts(y: int32, z: float32) -> (a: string, b: int32)'

says general_unary_v1 MyGeneralUnaryOp 'MyGeneralUnaryOp(in: float32) -> (out: float32)'
says general_unary_v2 MyGeneralUnaryOp 'MyGeneralUnaryOp(in: T) -> (out: T); T: numbertype = float32'
says string_to_number StringToNumber 'Converts each string in the input Tensor to the specified numeric type.' \
  'out_type type, one of float32, int32; default float32'
says shape_fn_matrix RowsByThree 'in float32' 'out float32'
says zero_out_preserve_index ZeroOut 'preserve_index int; required'
says zero_out_preserve_index_default ZeroOut 'preserve_index int; default 0'
says zero_out_template ZeroOut "T type, one of float32, float64, int32; inferred from input 'to_zero'" 'cpu T in {float32, float64, int32}'
says zero_out_real_number ZeroOut "T type, one of $real_numbers; inferred from input 'to_zero'"
says kernel_example Example 'input T' 'input_times_two T' 'cpu T in {float32, int32}'
exit $failed
