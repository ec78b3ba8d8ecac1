// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "host/cli/dev/dev.h"
#include "host/show/json_text.h"

namespace opsrun::host {
namespace {

// "float32 [2, ?]"; unknown sizes that are equal have names.
std::string TypeAndShapeOf(const Json& tensor) {
  const Json dtype = tensor.value("dtype", Json()), shape = tensor.value("shape", Json());
  std::string sizes;
  for (const Json& size : shape) {
    if (!sizes.empty()) sizes += ", ";
    sizes += size.is_null() ? "?" : size.is_string() ? size.get<std::string>() : JsonOnOneLine(size);
  }
  return fmt::format("{} {}", dtype.is_string() ? dtype.get<std::string>() : "?",
                     shape.is_array() ? "[" + sizes + "]" : "[...]");
}

}  // namespace

std::vector<NamedShape> ShapesOfPlan(const std::string& json) {
  std::vector<NamedShape> shapes;
  const Json plan = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!plan.is_object() || !plan.contains("steps")) return shapes;
  for (const Json& step : plan["steps"]) {
    if (!step.is_object() || !step.contains("outputs")) continue;
    for (const Json& output : step["outputs"]) {
      const auto name = output.is_object() ? output.find("tensor") : output.end();
      if (name != output.end() && name->is_string())
        shapes.push_back({name->get<std::string>(), TypeAndShapeOf(output)});
    }
  }
  return shapes;
}

std::string ShapeChanges(const std::vector<NamedShape>& before, const std::vector<NamedShape>& now,
                         const std::vector<std::string>& results) {
  constexpr size_t kMostShown = 15;
  std::unordered_map<std::string_view, std::string_view> old;
  for (const NamedShape& shape : before) old[shape.name] = shape.type_and_shape;
  std::string text;
  size_t changed = 0;
  for (const auto& [name, type_and_shape] : now) {
    const auto found = old.find(name);
    if (found == old.end() || found->second == type_and_shape) continue;
    if (std::ranges::find(results, name) != results.end()) continue;
    if (++changed <= kMostShown) text += fmt::format("node {}  {}, was {}\n", name, type_and_shape, found->second);
  }
  if (changed > kMostShown) text += fmt::format("and {}\n", Several(changed - kMostShown, "more tensor"));
  return text;
}

}  // namespace opsrun::host
