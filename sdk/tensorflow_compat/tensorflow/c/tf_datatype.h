// tensorflow/c/tf_datatype.h: not there; the error says what to do instead.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun has no tensorflow/c/tf_datatype.h: write the op in C++ with tensorflow/core/framework/op_kernel.h, or in C as in docs/write_an_op_in_c.md"
