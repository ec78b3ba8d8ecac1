// host/plan/shape_call.h: one run of a shape function, and the seven primitives that it may call.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "host/base/status.h"
#include "host/plan/call_arrays.h"
#include "host/spec/shape_engine.h"
#include "host/tensor/tensor.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// The contract's struct with what the host keeps behind it. Handles that a plugin passes are believed only if the
// engine made them.
class ShapeCall : public opsrun_shape_call {
 public:
  // in: a shape per input. values: the input's value where it is known before the run, else null. All outlives this
  // object.
  ShapeCall(const opsrun_host* host, const CallArrays& arrays, spec::ShapeEngine& engine,
            std::vector<const opsrun_shape*> in, std::vector<const Tensor*> values, uint32_t n_out);
  ShapeCall(const ShapeCall&) = delete;

  // The value of input i is known in part: as the shape that it spells.
  void SetSpelled(uint32_t i, const opsrun_shape* shape) { spelled_[i] = shape; }
  // The value of an input that is null above, for whoever wants to pay for it: asked at most once for each.
  void SetLateValues(std::function<const Tensor*(uint32_t)> late) { late_ = std::move(late); }
  // In whose name dimensions are equated: see ShapeEngine::WhyKnown.
  void set_asker(uint32_t asker) { asker_ = asker; }

  // Runs the shape function; its answer as a Status.
  Status Run(int32_t (*shape)(void*, opsrun_shape_call*), void* shape_ctx);

  // Output i; null if the function left it unset.
  const opsrun_shape* output(uint32_t i) const { return out_[i]; }
  // The shape that output i will spell, as far as the function knows it; null if it does not say.
  const opsrun_shape* output_value(uint32_t i) const { return out_values_[i]; }

  // The slots. Each answers a code; failures are recorded.
  int32_t Fail(int32_t code, std::string text, std::string subject);
  int32_t MakeDim(int64_t value, const opsrun_dim** dim);
  int32_t MakeShape(int32_t rank, const opsrun_dim* const* dims, const opsrun_shape** shape);
  int32_t SetOutput(uint32_t i, const opsrun_shape* shape);
  int32_t Equate(const opsrun_dim* a, const opsrun_dim* b);
  int32_t DimOp(uint32_t op, const opsrun_dim* a, const opsrun_dim* b, const opsrun_dim** out);
  int32_t WantValue(uint32_t i, const opsrun_tensor** value, const opsrun_shape** as_shape);
  int32_t SetOutputValue(uint32_t i, const opsrun_shape* shape);

 private:
  // A primitive says no. The function may go on without it, or fail with a reason of its own, which counts more.
  int32_t Refuse(const Status& status);
  const Tensor* ValueOf(uint32_t i);
  const opsrun_shape* SpelledShape(const Tensor& value);

  spec::ShapeEngine& engine_;
  std::vector<const opsrun_shape*> in_;
  std::vector<const opsrun_shape*> out_;
  std::vector<const opsrun_shape*> out_values_;
  std::vector<const Tensor*> values_;
  std::vector<const opsrun_shape*> spelled_;  // by input; null: what the value spells
  std::vector<bool> looked_up_;               // by input: late_ was asked
  std::function<const Tensor*(uint32_t)> late_;
  uint32_t asker_ = 0;
  std::deque<TensorView> views_;
  Status failure_;  // what the function says
  Status refusal_;  // of the first primitive that said no
};

}  // namespace opsrun::host
