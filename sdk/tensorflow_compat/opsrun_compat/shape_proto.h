// opsrun_compat/shape_proto.h: TensorShapeProto, a shape as a message.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "opsrun/internal/attrs.h"
#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/tensor_shape.h"
#include "opsrun_compat/proto_message.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

class TensorShapeProto_Dim : public internal::ProtoMessage<TensorShapeProto_Dim> {
 public:
  OPSRUN_NUMBER_FIELD(int64_t, size)
  OPSRUN_TEXT_FIELD(name)

 private:
  OPSRUN_PROTO_FRIENDS

  template <typename Self, typename Fields>
  static void VisitFields(Self& self, Fields& fields) {
    fields.Field(1, "size", self.size_);
    fields.Field(2, "name", self.name_);
  }

  int64_t size_ = 0;
  std::string name_;
};

// Sizes that are unknown are -1. A shape of unknown rank has no sizes.
class TensorShapeProto : public internal::ProtoMessage<TensorShapeProto> {
 public:
  typedef TensorShapeProto_Dim Dim;

  OPSRUN_LIST_FIELD(Dim, dim)
  OPSRUN_NUMBER_FIELD(bool, unknown_rank)

  operator PartialTensorShape() const {
    std::vector<int64> sizes;
    for (const Dim& dim : dim_) sizes.push_back(dim.size());
    return unknown_rank_ ? PartialTensorShape() : PartialTensorShape(sizes.data(), dim_size());
  }
  // Fails the running call if a size is unknown.
  operator TensorShape() const {
    TensorShape shape;
    for (const Dim& dim : dim_) shape.AddDim(dim.size());
    return shape;
  }

 private:
  OPSRUN_PROTO_FRIENDS

  template <typename Self, typename Fields>
  static void VisitFields(Self& self, Fields& fields) {
    fields.Field(2, "dim", self.dim_);
    fields.Field(3, "unknown_rank", self.unknown_rank_);
  }

  protobuf::RepeatedPtrField<Dim> dim_;
  bool unknown_rank_ = false;
};

namespace internal {

// A tensor can have this shape, once its unknown sizes are known.
inline bool IsValid(const TensorShapeProto& shape) {
  for (const TensorShapeProto::Dim& dim : shape.dim()) {
    if (dim.size() < -1) return false;
  }
  return shape.dim_size() <= OPSRUN_MAX_RANK;
}

inline void ToProto(const PartialTensorShape& shape, TensorShapeProto* proto) {
  proto->Clear();
  proto->set_unknown_rank(shape.unknown_rank());
  for (int d = 0; d < shape.dims(); ++d) proto->add_dim()->set_size(shape.dim_size(d));
}

template <>
struct AttrElement<TensorShapeProto> {
  static constexpr uint32_t kKind = OPSRUN_ATTR_SHAPE;
  static bool Get(const opsrun_attr& attr, int64_t i, TensorShapeProto* value) {
    PartialTensorShape shape;
    AttrElement<PartialTensorShape>::Get(attr, i, &shape);
    ToProto(shape, value);
    return true;
  }
};

}  // namespace internal
}  // namespace OPSRUN_HIDDEN
