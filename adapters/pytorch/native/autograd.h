// adapters/pytorch/native/autograd.h: the kernel that PyTorch calls before all others, to record an op's gradient.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/boxing/KernelFunction.h>

#include <memory>

#include "gradients.h"
#include "op.h"

namespace opsrun_torch {

// A kernel for PyTorch's dispatch key Autograd.
class AutogradKernel : public c10::OperatorKernel {
 public:
  AutogradKernel(std::shared_ptr<Op> op, FindOperator find) : op_(std::move(op)), find_(std::move(find)) {}
  void operator()(const c10::OperatorHandle& handle, c10::DispatchKeySet keys, torch::jit::Stack* stack);

 private:
  void CheckAttrs(const torch::jit::Stack& stack) const;
  void CallBelow(const c10::OperatorHandle& handle, c10::DispatchKeySet keys, torch::jit::Stack& stack);
  void Record(const c10::OperatorHandle& handle, c10::DispatchKeySet keys, torch::jit::Stack& stack,
              const std::vector<at::Tensor>& inputs);

  const std::shared_ptr<Op> op_;
  const FindOperator find_;
};

}  // namespace opsrun_torch
