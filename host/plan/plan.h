// host/plan/plan.h: a graph with all decisions made: order, types, shapes, kernels, memory.
//
// BuildPlan creates it. After that it is read-only: any number of lanes may run one plan. The plan owns the kernel
// objects. Destroy its lanes before it, and it before the registry of its kernels.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/graph/graph.h"
#include "host/plugin/registry.h"
#include "host/tensor/compare.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {

// A tensor that flows through the plan: a feed, or an output of a step.
struct PlanValue {
  enum class Memory : uint8_t {
    kConstant,  // a feed with a value: Plan::constants
    kFeed,      // a declared feed: a tensor of the caller, which may differ in each run
    kArena,     // shape known: at `offset` in the lane's arena
    kDynamic,   // shape known at run time: allocated by the kernel
  };
  static constexpr uint32_t kNone = ~uint32_t{0};

  DType dtype = DType::kInvalid;
  Memory memory = Memory::kDynamic;
  bool result = false;  // an output or checked: kept until the run ends
  Shape shape;  // of a kFeed as declared, of a kDynamic as inferred: -1 for an unknown size; otherwise fully known
  bool rank_known = true;     // otherwise the shape of a kFeed or kDynamic is unknown
  size_t offset = 0;          // kArena; of a kConstant: its index in constants
  uint32_t producer = kNone;  // the step, or kNone for feeds
  uint32_t last_reader = kNone;
  uint32_t readers = 0;  // steps that read it
};

// The size of the value in an arena, where everything is aligned. Requires: its shape is known.
size_t ArenaBytes(const PlanValue& value);

// The kernel can write this output over this input; both are indices into the step's lists.
struct StepAlias {
  uint32_t output = 0;
  uint32_t input = 0;
};

// One node, ready to run. Inputs and outputs are values, lists flattened.
struct Step {
  uint32_t node = 0;  // index into graph().nodes
  const RegisteredOp* op = nullptr;
  const RegisteredKernel* kernel = nullptr;
  void* object = nullptr;  // of kernel->create
  std::vector<uint32_t> inputs;
  std::vector<uint32_t> outputs;
  std::vector<spec::ArgRange> in_args;   // the names of ranges of inputs
  std::vector<spec::ArgRange> out_args;  // the names of ranges of outputs, for messages
  std::vector<StepAlias> aliases;        // that the kernel declares
  uint64_t forwardable = 0;              // as in opsrun_call
  std::vector<uint32_t> released;  // dynamic values that are not read after this step or, with tasks, that it reads
};

// Steps [first, first + count), which one thread runs in sequence.
struct Task {
  uint32_t first = 0, count = 0;
  uint32_t waits_for = 0;      // number of tasks
  std::vector<uint32_t> next;  // the tasks that wait for this one
};

struct DeclaredFeed {
  std::string name;
  uint32_t value = 0;
};

struct PlanOutput {
  const GraphOutput* output = nullptr;  // in graph()
  uint32_t value = 0;
};

// Compared with the value after a run, if the caller requests it.
struct PlanCheck {
  const GraphCheck* check = nullptr;  // in graph()
  std::string name;                   // of the value, as the graph refers to it
  uint32_t value = 0;
  Tensor expected;  // of the value's data type
  Tolerance tolerance;
};

// What a crash report says about code that is called for a node.
PluginCodeFacts FactsOfNode(const Plugin* plugin, const RegisteredOp& op, const Node& node, const SourceFile* source,
                            PluginPhase phase);

class Plan {
 public:
  explicit Plan(std::shared_ptr<const Graph> graph) : graph_(std::move(graph)) {}
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  ~Plan();  // destroys the kernel objects, those of later steps first

  const Graph& graph() const { return *graph_; }
  const Node& NodeOf(const Step& step) const { return graph_->nodes[step.node]; }
  // What a crash report says about the code of the step's kernel.
  PluginCodeFacts Facts(const Step& step, PluginPhase phase) const;

  // Each field says which pass of BuildPlan writes it.
  std::vector<Step> steps;                   // resolve: every step follows those that it reads or waits for
  std::vector<PlanValue> values;             // feeds, then resolve; shapes; memory
  std::vector<Tensor> constants;             // feeds
  std::vector<DeclaredFeed> declared_feeds;  // feeds: what each run must be given
  std::vector<PlanOutput> outputs;           // resolve
  std::vector<PlanCheck> checks;             // resolve
  std::vector<Task> tasks;  // tasks: each after those that it waits for; empty if steps cannot run at the same time
  size_t arena_bytes = 0;   // memory

 private:
  std::shared_ptr<const Graph> graph_;
};

}  // namespace opsrun::host
