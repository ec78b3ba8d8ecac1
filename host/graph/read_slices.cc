// host/graph/read_slices.cc: see read_slices.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/graph/read_slices.h"

#include <fmt/core.h>

#include <utility>

#include "host/graph/fields.h"
#include "host/graph/read_reference.h"
#include "host/yaml/scalar.h"

namespace opsrun::host {
namespace {

constexpr char kHelp[] =
    "write slices: {INPUT: {values: grad.OUTPUT, indices: INPUT}}; of index vectors, 'vectors' for 'indices'";

bool ReadKey(const Value& slices, const char* key, Reference& reference, Reporter& reporter) {
  return Take(ReadReference(*slices.Find(key), reporter), reference);
}

bool ReadBatchDims(const Value* value, GradientSlices& slices, Reporter& reporter) {
  if (value == nullptr || Take(AsInt(*value), slices.batch_dims)) return true;
  return reporter.Refuse("G105", value->span,
                         fmt::format("'batch_dims' must be an integer, found {}", FoundText(*value)),
                         "write a number, or {attr: NAME}");
}

void ReadInput(Value::Entry& entry, DeclaredGradient& gradient, Reporter& reporter) {
  static const Fields fields{"a gradient's slices", {"values", "indices", "vectors", "axis", "batch_dims"}, {}};
  if (!CheckKind(entry.value, Value::Kind::kMap, fmt::format("the slices of '{}'", entry.key), kHelp, reporter)) return;
  CorrectKeys(entry.value, fields, reporter);
  GradientSlices slices;
  slices.input = {entry.key, entry.key_span};
  slices.vectors = entry.value.Find("vectors") != nullptr;
  const char* const indices = slices.vectors ? "vectors" : "indices";
  if (entry.value.Find("values") == nullptr || entry.value.Find(indices) == nullptr ||
      (slices.vectors && entry.value.Find("indices") != nullptr)) {
    if (!entry.value.incomplete) {
      reporter.Refuse("G106", entry.key_span,
                      fmt::format("the slices of '{}' need 'values', and either 'indices' or 'vectors'", entry.key),
                      kHelp);
    }
    return;
  }
  bool ok = ReadKey(entry.value, "values", slices.values, reporter);
  ok = ReadKey(entry.value, indices, slices.indices, reporter) && ok;
  if (entry.value.Find("axis") != nullptr) ok = ReadKey(entry.value, "axis", slices.axis.emplace(), reporter) && ok;
  if (ReadBatchDims(entry.value.Find("batch_dims"), slices, reporter) && ok)
    gradient.slices.push_back(std::move(slices));
}

}  // namespace

void ReadSlices(Value& section, DeclaredGradient& gradient, Reporter& reporter) {
  if (!CheckKind(section, Value::Kind::kMap, "'slices' of a gradient", kHelp, reporter)) return;
  for (Value::Entry& entry : section.entries) ReadInput(entry, gradient, reporter);
}

}  // namespace opsrun::host
