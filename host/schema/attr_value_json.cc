// host/schema/attr_value_json.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/schema/attr_value_json.h"

#include <cmath>

#include "host/base/base64.h"
#include "host/base/utf8.h"

namespace opsrun::host {
namespace {

Json ShapeJson(const spec::PartialShape& shape) {
  return shape.rank_known ? Json(shape.dims) : Json();
}

// JSON has neither infinity nor NaN: those are written as a graph writes them.
Json FloatJson(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? ".nan" : value < 0 ? "-.inf" : ".inf";
}

Json ElementJson(const spec::AttrValue& value, size_t i) {
  switch (value.type.kind) {
    case OPSRUN_ATTR_INT:
      return value.ints[i];
    case OPSRUN_ATTR_BOOL:
      return value.ints[i] != 0;
    case OPSRUN_ATTR_TYPE:
      return DTypeName(DTypeFromNumber(value.ints[i]));
    case OPSRUN_ATTR_FLOAT:
      return FloatJson(value.floats[i]);
    case OPSRUN_ATTR_STRING:
    case OPSRUN_ATTR_FUNC:
      return TextJson(value.strings[i]);
    case OPSRUN_ATTR_SHAPE:
      return ShapeJson(value.shapes[i]);
    default:
      return {{"dtype", DTypeName(value.tensors[i].dtype)}, {"shape", value.tensors[i].shape}};
  }
}

}  // namespace

Json TextJson(const std::string& text) {
  return IsUtf8(text) ? Json(text) : Json{{"base64", EncodeBase64(text)}};
}

Json AttrValueJson(const spec::AttrValue& value, bool list) {
  Json all = Json::array();
  for (size_t i = 0; i < value.size(); ++i) all.push_back(ElementJson(value, i));
  return list ? all : all.at(0);
}

}  // namespace opsrun::host
