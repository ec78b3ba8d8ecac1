// host/plan/infer_shapes.h: the shape function of one op, called outside of a graph.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "host/base/status.h"
#include "host/plan/call_arrays.h"
#include "host/plugin/registry.h"
#include "host/spec/infer_attrs.h"
#include "host/spec/shape_engine.h"
#include "host/tensor/tensor.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// What is known about each input.
struct OpShapeInputs {
  std::vector<const opsrun_shape*> shapes;
  std::vector<const Tensor*> values;           // null: not known
  std::vector<const opsrun_shape*> as_shapes;  // what is known of its elements: see known_elements.h; otherwise null
};

struct OpShapeOutputs {
  std::vector<const opsrun_shape*> shapes;     // never null
  std::vector<const opsrun_shape*> as_shapes;  // what is known of the elements; null: nothing
  std::vector<uint32_t> wanted;                // inputs whose values the function asked for, but are not known
};

// The status of the shape function; INTERNAL if it throws. Without a shape function all shapes are unknown. All handles
// belong to `engine`.
Result<OpShapeOutputs> InferOpShapes(const RegisteredOp& op, const CallArrays& arrays, const spec::Signature& signature,
                                     const opsrun_host* host, const OpShapeInputs& inputs, spec::ShapeEngine& engine);

// One call of a shape function, and the seven primitives that it may call.

// The struct of c_api.h with the host's data. Handles that a plugin passes are accepted only if the engine made them.
class ShapeCall : public opsrun_shape_call {
 public:
  // in: one shape per input. values: the value of the input if it is known before the run, otherwise null. All
  // arguments must outlive this object.
  ShapeCall(const opsrun_host* host, const CallArrays& arrays, spec::ShapeEngine& engine,
            std::vector<const opsrun_shape*> in, std::vector<const Tensor*> values, uint32_t n_out);
  ShapeCall(const ShapeCall&) = delete;

  // Sets what is known of the elements of input i: see known_elements.h.
  void SetElements(uint32_t i, const opsrun_shape* elements);
  // `late` computes an input value that is null above, on demand; called at most once per input.
  void SetLateValues(std::function<const Tensor*(uint32_t)> late) { late_ = std::move(late); }
  // Recorded for dimensions that become equal: see ShapeEngine::WhyKnown.
  void set_asker(uint32_t asker) { asker_ = asker; }

  // Runs the shape function; returns its result as a Status. out_types: one data type per output.
  Status Run(int32_t (*shape)(void*, opsrun_shape_call*), void* shape_ctx, const std::vector<DType>& out_types);

  // Output i; null if the function left it unset.
  const opsrun_shape* output(uint32_t i) const { return out_[i]; }
  // The elements of output i, as far as the function states them, checked; null if nothing is known.
  const opsrun_shape* output_elements(uint32_t i) const { return out_values_[i]; }

  // Why two sizes of which not both are known cannot be equal, if the function asked for that; otherwise empty.
  const std::string& conflict() const { return conflict_; }

  // The slots. Each returns a code; failures are recorded.
  int32_t Fail(int32_t code, std::string text, std::string subject);
  int32_t MakeDim(int64_t value, const opsrun_dim** dim);
  int32_t MakeShape(int32_t rank, const opsrun_dim* const* dims, const opsrun_shape** shape);
  int32_t SetOutput(uint32_t i, const opsrun_shape* shape);
  int32_t Equate(const opsrun_dim* a, const opsrun_dim* b);
  int32_t DimOp(uint32_t op, const opsrun_dim* a, const opsrun_dim* b, const opsrun_dim** out);
  int32_t WantValue(uint32_t i, const opsrun_tensor** value, const opsrun_shape** as_shape);
  int32_t SetOutputValue(uint32_t i, const opsrun_shape* shape);

 private:
  // A primitive refuses. The function may continue without it, or fail with its own reason, which has priority.
  int32_t Refuse(const Status& status);
  const Tensor* ValueOf(uint32_t i);
  Status CheckOutputElements(const std::vector<DType>& out_types);

  spec::ShapeEngine& engine_;
  std::vector<const opsrun_shape*> in_;
  std::vector<const opsrun_shape*> out_;
  std::vector<const opsrun_shape*> out_values_;
  std::vector<const Tensor*> values_;
  std::vector<const opsrun_shape*> elements_;  // by input; null: those of the value
  bool has_elements_ = false;
  std::vector<bool> looked_up_;  // by input: late_ was asked
  std::function<const Tensor*(uint32_t)> late_;
  uint32_t asker_ = 0;
  std::deque<TensorView> views_;
  Status failure_;  // the failure that the function reported
  Status refusal_;  // of the first primitive that refused
  std::string conflict_;
};

}  // namespace opsrun::host
