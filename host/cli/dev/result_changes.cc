// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "host/base/display_text.h"
#include "host/cli/dev/dev.h"

namespace opsrun::host {
namespace {

std::string TypeAndShape(const Tensor& tensor) {
  return fmt::format("{} {}", DTypeName(tensor.dtype()), ShapeText(tensor.shape()));
}

bool IsEqual(const Tensor& a, const Tensor& b, int64_t i) {
  if (a.dtype() == DType::kString) return a.string(i) == b.string(i);
  const size_t size = ElementBytes(a.dtype()), at = static_cast<size_t>(i) * size;
  return std::memcmp(static_cast<const char*>(a.data()) + at, static_cast<const char*>(b.data()) + at, size) == 0;
}

std::string AtPlace(const Tensor& tensor, int64_t place) {
  return tensor.shape().empty() ? "" : " at " + IndexText(tensor.shape(), place);
}

// Empty: none. Requires: type and shape are equal.
std::string ValueChanges(const Tensor& before, const Tensor& now) {
  int64_t different = 0, first = 0;
  for (int64_t i = now.num_elements(); i-- > 0;) {
    if (IsEqual(before, now, i)) continue;
    ++different;
    first = i;
  }
  if (different == 0) return "";
  std::string text = fmt::format("{} of {} changed; the first{} is {}, was {}", different,
                                 Several(static_cast<size_t>(now.num_elements()), "element"), AtPlace(now, first),
                                 ElementText(now, first), ElementText(before, first));
  const bool has_numbers = now.dtype() != DType::kString && now.dtype() != DType::kBool;
  const Comparison most = has_numbers ? CompareTensors(now, before, {.equal_nan = true}) : Comparison{};
  if (most.wrong > 1)
    text += fmt::format("; the largest difference is {:.6g}{}", most.difference, AtPlace(now, most.place));
  return text;
}

const Tensor* FindResult(const std::vector<NamedResult>& results, const std::string& name) {
  const auto found = std::ranges::find(results, name, &NamedResult::name);
  return found == results.end() ? nullptr : &found->tensor;
}

}  // namespace

std::string ResultsText(const std::vector<NamedResult>& results) {
  std::string text;
  for (const auto& [name, tensor] : results)
    text += fmt::format("{}  {}\n{}\n", name, TypeAndShape(tensor), PrintTensor(tensor));
  return text;
}

std::string ResultChanges(const std::vector<NamedResult>& before, const std::vector<NamedResult>& now) {
  std::string text;
  for (const auto& [name, tensor] : now) {
    const Tensor* const old = FindResult(before, name);
    const bool same_type = old != nullptr && old->dtype() == tensor.dtype() && old->shape() == tensor.shape();
    if (old == nullptr) {
      text += fmt::format("{}  {}: new\n{}\n", name, TypeAndShape(tensor), PrintTensor(tensor));
    } else if (!same_type) {
      text += fmt::format("{}  {}, was {}\n{}\n", name, TypeAndShape(tensor), TypeAndShape(*old), PrintTensor(tensor));
    } else if (const std::string changes = ValueChanges(*old, tensor); !changes.empty()) {
      text += fmt::format("{}  {}: {}\n", name, TypeAndShape(tensor), changes);
    }
  }
  for (const auto& [name, tensor] : before) {
    if (FindResult(now, name) == nullptr) text += fmt::format("{}  is gone, was {}\n", name, TypeAndShape(tensor));
  }
  return text;
}

}  // namespace opsrun::host
