// plugins/pad/pad_ops_test.h: the ops of this plugin as a host sees them: shape functions and kernels, called through
// the plugin's table.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tests/sdk/fake_shape_call.h"
#include "tests/sdk/own_plugin.h"

namespace pad_test {

using opsrun_test::FakeCall;
using opsrun_test::FakeCreate;
using opsrun_test::FakeHost;
using opsrun_test::FakeShapeCall;
using opsrun_test::Refusal;
using opsrun_test::Told;
using Sizes = std::vector<int64_t>;
using Strings = std::vector<std::string>;

inline constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();

inline std::string BadPaddings(const std::string& sentence) {
  return Refusal("input:paddings", sentence);
}

class OpFixture : public testing::Test {
 protected:
  // `mode`: that of MirrorPad.
  explicit OpFixture(std::string op, std::string mode = "") : op_(std::move(op)), mode_(std::move(mode)) {}

  const opsrun_op* Op() { return opsrun_test::FindOp(host_, op_); }
  const opsrun_kernel* KernelFor(int32_t dtype) { return opsrun_test::FindKernel(host_, op_, dtype); }

  bool HasAKernelForEveryNumberAndBool() {
    for (int32_t dtype :
         {OPSRUN_DT_FLOAT, OPSRUN_DT_DOUBLE, OPSRUN_DT_HALF, OPSRUN_DT_BFLOAT16, OPSRUN_DT_INT8, OPSRUN_DT_INT16,
          OPSRUN_DT_INT32, OPSRUN_DT_INT64, OPSRUN_DT_UINT8, OPSRUN_DT_UINT16, OPSRUN_DT_UINT32, OPSRUN_DT_UINT64,
          OPSRUN_DT_COMPLEX64, OPSRUN_DT_COMPLEX128, OPSRUN_DT_BOOL}) {
      if (KernelFor(dtype) == nullptr) return false;
    }
    return true;
  }

  // The output's shape, or the sentence that says why not, with what it blames.
  std::string Infer(FakeShapeCall& call) {
    if (!mode_.empty()) call.attrs.String("mode", mode_);
    call.InArg("input", 1).InArg("paddings", 1);
    if (op_ == "PadV2") call.InArg("constant_values", 1);
    const int32_t code = Op()->shape(Op()->shape_ctx, call.OutArg("output", 1).handle());
    return code == OPSRUN_OK ? call.Outputs() : Told(call.failure());
  }
  std::string Infer(const std::string& shapes) {
    FakeShapeCall call(host_, shapes);
    return Infer(call);
  }
  template <typename Int>
  std::string Infer(const std::string& shapes, const std::vector<Int>& paddings) {
    FakeShapeCall call(host_, shapes);
    call.Value(1, {static_cast<int64_t>(paddings.size()) / 2, 2}, paddings);
    return Infer(call);
  }

  // Runs the kernel for `dtype`: "ok", or why not.
  std::string Run(FakeCall& call, int32_t dtype) {
    FakeCreate create(host_, op_);
    if (!mode_.empty()) create.attrs.String("mode", mode_);
    create.In("input", dtype).In("paddings", OPSRUN_DT_INT32);
    if (op_ == "PadV2") create.In("constant_values", dtype);
    create.Out("output", dtype);
    return opsrun_test::RunOnce(KernelFor(dtype), create, call.Out(dtype));
  }
  template <typename T>
  std::string Run(FakeCall& call) {
    return Run(call, opsrun_test::kDtypeOf<T>);
  }
  // On an int32 input of any values.
  template <typename Int>
  std::string RunOn(const Sizes& shape, const Sizes& paddings_shape, const std::vector<Int>& paddings) {
    FakeCall call(host_);
    return Run<int32_t>(call.In<int32_t>(shape, {}).In<Int>(paddings_shape, paddings));
  }

  std::string op_, mode_;
  FakeHost host_;
};

// From here on the host's loops run from their last part to their first, in odd parts, as if on 4 threads.
inline void CutLoops(const FakeHost& host) {
  auto* table = const_cast<opsrun_host*>(host.table());
  table->num_threads = [](opsrun_call*) -> int32_t { return 4; };
  table->parallel_for = [](opsrun_call*, int64_t n, int64_t, opsrun_range_fn fn, void* ctx) -> int32_t {
    for (int64_t end = n, step = 1; end > 0; end -= step, step = end < 3 ? end : 3) {
      const int32_t code = fn(ctx, end - step, end);
      if (code != OPSRUN_OK) return code;
    }
    return OPSRUN_OK;
  };
}

}  // namespace pad_test
