// python/native/attrs.cc
// SPDX-License-Identifier: Apache-2.0
#include "attrs.h"

#include <nanobind/stl/vector.h>

#include <utility>

#include "arrays.h"

namespace nb = nanobind;

namespace opsrun::python {
namespace {

uint32_t KindOf(std::string_view type) {
  constexpr std::pair<std::string_view, uint32_t> kKinds[] = {
      {"int", OPSRUN_ATTR_INT},   {"float", OPSRUN_ATTR_FLOAT},  {"bool", OPSRUN_ATTR_BOOL},
      {"type", OPSRUN_ATTR_TYPE}, {"shape", OPSRUN_ATTR_SHAPE},  {"tensor", OPSRUN_ATTR_TENSOR},
      {"func", OPSRUN_ATTR_FUNC}, {"string", OPSRUN_ATTR_STRING}};
  for (const auto& [name, kind] : kKinds) {
    if (name == type) return kind;
  }
  return 0;
}

}  // namespace

Attrs::Attrs(const std::vector<GivenAttr>& given) {
  for (const auto& [name, type, value] : given) attrs_.push_back(AttrOf(name, type, value));
}

opsrun_attr Attrs::AttrOf(const std::string& name, std::string_view type, const nb::object& value) {
  const bool list = type.substr(0, 5) == "list(";
  if (list) type = type.substr(5, type.size() - 6);
  const uint32_t kind = KindOf(type);
  if (kind == 0) nb::raise_type_error("attr '%s' has the unknown type %s", name.c_str(), std::string(type).c_str());
  auto items = list ? nb::cast<std::vector<nb::object>>(value) : std::vector<nb::object>{value};
  opsrun_attr attr = {};
  attr.name = {name.data(), name.size()};
  attr.kind = kind | (list ? OPSRUN_ATTR_LIST : 0);
  attr.count = items.size();
  const auto converted = [&](const auto& convert) {
    std::vector<decltype(convert(value))> values;
    for (const nb::object& item : items) values.push_back(convert(item));
    return Keep(std::move(values));
  };
  switch (kind) {
    case OPSRUN_ATTR_FLOAT:
      attr.v.floats = converted([](const nb::object& item) { return nb::cast<double>(item); });
      if (!list) attr.v.f = *attr.v.floats;
      break;
    case OPSRUN_ATTR_STRING:
    case OPSRUN_ATTR_FUNC:
      attr.v.strs = converted([](const nb::object& item) {
        const auto bytes = nb::cast<nb::bytes>(item);
        return opsrun_str{bytes.c_str(), bytes.size()};
      });
      if (!list) attr.v.s = *attr.v.strs;
      break;
    case OPSRUN_ATTR_SHAPE:
      attr.v.shapes = converted([this](const nb::object& item) { return ShapeOf(item); });
      break;
    case OPSRUN_ATTR_TENSOR:
      attr.v.tensors = converted([this](const nb::object& item) { return TensorOf(item); });
      break;
    default:
      attr.v.ints = converted([](const nb::object& item) { return nb::cast<int64_t>(item); });
      if (!list) attr.v.i = *attr.v.ints;
  }
  Keep(std::move(items));  // with the bytes of strings and arrays
  return attr;
}

opsrun_partial Attrs::ShapeOf(const nb::object& value) {
  if (value.is_none()) return {-1, 0, nullptr};
  auto sizes = nb::cast<std::vector<int64_t>>(value);
  const auto rank = static_cast<int32_t>(sizes.size());
  return {rank, 0, Keep(std::move(sizes))};
}

// value: a plain array; its strings are bytes objects.
const opsrun_tensor* Attrs::TensorOf(const nb::object& value) {
  if (!IsPlainArray(value.ptr())) throw nb::type_error("the value of an attr of type tensor is not a plain array");
  auto* const array = reinterpret_cast<PyArrayObject*>(value.ptr());
  const auto input = std::make_shared<Input>();
  kept_.push_back(input);
  if (!MakeInput(array, DTypeOf(PyArray_DESCR(array)), nullptr, input.get())) throw nb::python_error();
  std::vector<int64_t>& shape = input->shape;
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  opsrun_tensor tensor = {};
  tensor.data = input->array.data;
  tensor.rank = input->array.rank;
  tensor.shape = shape.empty() ? nullptr : shape.data();
  tensor.strides = shape.empty() ? nullptr : Keep(std::move(strides));
  tensor.flags = OPSRUN_TENSOR_CONST | OPSRUN_TENSOR_HOST;
  tensor.dtype = input->array.dtype;
  return Keep(std::vector<opsrun_tensor>{tensor});
}

}  // namespace opsrun::python
