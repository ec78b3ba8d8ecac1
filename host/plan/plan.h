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

#include "host/device/device.h"
#include "host/graph/graph.h"
#include "host/plan/constants.h"
#include "host/plugin/registry.h"
#include "host/tensor/compare.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {

// A device that steps run on.
struct PlanDevice {
  std::string name = kCpuName;  // as in graph files
  std::string kind = kCpuKind;  // the device type of kernel registrations
  opsrun_device id = {OPSRUN_DEVICE_CPU, 0};
  size_t alignment = 64;
  Device* device = nullptr;  // null: the CPU, whose memory each lane is given
  size_t arena_bytes = 0;    // of the values that lie there
};
inline constexpr uint32_t kCpu = 0;  // its index in Plan::devices

// A tensor that flows through the plan: a feed, or an output of a step. A tensor that is needed in the memory of two
// devices is two values, the second one made by a step that copies.
struct PlanValue {
  enum class Memory : uint8_t {
    kConstant,  // a feed with a value: Plan::constants, or Plan::residents for a device other than the CPU
    kFeed,      // a declared feed: a tensor of the caller, which may differ in each run
    kArena,     // shape known: at `offset` in the lane's arena
    kDynamic,   // shape known at run time: allocated by the kernel
  };
  static constexpr uint32_t kNone = ~uint32_t{0};

  DType dtype = DType::kInvalid;
  Memory memory = Memory::kDynamic;
  uint32_t device = 0;  // in whose memory it is: an index into Plan::devices
  // Its memory is used for nothing else before the run ends: it is an output, it is checked, or work that a device does
  // beside the CPU reads it.
  bool kept = false;
  Shape shape;  // of a kFeed as declared, of a kDynamic as inferred: -1 for an unknown size; otherwise fully known
  bool rank_known = true;     // otherwise the shape of a kFeed or kDynamic is unknown
  size_t offset = 0;          // kArena; of a kConstant: its index in constants or residents
  uint32_t copy_of = kNone;   // of the value with these elements in the memory of another device
  uint32_t producer = kNone;  // the step, or kNone for feeds
  uint32_t last_reader = kNone;
  uint32_t readers = 0;  // steps that read it
};

// The kernel can write this output over this input; both are indices into the step's lists.
struct StepAlias {
  uint32_t output = 0;
  uint32_t input = 0;
};

// One node, ready to run. Inputs and outputs are values, lists flattened.
struct Step {
  enum class Copy : uint8_t { kNone, kIn, kOut };  // between the CPU's memory and that of `device`

  uint32_t node = 0;        // for Plan::NodeOf
  uint32_t device = 0;      // where it runs: an index into Plan::devices
  Copy copy = Copy::kNone;  // the host copies; there is no kernel object
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
  // Earlier steps whose work, enqueued elsewhere, must be done before its own work begins; and before the step itself
  // does, which reads on the CPU what they make.
  std::vector<uint32_t> awaited, awaited_on_cpu;
};

// Steps [first, first + count), which one thread runs in sequence.
struct Task {
  uint32_t first = 0, count = 0;
  uint32_t waits_for = 0;      // number of tasks
  std::vector<uint32_t> next;  // the tasks that wait for this one
};

// Steps [first, first + count) of one device, which does their work as a whole in each run but the first.
struct Capture {
  uint32_t first = 0, count = 0;
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
  // The graph's node; of a copy, one that says what is copied where.
  const Node& NodeOf(const Step& step) const {
    return step.node < graph_->nodes.size() ? graph_->nodes[step.node] : copy_nodes[step.node - graph_->nodes.size()];
  }
  // Requires: a kConstant.
  const Tensor& ConstantOf(const PlanValue& value) const {
    return value.device == kCpu ? constants[value.offset] : residents[value.offset]->constant();
  }
  // The size of a value in its device's arena, where everything is aligned. Requires: its shape is known.
  size_t ArenaBytes(const PlanValue& value) const;
  // What a crash report says about the code of the step's kernel.
  PluginCodeFacts Facts(const Step& step, PluginPhase phase) const;

  // Each field says which pass of BuildPlan writes it.
  std::vector<PlanDevice> devices{1};  // placement: those that steps run on; the CPU first
  std::vector<Step> steps;             // resolve, copies: every step follows those that it reads or waits for
  std::vector<PlanValue> values;       // feeds, then resolve; shapes; memory
  std::vector<Tensor> constants;       // feeds
  std::vector<std::shared_ptr<const ResidentConstant>> residents;  // copies
  std::vector<Node> copy_nodes;                                    // copies
  std::unique_ptr<const Plugin> copy_op;                           // copies: holds the op that copies are steps of
  std::vector<DeclaredFeed> declared_feeds;                        // feeds: what each run must be given
  std::vector<PlanOutput> outputs;                                 // resolve
  std::vector<PlanCheck> checks;                                   // resolve
  std::vector<Capture> captures;                                   // captures: rising
  std::vector<Task> tasks;  // tasks: each after those that it waits for; empty if steps cannot run at the same time

 private:
  std::shared_ptr<const Graph> graph_;
};

}  // namespace opsrun::host
