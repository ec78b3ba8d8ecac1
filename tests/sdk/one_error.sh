#!/bin/sh
# tests/sdk/one_error.sh COMPILER SDK SOURCE: the source does not compile, and the only error but for the stop says what opsrun has not.
# SPDX-License-Identifier: Apache-2.0
set -u
errors=$("$1" -std=c++17 -fsyntax-only -I"$2/include" -I"$2/tensorflow_compat" "$3" 2>&1 | grep -E 'error: ' |
  grep -vE '^ |stop_after_the_error_above|generated\.$')
echo "$errors"
[ "$(echo "$errors" | wc -l)" -eq 1 ] && echo "$errors" | grep -q 'opsrun has no '
