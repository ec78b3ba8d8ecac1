// host/graph/read_shape.cc: data types and shapes as a graph writes them.
// SPDX-License-Identifier: Apache-2.0
#include "host/graph/read_shape.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>

#include "host/base/diagnostic.h"
#include "host/base/near_names.h"
#include "host/yaml/scalar.h"

namespace opsrun::host {
namespace {

constexpr const char* kWriteAll = "write every size";

std::nullopt_t RefuseShape(const Span& where, std::string message, Reporter& reporter,
                           std::string help = "a shape is a list of sizes such as [2, 3]; -1 is an unknown size") {
  reporter.Refuse("F104", where, std::move(message), std::move(help));
  return std::nullopt;
}

// As None does in Python, which is null in JSON.
bool MeansUnknown(const Value& item) {
  return item.kind == Value::Kind::kNull || item.text == "None";
}

}  // namespace

std::optional<Located<DType>> ReadDType(const Value& value, Reporter& reporter) {
  const std::vector<std::string>& names = FeedableDTypeNames();
  const std::optional<std::string> text = AsString(value);
  const std::optional<DType> dtype = text ? DTypeFromName(*text) : std::nullopt;
  if (!dtype) {
    Diagnostic& error =
        reporter.Error("F103", value.span, fmt::format("expected a data type, found {}", FoundText(value)));
    SuggestName(error, text.value_or(""), names, "data types");
    return std::nullopt;
  }
  if (IsSmallerThanAByte(*dtype)) {
    reporter.Refuse("F103", value.span, NoTensorsText(*dtype), DidYouMean("", names, "data types"));
    return std::nullopt;
  }
  if (std::find(names.begin(), names.end(), DTypeName(*dtype)) == names.end()) {
    reporter.Refuse("F103", value.span,
                    fmt::format("a feed cannot be {}: such a value only exists while a graph runs", DTypeName(*dtype)),
                    DidYouMean("", names, "data types"));
    return std::nullopt;
  }
  return Located<DType>{*dtype, value.span};
}

std::optional<Located<Shape>> ReadShape(const Value& value, Reporter& reporter, bool whole) {
  if (value.kind != Value::Kind::kList) {
    return RefuseShape(value.span, fmt::format("expected a shape, found {}", FoundText(value)), reporter);
  }
  if (value.items.size() > OPSRUN_MAX_RANK) {
    return RefuseShape(
        value.span,
        fmt::format("a shape of rank {} is too high, at most {} is supported", value.items.size(), OPSRUN_MAX_RANK),
        reporter);
  }
  Located<Shape> shape{{}, value.span};
  for (const Value& item : value.items) {
    const std::optional<int64_t> size = AsInt(item);
    const std::string message = fmt::format("expected a size, found {}", FoundText(item));
    if (!size && MeansUnknown(item)) {
      return RefuseShape(item.span, message, reporter, whole ? kWriteAll : "write -1 for a size that is not known");
    }
    if (!size || *size < -1) return RefuseShape(item.span, message, reporter);
    shape.value.push_back(*size);
  }
  return shape;
}

bool CheckWhole(const Located<Shape>& shape, const std::string& what, Reporter& reporter) {
  return std::find(shape.value.begin(), shape.value.end(), -1) == shape.value.end() ||
         reporter.Refuse("F104", shape.span,
                         fmt::format("'{}' needs a shape without -1, found {}", what, ShapeText(shape.value)),
                         kWriteAll);
}

bool ShapeAllows(const Shape& declared, std::span<const int64_t> found) {
  return std::equal(declared.begin(), declared.end(), found.begin(), found.end(),
                    [](int64_t wanted, int64_t size) { return wanted == -1 || wanted == size; });
}

}  // namespace opsrun::host
