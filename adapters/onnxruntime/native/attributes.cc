// adapters/onnxruntime/native/attributes.cc
// SPDX-License-Identifier: Apache-2.0
#include "attributes.h"

namespace opsrun_onnx {
namespace {

const char* NameOf(Form form) {
  static constexpr const char* kNames[] = {"INT", "INTS", "FLOAT", "FLOATS", "STRING", "TENSOR", "STRINGS or empty"};
  return kNames[static_cast<int>(form)];
}

int32_t TypeOf(const std::string& name, int64_t onnx) {
  const DataType* const type = FindOnnxType(onnx);
  if (type != nullptr) return type->opsrun;
  throw Failure(OPSRUN_INVALID_ARGUMENT,
                "attr '" + name + "': " + std::to_string(onnx) + " is not the number of a type of tensors in ONNX");
}

// Reads a list in two calls, the first of which returns its size.
template <typename T, typename Get>
bool ReadList(const OrtApi& api, Get get, std::vector<T>* values) {
  size_t n = 0;
  if (!Succeeds(api, get(nullptr, &n))) return false;
  values->resize(n + 1);  // a pointer for an empty list too
  Require(api, get(values->data(), &n));
  values->resize(n);
  return true;
}

}  // namespace

std::optional<Attribute> KernelNode::Find(const std::string& its_name) const {
  const char* const name = its_name.c_str();
  int64_t number = 0;
  if (Succeeds(api_, api_.KernelInfoGetAttribute_int64(info_, name, &number))) {
    return Attribute{Form::kInt, {number}, {}, "", nullptr};
  }
  float real = 0;
  if (Succeeds(api_, api_.KernelInfoGetAttribute_float(info_, name, &real))) {
    return Attribute{Form::kFloat, {}, {real}, "", nullptr};
  }
  std::vector<char> text;
  const auto texts = [&](char* to, size_t* n) { return api_.KernelInfoGetAttribute_string(info_, name, to, n); };
  if (ReadList(api_, texts, &text)) {  // with a zero at its end
    return Attribute{Form::kString, {}, {}, std::string(text.data(), text.size() - 1), nullptr};
  }
  OrtAllocator* allocator = nullptr;
  Require(api_, api_.GetAllocatorWithDefaultOptions(&allocator));
  OrtValue* tensor = nullptr;
  if (Succeeds(api_, api_.KernelInfoGetAttribute_tensor(info_, name, allocator, &tensor))) {
    return Attribute{Form::kTensor, {}, {}, "", std::shared_ptr<OrtValue>(tensor, api_.ReleaseValue)};
  }
  Attribute list{Form::kInts, {}, {}, "", nullptr};
  const auto ints = [&](int64_t* to, size_t* n) { return api_.KernelInfoGetAttributeArray_int64(info_, name, to, n); };
  const auto floats = [&](float* to, size_t* n) { return api_.KernelInfoGetAttributeArray_float(info_, name, to, n); };
  if (!ReadList(api_, ints, &list.ints)) return std::nullopt;
  if (!list.ints.empty()) return list;
  list.form = ReadList(api_, floats, &list.floats) && !list.floats.empty() ? Form::kFloats : Form::kEmpty;
  return list;
}

std::string KernelNode::name() const {
  std::vector<char> text;
  const auto get = [&](char* to, size_t* n) { return api_.KernelInfo_GetNodeName(info_, to, n); };
  return ReadList(api_, get, &text) && !text.empty() ? std::string(text.data()) : std::string();
}

const DataType* KernelNode::TypeOf(GetType get, size_t i, const char* what) const {
  const std::string argument = what + std::to_string(i);
  OrtTypeInfo* info = nullptr;
  if (!Succeeds(api_, get(info_, i, &info)) || info == nullptr) {
    throw Failure(OPSRUN_INVALID_ARGUMENT,
                  argument + " is missing; ops of opsrun have no optional arguments, but lists");
  }
  const Owned<OrtTypeInfo> owned(info, api_.ReleaseTypeInfo);
  const OrtTensorTypeAndShapeInfo* tensor = nullptr;  // belongs to info
  Require(api_, api_.CastTypeInfoToTensorInfo(info, &tensor));
  ONNXTensorElementDataType onnx = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  if (tensor != nullptr) Require(api_, api_.GetTensorElementType(tensor, &onnx));
  if (const DataType* const type = FindOnnxType(onnx)) return type;
  throw Failure(OPSRUN_UNIMPLEMENTED, argument + " is not a tensor of a type that opsrun has in ONNX Runtime");
}

std::vector<const DataType*> KernelNode::InTypes() const {
  size_t n = 0;
  Require(api_, api_.KernelInfo_GetInputCount(info_, &n));
  std::vector<const DataType*> types;
  for (size_t i = 0; i < n; ++i) types.push_back(TypeOf(api_.KernelInfo_GetInputTypeInfo, i, "input "));
  return types;
}

std::vector<const DataType*> KernelNode::OutTypes() const {
  size_t n = 0;
  Require(api_, api_.KernelInfo_GetOutputCount(info_, &n));
  std::vector<const DataType*> types;
  for (size_t i = 0; i < n; ++i) types.push_back(TypeOf(api_.KernelInfo_GetOutputTypeInfo, i, "output "));
  return types;
}

template <typename T>
bool ShapeNode::Read(const OrtOpAttr* attr, OrtOpAttrType type, std::vector<T>* values) const {
  size_t bytes = 0;
  if (Succeeds(api_, api_.ReadOpAttr(attr, type, nullptr, 0, &bytes)) || bytes == 0) return false;
  values->resize(bytes / sizeof(T));
  return Succeeds(api_, api_.ReadOpAttr(attr, type, values->data(), bytes, &bytes));
}

std::optional<Attribute> ShapeNode::Find(const std::string& name) const {
  const OrtOpAttr* attr = nullptr;
  if (!Succeeds(api_, api_.ShapeInferContext_GetAttribute(context_, name.c_str(), &attr))) return std::nullopt;
  std::vector<int64_t> ints;
  std::vector<float> floats;
  std::vector<char> text;
  if (Read(attr, ORT_OP_ATTR_INT, &ints)) return Attribute{Form::kInt, ints, {}, "", nullptr};
  if (Read(attr, ORT_OP_ATTR_FLOAT, &floats)) return Attribute{Form::kFloat, {}, floats, "", nullptr};
  if (Read(attr, ORT_OP_ATTR_INTS, &ints)) return Attribute{Form::kInts, ints, {}, "", nullptr};
  if (Read(attr, ORT_OP_ATTR_FLOATS, &floats)) return Attribute{Form::kFloats, {}, floats, "", nullptr};
  if (!Read(attr, ORT_OP_ATTR_STRING, &text)) return Attribute{Form::kEmpty, {}, {}, "", nullptr};
  return Attribute{Form::kString, {}, {}, std::string(text.data(), text.size()), nullptr};
}

std::optional<Form> AttrValues::FormOf(uint32_t kind) {
  const bool list = (kind & OPSRUN_ATTR_LIST) != 0;
  switch (kind & ~OPSRUN_ATTR_LIST) {
    case OPSRUN_ATTR_INT:
    case OPSRUN_ATTR_BOOL:
    case OPSRUN_ATTR_TYPE:
      return list ? Form::kInts : Form::kInt;
    case OPSRUN_ATTR_FLOAT:
      return list ? Form::kFloats : Form::kFloat;
    case OPSRUN_ATTR_STRING:
    case OPSRUN_ATTR_FUNC:
      return list ? Form::kTensor : Form::kString;
    case OPSRUN_ATTR_SHAPE:
      return list ? std::nullopt : std::optional<Form>(Form::kInts);
    default:
      return list ? std::nullopt : std::optional<Form>(Form::kTensor);
  }
}

bool AttrValues::Add(const std::string& name, uint32_t kind, const Attribute& attribute) {
  const std::optional<Form> form = FormOf(kind);
  if (!form) {
    throw Failure(OPSRUN_UNIMPLEMENTED, "attr '" + name + "' cannot be set in a node: ONNX has no form for its values");
  }
  const bool is_list = *form == Form::kInts || *form == Form::kFloats;
  if (attribute.form == Form::kEmpty && *form == Form::kTensor) return false;
  if (attribute.form != *form && !(attribute.form == Form::kEmpty && (is_list || *form == Form::kString))) {
    throw Failure(OPSRUN_INVALID_ARGUMENT,
                  "attr '" + name + "' is " + NameOf(attribute.form) + " in the node, expected " + NameOf(*form));
  }
  const opsrun_tensor* const tensor = *form == Form::kTensor ? Keep(name, attribute) : nullptr;
  Begin(name, kind);
  const uint32_t single = kind & ~OPSRUN_ATTR_LIST;
  if (single == OPSRUN_ATTR_SHAPE) {
    AddShape(attribute.ints);
  } else if (single == OPSRUN_ATTR_TENSOR) {
    AddTensor(tensor);
  } else if (*form == Form::kTensor) {
    AddTexts(name, *tensor);
  } else if (*form == Form::kString) {
    AddText(attribute.text);
  } else {
    for (const int64_t value : attribute.ints) AddInt(single == OPSRUN_ATTR_TYPE ? TypeOf(name, value) : value);
    for (const float value : attribute.floats) AddFloat(value);
  }
  return true;
}

const opsrun_tensor* AttrValues::Keep(const std::string& name, const Attribute& attribute) {
  OrtValue* const value = values_.emplace_back(attribute.tensor).get();
  const TensorFacts facts(runtime_, value, &sizes_);
  const DataType* const type = FindOnnxType(facts.type);
  if (type == nullptr || facts.rank > OPSRUN_MAX_RANK) {
    throw Failure(
        OPSRUN_INVALID_ARGUMENT,
        "attr '" + name + "' is a tensor of a type that opsrun does not have, or of " + "more than 64 dimensions");
  }
  View& view = views_.emplace_back(runtime_, nullptr, *type, OPSRUN_TENSOR_CONST);
  view.Show(value, facts.sizes, sizes_.Take(facts.rank), facts.rank, false);
  return &view;
}

void AttrValues::AddTexts(const std::string& name, const opsrun_tensor& texts) {
  if (texts.dtype != OPSRUN_DT_STRING || texts.rank != 1) {
    throw Failure(OPSRUN_INVALID_ARGUMENT, "attr '" + name +
                                               "' is a list of strings: expected a tensor of strings "
                                               "with one dimension");
  }
  const auto* const slots = static_cast<const opsrun_str*>(texts.data);
  for (int64_t i = 0; i < texts.shape[0]; ++i) AddText({slots[i].data, slots[i].size});
}

}  // namespace opsrun_onnx
