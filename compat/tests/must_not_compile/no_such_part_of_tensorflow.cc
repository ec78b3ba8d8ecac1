// compat/tests/must_not_compile/no_such_part_of_tensorflow.cc: a header that the SDK cannot have; the error says what to
// do. SPDX-License-Identifier: Apache-2.0
#include "tensorflow/core/framework/dataset.h"

class ReadOp : public tensorflow::DatasetOpKernel {};
