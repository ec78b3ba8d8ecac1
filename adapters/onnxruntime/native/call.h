// adapters/onnxruntime/native/call.h: the kernel of a node, and one execution of it on ONNX Runtime's tensors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "adapters/common/call.h"
#include "adapters/common/few.h"
#include "op.h"
#include "values.h"

namespace opsrun_onnx {

// The data types of a node. Nodes with the same types share one, which so stays in the processor's caches.
struct NodeTypes {
  std::vector<const DataType*> in, out;

  friend bool operator<(const NodeTypes& a, const NodeTypes& b) {
    return std::tie(a.in, a.out) < std::tie(b.in, b.out);
  }
};

class Kernel {
 public:
  // Throws Failure if the op refuses the node, or if there is no kernel for the CPU.
  Kernel(const Runtime& runtime, const OpSpec& spec, const OrtKernelInfo* info);

  const Runtime& runtime() const { return runtime_; }
  const OrtApi& api() const { return *runtime_.api; }
  const std::string& what() const { return what_; }  // "zero_out.ZeroOut (node 'y')"
  const opsrun_kernel_object* get() const { return kernel_.get(); }
  int32_t Compute(opsrun_call* call) const { return compute_(object_, call); }
  const opsrun_typed_op_info& op() const { return *opsrun_typed_op_get(typed_.get()); }
  const NodeTypes& types() const { return *types_; }

 private:
  const Runtime runtime_;
  const NodeTypes* types_ = nullptr;
  int32_t (*compute_)(void* object, opsrun_call* call) = nullptr;
  void* object_ = nullptr;
  opsrun_adapter::OwnedKernel kernel_;
  std::string what_;
  opsrun_adapter::OwnedTypedOp typed_;
};

class Call : public opsrun_adapter::Frame {
 public:
  using Temporary = opsrun_adapter::Temporary<Owner>;

  // Both must outlive this object.
  Call(const Kernel& kernel, OrtKernelContext* context);

  // Throws Failure.
  void Run();

  // Slots of the host's table.
  int32_t AllocateOutput(uint32_t i, int32_t rank, const int64_t* dims, opsrun_tensor** view);
  int32_t SetOutput(uint32_t i, const opsrun_tensor* t);
  int32_t AllocateTemp(int32_t dtype, int32_t rank, const int64_t* dims, const opsrun_tensor** t);
  static int32_t Keep(const opsrun_tensor& t, const opsrun_tensor** kept);
  int32_t ParallelFor(int64_t n, int64_t unit_cost_ns, opsrun_range_fn fn, void* ctx);
  int32_t NumThreads() const;
  int32_t CurrentThread() const;
  static int32_t AssignString(const opsrun_tensor* t, uint64_t i, const char* p, uint64_t n);

 private:
  void ShowInput(uint32_t i);
  std::string OutputName(uint32_t i) const;

  const Kernel& kernel_;
  const NodeTypes& types_;
  OrtKernelContext* const context_;
  opsrun_adapter::Few<View> inputs_, outputs_;
  opsrun_adapter::Few<const opsrun_tensor*> in_;
  opsrun_adapter::Few<opsrun_tensor*> out_;
  opsrun_adapter::Room<int64_t> sizes_;
  std::vector<std::unique_ptr<Owner>> unused_;  // outputs that the model does not name
};

// The functions that kernels call. Lives as long as the process.
const opsrun_host* MakeTable(const opsrun_engine* engine);

}  // namespace opsrun_onnx
