#!/bin/sh
# compat/tests/every_header.sh SDK EIGEN COMPILER FLAGS...: one source that includes every header of headers.txt compiles without a warning.
#
# Left out: headers that stop the compiler with advice and, with -DOPSRUN_ABSL in FLAGS, the layer of abseil's names.
# Exits with 77 if the compiler or abseil is missing.
# no such compiler, or no abseil.
# SPDX-License-Identifier: Apache-2.0
set -u
sdk=$1 eigen=$2 compiler=$3
shift 3
command -v "$compiler" > /dev/null || { echo "SKIPPED: there is no $compiler"; exit 77; }
case "$*" in *OPSRUN_ABSL*)
  echo '#include "absl/status/status.h"' | "$compiler" -fsyntax-only -x c++ - 2> /dev/null ||
    { echo "SKIPPED: abseil is not installed (libabsl-dev)"; exit 77; } ;;
esac

headers() {
  (cd "$1" && find $2 -name '*.h' | LC_ALL=C sort | while read -r header; do
    grep -q '^#error' "$header" || echo "#include \"$header\""
  done)
}
{
  headers "$sdk/compat" "tensorflow tsl xla"
  case "$*" in *OPSRUN_ABSL*) ;; *) headers "$sdk/absl" absl ;; esac
} | "$compiler" -std=c++17 -O1 -Wall -Wextra -Werror -fsyntax-only -I"$sdk/include" -I"$sdk/compat" -isystem "$eigen" "$@" -x c++ -
