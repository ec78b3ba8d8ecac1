// host/show/config_text.h: a graph file with all defaults and inferred values written out.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/graph/graph.h"
#include "host/plan/plan.h"
#include "host/plan/resolution.h"
#include "host/yaml/value.h"

namespace opsrun::host {

// YAML that opsrun reads: every feed with its type and shape, every node with its inputs by name and all attrs, every
// output by name. Information without a key in graph files is stored under x- keys, which are ignored: x-plugin,
// x-device, x-kernel, x-outputs. Paths stay relative to the directory of the graph.
std::string ConfigText(const Plan& plan, const Resolution& resolution);

// The keys of a feed that say where its tensor comes from: {npz: arrays.npz, key: x}. None for a declared feed.
Value SourceOfFeed(const Feed& feed);

// The shape of every tensor of a graph, as far as it is known before a run.

// "float32 [?a, 3]"
std::string ValueText(const ResolvedValue& value);

// A line for each feed and each output of a node, in the order of the graph: name, type, shape and origin; then a line
// for each unknown size that several tensors share. Outputs of a node with an error are shown as "?".
std::string ShapesText(const Resolution& resolution, const Graph& graph);

}  // namespace opsrun::host
