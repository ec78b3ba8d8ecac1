// host/engine/op_cache.h: graphs and single ops that can be called with tensors of any type and shape that they allow,
// each combination prepared once, and one op with the types of its inputs, for hosts that run its kernels in their own
// frames.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "host/engine/callable_plan.h"
#include "host/engine/loaded_graph.h"
#include "host/engine/lru_cache.h"
#include "host/isolate/part.h"
#include "host/plan/build_plan.h"
#include "host/plan/call_arrays.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// A graph of one node, to call a single op.

// One input tensor of a call, or an empty list. Tensors of one list argument are adjacent.
struct OpInput {
  std::string arg;
  bool list = false;
  FeedType type;
  bool empty = false;  // an empty list argument
};

// Which kernel a call runs with.
struct KernelWish {
  std::string device;  // "cpu", "gpu:1"; empty: the engine's default
  std::string label;   // empty: a kernel without a label
};

struct OpCall {
  std::string op;  // "ZeroOut" or "plugin.Op"
  std::vector<OpInput> inputs;
  std::vector<opsrun_attr> attrs;  // what they point to is borrowed
  KernelWish wish = {};
};

// The name of the node. It cannot collide with arguments, whose names begin with a small letter.
inline constexpr char kOpNode[] = "Call";

// The name of the feed for an input: "x", its argument's name; for an element of a list "values-0".
std::string FeedOfInput(const std::string& arg, bool list, size_t i);

// Loads the graph for inputs of any shape. Null, with an error in `diagnostics`, if an attr cannot be expressed. Other
// errors are in the diagnostics of the result.
std::shared_ptr<LoadedGraph> LoadOpGraph(Engine& engine, const OpCall& call, Diagnostics& diagnostics);
// The graph as a file, with this name for the op. Requires: each feed has a data type.
std::string WriteOpGraph(const Graph& graph, const std::string& op);
// The same for the process of an isolated plugin.
PartText PartOfOp(const Graph& graph, const std::string& op);
// Loads such a file. Null after errors in the text *source.
std::shared_ptr<LoadedGraph> ReadOpGraph(Engine& engine, std::string yaml, Diagnostics& diagnostics,
                                         std::shared_ptr<const SourceFile>* source);

class CallableGraph;

struct PreparedOp {
  std::shared_ptr<CallablePlan> plan;        // for tensors on the CPU
  FeedSignature types;                       // of the inputs
  std::vector<std::string> outputs;          // "y"; "parts.0" of a list
  std::shared_ptr<CallableGraph> elsewhere;  // makes plans for tensors on devices
};

// Prepares an op as a graph of one node. Any thread.
class OpCache {
 public:
  OpCache(std::shared_ptr<Engine> engine, size_t most) : engine_(std::move(engine)), prepared_(most) {}

  // Null after errors, which refer to the text *source. Equal calls share a prepared op, unless the op is stateful:
  // kernel objects with state are never shared.
  std::shared_ptr<PreparedOp> Prepare(const OpCall& call, Diagnostics& diagnostics,
                                      std::shared_ptr<const SourceFile>* source);

 private:
  const std::shared_ptr<Engine> engine_;
  LruCache<std::string, std::shared_ptr<PreparedOp>> prepared_;  // keys contain everything that a call specifies
};

// A loaded graph that can be called with tensors of any type and shape that it allows.

// Plans once for each combination of data types and shapes of the feeds, and keeps the most recently used plans. State
// of kernel objects lives as long as their plan; shared objects live as long as the engine. Any thread.
class CallableGraph {
 public:
  // Requires: the graph has no errors.
  CallableGraph(std::shared_ptr<LoadedGraph> graph, size_t most_plans);

  const LoadedGraph& loaded() const { return *graph_; }
  // The declared feeds, in the order of a call's arguments.
  const std::vector<const Feed*>& feeds() const { return feeds_; }

  // The plan for feeds of these types, shapes and devices, and for outputs there; null after errors. Requires: one
  // element for each of feeds().
  std::shared_ptr<CallablePlan> PlanFor(std::span<const TensorRef> feeds, Diagnostics& diagnostics,
                                        std::span<const CallOutput> outputs = {});
  // See CallablePlan::Wait: of all its plans. Sets *of to the one that failed.
  std::optional<RunFailure> Wait(std::shared_ptr<CallablePlan>* of);

 private:
  const std::shared_ptr<LoadedGraph> graph_;
  std::vector<const Feed*> feeds_;
  LruCache<FeedSignature, std::shared_ptr<CallablePlan>> plans_;
};

// A kernel object with the arguments that its calls take. Keeps its engine alive.
class KernelObject {
 public:
  KernelObject(std::shared_ptr<const PlannedGraph> planned, const TypedNode& node);

  const RegisteredKernel& kernel() const { return *step_.kernel(); }
  void* object() const { return step_.object; }
  const CallArrays& arrays() const { return arrays_; }  // including which arguments are in host memory
  const std::string& device() const { return planned_->plan().devices[step_.device].name; }
  Engine& engine() const { return planned_->loaded().engine(); }

 private:
  const std::shared_ptr<const PlannedGraph> planned_;  // owns the object
  const Step& step_;
  const CallArrays arrays_;
};

// Read-only: any thread.
class TypedOp {
 public:
  // Ignores the shapes of the inputs. Null after errors, which refer to the text *source.
  static std::shared_ptr<const TypedOp> Create(Engine& engine, const OpCall& call, Diagnostics& diagnostics,
                                               std::shared_ptr<const SourceFile>* source);
  // The same for a graph file as ToYaml makes it.
  static std::shared_ptr<const TypedOp> Read(Engine& engine, std::string yaml, Diagnostics& diagnostics,
                                             std::shared_ptr<const SourceFile>* source);
  TypedOp(std::shared_ptr<const LoadedGraph> graph, TypedNode node);
  ~TypedOp();

  const RegisteredOp& op() const { return *node_.op; }
  const spec::Signature& signature() const { return *node_.signature; }
  const CallArrays& arrays() const { return arrays_; }
  const LoadedGraph& graph() const { return *graph_; }
  // A graph file with one node, whose inputs are declared feeds. Requires: the inputs have data types of files.
  std::string ToYaml() const;

  // See InferOpShapes.
  Result<OpShapeOutputs> InferShapes(const OpShapeInputs& inputs, spec::ShapeEngine& engine) const;

  // Chooses a kernel and creates an object that serves all shapes, since the shape function does not run. Null after
  // errors, which refer to the text *source.
  std::shared_ptr<const KernelObject> MakeKernel(const KernelWish& wish, Diagnostics& diagnostics,
                                                 std::shared_ptr<const SourceFile>* source) const;

 private:
  const std::shared_ptr<const LoadedGraph> graph_;
  const TypedNode node_;
  const CallArrays arrays_;
  const std::unique_ptr<ChildPart> part_;  // for the shape function of an isolated plugin; else null
};

// A tensor used in the gradient.
struct GradientOperand {
  enum class Kind {
    kNone,
    kInput,     // input `index` of the op
    kOutput,    // output `index` of the op
    kGradient,  // the gradient of output `index`
    kConstant,  // OpGradient::constants[index]
    kCall,      // output `output` of OpGradient::calls[index]
  };
  Kind kind = Kind::kNone;
  uint32_t index = 0;
  uint32_t output = 0;
};

struct GradientCall {
  std::shared_ptr<const TypedOp> op;
  std::vector<GradientOperand> inputs;  // lists flattened
  std::vector<ResolvedShape> outputs;   // their shapes, as far as known
};

// A gradient that is zero except for slices: see GradientSlices in read_graph.h.
struct SlicesOperands {
  GradientOperand values;  // kNone: the gradient does not have this form
  GradientOperand indices;
  GradientOperand axis;  // kNone: dimension 0
  bool vectors = false;
  int64_t batch_dims = 0;
};

struct OpGradient {
  std::vector<Tensor> constants;
  std::vector<GradientCall> calls;         // each after those whose results it uses
  std::vector<GradientOperand> of_inputs;  // by input; kNone: it has no gradient
  std::vector<SlicesOperands> slices;      // by input: the same gradient as slices
};

// The gradients of the inputs from those of all outputs; callers pass zeros for an output that nothing depends on.
// shapes: what is known about the shape of each input, -1 for an unknown size; an empty list if nothing is known. Opens
// the plugins whose ops the gradient uses. Nothing after errors, which refer to the text *source.
std::optional<OpGradient> DifferentiateOp(const TypedOp& op, const std::vector<std::optional<Shape>>& shapes,
                                          Diagnostics& diagnostics, std::shared_ptr<const SourceFile>* source);

}  // namespace opsrun::host
