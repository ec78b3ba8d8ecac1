// tests/vectors/tensor_of.cc
// SPDX-License-Identifier: Apache-2.0
#include "tests/vectors/tensor_of.h"

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/vectors/element.h"
#include "tests/vectors/section.h"

namespace opsrun::vectors {

using host::DType;
using host::Shape;
using host::Tensor;

namespace {

// An element is no list, or, if it is complex, the innermost one.
bool IsElement(const Tree& tree, DType dtype) {
  if (tree.kind != Tree::Kind::kList) return true;
  const bool complex = dtype == DType::kComplex64 || dtype == DType::kComplex128;
  return complex && tree.items.size() == 2 && tree.items[0].kind == Tree::Kind::kScalar;
}

void AppendElements(const Tree& list, DType dtype, std::string* bytes) {
  for (const Tree& item : list.AsList()) {
    if (IsElement(item, dtype)) {
      *bytes += ElementOf(item, dtype);
    } else {
      AppendElements(item, dtype, bytes);
    }
  }
}

void AppendStrings(const Tree& list, std::vector<std::string>* texts) {
  if (list.kind != Tree::Kind::kList) return texts->push_back(list.AsText());
  for (const Tree& item : list.AsList()) AppendStrings(item, texts);
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
  for (const Tree& size : tree["shape"].AsList()) shape.push_back(size.AsInt());
  return TensorOf(tree["values"], dtype, shape);
}

}  // namespace opsrun::vectors
