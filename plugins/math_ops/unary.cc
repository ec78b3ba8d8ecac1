// plugins/math_ops/unary.cc: see unary.h.
// SPDX-License-Identifier: Apache-2.0
#include "unary.h"

#include "output.h"
#include "parallel.h"

namespace math_ops {

using namespace opsrun;

void UnaryKernel::Compute(OpKernelContext* context) {
  const Tensor& input = context->input(0);
  Tensor* output = nullptr;
  OP_REQUIRES_OK(context, MakeOutput(context, {0}, input.shape(), &output));
  const char* const in = static_cast<const char*>(input.data());
  char* const out = static_cast<char*>(output->data());
  const int64 in_size = DataTypeSize(input_type(0)), out_size = DataTypeSize(output_type(0));
  ForElements(context, input.NumElements(), picoseconds_,
              [&](int64 begin, int64 end) { loop_(in + begin * in_size, out + begin * out_size, end - begin); });
}

}  // namespace math_ops
