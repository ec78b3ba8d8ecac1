// host/plan/planning.h: the state of planning. Private to this room.
//
// BuildPlan visits the nodes once, producers first, and completes one node before it continues with the next. Little is
// therefore kept per node, and an error in one node hides only what depends on that node.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "host/plan/build_plan.h"
#include "host/plan/explain/blame.h"
#include "host/plan/tasks.h"
#include "host/spec/infer_attrs.h"
#include "host/spec/shape_engine.h"

namespace opsrun::host {

// What a name in the graph refers to.
struct NameTarget {
  enum class Kind { kFeed, kNode };
  Kind kind = Kind::kFeed;
  uint32_t index = 0;
};

// A node after it was visited.
struct NodeState {
  const RegisteredOp* op = nullptr;         // null: no such op
  std::vector<spec::ArgRange> outputs;      // named ranges in `values`; empty unless types_known
  uint32_t first_value = PlanValue::kNone;  // its outputs are consecutive values
  bool types_known = false;
};

// A node that is being planned.
struct NodeWork {
  uint32_t index = 0;
  const Node* node = nullptr;
  const RegisteredOp* op = nullptr;
  spec::Signature signature;
  std::vector<uint32_t> inputs;  // flat values
  uint32_t device = 0;           // an index into Plan::devices
  const RegisteredKernel* kernel = nullptr;
  void* object = nullptr;
};

struct Planning {
  Planning(const PlanInputs& inputs, Diagnostics& found, Plan& the_plan);

  const PlanInputs& in;
  const Graph& graph;
  Diagnostics& diagnostics;
  Plan& plan;

  std::unordered_map<std::string, NameTarget> names;
  std::vector<uint32_t> order;        // nodes, producers first unless there is a cycle
  std::vector<uint32_t> feed_values;  // by feed; kNone for one with an error
  std::vector<NodeState> nodes;
  spec::ShapeEngine shapes;
  std::vector<const opsrun_shape*> value_shapes;  // by value
  std::vector<const opsrun_shape*> elements;      // by value: see known_elements.h; null: nothing was stated
  std::vector<uint32_t> fold_cost;                // by value: nodes that must run to know it; kNone: it cannot be known
  std::unordered_map<uint32_t, std::optional<Tensor>> folded;
  std::set<std::string> missing_devices;  // that were already reported
  std::optional<TaskOrder> task_order;    // if there are tasks

  const std::unordered_set<std::string> left_out;              // feeds and nodes with errors that were already reported
  std::unordered_map<std::string, const OpTrouble*> troubles;  // by op

  // An error at a place of the graph file.
  Diagnostic& Error(Code code, std::string message, Span where, std::string label = {});
  Diagnostic& Warning(Code code, std::string message, Span where);
  uint32_t AddValue(DType dtype, const opsrun_shape* shape);
  const Tensor* ConstantOf(uint32_t value) const;  // null unless it is a feed with a value
  // G204: neither a feed nor a node.
  void ReportUnknownName(const std::string& name, Span where);
  bool LeftOut(const std::string& name) const;
  const OpTrouble* TroubleWith(const std::string& op) const;  // null: none
  // False once there are so many errors that further ones are reported in one line each.
  bool IsWorthExplaining() const;
};

// The passes, in order. feeds.cc: constants and declared feeds become values.
void PlanFeeds(Planning& p);
// order.cc: names, edges, order; unknown names (G204) and cycles (G205).
void PlanOrder(Planning& p);
// find_op.cc: the node's op, or null and an error with the reason.
const RegisteredOp* FindOp(Planning& p, const Node& node);
// references.cc: the values that a reference stands for; *list: it refers to a whole list output. Nothing after an
// error, or if the producer has one.
std::optional<std::vector<uint32_t>> FindValues(Planning& p, const Reference& reference, bool* list);
// infer_types.cc: arguments, attrs and types; false after an error.
bool InferTypes(Planning& p, NodeWork& work);
// infer_shapes.cc: adds the node's outputs as values, with the shapes that its shape function gives.
bool InferShapes(Planning& p, NodeWork& work);
// fold.cc: the value, if it follows from constants; null if it is unknown before the run.
const Tensor* FoldedValue(Planning& p, uint32_t value);
// The cost of computing the outputs of a node, once its step is planned.
void CountFoldCost(Planning& p, const Step& step);
// placement.cc: the device that a node asks for, null for the CPU; nothing after an error.
std::optional<Device*> FindDevice(Planning& p, const Node& node);
// Ends the remedy "run on the CPU": how that is said depends on who asked for the device.
std::string CpuRemedy(const Node& node);
// Its index in Plan::devices, where it is added if need be.
uint32_t IndexOfDevice(Plan& plan, Device* device);
// choose_kernel.cc and create_kernel.cc
bool PlanKernel(Planning& p, NodeWork& work);
bool CreateKernel(Planning& p, NodeWork& work);
// call_plugin.cc: runs code of a plugin for a node: a shape function, or the creation of a kernel. False after an
// error: the code threw an exception. where: the call, for messages about what it changed.
bool CallPlugin(Planning& p, const NodeWork& work, PluginPhase phase, void* where, const std::function<void()>& code);
// resolve.cc: the results for a node, and at the end for all tensors, for PlanInputs::resolution.
void ResolveNode(Planning& p, const NodeWork& work);
void ResolveValues(Planning& p);
// outputs.cc: the value that a reference of an output or a check stands for, or nothing after an error.
std::optional<uint32_t> FindSingleValue(Planning& p, const Reference& from);
void PlanOutputs(Planning& p);
// checks.cc: reads the expected values and compares them with types and shapes as far as possible.
void PlanChecks(Planning& p);
// copies.cc: steps that copy tensors from the memory of one device to that of another.
void PlanCopies(Planning& p);
// The device in whose memory a step's kernel expects or leaves an argument.
uint32_t DeviceOfArgument(const Step& step, const std::string& argument, DType dtype);
// tasks.cc: what may run at the same time.
void PlanTasks(Planning& p);
// By node, copies behind those of the graph: its step.
std::vector<uint32_t> StepsOfNodes(const Planning& p);
// Calls fn for each node that the graph says the step runs after.
void ForEachAfter(const Planning& p, const Step& step, const std::function<void(uint32_t node)>& fn);
// awaits.cc: what a step waits for that its order alone does not ensure.
void PlanAwaits(Planning& p);
// memory.cc: last readers, forwarding, offsets.
void PlanMemory(Planning& p);
// captures.cc: steps that a device can take as a whole.
void PlanCaptures(Planning& p);

// In explain/. no_op.cc: P201, G202 or G201, with suggestions.
void ReportNoOp(Planning& p, const Node& node);
// no_kernel.cc: K301, with the most similar kernels and the origins of the values that they do not accept.
void ReportNoKernel(Planning& p, const NodeWork& work, const std::vector<const RegisteredKernel*>& kernels);

}  // namespace opsrun::host
