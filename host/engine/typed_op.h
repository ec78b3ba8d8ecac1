// host/engine/typed_op.h: one op with the types of its inputs, for hosts that run its kernels in their own frames.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/engine/loaded_graph.h"
#include "host/engine/op_cache.h"
#include "host/plan/call_arrays.h"
#include "host/plan/infer_shapes.h"
#include "host/plan/resolution.h"

namespace opsrun::host {

// A kernel object with the arguments that its calls take. Keeps its engine alive.
class KernelObject {
 public:
  KernelObject(std::shared_ptr<const PlannedGraph> planned, const TypedNode& node);

  const RegisteredKernel& kernel() const { return *step_.kernel; }
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
  // Ignores the shapes of the inputs. Null after errors, which refer to the text *source. attrs: borrowed.
  static std::shared_ptr<const TypedOp> Create(std::shared_ptr<Engine> engine, const std::string& op,
                                               const std::vector<OpInput>& inputs,
                                               const std::vector<opsrun_attr>& attrs, Diagnostics& diagnostics,
                                               std::shared_ptr<const SourceFile>* source);
  // The same for a graph file as ToYaml makes it.
  static std::shared_ptr<const TypedOp> Read(Engine& engine, std::string yaml, Diagnostics& diagnostics,
                                             std::shared_ptr<const SourceFile>* source);
  TypedOp(std::shared_ptr<const LoadedGraph> graph, TypedNode node);

  const RegisteredOp& op() const { return *node_.op; }
  const spec::Signature& signature() const { return node_.signature; }
  const CallArrays& arrays() const { return arrays_; }
  const LoadedGraph& graph() const { return *graph_; }
  // A graph file with one node, whose inputs are declared feeds. Requires: the inputs have data types of files.
  std::string ToYaml() const;

  // See InferOpShapes.
  Result<OpShapeOutputs> InferShapes(const OpShapeInputs& inputs, spec::ShapeEngine& engine) const;

  // Chooses a kernel for the device ("cpu", "gpu:1"; empty: the engine's default) and creates an object that serves all
  // shapes, since the shape function does not run. Null after errors, which refer to the text *source.
  std::shared_ptr<const KernelObject> MakeKernel(const std::string& device, Diagnostics& diagnostics,
                                                 std::shared_ptr<const SourceFile>* source) const;

 private:
  const std::shared_ptr<const LoadedGraph> graph_;
  const TypedNode node_;
  const CallArrays arrays_;
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
