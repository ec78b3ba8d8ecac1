// adapters/pytorch/native/infer.cc
// SPDX-License-Identifier: Apache-2.0
#include "infer.h"

#include <deque>
#include <utility>

#include "errors.h"

namespace opsrun_torch {
namespace {

opsrun_known_sizes Of(const KnownSizes& known) {
  return {static_cast<int32_t>(known.sizes.size()), 0, known.sizes.data(), known.symbols.data()};
}

std::optional<std::vector<uint32_t>> ListOf(const opsrun_size_list& list) {
  if (list.rank < 0) return std::nullopt;
  return std::vector<uint32_t>(list.sizes, list.sizes + list.rank);
}

}  // namespace

Inferred Infer(Op& op, const std::vector<KnownInput>& inputs, const std::vector<uint32_t>& counts,
               std::vector<c10::IValue> attrs) {
  CallKey key;
  key.counts.assign(counts.begin(), counts.end());
  key.attrs = std::move(attrs);
  for (const KnownInput& input : inputs) key.types.push_back(input.type);
  const std::shared_ptr<const TypedOp> typed = op.Find(std::move(key));
  std::vector<opsrun_known_input> known;
  std::deque<opsrun_array> values;
  std::deque<at::Tensor> kept;
  for (size_t i = 0; i < inputs.size(); ++i) {
    opsrun_known_input& input = known.emplace_back(opsrun_known_input{});
    input.shape = Of(inputs[i].shape);
    input.as_shape.rank = -1;
    if (inputs[i].value) {
      const at::Tensor& value = kept.emplace_back(inputs[i].value->contiguous());
      values.push_back({value.data_ptr(), value.sizes().data(), nullptr, typed->in_types()[i]->opsrun,
                        static_cast<int32_t>(value.dim())});
      input.value = &values.back();
    } else if (inputs[i].as_shape) {
      input.as_shape = Of(*inputs[i].as_shape);
    }
  }
  const auto found = opsrun_adapter::Make<opsrun_adapter::OwnedShapes>(
      typed->name(), opsrun_typed_op_infer, typed->get(), known.data(), opsrun_adapter::CountOf(known));
  const opsrun_shapes_info& info = *opsrun_shapes_get(found.get());
  Inferred inferred;
  inferred.sizes.assign(info.sizes, info.sizes + info.n_sizes);
  inferred.equal.assign(info.equal, info.equal + size_t{2} * info.n_equal);
  for (uint32_t i = 0; i < info.n_outputs; ++i) {
    inferred.outputs.push_back({typed->out_types()[i]->torch, ListOf(info.outputs[i]), ListOf(info.as_shape[i])});
  }
  for (uint32_t i = 0; i < typed->info().n_out_args; ++i) inferred.counts.push_back(typed->info().out_args[i].count);
  return inferred;
}

}  // namespace opsrun_torch
