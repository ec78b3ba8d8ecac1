// adapters/tensorflow/native/shapes.cc
// SPDX-License-Identifier: Apache-2.0
#include "shapes.h"

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <utility>
#include <vector>

#include "arrays.h"
#include "status.h"

namespace opsrun_tf {
namespace {

using opsrun_adapter::Failure;
using tensorflow::Tensor;
using tensorflow::shape_inference::DimensionHandle;
using tensorflow::shape_inference::InferenceContext;
using tensorflow::shape_inference::ShapeHandle;

// What TensorFlow knows about the inputs. Dimension handles become symbols.
class KnownInputs {
 public:
  explicit KnownInputs(InferenceContext& context) : context_(context) {
    for (int i = 0; i < context.num_inputs(); ++i) inputs_.push_back({SizesOf(context.input(i)), nullptr, kNothing});
  }
  const std::vector<opsrun_known_input>& all() const { return inputs_; }

  // Asks TensorFlow for the value of an input; true if it is known. Partly known values are requested in Python instead
  // (infer.h), because TensorFlow fails if a value that is requested as a shape contains a number below -1.
  bool Ask(uint32_t i, int32_t dtype) {
    const Tensor* const value = context_.input_tensor(static_cast<int>(i));
    if (value != nullptr) inputs_[i].value = arrays_.Add(*value, dtype);
    return inputs_[i].value != nullptr;
  }

 private:
  static constexpr opsrun_known_sizes kNothing = {-1, 0, nullptr, nullptr};

  opsrun_known_sizes SizesOf(ShapeHandle shape) {
    if (!InferenceContext::RankKnown(shape)) return kNothing;
    std::vector<int64_t>& sizes = sizes_.emplace_back();
    std::vector<uint32_t>& symbols = symbols_of_.emplace_back();
    for (int i = 0; i < InferenceContext::Rank(shape); ++i) {
      const DimensionHandle dim = context_.Dim(shape, i);
      sizes.push_back(InferenceContext::Value(dim));
      symbols.push_back(symbols_.emplace(dim.Handle(), static_cast<uint32_t>(symbols_.size() + 1)).first->second);
    }
    return {static_cast<int32_t>(sizes.size()), 0, sizes.data(), symbols.data()};
  }

  InferenceContext& context_;
  std::vector<opsrun_known_input> inputs_;
  std::deque<std::vector<int64_t>> sizes_;
  std::deque<std::vector<uint32_t>> symbols_of_;
  Arrays arrays_;
  std::unordered_map<size_t, uint32_t> symbols_;
};

// The results as TensorFlow handles.
class Results {
 public:
  Results(InferenceContext& context, const opsrun_shapes_info& info) : context_(context), info_(info) {
    for (uint32_t i = 0; i < info.n_sizes; ++i) dims_.push_back(DimOf(info.sizes[i]));
  }

  void Set() {
    for (uint32_t i = 0; i < info_.n_equal; ++i) Equate(info_.equal[2 * i], info_.equal[2 * i + 1]);
    for (uint32_t i = 0; i < info_.n_outputs; ++i) {
      context_.set_output(static_cast<int>(i), ShapeOf(info_.outputs[i]));
    }
  }

 private:
  DimensionHandle DimOf(const opsrun_size& size) {
    // An element may be negative, but TensorFlow's dimensions may not.
    if (size.kind == OPSRUN_SIZE_KNOWN) return context_.MakeDim(std::max<int64_t>(size.value, -1));
    if (size.kind == OPSRUN_SIZE_INPUT) return context_.Dim(context_.input(size.a), size.b);
    if (size.kind < OPSRUN_SIZE_OP) return context_.UnknownDim();
    return Compute(size.kind - OPSRUN_SIZE_OP, dims_[size.a], dims_[size.b]);
  }

  // Results that TensorFlow cannot represent, such as a possibly negative difference, are unknown.
  DimensionHandle Compute(uint32_t op, DimensionHandle a, DimensionHandle b) {
    DimensionHandle result;
    absl::Status status = absl::UnimplementedError("");
    if (op == OPSRUN_DIM_ADD) status = context_.Add(a, b, &result);
    if (op == OPSRUN_DIM_SUB) status = context_.Subtract(a, b, &result);
    if (op == OPSRUN_DIM_MUL) status = context_.Multiply(a, b, &result);
    if (op == OPSRUN_DIM_FLOORDIV) status = context_.Divide(a, b, false, &result);
    if (op == OPSRUN_DIM_MIN) status = context_.Min(a, b, &result);
    if (op == OPSRUN_DIM_MAX) status = context_.Max(a, b, &result);
    return status.ok() ? result : context_.UnknownDim();
  }

  void Equate(uint32_t a, uint32_t b) {
    DimensionHandle merged;
    Require(context_.Merge(dims_[a], dims_[b], &merged));
    dims_[a] = dims_[b] = merged;
  }

  ShapeHandle ShapeOf(const opsrun_size_list& list) {
    if (list.rank < 0) return context_.UnknownShape();
    std::vector<DimensionHandle> dims;
    for (int32_t i = 0; i < list.rank; ++i) dims.push_back(dims_[list.sizes[i]]);
    return context_.MakeShape(dims);
  }

  InferenceContext& context_;
  const opsrun_shapes_info& info_;
  std::vector<DimensionHandle> dims_;
};

// Runs the shape function, and again if TensorFlow knows values that it requested.
void InferShapes(const TypedOp& op, InferenceContext& context) {
  KnownInputs inputs(context);
  opsrun_adapter::OwnedShapes shapes = opsrun_adapter::InferShapes(op.get(), inputs.all(), op.op().name);
  const opsrun_shapes_info* info = opsrun_shapes_get(shapes.get());
  bool more = false;
  for (uint32_t i = 0; i < info->n_wanted; ++i) {
    const uint32_t input = info->wanted[i];
    more |= inputs.Ask(input, op.info().in_types[input]);
  }
  if (more) shapes = opsrun_adapter::InferShapes(op.get(), inputs.all(), op.op().name);
  Results(context, *opsrun_shapes_get(shapes.get())).Set();
}

}  // namespace

absl::Status InferShapes(const Op& op, InferenceContext* context) {
  try {
    const auto find = [context](const std::string& name) { return context->GetAttr(name); };
    InferShapes(TypedOp(op, find), *context);
    return absl::OkStatus();
  } catch (const Failure& failure) {
    return StatusOf(failure);
  }
}

}  // namespace opsrun_tf
