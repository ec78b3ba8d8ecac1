#!/bin/sh
# tests/sdk/one_error.sh COMPILER SDK SOURCE: the source does not compile, and the only error says what opsrun does not
# support. Exits with 77 if the compiler is missing.
# SPDX-License-Identifier: Apache-2.0
set -u
command -v "$1" > /dev/null || { echo "SKIPPED: there is no $1"; exit 77; }
errors=$("$1" -std=c++17 -fsyntax-only -I"$2/include" -I"$2/compat" "$3" 2>&1 | grep 'error: ')
echo "$errors"
[ "$(echo "$errors" | wc -l)" -eq 1 ] && echo "$errors" | grep -q 'opsrun has no '
