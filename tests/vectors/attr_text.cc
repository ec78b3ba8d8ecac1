// tests/vectors/attr_text.cc
// SPDX-License-Identifier: Apache-2.0
#include "tests/vectors/attr_text.h"

#include <fmt/format.h>

#include <stdexcept>

#include "host/spec/parse_arg.h"
#include "tests/vectors/element.h"
#include "tests/vectors/section.h"

namespace opsrun::vectors {

using host::spec::AttrType;
using host::spec::AttrTypeName;
using host::spec::AttrValue;
using host::spec::PartialShape;
using host::spec::TensorValue;

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

TensorValue TensorOf(const Tree& tree) {
  CheckFields(tree, {"dtype", "shape", "values"});
  TensorValue tensor;
  tensor.dtype = TypeOf(tree.Text("dtype"));
  tensor.shape = PartialShapeOf(tree.Text("shape")).dims;
  for (const Tree& value : tree["values"].AsList()) {
    if (tensor.dtype == host::DType::kString) {
      tensor.strings.push_back(value.AsText());
    } else {
      tensor.bytes += ElementOf(value, tensor.dtype);
    }
  }
  return tensor;
}

std::string FuncOf(const Tree& tree) {
  CheckFields(tree, {"name"});
  return tree.Text("name");
}

// Appends one element to the member of its kind.
void Append(const Tree& tree, AttrValue* value) {
  switch (value->type.kind) {
    case OPSRUN_ATTR_INT:
      return value->ints.push_back(tree.AsInt());
    case OPSRUN_ATTR_FLOAT:
      return value->floats.push_back(static_cast<float>(tree.AsDouble()));
    case OPSRUN_ATTR_BOOL:
      return value->ints.push_back(tree.AsBool() ? 1 : 0);
    case OPSRUN_ATTR_STRING:
      return value->strings.push_back(tree.AsText());
    case OPSRUN_ATTR_TYPE:
      return value->ints.push_back(host::DTypeNumber(TypeOf(tree.AsText())));
    case OPSRUN_ATTR_SHAPE:
      return value->shapes.push_back(PartialShapeOf(tree.AsText()));
    case OPSRUN_ATTR_TENSOR:
      return value->tensors.push_back(TensorOf(tree));
    default:
      return value->strings.push_back(FuncOf(tree));
  }
}

// What a node gives is of this kind, going by its looks.
uint32_t KindOf(const Tree& tree, AttrType wanted) {
  if (tree.kind == Tree::Kind::kMap) return tree.Find("dtype") == nullptr ? OPSRUN_ATTR_FUNC : OPSRUN_ATTR_TENSOR;
  if (tree.LooksLikeInt()) return OPSRUN_ATTR_INT;
  if (tree.LooksLikeBool()) return OPSRUN_ATTR_BOOL;
  if (tree.LooksLikeFloat()) return OPSRUN_ATTR_FLOAT;
  if (wanted.kind == OPSRUN_ATTR_STRING || wanted.kind == OPSRUN_ATTR_SHAPE) return wanted.kind;
  return host::spec::TypeFromWord(tree.AsText()) ? OPSRUN_ATTR_TYPE : OPSRUN_ATTR_STRING;
}

}  // namespace

AttrValue AttrValueOf(const Tree& tree, AttrType type) {
  AttrValue value;
  value.type = type;
  if (!type.list) {
    Append(tree, &value);
  } else {
    for (const Tree& item : tree.AsList()) Append(item, &value);
  }
  return value;
}

AttrValue GivenValueOf(const Tree& tree, AttrType wanted) {
  const bool list = tree.kind == Tree::Kind::kList;
  if (list && tree.items.empty()) return AttrValueOf(tree, {wanted.kind, true});
  return AttrValueOf(tree, {KindOf(list ? tree.items[0] : tree, wanted), list});
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
