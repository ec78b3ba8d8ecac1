// tests/adapters/adapter_ops.h: what the sources of this plugin share.
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
void Give(OpKernelContext* context, const std::vector<double>& values) {
  Tensor* output = nullptr;
  OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape({static_cast<int64>(values.size())}), &output));
  auto flat = output->flat<double>();
  for (size_t i = 0; i < values.size(); ++i) flat(static_cast<int64>(i)) = values[i];
}

}  // namespace
