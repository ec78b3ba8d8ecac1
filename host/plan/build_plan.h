// host/plan/build_plan.h: makes a plan from a graph and plugins. Read this first.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/base/dtype.h"
#include "host/device/device.h"
#include "host/graph/graph.h"
#include "host/plan/plan.h"
#include "host/plugin/load.h"
#include "host/spec/infer_attrs.h"
#include "host/tensor/resources.h"

namespace opsrun::host {

struct CompiledNodes;
struct CompiledParts;

// The results of planning for each node and tensor of a graph, for people: see Resolution.
struct ResolvedDim {
  int64_t size = -1;     // -1: unknown before the run
  uint32_t unknown = 0;  // unknown size: k > 0 is Resolution::unknowns[k - 1], the same size everywhere; 0: independent
};

struct ResolvedShape {
  bool rank_known = false;
  std::vector<ResolvedDim> dims;
};

// A tensor that flows through the graph.
struct ResolvedValue {
  DType dtype = DType::kInvalid;
  ResolvedShape shape;
};

struct ResolvedNode {
  static constexpr uint32_t kNone = ~uint32_t{0};

  const RegisteredOp* op = nullptr;                  // null: no such op
  std::shared_ptr<const spec::Signature> signature;  // attrs and types; null after an error
  std::vector<uint32_t> inputs;                      // values, with lists flattened; requires a signature
  uint32_t first_output = kNone;                     // outputs are consecutive values; requires a signature
  const RegisteredKernel* kernel = nullptr;          // null: an earlier error, or none matches
  std::string device;                                // where it runs, "gpu:0"; requires a kernel
};

// The first occurrence of an unknown size that several dimensions share.
struct SharedUnknown {
  uint32_t value = 0;
  int32_t dim = 0;
};

// Available even if the graph has errors; results that depend on them are missing. The graph and the registry must
// outlive it.
struct Resolution {
  std::vector<uint32_t> feed_values;  // by feed; ResolvedNode::kNone after an error
  std::vector<ResolvedNode> nodes;    // by node of the graph
  std::vector<ResolvedValue> values;
  std::vector<SharedUnknown> unknowns;
  std::vector<uint32_t> order;  // nodes, in execution order
};

// "?a" for 1, "?z" for 26, "?aa" for 27; "?" for 0.
std::string UnknownName(uint32_t unknown);

// "[2, 3]"; "[?a, 3]", where ?a is the same size everywhere; "[?, 3]"; "?" for an unknown rank.
std::string ResolvedShapeText(const ResolvedShape& shape);

// The name of output i of a node: "z", "z.sum" (if it has several outputs), "s.parts.0".
std::string OutputName(const std::string& node, const std::vector<spec::ArgRange>& outputs, size_t i);

// The name of each value: that of a feed, or of an output.
std::vector<std::string> ValueNames(const Resolution& resolution, const Graph& graph);

// Runs a plan without feeds during planning, if a shape function asks for the values of nodes, and returns its outputs.
// Returns nothing if it fails, with an error if it would fail in every run.
using RunAhead = std::function<std::optional<std::vector<Tensor>>(const Plan& plan, Diagnostics& diagnostics)>;

// The type and shape of a declared feed in the runs of a plan, and the device that has it in its memory.
struct FeedType {
  DType dtype = DType::kInvalid;
  Shape shape;
  Device* device = nullptr;  // null: the CPU
};

// The inputs of planning. All of them must outlive the plan.
// What a graph can have instead of its nodes once it was planned: about a tenth of the memory, and later plans take a
// third of the time.
struct CompiledText {
  std::vector<Node> kinds;
  std::shared_ptr<const CompiledNodes> nodes;  // steps of the plan have these numbers
};

struct PlanInputs {
  std::shared_ptr<const Graph> graph;
  const Catalog* catalog = nullptr;  // for ops and refused files in messages
  const LoadResult* loaded = nullptr;
  const opsrun_host* host = nullptr;      // passed to kernels
  std::map<std::string, FeedType> feeds;  // those of known type; the plan is made for their shapes
  std::vector<Device*> outputs;           // where the first outputs are to be; null, and further ones: on the CPU
  Resources* resources = nullptr;         // objects that kernels share; null: none
  GraphConstants* constants = nullptr;    // what plans of this graph share; null: nothing
  Devices* devices = nullptr;             // allowed for nodes; null: only the CPU
  std::string device = kCpuName;          // default device for nodes that set none
  bool strict_placement = false;          // true: an op must have a kernel for its node's device
  int threads = 1;                        // for running; if more than one, also plans tasks, which costs some memory
  // Called once all types and shapes are known, before steps are added or joined, unless planning has found an error;
  // may add errors. May be null.
  std::function<void(const Plan& plan, Diagnostics& diagnostics)> typed;
  RunAhead run_ahead;                // null: values that shape functions ask for are unknown before the run
  Resolution* resolution = nullptr;  // filled in, even after errors; null: not needed
  bool infer_shapes = true;          // false: runs no shape function; nothing is known about outputs
  bool handle_outputs = false;       // true: outputs may be resources and variants, of which only views are read
  bool for_runs = true;              // false: no run follows, the plan ends with its errors and `resolution`
  CompiledText* compiled = nullptr;  // filled in if there are no errors; null: not needed
  bool whole_steps = false;          // true: no steps run tile by tile
  bool keep_inputs = false;          // true: no output is written over an input
  bool keep_going = false;           // true: for RunOptions::keep_going; no steps run tile by tile
  bool own_memory = false;           // true: no memory is planned, each tensor is allocated while it runs
  // Ops that were already reported as missing, sorted. Their nodes are skipped.
  std::vector<std::string> held_back;
};

// Returns the plan, or null and at least one error in `diagnostics`: all errors that are not consequences of another
// one. Calls shape functions and creates kernels; runs kernels only through run_ahead.
std::unique_ptr<const Plan> BuildPlan(const PlanInputs& inputs, Diagnostics& diagnostics);

// G220, at the node: a plan has this warning for each use of a deprecated op.
void WarnIfDeprecated(const Graph& graph, const Node& node, const RegisteredOp& op, Diagnostics& diagnostics);

// What `opsrun compile` writes. plan: of the whole graph, made with for_runs false and without tensors for its feeds.
// text: of the graph. INVALID_ARGUMENT if the text is not that of the plan's graph.
Result<CompiledParts> CompileGraph(const Plan& plan, const SourceFile& text);

struct TypedNode {
  const RegisteredOp* op = nullptr;
  std::shared_ptr<const spec::Signature> signature;
};

// Types the first node of the graph, whose inputs are feeds. Returns nothing, and at least one error in `diagnostics`,
// if the op does not exist or does not accept the inputs or attrs. Does not run code of plugins.
std::optional<TypedNode> TypeNode(const PlanInputs& inputs, Diagnostics& diagnostics);

// The names of all ops in the graph, as written, sorted: the ops to load.
std::vector<std::string> OpNames(const Graph& graph);

}  // namespace opsrun::host
