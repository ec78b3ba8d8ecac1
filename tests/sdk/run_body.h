// tests/sdk/run_body.h: runs a lambda as the Compute, or the constructor, of a kernel on a TestHost.
//
//   BodyTest t;
//   t.create.In("x", OPSRUN_DT_INT32).Out("y", OPSRUN_DT_INT32);
//   t.call.In<int32_t>({2}, {7, 8}).Planned(OPSRUN_DT_INT32, {2});
//   t.Computes([](OpKernelContext* context) { ... });
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "opsrun/op_kernel.h"
#include "tests/sdk/test_host.h"

namespace opsrun_test {

using namespace opsrun;  // NOLINT: as plugins do

inline thread_local std::function<void(OpKernelConstruction*)> construct_body;
inline thread_local std::function<void(OpKernelContext*)> compute_body;

class BodyOp : public OpKernel {
 public:
  explicit BodyOp(OpKernelConstruction* context) : OpKernel(context) {
    if (construct_body) construct_body(context);
  }
  void Compute(OpKernelContext* context) override { compute_body(context); }
};

// "", or "code: message [subject]".
inline std::string Describe(int32_t code, const Failure& failure) {
  if (code == OPSRUN_OK) return "";
  EXPECT_EQ(code, failure.code) << failure.text;
  const std::string subject = failure.subject.empty() ? "" : " [" + failure.subject + "]";
  return internal::StrCat(code, ": ", failure.text, subject);
}

// Allocates the output with the shape; fails the call if it cannot.
template <typename Output>
Tensor* NewOutput(OpKernelContext* context, Output output, const TensorShape& shape) {
  Tensor* made = nullptr;
  const Status status = context->allocate_output(output, shape, &made);
  if (!status.ok()) internal::Fail(status);
  return made;
}

struct BodyTest {
  TestHost host;
  TestCreate create{host};
  TestCall call{host};

  std::string Construct(std::function<void(OpKernelConstruction*)> body) {
    construct_body = std::move(body);
    void* kernel = nullptr;
    const int32_t code = create.Run(&internal::CreateKernel<BodyOp>, nullptr, &kernel);
    construct_body = nullptr;
    EXPECT_EQ(kernel == nullptr, code != OPSRUN_OK);
    if (kernel != nullptr) internal::DestroyKernel(kernel);
    return Describe(code, create.failure());
  }

  std::string Compute(std::function<void(OpKernelContext*)> body) {
    compute_body = std::move(body);
    const std::string failure = ComputeOf<BodyOp>();
    compute_body = nullptr;
    return failure;
  }
  // The same for another class of kernels.
  template <typename Kernel>
  std::string ComputeOf() {
    void* kernel = nullptr;
    EXPECT_EQ(create.Run(&internal::CreateKernel<Kernel>, nullptr, &kernel), OPSRUN_OK);
    const int32_t code = call.Run(&internal::ComputeKernel, kernel);
    internal::DestroyKernel(kernel);
    return Describe(code, call.failure());
  }

  // The same with checks: "13:" matches any failure with that code, "13: No ..." any whose message starts so.
  void Constructs(std::function<void(OpKernelConstruction*)> body) { ConstructFails("", std::move(body)); }
  void Computes(std::function<void(OpKernelContext*)> body) { ComputeFails("", std::move(body)); }
  void ConstructFails(const std::string& failure, std::function<void(OpKernelConstruction*)> body) {
    ExpectFailure(failure, Construct(std::move(body)));
  }
  void ComputeFails(const std::string& failure, std::function<void(OpKernelContext*)> body) {
    ExpectFailure(failure, Compute(std::move(body)));
  }
  static void ExpectFailure(std::string expected, const std::string& found) {
    const bool has_dots = expected.size() > 3 && expected.compare(expected.size() - 3, 3, "...") == 0;
    if (has_dots) expected.resize(expected.size() - 3);
    const bool is_start = has_dots || (!expected.empty() && expected.back() == ':');
    EXPECT_EQ(is_start ? found.substr(0, expected.size()) : found, expected);
  }
};

}  // namespace opsrun_test
