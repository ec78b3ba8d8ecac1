// tests/adapters/adapter_ops.h: what the plugins of these tests share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "opsrun/common_shape_fns.h"
#include "opsrun/mutex.h"
#include "opsrun/op.h"
#include "opsrun/op_kernel.h"
#include "opsrun/plugin.h"
#include "opsrun/resource_mgr.h"
#include "opsrun/shard.h"

namespace {

using namespace opsrun;
using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// Writes `values` as output 0.
[[maybe_unused]] void Give(OpKernelContext* context, const std::vector<double>& values) {
  Tensor* output = nullptr;
  OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape({static_cast<int64>(values.size())}), &output));
  auto flat = output->flat<double>();
  for (size_t i = 0; i < values.size(); ++i) flat(static_cast<int64>(i)) = values[i];
}
// Writes a scalar as output 0.
template <typename T>
void GiveNumber(OpKernelContext* context, T value) {
  Tensor* output = nullptr;
  OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape({}), &output));
  output->scalar<T>()() = value;
}

// A kernel without attrs.
template <void (*kCompute)(OpKernelContext* context)>
class Plain : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override { kCompute(context); }
};

}  // namespace
