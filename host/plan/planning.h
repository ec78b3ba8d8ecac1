// host/plan/planning.h: the state of planning, and its passes. Private to this library.
//
// BuildPlan visits the nodes once, producers first, and completes each before the next. So little state is kept per
// node, and an error hides only errors of nodes that depend on that node.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <memory_resource>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "host/base/plugin_code.h"
#include "host/plan/build_plan.h"
#include "host/plan/call_arrays.h"
#include "host/plan/explain/explain.h"
#include "host/spec/infer_attrs.h"
#include "host/spec/shape_engine.h"
#include "host/yaml/value.h"

namespace opsrun::host {

// Which tasks end before others begin. Tasks are numbered so that each comes after those it waits for.
class TaskOrder {
 public:
  // waits[t]: the tasks that t waits for.
  explicit TaskOrder(const std::vector<std::vector<uint32_t>>& waits);

  // True only if it is certain. Exact for up to kExact tasks; a table of all pairs would be too large for more. Then
  // only narrow tasks, with which all others are ordered, are considered.
  bool EndsBefore(uint32_t task, uint32_t other) const;

  static constexpr size_t kExact = 4096;

 private:
  void FillAncestors(const std::vector<std::vector<uint32_t>>& waits);
  void FindNarrows(const std::vector<std::vector<uint32_t>>& waits);

  size_t words_ = 0;                 // words per row of ancestors_; 0: not exact
  std::vector<uint64_t> ancestors_;  // a row of bits per task
  std::vector<uint32_t> stage_;      // number of narrow tasks up to and including this one
  std::vector<bool> narrow_;         // all earlier tasks end before it, and all later ones begin after it
};

// Offsets in an arena for blocks that are used in step order. Takes the best-fitting free block. With tasks, a block
// can be reused only by a task that begins after all former users of the block have ended. Without tasks, one thread
// runs the steps in order, and any free block can be used.
class ArenaPlanner {
 public:
  using Users = std::vector<uint32_t>;  // tasks, ascending; empty without tasks
  // A block with more users is not reused: comparing them would cost more time than it saves memory.
  static constexpr size_t kMostUsers = 64;

  explicit ArenaPlanner(const TaskOrder* order) : order_(order) {}

  // A block for an output of a step of `task`. Requires: bytes is a multiple of the alignment.
  size_t Take(size_t bytes, uint32_t task);
  // A block that was never used before.
  size_t TakeFresh(size_t bytes) { return std::exchange(end_, end_ + bytes); }
  void Give(size_t offset, size_t bytes, const Users& users);

  size_t bytes() const { return end_; }

 private:
  struct Block {
    size_t bytes = 0;
    Users users;
  };
  using Blocks = std::map<size_t, Block>;  // by offset

  bool MayTake(const Block& block, uint32_t task) const;
  size_t Grow(size_t bytes, uint32_t task);
  void Insert(size_t offset, Block block);
  Block Erase(Blocks::iterator at);

  const TaskOrder* order_;
  Blocks free_;
  std::set<std::pair<size_t, size_t>> by_size_;  // bytes, offset
  size_t end_ = 0;
};

// Inputs that opsrun_call.forwardable has bits for.
constexpr size_t kMostForwarded = 64;

// What a name in the graph refers to.
struct NameTarget {
  enum class Kind { kNothing, kFeed, kNode };
  Kind kind = Kind::kNothing;
  uint32_t index = 0;
};

using SignaturePtr = std::shared_ptr<const spec::Signature>;

// A node after its visit.
struct NodeState {
  const Node* node = nullptr;               // of a compiled graph: that of its kind
  const RegisteredOp* op = nullptr;         // null: no such op
  uint32_t first_value = PlanValue::kNone;  // its outputs are consecutive values
  uint32_t first_target = 0;  // in Planning::targets: of its references, in the order in which it has them
  SignaturePtr signature;     // null after an error
};

// What a shape function said about input shapes, and would say again: it used no values, and all dimensions that it
// made are known.
struct KnownShapes {
  std::vector<const opsrun_shape*> in, out;
  std::vector<PlanValue> values;  // the outputs, as they were planned
};

// The nodes of a signature that use one kernel.
struct KnownKind {
  const StepKind* kind = nullptr;
  std::unique_ptr<const CallArrays> arrays;
};

// What nodes of one signature have in common.
struct KnownNodes {
  std::optional<KnownShapes> shapes;               // of the last node
  std::unique_ptr<const CallArrays> shape_arrays;  // for the shape function; null before its first call
  const RegisteredKernel* plain_kernel = nullptr;  // of nodes on the CPU that set no device and no label
  std::vector<KnownKind> kinds;
};

// What nodes of a compiled graph have in common that differ in nothing but their names and inputs.
struct KindOfNodes {
  Node node;  // with the name of the one that is being planned
  size_t inputs = 0;
  const RegisteredOp* op = nullptr;
  SignaturePtr signature;  // of the last one
};

// The node that is being planned.
struct NodeWork {
  uint32_t index = 0;
  const Node* node = nullptr;
  const RegisteredOp* op = nullptr;
  SignaturePtr signature;
  KnownNodes* known = nullptr;                // of the signature
  std::span<uint32_t> inputs;                 // flat values; of the plan
  std::span<const uint32_t> compiled_inputs;  // the same as a compiled graph has them
  uint32_t device = 0;                        // an index into Plan::devices
  const RegisteredKernel* kernel = nullptr;
  const StepKind* kind = nullptr;
  bool of_host_numbers = false;                   // see Planning: it stays on the CPU
  std::vector<const RegisteredKernel*> declined;  // their create returned UNIMPLEMENTED for this node
  void* object = nullptr;
  bool as_before = false;  // no object was created: another node has shown that it can be
};

struct Planning {
  Planning(const PlanInputs& inputs, Diagnostics& found, Plan& the_plan);

  const PlanInputs& in;
  const Graph& graph;
  Diagnostics& diagnostics;
  Reporter reporter;  // of errors in the graph file
  Plan& plan;
  const size_t found_before;  // how many diagnostics there were before planning

  std::pmr::monotonic_buffer_resource memory;
  std::pmr::unordered_map<std::string_view, NameTarget> names{&memory};
  spec::SharedSignatures signatures;
  std::vector<uint32_t> order;        // nodes; producers first, unless there is a cycle
  std::vector<uint32_t> feed_values;  // by feed; kNone after an error
  std::vector<NodeState> nodes;
  std::vector<NameTarget> targets;  // of the references of nodes; not of a compiled graph
  std::unordered_map<const RegisteredOp*, SignaturePtr> plain_signatures;  // of the last node without attrs or lists
  std::vector<KindOfNodes> kinds;                                          // of a compiled graph
  spec::ShapeEngine shapes;
  struct {
    std::vector<const opsrun_shape*> in, out, elements;
  } shapes_of_node;  // of the one that is being planned: kept, so that each node does not allocate them
  std::unordered_map<SignaturePtr, KnownNodes> known_nodes;
  std::set<std::tuple<SignaturePtr, const RegisteredKernel*, uint32_t>> can_create;  // unless PlanInputs::for_runs
  std::vector<const opsrun_shape*> value_shapes;                                     // by value
  std::vector<const opsrun_shape*> elements;  // by value: what is known (see ElementsOf); null: nothing
  std::vector<uint32_t> fold_cost;            // by value: nodes to run to know it; kNone: cannot be known
  std::unordered_map<uint32_t, std::optional<Tensor>> folded;
  std::set<std::string> missing_devices;  // already reported
  std::set<uint32_t> host_numbers;        // values of few integers that a graph on a device has in CPU memory
  std::optional<TaskOrder> task_order;    // if there are tasks
  size_t bytes_in_order = 0;              // then the most that exist at one step in the order of the graph

  const std::unordered_set<std::string> left_out;              // feeds and nodes with errors that were already reported
  std::unordered_map<std::string, const OpTrouble*> troubles;  // by op

  // An error at a location in the graph file.
  Diagnostic& Error(Code code, std::string message, Span where, std::string label = {});
  // The same with one help line.
  ErrorReported Refuse(Code code, std::string message, Span where, std::string help);
  // Makes room for this many nodes, with one output each.
  void Reserve(size_t nodes);
  // Forgets all others when there are many.
  KnownNodes& Known(const SignaturePtr& signature);
  uint32_t AddValue(DType dtype, const opsrun_shape* shape);
  uint32_t AddValue(const PlanValue& value, const opsrun_shape* shape);
  const Tensor* ConstantOf(uint32_t value) const;  // null unless it is a feed with a value
  // G204: neither a feed nor a node has this name.
  void ReportUnknownName(const std::string& name, Span where);
  bool LeftOut(const std::string& name) const;
  const OpTrouble* TroubleWith(const std::string& op) const;  // null: none
  // True if all nodes were planned without an error; there may be errors of loading.
  bool IsComplete() const;
  // False after so many errors that further ones are reported in one line each.
  bool IsWorthExplaining() const;
};

// The passes in order. Feeds become constants and declared feeds.
void PlanFeeds(Planning& p);
// Names, edges, order; unknown names (G204) and cycles (G205).
void PlanOrder(Planning& p);
// Plans a node from its shapes on, and adds its step. typed: it has an op, and its types were inferred without an
// error.
void PlanNode(Planning& p, NodeWork& work, bool typed);
// The same for all nodes of a compiled graph, up to the first error.
void PlanCompiled(Planning& p);
// Fills in *to from the plan of a text, before steps are added or joined. Returns the numbers of the nodes in it.
std::vector<uint32_t> CompileText(const Plan& plan, CompiledText& to);
// Gives the steps the numbers of a compiled graph.
void Renumber(Plan& plan, const std::vector<uint32_t>& numbers);
// The op of the node, or null and an error with the reason.
const RegisteredOp* FindOp(Planning& p, const Node& node);
// The values that a reference stands for; its name refers to `target`. *list: it refers to a whole list output. Nothing
// after an error, or if the target has one.
std::optional<std::vector<uint32_t>> FindValues(Planning& p, const Reference& reference, const NameTarget& target,
                                                bool* list);
// Arguments, attrs and types; false after an error.
bool InferTypes(Planning& p, NodeWork& work);
// Adds the node's outputs as values, with the shapes from its shape function; false after an error.
bool InferShapes(Planning& p, NodeWork& work);
// The value if it follows from constants; null if it is unknown before the run.
const Tensor* FoldedValue(Planning& p, uint32_t value);
// Counts the nodes to run for the outputs of a planned step.
void CountFoldCost(Planning& p, const Step& step);
// The node's device, null for the CPU; nothing after an error.
std::optional<Device*> FindDevice(Planning& p, const Node& node);
// Reports a name that is not that of a device, without opening any.
void CheckDeviceName(Planning& p, const Node& node);
// The end of the help "run on the CPU", which depends on who set the device.
std::string CpuRemedy(const Node& node);
// The index in Plan::devices; adds the device if it is missing.
uint32_t IndexOfDevice(Plan& plan, Device* device);
// Notes the outputs of a step that are Planning::host_numbers.
void NoteHostNumbers(Planning& p, const Step& step, bool of_host_numbers);
// Choose and create the node's kernel; false after an error.
bool PlanKernel(Planning& p, NodeWork& work);
bool CreateKernel(Planning& p, NodeWork& work);
// Asks the kernel how much memory it needs besides its outputs, if all shapes are known.
void AskForWorkspace(Planning& p, const NodeWork& work, Step& step);
// A call of plugin code for a node: of a shape function, or for a kernel. The arguments must outlive it.
class PluginCall final : public PluginCode {
 public:
  PluginCall(Planning& p, const NodeWork& work, PluginPhase phase) : p_(p), work_(work), phase_(phase) {}
  PluginCodeFacts Facts() const override;

  // After the code. Reports an exception and returns false. where: the call, for messages about state that it changed.
  bool End(void* where, const std::optional<Thrown>& thrown);

 private:
  Planning& p_;
  const NodeWork& work_;
  const PluginPhase phase_;
  const RunningMark mark_{this};
  const FloatingPointMode floats_;
};

template <typename Code>
bool CallPlugin(Planning& p, const NodeWork& work, PluginPhase phase, void* where, const Code& code) {
  PluginCall call(p, work, phase);
  return call.End(where, CatchThrown(code));
}
// The results for PlanInputs::resolution: for a node, and at the end for all tensors.
void ResolveNode(Planning& p, const NodeWork& work);
void ResolveValues(Planning& p);
// The value of a reference in an output or a check; nothing after an error.
std::optional<uint32_t> FindSingleValue(Planning& p, const Reference& from);
void PlanOutputs(Planning& p);
// Reads the expected values and compares their types and shapes as far as known.
void PlanChecks(Planning& p);
// Adds steps that copy tensors between the memory of devices.
void PlanCopies(Planning& p);
// The device in whose memory a step's kernel expects or puts an argument.
uint32_t DeviceOfArgument(const Step& step, const std::string& argument, DType dtype);
// The shape function of a node of an isolated plugin. Nothing if its process ended, which is then reported.
std::optional<Status> InferInChild(Planning& p, const NodeWork& work, ShapeCall& call,
                                   const std::vector<DType>& out_types);
// Reports a node of an isolated plugin that cannot run in its process; false for others.
bool RefuseIsolation(Planning& p, const NodeWork& work);
// Joins steps of isolated plugins, and creates their kernels. False after an error.
bool PlanIsolated(Planning& p);
// Joins steps that the kernel of the first one can compute together.
void PlanFused(Planning& p);
// Divides the steps into tasks that can run concurrently.
void PlanTasks(Planning& p);
// Chooses the thread that each task is meant for.
void PlanHomes(Plan& plan);
// The tasks in the order in which they begin if they take as long as their tensors are large. Tasks that are close in
// the plan may share memory (MemoryPlanner::LetTasksWait), so threads must be at about the same place in it. Empty if
// tasks are too small for that.
std::vector<uint32_t> ExpectedOrder(const Plan& plan);
// The most bytes that exist in the arena of the CPU at one step.
size_t BytesInOrder(const Plan& plan);
// Finds steps that run tile by tile.
void PlanSweeps(Planning& p);
// The step of each node; copies follow the graph's nodes.
std::vector<uint32_t> StepsOfNodes(const Planning& p);
// Calls fn for each node that the graph lists in the step's `after`.
void ForEachAfter(const Planning& p, const Step& step, const std::function<void(uint32_t node)>& fn);
// Adds what steps must wait for besides their order, and StepExtras::after.
void PlanAwaits(Planning& p);
// Last readers, forwarding, offsets.
void PlanMemory(Planning& p);
// Finds steps that a device can run as a whole.
void PlanCaptures(Planning& p);

}  // namespace opsrun::host
