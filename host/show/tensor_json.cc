// host/show/tensor_json.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/show/tensor_json.h"

#include <cmath>

#include "host/base/base64.h"
#include "host/yaml/scalar.h"

namespace opsrun::host {
namespace {

Json DimJson(const ResolvedDim& dim) {
  if (dim.size >= 0) return dim.size;
  return dim.unknown == 0 ? Json(nullptr) : Json(UnknownName(dim.unknown));
}

Json ShapeJson(const ResolvedShape& shape) {
  if (!shape.rank_known) return nullptr;
  Json dims = Json::array();
  for (const ResolvedDim& dim : shape.dims) dims.push_back(DimJson(dim));
  return dims;
}

Json ScalarJson(const Value& value) {
  if (const auto truth = AsBool(value)) return *truth;
  if (const auto number = AsInt(value)) return *number;
  if (const auto number = AsUint(value)) return *number;
  if (const auto number = AsFloat(value); number && std::isfinite(*number)) return *number;
  return value.text;
}

}  // namespace

Json TypeJson(const ResolvedValue* value) {
  const bool known = value != nullptr && value->dtype != DType::kInvalid;
  return {{"dtype", known ? Json(DTypeName(value->dtype)) : Json()},
          {"shape", value != nullptr ? ShapeJson(value->shape) : Json()}};
}

Json TensorJson(const std::string& argument, const std::string& tensor, const ResolvedValue* value) {
  Json json = {{"argument", argument}, {"tensor", tensor}};
  json.update(TypeJson(value));
  return json;
}

Json ValueJson(const Value& value) {
  switch (value.kind) {
    case Value::Kind::kNull:
      return nullptr;
    case Value::Kind::kScalar:
      return ScalarJson(value);
    case Value::Kind::kBytes:
      return {{"base64", EncodeBase64(value.text)}};
    case Value::Kind::kList: {
      Json list = Json::array();
      for (const Value& item : value.items) list.push_back(ValueJson(item));
      return list;
    }
    case Value::Kind::kMap: {
      Json map = Json::object();
      for (const Value::Entry& entry : value.entries) map[entry.key] = ValueJson(entry.value);
      return map;
    }
  }
  return nullptr;
}

}  // namespace opsrun::host
