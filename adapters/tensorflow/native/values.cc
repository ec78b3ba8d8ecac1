// adapters/tensorflow/native/values.cc
// SPDX-License-Identifier: Apache-2.0
#include "values.h"

#include <cstddef>
#include <cstring>

void opsrun_adapter::Throw(int32_t code, const std::string& text) {
  throw Failure(code, text);
}

namespace opsrun_tf {
namespace {

using opsrun_adapter::Failure;
using tensorflow::AttrValue;
using tensorflow::Tensor;
using tensorflow::tstring;

// By number. Types without bits are not supported: see FindType.
constexpr opsrun_dldtype kTypes[] = {
    {0, 0, 0},                                                                 // 0
    {2, 32, 1},  {2, 64, 1},  {0, 32, 1}, {1, 8, 1},  {0, 16, 1}, {0, 8, 1},   // 1: float to int8
    {3, 128, 1},                                                               // 7: string
    {5, 64, 1},  {0, 64, 1},  {6, 8, 1},                                       // 8: complex64, int64, bool
    {3, 8, 1},   {3, 8, 1},   {3, 32, 1}, {4, 16, 1}, {3, 16, 1}, {3, 16, 1},  // 11: quantized, bfloat16
    {1, 16, 1},  {5, 128, 1}, {2, 16, 1},                                      // 17: uint16, complex128, half
    {3, 64, 1},                                                                // 20: resource
    {0, 0, 0},                                                                 // 21: variant
    {1, 32, 1},  {1, 64, 1},                                                   // 22: uint32, uint64
    {12, 8, 1},  {10, 8, 1},  {11, 8, 1}, {9, 8, 1},  {13, 8, 1},              // 24: float8
};

static_assert(tensorflow::DT_FLOAT == OPSRUN_DT_FLOAT && tensorflow::DT_STRING == OPSRUN_DT_STRING &&
              tensorflow::DT_RESOURCE == OPSRUN_DT_RESOURCE && tensorflow::DT_UINT64 == OPSRUN_DT_UINT64 &&
              tensorflow::DT_FLOAT8_E4M3FN == OPSRUN_DT_FLOAT8_E4M3FN);

class PluginObject : public tensorflow::ResourceBase {
 public:
  explicit PluginObject(const opsrun_resource* resource) : resource_(resource) {}
  ~PluginObject() override { resource_->host->resource_release(resource_); }

  const opsrun_resource* resource() const { return resource_; }
  std::string DebugString() const override {
    return "opsrun resource '" + opsrun_adapter::Text(resource_->name) + "' of type " +
           opsrun_adapter::Text(resource_->type);
  }

 private:
  const opsrun_resource* const resource_;
};

// A handle that takes over the caller's reference.
tensorflow::ResourceHandle HandleOf(const opsrun_resource* resource) {
  return tensorflow::ResourceHandle::MakeRefCountingHandle(new PluginObject(resource), "");
}

// A plugin's object, borrowed from the handle; null if the handle refers to an object of TensorFlow.
const opsrun_resource* ResourceIn(const tensorflow::ResourceHandle& handle) {
  const auto* const object = dynamic_cast<const PluginObject*>(handle.resource().get());
  return object == nullptr ? nullptr : object->resource();
}

opsrun_str StringOf(const tstring& text) {
  return {text.data(), text.size()};
}

// Calls add with the value, or with each value of the list.
template <typename Value, typename List, typename Fn>
void ForEach(bool is_list, const Value& value, const List& list, Fn add) {
  if (!is_list) return add(value);
  for (const auto& each : list) add(each);
}

// A shape's default may have unknown rank. Calls of opsrun can leave out such an attr but cannot set it.
bool IsDefault(const tensorflow::OpDef::AttrDef& def, const AttrValue& value) {
  if (def.type() == "shape" || def.type() == "list(shape)") {
    return def.has_default_value() && def.default_value().SerializeAsString() == value.SerializeAsString();
  }
  const auto has_no_type = [](const tensorflow::TensorProto& tensor) {
    return tensor.dtype() == tensorflow::DT_INVALID;
  };
  if (value.has_tensor()) return has_no_type(value.tensor());
  return value.list().tensor_size() == 1 && has_no_type(value.list().tensor(0));
}

}  // namespace

const opsrun_dldtype* FindType(int32_t dtype) {
  if (!tensorflow::DataType_IsValid(dtype)) return nullptr;  // older versions have fewer types of 8 bits
  if (static_cast<size_t>(dtype) >= sizeof(kTypes) / sizeof(kTypes[0])) return nullptr;
  return kTypes[dtype].bits == 0 ? nullptr : &kTypes[dtype];
}

void View::Show(const Tensor& tensor, bool fresh, Room& room, const int64_t* dims) {
  tensor_ = &tensor;
  const int32_t n = tensor.dims();
  int64_t* const sizes = room.Take(2 * static_cast<size_t>(n));
  for (int32_t i = 0; i < n; ++i) sizes[i] = dims != nullptr ? dims[i] : tensor.dim_size(i);
  const bool has_slots = dtype == OPSRUN_DT_STRING || dtype == OPSRUN_DT_RESOURCE;
  opsrun_adapter::Show(*this, has_slots ? MakeSlots(fresh, room) : tensor.data(), n, sizes, sizes + n);
}

void* View::MakeSlots(bool fresh, Room& room) {
  return dtype == OPSRUN_DT_STRING ? MakeSlots(fresh, room, StringOf) : MakeSlots(fresh, room, ResourceIn);
}

template <typename Slot, typename Element>
void* View::MakeSlots(bool fresh, Room& room, Slot (*slot_of)(const Element& element)) {
  const auto elements = tensor_->unaligned_flat<Element>();
  const auto n = static_cast<size_t>(elements.size());
  auto* const slots = reinterpret_cast<Slot*>(room.Take(n * (sizeof(Slot) / sizeof(int64_t))));
  for (size_t i = 0; i < n; ++i) slots[i] = fresh ? Slot{} : slot_of(elements(static_cast<int64_t>(i)));
  return slots;
}

void View::AssignString(uint64_t i, const char* p, uint64_t n) {
  tstring& text = const_cast<Tensor*>(tensor_)->unaligned_flat<tstring>()(static_cast<int64_t>(i));
  text.assign(p, n);
  strings()[i] = StringOf(text);
}

// Short strings are stored in the elements themselves.
void View::SwapStrings(uint64_t i, uint64_t j) {
  auto texts = const_cast<Tensor*>(tensor_)->unaligned_flat<tstring>();
  tstring& a = texts(static_cast<int64_t>(i));
  tstring& b = texts(static_cast<int64_t>(j));
  std::swap(a, b);
  strings()[i] = StringOf(a);
  strings()[j] = StringOf(b);
}

void View::KeepResources() {
  auto handles = const_cast<Tensor*>(tensor_)->unaligned_flat<tensorflow::ResourceHandle>();
  for (int64_t i = 0; i < handles.size(); ++i) {
    if (resources()[i] != nullptr) handles(i) = HandleOf(resources()[i]);
  }
}

int32_t CopyOf(const opsrun_tensor& other, Tensor* copy) {
  if (FindType(other.dtype) == nullptr) return OPSRUN_UNIMPLEMENTED;
  tensorflow::TensorShape sizes;
  const absl::Span<const int64_t> dims(other.shape, static_cast<size_t>(other.rank));
  if (!tensorflow::TensorShape::BuildTensorShape(dims, &sizes).ok()) return OPSRUN_INVALID_ARGUMENT;
  *copy = Tensor(static_cast<tensorflow::DataType>(other.dtype), sizes);
  if (!copy->IsInitialized()) return OPSRUN_RESOURCE_EXHAUSTED;
  const int64_t n = copy->NumElements();
  if (other.dtype == OPSRUN_DT_STRING) {
    const auto* const texts = static_cast<const opsrun_str*>(other.data);
    for (int64_t i = 0; i < n; ++i) copy->flat<tstring>()(i).assign(texts[i].data, texts[i].size);
  } else if (other.dtype == OPSRUN_DT_RESOURCE) {
    auto* const* const objects = static_cast<const opsrun_resource* const*>(other.data);
    for (int64_t i = 0; i < n; ++i) {
      if (objects[i] == nullptr) continue;
      objects[i]->host->resource_retain(objects[i]);
      copy->flat<tensorflow::ResourceHandle>()(i) = HandleOf(objects[i]);
    }
  } else if (copy->TotalBytes() > 0) {
    std::memcpy(copy->data(), other.data, copy->TotalBytes());
  }
  return OPSRUN_OK;
}

AttrValues::AttrValues(const tensorflow::OpDef& op, const FindAttr& find) {
  for (const tensorflow::OpDef::AttrDef& def : op.attr()) {
    const AttrValue* const value = find(def.name());
    if (value == nullptr || IsDefault(def, *value)) continue;
    const uint32_t kind = opsrun_adapter::KindOf(def.type());
    Begin(def.name(), kind);
    Add(kind, *value);
  }
}

void AttrValues::Add(uint32_t kind, const AttrValue& value) {
  const bool is_list = (kind & OPSRUN_ATTR_LIST) != 0;
  const AttrValue::ListValue& list = value.list();
  const auto add_int = [this](int64_t number) { AddInt(number); };
  switch (kind & ~OPSRUN_ATTR_LIST) {
    case OPSRUN_ATTR_INT:
      return ForEach(is_list, value.i(), list.i(), add_int);
    case OPSRUN_ATTR_FLOAT:
      return ForEach(is_list, value.f(), list.f(), [this](float number) { AddFloat(number); });
    case OPSRUN_ATTR_BOOL:
      return ForEach(is_list, value.b(), list.b(), add_int);
    case OPSRUN_ATTR_STRING:
      return ForEach(is_list, value.s(), list.s(), [this](const std::string& text) { AddText(text); });
    case OPSRUN_ATTR_TYPE:
      return ForEach(is_list, value.type(), list.type(), add_int);
    case OPSRUN_ATTR_SHAPE:
      return ForEach(is_list, value.shape(), list.shape(), [this](const auto& shape) { AddShape(shape); });
    case OPSRUN_ATTR_TENSOR:
      return ForEach(is_list, value.tensor(), list.tensor(), [this](const auto& proto) { AddTensor(proto); });
    default:
      return ForEach(is_list, value.func(), list.func(), [this](const auto& func) { AddText(func.name()); });
  }
}

void AttrValues::AddShape(const tensorflow::TensorShapeProto& shape) {
  if (shape.unknown_rank()) return AddUnknownShape();
  std::vector<int64_t> sizes;
  for (const auto& dim : shape.dim()) sizes.push_back(dim.size());
  AttrList::AddShape(std::move(sizes));
}

void AttrValues::AddTensor(const tensorflow::TensorProto& proto) {
  tensorflow::Tensor tensor;
  const auto dtype = static_cast<int32_t>(proto.dtype());
  const opsrun_dldtype* const dl = FindType(dtype);
  if (dl == nullptr || dtype == OPSRUN_DT_RESOURCE || !tensor.FromProto(proto)) {
    throw Failure(OPSRUN_INVALID_ARGUMENT, "an attr is a tensor of type " + tensorflow::DataTypeString(proto.dtype()) +
                                               ", which opsrun does not have, or is not a tensor");
  }
  if (tensor.dims() > OPSRUN_MAX_RANK) {
    throw Failure(OPSRUN_INVALID_ARGUMENT, "an attr is a tensor of more than 64 dimensions");
  }
  AttrList::AddTensor(&tensors_.emplace_back(nullptr, dtype, *dl, std::move(tensor), false));
}

}  // namespace opsrun_tf
