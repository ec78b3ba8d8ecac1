// tensorflow/core/framework/reader_op_kernel.h: not there; the error says what to do instead.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#error "opsrun has no tensorflow/core/framework/reader_op_kernel.h: a graph has no data sets and readers; write an op that returns the tensors, or read the data outside of the graph"
#include "opsrun_compat/stop_after_the_error_above.h"
