// host/show/graph_json.h: a graph as JSON, for programs that draw, list or transform graphs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/graph/graph.h"
#include "host/plan/resolution.h"
#include "host/show/json_text.h"
#include "host/yaml/value.h"

namespace opsrun::host {

// One JSON object: feeds with their types, shapes and sources; nodes in the order of the graph, with op and plugin,
// inputs and outputs as in PlanJson, and the attrs that the graph sets; outputs. Values unknown because of an error are
// null or missing.
std::string GraphJson(const Graph& graph, const Resolution& resolution);

// Types, shapes and values as JSON, for programs.

// {"dtype": "float32", "shape": [2, "?a", null]}. An unknown size is null, or a name if several tensors share it; the
// shape is null if the rank is unknown. If `value` is null (unknown because of an error), both are null.
Json TypeJson(const ResolvedValue* value);

// {"argument": "x", "tensor": "products", "dtype": "float32", "shape": [2, 1]}
Json TensorJson(const std::string& argument, const std::string& tensor, const ResolvedValue* value);

// YAML as JSON. ".inf", "-.inf" and ".nan", which JSON cannot express, are strings; a string that is not UTF-8 is
// {"base64": "/wB6"}.
Json ValueJson(const Value& value);

}  // namespace opsrun::host
