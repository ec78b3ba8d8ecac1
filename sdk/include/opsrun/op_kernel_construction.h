// opsrun/op_kernel_construction.h: OpKernelConstruction, the argument of a kernel's constructor.
//
// Valid while the constructor runs. If the status is not OK when the constructor returns, no kernel is created and the
// graph is rejected with that status.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string_view>

#include "opsrun/allocator_attributes.h"
#include "opsrun/c_api.h"
#include "opsrun/internal/attrs.h"
#include "opsrun/internal/output_slots.h"
#include "opsrun/internal/signature.h"
#include "opsrun/namespace.h"
#include "opsrun/status.h"
#include "opsrun/tensor.h"
#include "opsrun/types.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

class Env;
class NodeDef;
class ResourceMgr;

class OpKernelConstruction {
 public:
  explicit OpKernelConstruction(opsrun_create* create) : create_(create) {}
  OpKernelConstruction(const OpKernelConstruction&) = delete;

  // Reads an attr. NOT_FOUND: there is no attr of that name. INVALID_ARGUMENT: the attr is of another kind, or its
  // value does not fit. T: int32, int64, uint32, float, bool, string, DataType, TensorShape, PartialTensorShape,
  // Tensor, or a vector of one of these.
  template <typename T>
  ReturnedStatus GetAttr(std::string_view name, T* value) const {
    return internal::ReadAttr(attrs(), name, value);
  }
  bool HasAttr(std::string_view name) const { return attrs().Find(name) != nullptr; }

  // The first failure is kept; later ones are ignored.
  void SetStatus(const Status& status) { status_.Update(status); }
  const Status& status() const { return status_; }
  void CtxFailure(const Status& status) { SetStatus(status); }
  void CtxFailure(const char* /*file*/, int /*line*/, const Status& status) { SetStatus(status); }
  void CtxFailureWithWarning(const Status& status) { SetStatus(status); }
  void CtxFailureWithWarning(const char* /*file*/, int /*line*/, const Status& status) { SetStatus(status); }

  // Lists are flattened. The type of an index that is out of range is DT_INVALID.
  int num_inputs() const { return static_cast<int>(create_->n_in); }
  DataType input_type(int i) const { return internal::InputsOf(*create_).type(i); }
  DataTypeVector input_types() const { return internal::InputsOf(*create_).AllTypes(); }
  MemoryTypeVector input_memory_types() const { return internal::InputsOf(*create_).memory_types(); }
  int num_outputs() const { return static_cast<int>(create_->n_out); }
  DataType output_type(int i) const { return internal::OutputsOf(*create_).type(i); }
  DataTypeVector output_types() const { return internal::OutputsOf(*create_).AllTypes(); }
  MemoryTypeVector output_memory_types() const { return internal::OutputsOf(*create_).memory_types(); }
  // INVALID_ARGUMENT unless the data types match exactly.
  ReturnedStatus MatchSignature(const DataTypeVector& inputs, const DataTypeVector& outputs) const {
    return internal::MatchTypes(internal::InputsOf(*create_), internal::OutputsOf(*create_), inputs, outputs);
  }

  // The node, with its attrs. Requires #include "tensorflow/core/framework/node_def.pb.h".
  template <typename Node = NodeDef>
  Node def() const {
    return Node(*create_);
  }

  // Files and clocks. Requires #include "tensorflow/core/platform/env.h".
  template <typename AnyEnv = Env>
  AnyEnv* env() const {
    return AnyEnv::Default();
  }
  // The maximum: graphs of opsrun are not versioned.
  int graph_def_version() const { return std::numeric_limits<int>::max(); }
  DeviceType device_type() const { return create_->device.type == OPSRUN_DEVICE_CPU ? DEVICE_CPU : DEVICE_GPU; }

  // Allocates a tensor that the kernel may keep. Its contents are undefined.
  OPSRUN_COLD ReturnedStatus allocate_temp(DataType type, const TensorShape& shape, Tensor* tensor,
                                           AllocatorAttributes attributes = {}) {
    return internal::AllocateTemporary(create_->host, create_, type, shape, attributes, tensor);
  }

  // The same for a PersistentTensor, of tensorflow/core/framework/op_kernel.h. *tensor may be NULL.
  template <typename Persistent>
  OPSRUN_COLD ReturnedStatus allocate_persistent(DataType type, const TensorShape& shape, Persistent* persistent,
                                                 Tensor** tensor) {
    return internal::AllocatePersistent(this, type, shape, persistent, tensor);
  }

  // Objects that kernels share. Requires #include "opsrun/resource_mgr.h". Valid while the constructor runs.
  ResourceMgr* resource_manager() const { return reinterpret_cast<ResourceMgr*>(create_); }

  // The struct of c_api.h, for direct calls of its functions.
  opsrun_create* create() const { return create_; }

 private:
  internal::AttrList attrs() const { return {create_->attrs, create_->n_attrs}; }

  opsrun_create* create_;
  Status status_;
};

}  // namespace OPSRUN_HIDDEN
