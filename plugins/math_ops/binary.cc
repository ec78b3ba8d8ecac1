// plugins/math_ops/binary.cc: see binary.h.
// SPDX-License-Identifier: Apache-2.0
#include "binary.h"

namespace math_ops {

namespace {

Walk WalkOf(const Run& run) {
  if (run.walks[0] == run.walks[1]) return Walk::kBoth;  // neither advances: the run has one element
  return run.walks[0] ? Walk::kX : Walk::kY;
}

}  // namespace

void BinaryKernel::Compute(OpKernelContext* context) {
  if (context->input(0).IsSameSize(context->input(1))) return ComputeInStep(context);
  Broadcast broadcast;
  OP_REQUIRES_OK(context, broadcast.Make({context->input(0).shape(), context->input(1).shape()}));
  ComputeBroadcast(context, broadcast, broadcast.shape());
}

void BinaryKernel::ComputeBroadcast(OpKernelContext* context, const Broadcast& broadcast, const TensorShape& shape) {
  Tensor* output = nullptr;
  OP_REQUIRES_OK(context, MakeOutput(context, {0, 1}, shape, &output));
  const char* const x = static_cast<const char*>(context->input(0).data());
  const char* const y = static_cast<const char*>(context->input(1).data());
  char* const out = static_cast<char*>(output->data());
  const int64 in_size = DataTypeSize(input_type(0)), out_size = DataTypeSize(output_type(0));
  FirstProblem first;
  const auto run_blocks = [&](int64 begin, int64 end) {
    constexpr int64 kBlock = 1024;
    alignas(64) char x_block[kBlock * sizeof(complex128)], y_block[sizeof(x_block)];
    for (; begin < end; begin += kBlock) {
      const int64 n = std::min(kBlock, end - begin);
      const int64 done = loop_(Walk::kBoth, broadcast.Read(0, begin, n, in_size, x, x_block),
                               broadcast.Read(1, begin, n, in_size, y, y_block), out + begin * out_size, n);
      if (done < n) first.Found(begin + done);
    }
  };
  ForElements(context, shape.num_elements(), picoseconds_, [&](int64 begin, int64 end) {
    if (broadcast.has_short_runs()) return run_blocks(begin, end);
    broadcast.ForRuns(begin, end, [&](const Run& run) {
      const int64 done =
          loop_(WalkOf(run), x + run.at[0] * in_size, y + run.at[1] * in_size, out + run.out * out_size, run.n);
      if (done < run.n) first.Found(run.out + done);
    });
  });
  OP_REQUIRES(context, first.none(), first.ToStatus(problem_, shape));
}

// The most frequent case; it does not need a Broadcast.
void BinaryKernel::ComputeInStep(OpKernelContext* context) {
  const Tensor &x = context->input(0), &y = context->input(1);
  Tensor* output = nullptr;
  OP_REQUIRES_OK(context, MakeOutput(context, {0, 1}, x.shape(), &output));
  const auto *const xs = static_cast<const char*>(x.data()), *const ys = static_cast<const char*>(y.data());
  char* const out = static_cast<char*>(output->data());
  const int64 in_size = DataTypeSize(input_type(0)), out_size = DataTypeSize(output_type(0));
  FirstProblem first;
  ForElements(context, output->NumElements(), picoseconds_, [&](int64 begin, int64 end) {
    const int64 n = end - begin;
    const int64 done = loop_(Walk::kBoth, xs + begin * in_size, ys + begin * in_size, out + begin * out_size, n);
    if (done < n) first.Found(begin + done);
  });
  OP_REQUIRES(context, first.none(), first.ToStatus(problem_, output->shape()));
}

}  // namespace math_ops
