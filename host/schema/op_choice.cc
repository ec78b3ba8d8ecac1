// host/schema/op_choice.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/schema/op_choice.h"

#include <algorithm>

namespace opsrun::host {
namespace {

constexpr size_t kGroup = 32;

Json IfOp(const Json& op, const Json& then) {
  return {{"if", {{"properties", {{"op", op}}}, {"required", Json::array({"op"})}}}, {"then", then}};
}

}  // namespace

Json OpChoice::Group(size_t first, size_t last) const {
  Json all = Json::array();
  for (size_t i = first; i < last; ++i) all.push_back(IfOp({{"const", choices_[i].first}}, choices_[i].second));
  return {{"allOf", all}};
}

Json OpChoice::Schema(const std::string& name, Definitions& definitions) const {
  if (choices_.size() <= 2 * kGroup) return definitions.Add(name, Group(0, choices_.size()));
  Json groups = Json::array();
  for (size_t first = 0; first < choices_.size(); first += kGroup) {
    const size_t last = std::min(first + kGroup, choices_.size());
    std::vector<std::string> names;
    for (size_t i = first; i < last; ++i) names.push_back(choices_[i].first);
    const std::string of_group = name + "." + std::to_string(groups.size() + 1);
    groups.push_back(IfOp({{"pattern", PatternOf(names)}}, definitions.Add(of_group, Group(first, last))));
  }
  return definitions.Add(name, {{"allOf", groups}});
}

}  // namespace opsrun::host
