// host/schema/definitions.h: the part of a JSON Schema that the other parts refer to.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace opsrun::host {

using Json = nlohmann::ordered_json;  // keys in the order in which they were added

// Schemas by name. A schema that is used twice is stored here once.
class Definitions {
 public:
  // {"$ref": "#/definitions/NAME"} for a schema of this name, which is added if it is missing. Characters of the name
  // that need escaping in a reference become '_', followed by a number if two names would become equal.
  Json Add(const std::string& name, const Json& schema);

  // In the order in which they were added.
  const Json& all() const { return all_; }

 private:
  Json all_ = Json::object();
  std::map<std::string, std::string> keys_;  // by name
};

// `schema` with a description for people. Editors show it; next to "$ref" other keywords have no effect.
Json Described(std::string description, Json schema);

// A pattern that matches exactly these texts: "^(int8|DT_INT8)$".
std::string PatternOf(const std::vector<std::string>& texts);

}  // namespace opsrun::host
