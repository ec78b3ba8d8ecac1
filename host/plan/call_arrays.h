// host/plan/call_arrays.h: a node's attrs and arguments as structs of c_api.h. Private to plan, run and testing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "host/base/status.h"
#include "host/plan/plan.h"
#include "host/spec/infer_attrs.h"
#include "host/spec/op_def.h"
#include "host/tensor/resources.h"
#include "host/tensor/tensor.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// A read-only view of a host tensor. It is planned memory, so retaining it makes a copy.
class TensorView {
 public:
  explicit TensorView(const opsrun_host* host);  // without a tensor: rank -1
  TensorView(const Tensor& tensor, const opsrun_host* host) : TensorView(host) { Set(tensor); }
  TensorView(const TensorView&) = delete;
  void Set(const Tensor& tensor);
  // A view of memory that must outlive it: dense, row-major, aligned for its elements. shape is copied.
  void Borrow(DType dtype, int32_t rank, const int64_t* shape, void* data);
  const opsrun_tensor* get() const { return &view_; }

 private:
  Tensor tensor_;               // keeps the bytes alive, unless they are borrowed
  std::vector<int64_t> sizes_;  // shape, then strides
  opsrun_tensor view_{};
};

// The arrays that create and shape calls borrow; they live as long as this object, which `op` and `signature` must
// outlive.
class CallArrays {
 public:
  CallArrays(const spec::OpDef& op, const spec::Signature& signature, const std::vector<std::string>& host_memory,
             const opsrun_host* host);
  CallArrays(const CallArrays&) = delete;

  const std::vector<opsrun_attr>& attrs() const { return attrs_; }
  const std::vector<opsrun_arg>& in_args() const { return in_args_; }
  const std::vector<opsrun_arg>& out_args() const { return out_args_; }
  // Sets the attrs and arguments of an opsrun_create, opsrun_shape_call or opsrun_typed_op_info.
  template <typename Call>
  void Fill(Call& call) const {
    call.attrs = attrs_.data();
    call.in_args = in_args_.data();
    call.out_args = out_args_.data();
    call.n_attrs = static_cast<uint32_t>(attrs_.size());
    call.n_in_args = static_cast<uint32_t>(in_args_.size());
    call.n_out_args = static_cast<uint32_t>(out_args_.size());
  }

 private:
  opsrun_attr Attr(const std::string& name, const spec::AttrValue& value);

  const opsrun_host* host_;
  std::vector<opsrun_attr> attrs_;
  std::vector<opsrun_arg> in_args_;
  std::vector<opsrun_arg> out_args_;
  std::deque<std::vector<opsrun_str>> strings_;
  std::deque<std::vector<opsrun_partial>> shapes_;
  std::deque<std::vector<const opsrun_tensor*>> tensor_lists_;
  std::deque<TensorView> tensors_;
};

inline opsrun_str Str(const std::string& text) {
  return {text.data(), text.size()};
}

// Writes the dense row-major strides of `shape`.
void FillStrides(int32_t rank, const int64_t* shape, int64_t* strides);

// opsrun_create of c_api.h, with the host's data. All arguments must outlive it.
class CreateCall : public opsrun_create {
 public:
  CreateCall(const opsrun_host* host, const std::string& node, const std::string& op, const CallArrays& arrays,
             const spec::Signature& signature, const PlanDevice& device, Resources* resources, const void* plugin);
  CreateCall(const CreateCall&) = delete;

  // Creates the object; returns the result of create as a Status.
  Status Run(int32_t (*create)(void*, opsrun_create*, void**), void* ctx, void** object);

  // Implements host->fail. Thread-safe.
  int32_t Fail(int32_t code, std::string text, std::string subject);

  const PlanDevice& on;        // where the kernel will run
  Resources* const resources;  // objects that kernels share; may be null
  const void* const plugin;    // that the kernel belongs to

 private:
  std::vector<int32_t> types_;  // of inputs, then of outputs
  std::mutex mutex_;
  Status failure_;
};

}  // namespace opsrun::host
