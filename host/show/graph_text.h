// host/show/graph_text.h: a graph and its plan as text: a picture, JSON, a graph file with all details, tables; and a
// JSON Schema of graph files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include "host/graph/graph.h"
#include "host/plan/build_plan.h"
#include "host/plan/plan.h"
#include "host/plugin/plugin.h"
#include "host/show/json_text.h"

namespace opsrun::host {

// Measured times of a run, in nanoseconds.
struct NodeTimes {
  std::vector<double> nodes;   // by node of the graph: of all that its kernel computes
  std::vector<uint32_t> with;  // by node: the one whose kernel computes it, see Step::fused; usually itself
  double copies = 0;           // of all copies between devices, which are not nodes of the graph
  double all = 0;              // of both, and of round trips; 100% for shares
  double run = 0;              // of the whole run
  double round_trips = 0;      // to isolated plugins, without the time of their nodes

  double Share(double ns) const { return all > 0 ? ns / all : 0; }
};

// steps: the time of each step. isolated: that of each node of each IsolatedPart, in order, which is in `steps`, too.
NodeTimes TimesOfNodes(const Plan& plan, const std::vector<double>& steps, const std::vector<double>& isolated,
                       double run);

// A digraph: feeds, nodes and outputs are boxes, references are arrows with types and shapes, and `after` is a dashed
// arrow. Parts with errors are red and show the messages. A node has the color of its device; a legend lists the
// devices if there are several. With `times`, a node shows its time, its color is that of its share (HeatShade), and
// its border has the color of its device, if there are several.
std::string GraphDot(const Graph& graph, const Resolution& resolution, const Diagnostics& diagnostics,
                     const NodeTimes* times = nullptr);

// One JSON object: feeds with their types, shapes and sources; nodes in the order of the graph, with op and plugin,
// inputs and outputs as in PlanJson, the attrs that the graph sets, and the time; outputs; times of the run. Values
// unknown because of an error are null or missing.
std::string GraphJson(const Graph& graph, const Resolution& resolution, const NodeTimes* times = nullptr);

// YAML that opsrun reads: every feed with its type and shape, every node with its inputs by name and all attrs, every
// output by name. Information without a key in graph files is stored under x- keys, which are ignored: x-plugin,
// x-device, x-kernel, x-outputs. Paths stay relative to the directory of the graph.
std::string ConfigText(const Plan& plan, const Resolution& resolution);

// A line for each feed and each output of a node, in the order of the graph: name, type, shape and origin; then a line
// for each unknown size that several tensors share. Outputs of a node with an error are shown as "?".
std::string ShapesText(const Resolution& resolution, const Graph& graph);

// All members must belong to one graph.
struct PlanFacts {
  const Plan& plan;
  const Resolution& resolution;
  const Registry& registry;
};

// For each step: node, op, kernel and the reason for its choice, inputs, outputs and their memory; then the memory of a
// run and its lower bound.
std::string PlanText(const PlanFacts& facts);

// The same as one JSON object.
std::string PlanJson(const PlanFacts& facts);

// The first and the last step at which a value needs its memory.
struct Lifetime {
  uint32_t first = 0;
  uint32_t last = 0;
};

struct MemoryFacts {
  size_t arena = 0;        // bytes of planned outputs in CPU memory, which each run has once
  size_t lower_bound = 0;  // the most of these that exist at one step if nodes run in order; aligned
  uint32_t peak_step = 0;  // that step, if there is any
  size_t constants = 0;    // bytes of feeds with values
  uint32_t late = 0;       // outputs that are allocated while the graph runs
  std::vector<std::pair<std::string, size_t>> other_arenas;  // of devices other than the CPU
};

MemoryFacts FactsOfMemory(const Plan& plan);

// From the step that makes the value to its last reader, or to the end of the run for an output of the graph. Requires:
// a step makes it.
Lifetime LifetimeOf(const Plan& plan, uint32_t value);

// A JSON Schema (draft 7) of graph files, for completion and checks in editors, one line per definition. It depends
// only on the plugins, not on their location.
//
// It accepts every graph that opsrun accepts with the same plugins. It rejects what can be detected without following
// references: unknown keys, ops and attrs, values of the wrong kind, too many inputs. Besides the standard keywords it
// uses those of editors with a YAML language server: markdownDescription, enumDescriptions, errorMessage,
// patternErrorMessage, deprecationMessage.
std::string GraphSchema(const Registry& registry);

// Parts of these texts.

// "float32 [?a, 3]"
std::string ValueText(const ResolvedValue& value);

// The keys of a feed that say where its tensor comes from: {npz: arrays.npz, key: x}. None for a declared feed.
Value SourceOfFeed(const Feed& feed);

// {"argument": "x", "tensor": "products", "dtype": "float32", "shape": [2, 1]}
Json TensorJson(const std::string& argument, const std::string& tensor, const ResolvedValue* value);

// The value of an attr as in a graph file, except for what JSON cannot express: ".inf", "-.inf" and ".nan" are strings,
// a shape of unknown rank is null, a string that is not UTF-8 is {"base64": "/wB6"}, and a tensor has only its data
// type and shape. list: the attr is a list.
Json AttrValueJson(const spec::AttrValue& value, bool list);

// A string of an attr, in the same form.
Json TextJson(const std::string& text);

}  // namespace opsrun::host
