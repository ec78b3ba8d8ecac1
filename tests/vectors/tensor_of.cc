// tests/vectors/tensor_of.cc: see tensor_of.h.
// SPDX-License-Identifier: Apache-2.0
#include "tests/vectors/tensor_of.h"

#include <cstring>
#include <stdexcept>
#include <string>

#include "tests/vectors/element.h"
#include "tests/vectors/section.h"

namespace opsrun::vectors {

using host::DType;
using host::Shape;
using host::Tensor;

namespace {

void AppendElements(const Tree& nested, DType dtype, std::string* bytes) {
  if (nested.kind != Tree::Kind::kList) {
    *bytes += ElementOf(nested, dtype);
    return;
  }
  for (const Tree& item : nested.items) AppendElements(item, dtype, bytes);
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
  std::string bytes;
  AppendElements(values, dtype, &bytes);
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
