// opsrun_compat/protos.h: TensorShapeProto, TensorProto and NodeDef: what sources copy and read of TensorFlow's
// messages.
//
// They are plain classes. They have no bytes: a source that serializes a message needs TensorFlow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "opsrun/internal/attrs.h"
#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/tensor.h"
#include "opsrun/tensor_shape.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

// A shape with sizes of -1 where they are unknown.
class TensorShapeProto {
 public:
  class Dim {
   public:
    int64 size() const { return size_; }
    void set_size(int64 size) { size_ = size; }

   private:
    int64 size_ = 0;
  };

  int dim_size() const { return static_cast<int>(dims_.size()); }
  const Dim& dim(int i) const { return dims_[static_cast<size_t>(i)]; }
  const std::vector<Dim>& dim() const { return dims_; }
  Dim* mutable_dim(int i) { return &dims_[static_cast<size_t>(i)]; }
  Dim* add_dim() { return &dims_.emplace_back(); }
  bool unknown_rank() const { return unknown_rank_; }
  void set_unknown_rank(bool unknown) { unknown_rank_ = unknown; }
  void Clear() { *this = {}; }

  operator PartialTensorShape() const {
    std::vector<int64> sizes;
    for (const Dim& dim : dims_) sizes.push_back(dim.size());
    return unknown_rank_ ? PartialTensorShape() : PartialTensorShape(sizes.data(), dim_size());
  }
  // Fails the running call if a size is unknown.
  operator TensorShape() const {
    TensorShape shape;
    for (const Dim& dim : dims_) shape.AddDim(dim.size());
    return shape;
  }
  std::string DebugString() const { return PartialTensorShape(*this).DebugString(); }

 private:
  std::vector<Dim> dims_;
  bool unknown_rank_ = false;
};

// A tensor. Tensor::FromProto gets it back.
class TensorProto {
 public:
  DataType dtype() const { return tensor_.dtype(); }
  TensorShapeProto tensor_shape() const {
    TensorShapeProto proto;
    tensor_.shape().AsProto(&proto);
    return proto;
  }
  const Tensor& tensor() const { return tensor_; }
  void set_tensor(const Tensor& tensor) { tensor_ = tensor; }
  std::string DebugString() const { return tensor_.DebugString(); }

 private:
  Tensor tensor_;
};

namespace internal {

template <>
struct AttrElement<TensorShapeProto> {
  static constexpr uint32_t kKind = OPSRUN_ATTR_SHAPE;
  static bool Get(const opsrun_attr& attr, int64_t i, TensorShapeProto* value) {
    PartialTensorShape shape;
    AttrElement<PartialTensorShape>::Get(attr, i, &shape);
    *value = {};
    value->set_unknown_rank(shape.unknown_rank());
    for (int d = 0; d < shape.dims(); ++d) value->add_dim()->set_size(shape.dim_size(d));
    return true;
  }
};

template <>
struct AttrElement<TensorProto> {
  static constexpr uint32_t kKind = OPSRUN_ATTR_TENSOR;
  static bool Get(const opsrun_attr& attr, int64_t i, TensorProto* value) {
    Tensor tensor;
    AttrElement<Tensor>::Get(attr, i, &tensor);
    value->set_tensor(tensor);
    return true;
  }
};

}  // namespace internal
}  // namespace OPSRUN_HIDDEN
