// SPDX-License-Identifier: Apache-2.0
#include "tests/vectors/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <type_traits>

#include "host/tensor/number_type.h"

namespace opsrun::vectors {

namespace spec = host::spec;

void CheckFields(const Tree& map, std::initializer_list<std::string_view> known) {
  if (map.kind != Tree::Kind::kMap) throw std::runtime_error("a map is expected");
  for (const auto& [key, span, value] : map.entries) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      throw std::runtime_error("the field '" + key + "' is not understood");
    }
  }
}

spec::OpStrings OpStringsOf(const Tree& op) {
  CheckFields(op, {"name", "attrs", "inputs", "outputs"});
  spec::OpStrings strings;
  strings.name = op.Find("name") == nullptr ? "Op" : TextOf(op, "name");
  strings.attrs = TextsOf(op, "attrs");
  strings.inputs = TextsOf(op, "inputs");
  strings.outputs = TextsOf(op, "outputs");
  return strings;
}

spec::OpDef OpOf(const Tree& op) {
  spec::OpDef def;
  const std::vector<spec::SpecError> errors = spec::ParseOp(OpStringsOf(op), &def);
  if (!errors.empty()) throw std::runtime_error(spec::SpecErrorsText(def.name, errors));
  return def;
}

host::DType TypeOf(const std::string& word) {
  const std::optional<host::DType> dtype = spec::TypeFromWord(word);
  if (!dtype) throw std::runtime_error("'" + word + "' is no data type");
  return *dtype;
}

std::string ExpectedFailure(const Tree& fails) {
  if (fails.kind != Tree::Kind::kMap) throw std::runtime_error("a map is expected");
  std::string text = "fails";
  for (const auto& [name, span, value] : fails.entries) text += " " + name + ": " + TextOf(value);
  return text;
}

std::string FoundFailure(const Tree* fails, const std::map<std::string, std::string>& found) {
  std::string text = "fails";
  if (fails == nullptr) {
    for (const auto& [name, value] : found) text += " " + name + ": " + value;
    return text;
  }
  for (const auto& [name, span, expected] : fails->entries) {
    const auto value = found.find(name);
    if (value == found.end()) throw std::runtime_error("the field '" + name + "' is not understood");
    text += " " + name + ": " + value->second;
  }
  return text;
}

std::string KindOf(Kinds kinds, const std::string& message) {
  for (const auto& [part, kind] : kinds) {
    if (message.find(part) != std::string::npos) return std::string(kind);
  }
  return message;
}

namespace {

template <typename T>
T Must(std::optional<T> value, const Tree& tree, const char* what) {
  if (!value) throw std::runtime_error("'" + tree.text + "' is no " + what);
  return *value;
}

}  // namespace

const Tree& At(const Tree& map, std::string_view name) {
  if (const Tree* found = map.Find(name)) return *found;
  throw std::runtime_error("there is no field '" + std::string(name) + "'");
}

std::string TextOf(const Tree& map, std::string_view name) {
  const Tree* found = map.Find(name);
  return found == nullptr ? std::string() : TextOf(*found);
}

std::vector<std::string> TextsOf(const Tree& map, std::string_view name) {
  std::vector<std::string> texts;
  const Tree* found = map.Find(name);
  if (found == nullptr) return texts;
  for (const Tree& item : ListOf(*found)) texts.push_back(TextOf(item));
  return texts;
}

const std::string& TextOf(const Tree& scalar) {
  if (scalar.kind != Tree::Kind::kScalar) throw std::runtime_error("a text is expected");
  return scalar.text;
}

int64_t IntOf(const Tree& scalar) {
  return Must(host::AsInt(scalar), scalar, "int64");
}
uint64_t UintOf(const Tree& scalar) {
  return Must(host::AsUint(scalar), scalar, "uint64");
}
double FloatOf(const Tree& scalar) {
  return Must(host::AsFloat(scalar), scalar, "float");
}
bool BoolOf(const Tree& scalar) {
  return Must(host::AsBool(scalar), scalar, "bool");
}

const std::vector<Tree>& ListOf(const Tree& list) {
  if (list.kind != Tree::Kind::kList) throw std::runtime_error("a list is expected");
  return list.items;
}

using host::DType;
using host::Shape;
using host::Tensor;
using host::spec::AttrType;
using host::spec::AttrTypeName;
using host::spec::AttrValue;
using host::spec::PartialShape;
using host::spec::TensorValue;

namespace {

template <typename T>
T NumberOf(const Tree& number) {
  if constexpr (host::kIsComplex<T>) {
    using Part = typename T::value_type;
    if (number.kind != Tree::Kind::kList) return NumberOf<Part>(number);
    if (number.items.size() != 2) throw std::runtime_error("a complex number is two numbers");
    return {NumberOf<Part>(number.items[0]), NumberOf<Part>(number.items[1])};
  } else if constexpr (!std::is_integral_v<T>) {
    return static_cast<T>(FloatOf(number));
  } else if (AsBool(number)) {
    return static_cast<T>(BoolOf(number));
  } else {
    return static_cast<T>(TextOf(number).starts_with('-') ? IntOf(number) : UintOf(number));
  }
}

}  // namespace

std::string ElementOf(const Tree& number, DType dtype) {
  if (host::DTypeSize(dtype) == 0) throw std::runtime_error("elements of " + host::DTypeName(dtype) + " have no bytes");
  return host::WithNumberType(dtype, [&number]<typename T>(T) {
    const T value = NumberOf<T>(number);
    return std::string(reinterpret_cast<const char*>(&value), sizeof value);
  });
}

namespace {

// An element is no list, or, if it is complex, the innermost one.
bool IsElement(const Tree& tree, DType dtype) {
  if (tree.kind != Tree::Kind::kList) return true;
  const bool complex = dtype == DType::kComplex64 || dtype == DType::kComplex128;
  return complex && tree.items.size() == 2 && tree.items[0].kind == Tree::Kind::kScalar;
}

void AppendElements(const Tree& list, DType dtype, std::string* bytes) {
  for (const Tree& item : ListOf(list)) {
    if (IsElement(item, dtype)) {
      *bytes += ElementOf(item, dtype);
    } else {
      AppendElements(item, dtype, bytes);
    }
  }
}

void AppendStrings(const Tree& list, std::vector<std::string>* texts) {
  if (list.kind != Tree::Kind::kList) return texts->push_back(TextOf(list));
  for (const Tree& item : ListOf(list)) AppendStrings(item, texts);
}

void SetStrings(const Tree& values, Tensor& tensor) {
  std::vector<std::string> texts;
  AppendStrings(values, &texts);
  if (static_cast<int64_t>(texts.size()) != tensor.num_elements())
    throw std::runtime_error("the values do not fill the shape");
  for (size_t i = 0; i < texts.size(); ++i) {
    if (!tensor.SetString(static_cast<int64_t>(i), texts[i]).ok()) throw std::runtime_error("no memory for a string");
  }
}

}  // namespace

Shape ShapeOf(const Tree& nested) {
  Shape shape;
  for (const Tree* level = &nested; level->kind == Tree::Kind::kList; level = level->items.data()) {
    shape.push_back(static_cast<int64_t>(level->items.size()));
    if (level->items.empty()) break;
  }
  return shape;
}

Tensor TensorOf(const Tree& values, DType dtype, const Shape& shape) {
  host::Result<Tensor> tensor = Tensor::Create(dtype, shape);
  if (!tensor.ok()) throw std::runtime_error(tensor.status().message());
  if (dtype == DType::kString) {
    SetStrings(values, *tensor);
    return *std::move(tensor);
  }
  std::string bytes;
  if (values.kind == Tree::Kind::kList) {
    AppendElements(values, dtype, &bytes);
  } else {
    bytes = ElementOf(values, dtype);
  }
  if (bytes.size() != tensor->num_bytes()) throw std::runtime_error("the values do not fill the shape");
  if (!bytes.empty()) std::memcpy(tensor->mutable_data(), bytes.data(), bytes.size());
  return *std::move(tensor);
}

Tensor TensorOf(const Tree& tree, DType dtype) {
  if (tree.kind != Tree::Kind::kMap) return TensorOf(tree, dtype, ShapeOf(tree));
  CheckFields(tree, {"shape", "values"});
  Shape shape;
  for (const Tree& size : ListOf(At(tree, "shape"))) shape.push_back(IntOf(size));
  return TensorOf(At(tree, "values"), dtype, shape);
}

PartialShape PartialShapeOf(const std::string& text) {
  PartialShape shape;
  if (text == "?") return shape;
  if (!text.starts_with('[') || !text.ends_with(']')) throw std::runtime_error("'" + text + "' is no shape");
  shape.rank_known = true;
  for (size_t at = 1; at + 1 < text.size();) {
    const size_t end = text.find_first_of(",]", at);
    const std::string item = text.substr(at, end - at);
    shape.dims.push_back(item == "?" ? -1 : std::stoll(item));
    at = end + 1;
  }
  return shape;
}

namespace {

TensorValue TensorValueOf(const Tree& tree) {
  CheckFields(tree, {"dtype", "shape", "values"});
  TensorValue tensor;
  tensor.dtype = TypeOf(TextOf(tree, "dtype"));
  tensor.shape = PartialShapeOf(TextOf(tree, "shape")).dims;
  for (const Tree& value : ListOf(At(tree, "values"))) {
    if (tensor.dtype == DType::kString) {
      tensor.strings.push_back(TextOf(value));
    } else {
      tensor.bytes += ElementOf(value, tensor.dtype);
    }
  }
  return tensor;
}

std::string FuncOf(const Tree& tree) {
  CheckFields(tree, {"name"});
  return TextOf(tree, "name");
}

// Appends one element to the member of its kind.
void Append(const Tree& tree, AttrValue* value) {
  switch (value->type.kind) {
    case OPSRUN_ATTR_INT:
      return value->ints.push_back(IntOf(tree));
    case OPSRUN_ATTR_FLOAT:
      return value->floats.push_back(static_cast<float>(FloatOf(tree)));
    case OPSRUN_ATTR_BOOL:
      return value->ints.push_back(BoolOf(tree) ? 1 : 0);
    case OPSRUN_ATTR_STRING:
      return value->strings.push_back(TextOf(tree));
    case OPSRUN_ATTR_TYPE:
      return value->ints.push_back(host::DTypeNumber(TypeOf(TextOf(tree))));
    case OPSRUN_ATTR_SHAPE:
      return value->shapes.push_back(PartialShapeOf(TextOf(tree)));
    case OPSRUN_ATTR_TENSOR:
      return value->tensors.push_back(TensorValueOf(tree));
    default:
      return value->strings.push_back(FuncOf(tree));
  }
}

// What a node gives is of this kind, going by its looks.
uint32_t GivenKind(const Tree& tree, AttrType wanted) {
  if (tree.kind == Tree::Kind::kMap) return tree.Find("dtype") == nullptr ? OPSRUN_ATTR_FUNC : OPSRUN_ATTR_TENSOR;
  if (AsInt(tree)) return OPSRUN_ATTR_INT;
  if (AsBool(tree)) return OPSRUN_ATTR_BOOL;
  if (AsFloat(tree)) return OPSRUN_ATTR_FLOAT;
  if (wanted.kind == OPSRUN_ATTR_STRING || wanted.kind == OPSRUN_ATTR_SHAPE) return wanted.kind;
  return host::spec::TypeFromWord(TextOf(tree)) ? OPSRUN_ATTR_TYPE : OPSRUN_ATTR_STRING;
}

}  // namespace

AttrValue AttrValueOf(const Tree& tree, AttrType type) {
  AttrValue value;
  value.type = type;
  if (!type.list) {
    Append(tree, &value);
  } else {
    for (const Tree& item : ListOf(tree)) Append(item, &value);
  }
  return value;
}

AttrValue GivenValueOf(const Tree& tree, AttrType wanted) {
  const bool list = tree.kind == Tree::Kind::kList;
  if (list && tree.items.empty()) return AttrValueOf(tree, {wanted.kind, true});
  return AttrValueOf(tree, {GivenKind(list ? tree.items[0] : tree, wanted), list});
}

std::string FullText(const AttrValue& value) {
  std::string text = AttrTypeName(value.type) + " " + AttrValueText(value);
  for (const TensorValue& tensor : value.tensors) {
    for (char c : tensor.bytes) text += fmt::format(" {:02x}", static_cast<unsigned char>(c));
    for (const std::string& element : tensor.strings) text += " " + AttrValueText(AttrValue::String(element));
  }
  return text;
}

AttrType AttrTypeOf(const std::string& word) {
  for (uint32_t kind = OPSRUN_ATTR_INT; kind <= OPSRUN_ATTR_FUNC; ++kind) {
    for (bool list : {false, true}) {
      if (AttrTypeName({kind, list}) == word) return {kind, list};
    }
  }
  throw std::runtime_error("'" + word + "' is no type of attrs");
}

}  // namespace opsrun::vectors
