// host/testing/attr_text.cc: see attr_text.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/testing/attr_text.h"

#include <fmt/format.h>

#include "host/base/dtype.h"
#include "host/graph/tensor_value.h"
#include "host/tensor/exact_text.h"
#include "host/testing/array_tensor.h"
#include "host/yaml/build_value.h"

namespace opsrun::host {
namespace {

// {value: [[1, 2]], dtype: int32}. An array that is none is left to whoever reads it: an empty map.
Value TensorText(const test::Array& array, Span span) {
  Value map = MapValue(span);
  const Result<Tensor> tensor = ToTensor(array);
  if (!tensor.ok()) return map;
  AddEntry(map, "value", ElementsValue(*tensor, span));
  AddEntry(map, "dtype", StringValue(DTypeName(tensor->dtype()), span));
  return map;
}

}  // namespace

Value ToValue(const test::AttrValue& value, Span span) {
  using Kind = test::AttrValue::Kind;
  switch (value.kind) {
    case Kind::kInt:
      return PlainValue(std::to_string(value.number), span);
    case Kind::kFloat:
      return PlainValue(ExactText(value.real), span);
    case Kind::kBool:
      return PlainValue(value.number != 0 ? "true" : "false", span);
    case Kind::kString:
      return StringValue(value.text, span);
    case Kind::kTensor:
      return TensorText(*value.tensor, span);
    default: {
      Value list = ListValue(span);
      for (const test::AttrValue& item : value.items) list.items.push_back(ToValue(item, span));
      return list;
    }
  }
}

}  // namespace opsrun::host

namespace opsrun::test {

std::string TypeName(int32_t dtype) {
  return host::DTypeName(host::DTypeFromNumber(dtype));
}

}  // namespace opsrun::test
