// host/plan/attr_tensor.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/plan/attr_tensor.h"

#include <string>

#include "host/graph/fields.h"
#include "host/graph/read_shape.h"
#include "host/graph/read_tensor_value.h"

namespace opsrun::host {
namespace {

spec::TensorValue ToAttr(const Tensor& tensor) {
  spec::TensorValue value{tensor.dtype(), tensor.shape(), {}, {}};
  if (tensor.dtype() != DType::kString) {
    value.bytes.assign(static_cast<const char*>(tensor.data()), tensor.num_bytes());
    return value;
  }
  for (int64_t i = 0; i < tensor.num_elements(); ++i) value.strings.emplace_back(tensor.string(i));
  return value;
}

std::optional<Tensor> Read(const Value& value, Reporter& reporter) {
  if (value.kind != Value::Kind::kMap) return ReadTensorValue(value, std::nullopt, reporter);
  CheckKeys(value, {"a tensor", {"value", "fill", "shape", "dtype"}, {}}, reporter);
  std::optional<DType> dtype;
  if (const Value* const word = value.Find("dtype")) {
    const std::optional<Located<DType>> read = ReadDType(*word, reporter);
    if (!read) return std::nullopt;
    dtype = read->value;
  }
  const Value* const elements = value.Find("value");
  const Value* const fill = value.Find("fill");
  const Value* const shape = value.Find("shape");
  if (elements != nullptr && fill == nullptr && shape == nullptr) return ReadTensorValue(*elements, dtype, reporter);
  if (elements == nullptr && fill != nullptr && shape != nullptr) {
    const std::optional<Located<Shape>> sizes = ReadShape(*shape, reporter);
    if (!sizes || !CheckWhole(*sizes, "fill", reporter)) return std::nullopt;
    return ReadFillValue(*fill, dtype, *sizes, reporter);
  }
  reporter.Error("G214", value.span, "this tensor needs a value, or a fill and a shape")
      .help.push_back("write {value: [1, 2], dtype: int32} or {fill: 0, shape: [2, 3], dtype: int32}");
  return std::nullopt;
}

}  // namespace

std::optional<spec::TensorValue> AttrTensorFromValue(const Value& value, AttrMistake* mistake) {
  const SourceFile nameless{};
  Diagnostics diagnostics;
  Reporter reporter(nameless, diagnostics);
  const std::optional<Tensor> tensor = Read(value, reporter);
  if (diagnostics.all().empty() && tensor) return ToAttr(*tensor);
  const Diagnostic& first = diagnostics.all().front();
  *mistake = {first.where, first.message, first.help.empty() ? "" : first.help.front()};
  return std::nullopt;
}

}  // namespace opsrun::host
