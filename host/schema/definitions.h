// host/schema/definitions.h: the part of a JSON Schema that the other parts refer to.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace opsrun::host {

using Json = nlohmann::ordered_json;  // keys in the order in which they were added

// Schemas by name. What stands twice in a schema stands here once.
class Definitions {
 public:
  // {"$ref": "#/definitions/NAME"} for a schema of this name, which is added if there is none yet. Of the name, what
  // would have to be escaped in a reference becomes '_', with a number behind it where that makes two names one.
  Json Add(const std::string& name, const Json& schema);

  // In the order in which they were added.
  const Json& all() const { return all_; }

 private:
  Json all_ = Json::object();
  std::map<std::string, std::string> keys_;  // by name
};

// `schema` with a description for people. Editors show it; beside "$ref" it is all that counts.
Json Described(std::string description, Json schema);

// A pattern for these texts and no others: "^(int8|DT_INT8)$".
std::string PatternOf(const std::vector<std::string>& texts);

}  // namespace opsrun::host
