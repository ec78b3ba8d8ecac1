// opsrun_compat/tensor_proto.h: shapes, tensors and the values of attrs as messages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/attrs.h"
#include "opsrun_compat/proto_message.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

class TensorShapeProto_Dim : public internal::ProtoMessage<TensorShapeProto_Dim> {
 public:
  OPSRUN_NUMBER_FIELD(1, int64_t, size)
  OPSRUN_TEXT_FIELD(2, name)
};

// Unknown sizes are -1. A shape of unknown rank has no sizes.
class TensorShapeProto : public internal::ProtoMessage<TensorShapeProto> {
 public:
  typedef TensorShapeProto_Dim Dim;
  OPSRUN_MESSAGES_FIELD(2, Dim, dim)
  OPSRUN_NUMBER_FIELD(3, bool, unknown_rank)

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
};

namespace internal {

// Whether a tensor can have this shape, apart from unknown sizes.
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

// Elements are in tensor_content, as in memory, or in the list of their type; a short list repeats its last element.
class TensorProto : public internal::ProtoMessage<TensorProto> {
 public:
  OPSRUN_NUMBER_FIELD(1, DataType, dtype)
  OPSRUN_OWNED_FIELD(2, TensorShapeProto, tensor_shape)
  OPSRUN_NUMBER_FIELD(3, int32_t, version_number)
  OPSRUN_TEXT_FIELD(4, tensor_content)
  OPSRUN_NUMBERS_FIELD(5, float, float_val)
  OPSRUN_NUMBERS_FIELD(6, double, double_val)
  OPSRUN_NUMBERS_FIELD(7, int32_t, int_val)
  OPSRUN_TEXTS_FIELD(8, string_val)
  OPSRUN_NUMBERS_FIELD(9, float, scomplex_val)
  OPSRUN_NUMBERS_FIELD(10, int64_t, int64_val)
  OPSRUN_NUMBERS_FIELD(11, bool, bool_val)
  OPSRUN_NUMBERS_FIELD(12, double, dcomplex_val)
  OPSRUN_NUMBERS_FIELD(13, int32_t, half_val)
  OPSRUN_NUMBERS_FIELD(16, uint32_t, uint32_val)
  OPSRUN_NUMBERS_FIELD(17, uint64_t, uint64_val)
  OPSRUN_TEXT_FIELD(18, float8_val)

 private:
  friend class Tensor;

  // For Tensor::AsProtoField and AsProtoTensorContent. Fails the running call if the elements are resources or
  // variants, or in device memory. A template, like GetTensor, because most sources that include it do not use it.
  template <typename AnyTensor>
  OPSRUN_COLD void SetTensor(const AnyTensor& tensor, bool as_content) {
    CheckCanBeRead(tensor);
    Clear();
    dtype_ = tensor.dtype();
    internal::ToProto(tensor.shape(), tensor_shape_.mutable_get());
    if (dtype_ == DT_STRING) {
      const auto texts = tensor.template flat<tstring>();
      for (int64 i = 0; i < texts.size(); ++i) {
        if (!as_content) add_string_val(std::string_view(texts(i)));
        if (as_content) core::PutVarint64(&tensor_content_, texts(i).size());
      }
      for (int64 i = 0; as_content && i < texts.size(); ++i) tensor_content_.append(texts(i).data(), texts(i).size());
    } else if (as_content || IsFloat8(dtype_)) {
      (as_content ? tensor_content_ : float8_val_).assign(tensor.tensor_data());
    } else {
      VisitValues(*this, [&](auto element, int parts, auto* values) {
        const auto* from = static_cast<const decltype(element)*>(tensor.data());
        values->assign(from, from + tensor.NumElements() * parts);
        return true;
      });
    }
  }

  // For Tensor::FromProto. False: the type, shape or content of the message is invalid.
  template <typename AnyTensor>
  OPSRUN_COLD bool GetTensor(AnyTensor* tensor) const {
    TensorShape shape;
    if (!GetShape(&shape) || (dtype_ != DT_STRING && DataTypeSize(dtype_) == 0)) return false;
    AnyTensor made(dtype_, shape);
    if (!(dtype_ == DT_STRING ? GetTexts(&made) : GetNumbers(&made))) return false;
    *tensor = std::move(made);
    return true;
  }

  static bool IsFloat8(DataType type) { return type >= DT_FLOAT8_E5M2 && DataTypeSize(type) == 1; }

  static void CheckCanBeRead(const Tensor& tensor) {
    const opsrun_tensor* view = tensor.view();
    if (tensor.dtype() == DT_RESOURCE || tensor.dtype() == DT_VARIANT) {
      internal::Fail(
          errors::Unimplemented("A TensorProto cannot hold elements of type ", DataTypeName(tensor.dtype())));
    }
    if ((view->flags & OPSRUN_TENSOR_HOST) == 0 && view->device.type != OPSRUN_DEVICE_CPU) {
      internal::Fail(errors::FailedPrecondition("The tensor is in the memory of a device: copy it to the CPU first"));
    }
  }

  // body(an element in memory, the number of these per element of the tensor, the list). False: the type has no list.
  template <typename Self, typename Body>
  static bool VisitValues(Self& self, const Body& body) {
    const auto holds = [&self, &body](std::initializer_list<DataType> types, auto element, int parts, auto* values) {
      return std::count(types.begin(), types.end(), self.dtype_) > 0 && body(element, parts, values);
    };
    return holds({DT_FLOAT}, float(), 1, &self.float_val_) || holds({DT_DOUBLE}, double(), 1, &self.double_val_) ||
           holds({DT_INT8, DT_QINT8}, int8(), 1, &self.int_val_) ||
           holds({DT_UINT8, DT_QUINT8}, uint8(), 1, &self.int_val_) ||
           holds({DT_INT16, DT_QINT16}, int16(), 1, &self.int_val_) ||
           holds({DT_UINT16, DT_QUINT16}, uint16(), 1, &self.int_val_) ||
           holds({DT_INT32, DT_QINT32}, int32(), 1, &self.int_val_) ||
           holds({DT_INT64}, int64(), 1, &self.int64_val_) || holds({DT_UINT32}, uint32(), 1, &self.uint32_val_) ||
           holds({DT_UINT64}, uint64(), 1, &self.uint64_val_) || holds({DT_BOOL}, bool(), 1, &self.bool_val_) ||
           holds({DT_HALF, DT_BFLOAT16}, uint16(), 1, &self.half_val_) ||
           holds({DT_COMPLEX64}, float(), 2, &self.scomplex_val_) ||
           holds({DT_COMPLEX128}, double(), 2, &self.dcomplex_val_);
  }

  bool GetShape(TensorShape* shape) const {
    if (tensor_shape().unknown_rank() || tensor_shape().dim_size() > OPSRUN_MAX_RANK) return false;
    int64 elements = 1;
    for (const TensorShapeProto::Dim& dim : tensor_shape().dim()) {
      // The bound leaves room for multiplying by the size of an element.
      if (dim.size() < 0 || __builtin_mul_overflow(elements, dim.size(), &elements) || elements > kint64max / 16) {
        return false;
      }
      shape->AddDim(dim.size());
    }
    return true;
  }

  template <typename AnyTensor>
  bool GetNumbers(AnyTensor* tensor) const {
    if (!tensor_content_.empty()) return CopyBytes(tensor_content_, tensor);
    if (IsFloat8(dtype_)) return float8_val_.empty() ? FillBytes(tensor) : CopyBytes(float8_val_, tensor);
    return VisitValues(*this, [&](auto element, int parts, const auto* values) {
      typedef decltype(element) T;
      auto* to = static_cast<T*>(tensor->data());
      const int64 n = tensor->NumElements() * parts, n_values = values->size() / parts * parts;
      for (int64 i = 0; i < n; ++i) {
        const int64 from = i < n_values ? i : n_values - parts + i % parts;
        to[i] = n_values == 0 ? T() : static_cast<T>(values->Get(static_cast<int>(from)));
      }
      return true;
    });
  }
  bool CopyBytes(const std::string& bytes, Tensor* tensor) const {
    if (bytes.size() != tensor->TotalBytes()) return false;
    auto* to = static_cast<char*>(tensor->data());
    if (!bytes.empty()) memcpy(to, bytes.data(), bytes.size());
    for (size_t i = 0; dtype_ == DT_BOOL && i < bytes.size(); ++i) to[i] = to[i] != 0;
    return true;
  }
  static bool FillBytes(Tensor* tensor) {
    if (tensor->TotalBytes() > 0) memset(tensor->data(), 0, tensor->TotalBytes());
    return true;
  }

  template <typename AnyTensor>
  bool GetTexts(AnyTensor* tensor) const {
    auto texts = tensor->template flat<tstring>();
    if (!tensor_content_.empty()) return SplitContent(&texts);
    const int64 n_values = string_val_size();
    for (int64 i = 0; n_values > 0 && i < texts.size(); ++i) {
      texts(i) = string_val(static_cast<int>(i < n_values ? i : n_values - 1));
    }
    return true;
  }
  // The content of strings: first all lengths, then all bytes.
  template <typename Texts>
  bool SplitContent(Texts* texts) const {
    StringPiece lengths = tensor_content_, bytes = tensor_content_;
    uint32 length = 0;
    for (int64 i = 0; i < texts->size(); ++i) {
      if (!core::GetVarint32(&bytes, &length)) return false;
    }
    for (int64 i = 0; i < texts->size(); ++i) {
      if (!core::GetVarint32(&lengths, &length) || length > bytes.size()) return false;
      (*texts)(i) = std::string_view(bytes.data(), length);
      bytes.remove_prefix(length);
    }
    return bytes.empty();
  }
};

namespace internal {

template <>
struct AttrElement<TensorProto> {
  static constexpr uint32_t kKind = OPSRUN_ATTR_TENSOR;
  template <typename Message>
  static bool Get(const opsrun_attr& attr, int64_t i, Message* value) {
    Tensor tensor;
    AttrElement<Tensor>::Get(attr, i, &tensor);
    tensor.AsProtoField(value);
    return true;
  }
};

}  // namespace internal

class AttrValue;

typedef protobuf::Map<std::string, AttrValue> AttrValueMap;

// The name of a function and its attrs.
class NameAttrList : public internal::ProtoMessage<NameAttrList> {
 public:
  OPSRUN_TEXT_FIELD(1, name)
  OPSRUN_MAP_FIELD(2, AttrValueMap, attr)
};

// A list whose elements have one type.
class AttrValue_ListValue : public internal::ProtoMessage<AttrValue_ListValue> {
 public:
  OPSRUN_TEXTS_FIELD(2, s)
  OPSRUN_NUMBERS_FIELD(3, int64_t, i)
  OPSRUN_NUMBERS_FIELD(4, float, f)
  OPSRUN_NUMBERS_FIELD(5, bool, b)
  OPSRUN_NUMBERS_FIELD(6, DataType, type)
  OPSRUN_MESSAGES_FIELD(7, TensorShapeProto, shape)
  OPSRUN_MESSAGES_FIELD(8, TensorProto, tensor)
  OPSRUN_MESSAGES_FIELD(9, NameAttrList, func)
};

// One value; value_case says which field is set. The cases are the numbers of the fields.
class AttrValue : public internal::ProtoOneof<AttrValue> {
 public:
  typedef AttrValue_ListValue ListValue;
  enum ValueCase { VALUE_NOT_SET, kList, kS, kI, kF, kB, kType, kShape, kTensor, kPlaceholder, kFunc };

  ValueCase value_case() const { return static_cast<ValueCase>(set_field_); }
  OPSRUN_OWNED_FIELD(1, ListValue, list)
  OPSRUN_TEXT_FIELD(2, s)
  OPSRUN_NUMBER_FIELD(3, int64_t, i)
  OPSRUN_NUMBER_FIELD(4, float, f)
  OPSRUN_NUMBER_FIELD(5, bool, b)
  OPSRUN_NUMBER_FIELD(6, DataType, type)
  OPSRUN_OWNED_FIELD(7, TensorShapeProto, shape)
  OPSRUN_OWNED_FIELD(8, TensorProto, tensor)
  OPSRUN_TEXT_FIELD(9, placeholder)
  OPSRUN_OWNED_FIELD(10, NameAttrList, func)
};

}  // namespace OPSRUN_HIDDEN
