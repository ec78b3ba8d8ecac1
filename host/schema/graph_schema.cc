// host/schema/graph_schema.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/schema/graph_schema.h"

#include <string_view>

#include "host/schema/definitions.h"
#include "host/schema/node_schema.h"
#include "host/schema/section_schemas.h"

namespace opsrun::host {
namespace {

Json FreeText(const char* description) {
  return Described(description, {{"type", {"string", "number", "boolean"}}});
}

Json RootKeys(const Registry& registry, Definitions& definitions) {
  const Json check = CheckSchema(definitions);
  return {{"opsrun", {{"description", "The version of the format."}, {"const", 1}, {"default", 1}}},
          {"name", FreeText("Free text.")},
          {"description", FreeText("Free text.")},
          {"requires", Described("The plugins that the graph needs, each with a range of versions.",
                                 RequiresSchema(registry, definitions))},
          {"feeds", Described("The tensors that go into the graph, by name.", NamedMap(FeedSchema(definitions)))},
          {"nodes", Described("The ops that run, by name, in any order.", NamedMap(NodeSchema(registry, definitions)))},
          {"outputs", Described("What is printed or written: a list of references, or a map from names to them.",
                                OutputsSchema(definitions))},
          {"checks", Described("What the outputs should be.", {{"type", "array"}, {"items", check}})}};
}

// A definition takes a line, so that a difference between two schemas shows the ops that differ. What is no UTF-8 in
// the words of a plugin becomes U+FFFD.
std::string Line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string Lines(const Json& map, std::string_view indent) {
  std::string text = "{";
  for (const auto& [key, value] : map.items()) {
    text += text.size() == 1 ? "\n" : ",\n";
    text.append(indent).append("  ").append(Line(key)).append(": ");
    text += key == "properties" || key == "definitions" ? Lines(value, std::string(indent) + "  ") : Line(value);
  }
  return text.append("\n").append(indent).append("}");
}

}  // namespace

std::string GraphSchema(const Registry& registry) {
  Definitions definitions;
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                 {"title", "opsrun graph"},
                 {"type", "object"},
                 {"required", Json::array({"opsrun"})}};
  schema.update(ClosedMap(RootKeys(registry, definitions)));
  schema["definitions"] = definitions.all();
  return Lines(schema, "") + "\n";
}

}  // namespace opsrun::host
