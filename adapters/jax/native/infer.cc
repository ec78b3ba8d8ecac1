// adapters/jax/native/infer.cc
// SPDX-License-Identifier: Apache-2.0
#include "infer.h"

#include <deque>

namespace opsrun_jax {
namespace {

std::optional<Shape> ShapeOf(const opsrun_shapes_info& info, const opsrun_size_list& sizes) {
  if (sizes.rank < 0) return std::nullopt;
  Shape shape;
  for (int32_t i = 0; i < sizes.rank; ++i) {
    const opsrun_size& size = info.sizes[sizes.sizes[i]];
    shape.push_back(size.kind == OPSRUN_SIZE_KNOWN ? size.value : -1);
  }
  return shape;
}

}  // namespace

std::vector<KnownOutput> Infer(const TypedOp& op, const std::vector<KnownInput>& inputs) {
  std::vector<opsrun_known_input> known;
  std::deque<opsrun_array> values;
  for (size_t i = 0; i < inputs.size() && i < op.in_types().size(); ++i) {
    const auto& [shape, bytes] = inputs[i];
    const auto rank = static_cast<int32_t>(shape.size());
    opsrun_known_input& input = known.emplace_back();
    input.shape = {rank, 0, shape.data(), nullptr};
    input.as_shape.rank = -1;
    if (bytes) {
      auto* const data = const_cast<char*>(bytes->c_str());
      input.value = &values.emplace_back(opsrun_array{data, shape.data(), nullptr, op.in_types()[i]->opsrun, rank});
    }
  }
  const nanobind::gil_scoped_release unlocked;
  const auto shapes = opsrun_adapter::InferShapes(op.get(), known, op.name());
  const opsrun_shapes_info& info = *opsrun_shapes_get(shapes.get());
  std::vector<KnownOutput> outputs;
  for (uint32_t i = 0; i < info.n_outputs; ++i) {
    outputs.emplace_back(ShapeOf(info, info.outputs[i]), ShapeOf(info, info.as_shape[i]));
  }
  return outputs;
}

}  // namespace opsrun_jax
