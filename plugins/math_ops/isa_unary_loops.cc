// plugins/math_ops/isa_unary_loops.cc: the loops of unary_loops.h for one instruction set.
// SPDX-License-Identifier: Apache-2.0
#define MATH_OPS_ISA MATH_OPS_SET
#include "unary_loops_impl.h"
