// host/plan/plan.h: a graph with all decisions made: order, types, shapes, kernels, memory.
//
// Created by BuildPlan; read-only after that, so any number of lanes can run a plan. It owns the kernel objects.
// Destroy its lanes first, then the plan, then the registry of its kernels.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/base/status.h"
#include "host/device/device.h"
#include "host/graph/graph.h"
#include "host/plugin/plugin.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {

class MappedFiles;
class ChildPart;
struct ArgArrays;

// What all plans of a graph share: arrays from files, and constants in device memory. A plan for other shapes does not
// read or copy them again.

// A constant in the memory of a device, shared by all lanes. Allocates no memory until a lane asks for it, because many
// plans are never run. Thread-safe. The device must outlive it.
class ResidentConstant {
 public:
  ResidentConstant(Device& device, Tensor constant) : device_(device), constant_(std::move(constant)) {}
  ResidentConstant(const ResidentConstant&) = delete;
  // Requires: no lane reads it any longer.
  ~ResidentConstant();

  const Tensor& constant() const { return constant_; }
  // Copies the constant at the first call, and waits for the copy. RESOURCE_EXHAUSTED if the device's memory is
  // insufficient.
  Result<void*> Memory() const;

 private:
  Status Copy() const;

  Device& device_;
  const Tensor constant_;
  mutable std::mutex mutex_;  // guards memory_
  mutable void* memory_ = nullptr;
};

// Thread-safe.
class GraphConstants {
 public:
  explicit GraphConstants(std::shared_ptr<MappedFiles> mapped = nullptr) : mapped_(std::move(mapped)) {}
  // For arrays in files; null: they are read.
  MappedFiles* mapped() const { return mapped_.get(); }

  // The array of a feed if Keep was called for it.
  std::optional<Tensor> Find(const std::string& feed) const;
  void Keep(const std::string& feed, const Tensor& array);

  // The same object for equal constants, which are copies of one tensor. It lives as long as a plan uses it.
  std::shared_ptr<const ResidentConstant> On(Device& device, const Tensor& constant);

 private:
  const std::shared_ptr<MappedFiles> mapped_;
  using ResidentKey = std::pair<const Device*, const void*>;  // the device, and the elements of the constant

  mutable std::mutex mutex_;  // guards the members below
  std::map<std::string, Tensor> arrays_;
  std::map<ResidentKey, std::weak_ptr<const ResidentConstant>> residents_;
  size_t sweep_at_ = 64;  // the number of residents from which on the expired ones are removed
};

// A device that steps run on.
struct PlanDevice {
  std::string name = kCpuName;  // as in graph files
  std::string kind = kCpuKind;  // the device type of kernel registrations
  opsrun_device id = {OPSRUN_DEVICE_CPU, 0};
  size_t alignment = 64;
  Device* device = nullptr;  // null: the CPU, whose memory each lane is given
  size_t arena_bytes = 0;    // total size of the values in it
};
inline constexpr uint32_t kCpu = 0;  // index in Plan::devices

// A tensor that flows through the plan: a feed, or an output of a step. A tensor that is needed in the memory of two
// devices is two values; the second is made by a copy step.
struct PlanValue {
  enum class Memory : uint8_t {
    kConstant,  // a feed with a value: Plan::constants, or Plan::residents for a device other than the CPU
    kFeed,      // a declared feed: a tensor of the caller, which may differ in each run
    kArena,     // shape known: at `offset` in the lane's arena
    kDynamic,   // shape known at run time: allocated by the kernel
    kNowhere,   // made and read within a step: see Step::fused
  };
  static constexpr uint32_t kNone = ~uint32_t{0};

  DType dtype = DType::kInvalid;
  Memory memory = Memory::kDynamic;
  uint32_t device = 0;  // device that has it in its memory: an index into Plan::devices
  // Its memory is not reused before the run ends, because it is an output or checked, or because asynchronous work of a
  // device reads it.
  bool kept = false;
  bool rank_known = true;          // false: a kFeed or kDynamic of unknown shape
  const Shape* sizes = &kNoSizes;  // see shape(); of the plan
  size_t offset = 0;               // kArena; kConstant: index in constants or residents
  // kArena: not 0 if only a tile of it exists, of this size, because it is made and read within a sweep. Each thread
  // has one, at `offset` and its number times Sweep::bytes_per_thread.
  size_t tile_bytes = 0;
  uint32_t copy_of = kNone;   // the value with these elements on another device
  uint32_t producer = kNone;  // the step, or kNone for feeds
  uint32_t last_reader = kNone;
  uint32_t readers = 0;  // steps that read it

  // kFeed: as declared; kDynamic: as inferred; -1: unknown size; else fully known.
  const Shape& shape() const { return *sizes; }

 private:
  static const Shape kNoSizes;
};

// The kernel can write the output over the input. Both are indices into the step's lists.
struct StepAlias {
  uint32_t output = 0;
  uint32_t input = 0;
  bool same_shape = false;  // only if both have the same shape; otherwise the same number of elements is enough
};

// What steps of one kernel and one signature have in common.
struct StepKind {
  const RegisteredOp* op = nullptr;
  const RegisteredKernel* kernel = nullptr;
  std::shared_ptr<const spec::Signature> signature;  // named ranges of inputs and outputs
  std::shared_ptr<const ArgArrays> args;             // the same for kernel objects, which borrow it
  std::vector<StepAlias> aliases;                    // declared by the kernel
  uint64_t row_inputs = 0;                           // bit i: input i has the rows of the output, OPSRUN_ALIAS_ROWS
};

struct Step;
struct IsolatedPart;

// What few steps have.
struct StepExtras {
  size_t workspace_bytes = 0;  // what the kernel asks for, in the arena of the step's device
  size_t workspace = 0;        // its offset there
  // Steps after this one that its kernel computes, too. Their inputs follow its own, and its output is the last one's.
  std::span<Step> fused;
  const IsolatedPart* part = nullptr;  // of a step that another process runs, with those of `fused`; null: this one does
  // Earlier steps on other queues that must be done: before its own work begins, and before the step is called, because
  // it reads their results on the CPU.
  std::span<uint32_t> awaited, awaited_on_cpu;
  // Steps that the graph lists in the node's `after`. Only in plans with PlanInputs::keep_going.
  std::span<uint32_t> after;
};
inline constexpr StepExtras kNoExtras;

// A node, ready to run. Inputs and outputs are values, with lists flattened. The plan owns its kind and its lists.
struct Step {
  enum class Copy : uint8_t { kNone, kIn, kOut };  // between CPU memory and that of `device`

  uint32_t node = 0;        // for Plan::NodeOf
  uint32_t device = 0;      // that runs it: an index into Plan::devices
  Copy copy = Copy::kNone;  // if not kNone, the host copies; there is no kernel object
  bool has_object = false;  // the plan destroys it
  const StepKind* kind = nullptr;
  void* object = nullptr;  // of kernel()->create
  std::span<uint32_t> inputs, outputs;
  uint64_t forwardable = 0;             // as in opsrun_call
  std::span<uint32_t> released;         // dynamic values not read after this step; with tasks, all that it reads
  const StepExtras* more = &kNoExtras;  // of the plan: see Plan::More

  const RegisteredOp* op() const { return kind->op; }
  const RegisteredKernel* kernel() const { return kind->kernel; }
  const spec::Signature& signature() const { return *kind->signature; }
};

// Steps of an isolated plugin that became one.
struct IsolatedPart {
  std::vector<Step> members;
  std::shared_ptr<ChildPart> part;
  RegisteredKernel kernel;  // whose object is the part
};

// Steps [first, first + count), which one thread runs in sequence.
struct Task {
  uint32_t first = 0, count = 0;
  uint32_t waits_for = 0;      // number of tasks
  std::vector<uint32_t> next;  // tasks that wait for this one
  uint32_t home = 0;           // the thread that it is meant for: 0 is the caller
};

// Steps [first, first + count) of a device. From the second run on, it replays their work as a whole.
struct Capture {
  uint32_t first = 0, count = 0;
};

// What a tile of a sweep has of a tensor: its own rows, each of this shape, or all of it, in this shape.
struct SweepPart {
  bool by_rows = false;
  Shape shape;
};

// Steps [first, first + count) that run tile by tile: each of them on some rows, then each on the next rows. What a
// step writes is then still in the cache when the next one reads it. Threads share the tiles. Each step has one output.
struct Sweep {
  uint32_t first = 0, count = 0;
  int64_t rows = 0;
  int64_t rows_per_tile = 0;     // fewer than rows
  std::vector<SweepPart> parts;  // of each step: of its inputs, then of its output
  size_t bytes_per_thread = 0;   // see PlanValue::tile_bytes
};

struct DeclaredFeed {
  std::string name;
  uint32_t value = 0;
};

struct PlanOutput {
  const GraphOutput* output = nullptr;  // in graph()
  uint32_t value = 0;
};

// A comparison after a run, if the caller requests it.
struct PlanCheck {
  const GraphCheck* check = nullptr;  // in graph()
  std::string name;                   // of the value, as the graph refers to it
  uint32_t value = 0;
  Tensor expected;  // of the value's data type
  Tolerance tolerance;
};

// Where tensors are in runs whose steps are in order, although the plan has tasks: more of them can share memory.
struct InOrderPlaces {
  std::vector<size_t> values;         // by value: as PlanValue::offset
  std::vector<size_t> workspaces;     // by step: as Step::workspace
  std::vector<uint64_t> forwardable;  // by step
};

// For crash reports about code that is called for a node.
PluginCodeFacts FactsOfNode(const Plugin* plugin, const RegisteredOp& op, std::string_view node, const Span& where,
                            const SourceFile* source, PluginPhase phase);

class Plan {
 public:
  explicit Plan(std::shared_ptr<const Graph> graph) : graph_(std::move(graph)) {}
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  ~Plan();  // destroys the kernel objects, those of later steps first

  const Graph& graph() const { return *graph_; }
  // The graph's node; for a copy, one that describes it. The first call for a compiled graph reads its text.
  const Node& NodeOf(const Step& step) const {
    const size_t own = graph_->num_nodes();
    return step.node < own ? graph_->AllNodes()[step.node] : copy_nodes[step.node - own];
  }
  // Its name, and the place of its op. Do not read the text.
  std::string_view NodeName(const Step& step) const;
  Span PlaceOf(const Step& step) const;
  // Requires: a kConstant.
  const Tensor& ConstantOf(const PlanValue& value) const {
    return value.device == kCpu ? constants[value.offset] : residents[value.offset]->constant();
  }
  // The aligned size of a value in its device's arena. Requires: its shape is known.
  size_t ArenaBytes(const PlanValue& value) const;
  // The same for a number of bytes.
  size_t ArenaBytes(uint32_t device, size_t bytes) const;
  // Null if no other places are better. They are found by the first call; from any thread.
  const InOrderPlaces* InOrder() const;
  // For crash reports about the step's kernel.
  PluginCodeFacts Facts(const Step& step, PluginPhase phase) const;

  // Memory for lists of steps and shapes of values, as long as the plan lives.
  std::span<uint32_t> NewList(size_t size);
  std::span<uint32_t> Keep(std::span<const uint32_t> list);
  const Shape* Keep(Shape shape);
  // For writing: the extras of this step alone.
  StepExtras& More(Step& step);

  // Each comment names the functions that write the field.
  std::vector<PlanDevice> devices{1};   // PlanKernel: those that steps run on; the CPU first
  std::deque<StepKind> kinds;           // BuildPlan, PlanCopies, PlanFused
  std::vector<Step> steps;              // BuildPlan, PlanCopies, PlanFused, PlanTasks: each after those it depends on
  std::deque<std::vector<Step>> fused;  // PlanFused: those of Step::fused
  std::deque<IsolatedPart> parts;       // PlanIsolated
  std::vector<PlanValue> values;        // PlanFeeds, InferShapes, PlanCopies, PlanMemory
  std::vector<Tensor> constants;        // PlanFeeds
  std::vector<std::shared_ptr<const ResidentConstant>> residents;  // PlanCopies
  std::vector<Node> copy_nodes;                                    // PlanCopies
  std::unique_ptr<const Plugin> copy_op;                           // PlanCopies: owns the op of copy steps
  std::vector<DeclaredFeed> declared_feeds;                        // PlanFeeds: what each run must be given
  std::vector<PlanOutput> outputs;                                 // PlanOutputs
  std::vector<PlanCheck> checks;                                   // PlanChecks
  std::vector<Capture> captures;                                   // PlanCaptures: ascending
  std::vector<Sweep> sweeps;                                       // PlanSweeps: ascending
  bool forwards = true;                                            // BuildPlan: outputs may be written over inputs
  int threads = 1;          // PlanSweeps: for how many each value that has only tiles has one
  std::vector<Task> tasks;  // PlanTasks: each after those it waits for; empty if no steps can run concurrently

 private:
  bool IsCompiled(const Step& step) const;
  void DestroyKernel(const Step& step) const;

  std::shared_ptr<const Graph> graph_;
  std::pmr::monotonic_buffer_resource memory_;
  std::deque<Shape> shapes_;
  std::deque<StepExtras> extras_;
  mutable std::once_flag in_order_once_;
  mutable std::unique_ptr<const InOrderPlaces> in_order_;
};

}  // namespace opsrun::host
