// host/show/schema_parts.h: the parts of the schema of a graph file. The keys are those that host/graph accepts; a test
// compares the two.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "host/show/graph_text.h"

namespace opsrun::host {

// Schemas by name. A schema that is used twice is stored here once.
class Definitions {
 public:
  // {"$ref": "#/definitions/NAME"} for the schema of this name, which is added if it is missing. Characters of the name
  // that would need escaping in a reference become '_'; a number is appended if two names would become equal.
  Json Add(const std::string& name, const Json& schema);

  // In the order of insertion.
  const Json& all() const { return all_; }

 private:
  Json all_ = Json::object();
  std::map<std::string, std::string> keys_;  // by name
};

// `schema` with a description, which editors show. Next to "$ref", other keywords have no effect.
Json Described(std::string description, Json schema);

// A pattern that matches exactly these texts: "^(int8|DT_INT8)$".
std::string PatternOf(const std::vector<std::string>& texts);

// Data types, and tensors as graphs write them.

// Any of the data types, or of all if none is given, by any of its names; editors offer NumPy's name.
Json DTypeSchema(const std::vector<DType>& given, Definitions& definitions);

std::vector<DType> FeedableDTypes();

// A scalar, or nested lists of elements of any type.
Json AnyTensorSchema(Definitions& definitions);

// The rules for a map with a "dtype", as a list for "allOf": the values of `keys` are tensors, or single elements, of
// that type.
Json ElementRules(const std::vector<const char*>& keys, Definitions& definitions);

// A map of these keys and any that begin with "x-". Does not restrict values that are not maps.
Json ClosedMap(const Json& properties);

// A string "node", "node.output" or "node.output.i". ReferenceText is only the pattern.
Json ReferenceText();
Json ReferenceSchema(Definitions& definitions);
// One reference, or a list of them; if `some`, the list must not be empty.
Json ReferencesSchema(bool some, Definitions& definitions);

Json ShapeSchema(Definitions& definitions);
// A map with a shape whose sizes are all known.
Json WholeShape(Definitions& definitions);

// Describes the keys "op", "in", "attrs" and "label" of a node.
Json OpSchema(const RegisteredOp& op, const Registry& registry, Definitions& definitions);

// The op on one or two lines, for a list of ops.
std::string OpLine(const spec::OpDef& op);

}  // namespace opsrun::host
