// plugins/list_ops/list_ops_test.h: the ops of this plugin as a host sees them: shape functions and kernels, called
// through the plugin's table.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/sdk/fake_shape_call.h"
#include "tests/sdk/own_plugin.h"

namespace list_ops_test {

using opsrun_test::FakeAttrs;
using opsrun_test::FakeCall;
using opsrun_test::FakeCreate;
using opsrun_test::FakeHost;
using opsrun_test::FakeShapeCall;
using opsrun_test::Refusal;
using opsrun_test::Told;
using Sizes = std::vector<int64_t>;

class OpFixture : public testing::Test {
 protected:
  // `input`: the argument that is a list, or the only one.
  OpFixture(std::string op, std::string input, std::string output)
      : op_(std::move(op)), input_(std::move(input)), output_(std::move(output)) {}

  const opsrun_op* Op() { return opsrun_test::FindOp(host_, op_); }
  const opsrun_kernel* KernelFor(int32_t dtype) { return opsrun_test::FindKernel(host_, op_, dtype); }

  bool HasAKernelForEveryNumber() {
    for (int32_t dtype : {OPSRUN_DT_FLOAT, OPSRUN_DT_DOUBLE, OPSRUN_DT_HALF, OPSRUN_DT_BFLOAT16, OPSRUN_DT_INT8,
                          OPSRUN_DT_INT16, OPSRUN_DT_INT32, OPSRUN_DT_INT64, OPSRUN_DT_UINT8, OPSRUN_DT_UINT16,
                          OPSRUN_DT_UINT32, OPSRUN_DT_UINT64, OPSRUN_DT_COMPLEX64, OPSRUN_DT_COMPLEX128}) {
      if (KernelFor(dtype) == nullptr) return false;
    }
    return true;
  }

  // The outputs' shapes, or the sentence that says why not, with what it blames.
  std::string Infer(FakeShapeCall& call, uint32_t inputs, uint32_t outputs = 1) {
    call.InArg(input_, inputs, OPSRUN_ARG_LIST).OutArg(output_, outputs, OPSRUN_ARG_LIST);
    const int32_t code = Op()->shape(Op()->shape_ctx, call.handle());
    return code == OPSRUN_OK ? call.Outputs() : Told(call.failure());
  }

  // Runs the kernel for `dtype` on what the call has: "ok", or why not.
  std::string Run(FakeCall& call, int32_t dtype, const std::function<void(FakeAttrs&)>& set_attrs = nullptr) {
    FakeCreate create(host_, op_);
    const opsrun_call* frame = call.frame();
    create.InList(input_, std::vector<int32_t>(frame->n_in, dtype));
    create.OutList(output_, std::vector<int32_t>(frame->n_out, dtype));
    if (set_attrs) set_attrs(create.attrs);
    return opsrun_test::RunOnce(KernelFor(dtype), create, call);
  }

  std::string op_, input_, output_;
  FakeHost host_;
};

}  // namespace list_ops_test
