// adapters/tensorflow/native/shapes.cc
// SPDX-License-Identifier: Apache-2.0
#include "shapes.h"

#include <deque>
#include <unordered_map>
#include <utility>
#include <vector>

#include "status.h"
#include "types.h"

namespace opsrun_tf {
namespace {

using opsrun_adapter::Failure;
using tensorflow::Tensor;
using tensorflow::shape_inference::DimensionHandle;
using tensorflow::shape_inference::InferenceContext;
using tensorflow::shape_inference::ShapeHandle;

// What TensorFlow knows about the inputs, for opsrun. Handles become symbols.
class KnownInputs {
 public:
  explicit KnownInputs(InferenceContext& context) : context_(context) {
    for (int i = 0; i < context.num_inputs(); ++i) inputs_.push_back({SizesOf(context.input(i)), nullptr, kNothing});
  }
  const std::vector<opsrun_known_input>& all() const { return inputs_; }

  // Asks TensorFlow for the value of an input; true if something is known.
  bool Ask(uint32_t i, int32_t dtype) {
    if (const Tensor* const value = context_.input_tensor(static_cast<int>(i)); value != nullptr) {
      inputs_[i].value = ArrayOf(*value, dtype);
      return inputs_[i].value != nullptr;
    }
    ShapeHandle shape;
    const int32_t rank = InferenceContext::Rank(context_.input(i));
    if ((dtype != OPSRUN_DT_INT32 && dtype != OPSRUN_DT_INT64) || (rank != 1 && rank != -1)) return false;
    if (!context_.MakeShapeFromShapeTensor(static_cast<int>(i), &shape).ok()) return false;
    as_shapes_[i] = shape;
    inputs_[i].as_shape = SizesOf(shape);
    return inputs_[i].as_shape.rank >= 0;
  }

  DimensionHandle Element(uint32_t i, uint32_t element) { return context_.Dim(as_shapes_[i], element); }

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

  const opsrun_array* ArrayOf(const Tensor& tensor, int32_t dtype) {
    if (FindType(dtype) == nullptr || dtype == OPSRUN_DT_RESOURCE) return nullptr;
    std::vector<int64_t>& sizes = sizes_.emplace_back();
    for (int i = 0; i < tensor.dims(); ++i) sizes.push_back(tensor.dim_size(i));
    void* data = tensor.data();
    if (dtype == OPSRUN_DT_STRING) {
      std::vector<opsrun_str>& texts = texts_.emplace_back();
      const auto flat = tensor.unaligned_flat<tensorflow::tstring>();
      for (int64_t k = 0; k < flat.size(); ++k) texts.push_back({flat(k).data(), flat(k).size()});
      data = texts.data();
    }
    return &arrays_.emplace_back(opsrun_array{data, sizes.data(), nullptr, dtype, static_cast<int32_t>(sizes.size())});
  }

  InferenceContext& context_;
  std::vector<opsrun_known_input> inputs_;
  std::deque<std::vector<int64_t>> sizes_;
  std::deque<std::vector<uint32_t>> symbols_of_;
  std::deque<std::vector<opsrun_str>> texts_;
  std::deque<opsrun_array> arrays_;
  std::unordered_map<size_t, uint32_t> symbols_;
  std::unordered_map<uint32_t, ShapeHandle> as_shapes_;
};

// The results as handles of TensorFlow.
class Results {
 public:
  Results(InferenceContext& context, KnownInputs& inputs, const opsrun_shapes_info& info)
      : context_(context), inputs_(inputs), info_(info) {
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
    if (size.kind == OPSRUN_SIZE_KNOWN) return context_.MakeDim(size.value);
    if (size.kind == OPSRUN_SIZE_INPUT) return context_.Dim(context_.input(size.a), size.b);
    if (size.kind == OPSRUN_SIZE_ELEMENT) return inputs_.Element(size.a, size.b);
    if (size.kind < OPSRUN_SIZE_OP) return context_.UnknownDim();
    return Compute(size.kind - OPSRUN_SIZE_OP, dims_[size.a], dims_[size.b]);
  }

  // A result that TensorFlow cannot say, such as a difference that may be negative, is unknown.
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
  KnownInputs& inputs_;
  const opsrun_shapes_info& info_;
  std::vector<DimensionHandle> dims_;
};

// Runs the function again with what TensorFlow knows of the values that it asked for.
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
  Results(context, inputs, *opsrun_shapes_get(shapes.get())).Set();
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
