// adapters/pytorch/native/infer.cc
// SPDX-License-Identifier: Apache-2.0
#include "infer.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/jit/python/pybind_utils.h>

#include <deque>

namespace opsrun_torch {
namespace {

namespace py = pybind11;

opsrun_known_sizes Of(const Sizes& known) {
  return {static_cast<int32_t>(known.first.size()), 0, known.first.data(), known.second.data()};
}

std::optional<std::vector<uint32_t>> ListOf(const opsrun_size_list& list) {
  if (list.rank < 0) return std::nullopt;
  return std::vector<uint32_t>(list.sizes, list.sizes + list.rank);
}

CallKey KeyOf(const Op& op, const std::vector<KnownInput>& inputs, const std::vector<uint32_t>& counts,
              const py::list& attrs) {
  const c10::OperatorHandle handle = c10::Dispatcher::singleton().findSchemaOrThrow(op.spec().torch_name.c_str(), "");
  CallKey key;
  for (const KnownInput& input : inputs) key.types.push_back(std::get<0>(input));
  key.counts.assign(counts.begin(), counts.end());
  for (size_t i = 0; i < attrs.size(); ++i) {
    key.attrs.push_back(torch::jit::toIValue(attrs[i], handle.schema().arguments()[counts.size() + i].type()));
  }
  return key;
}

}  // namespace

py::tuple Infer(Op& op, const std::vector<KnownInput>& inputs, const std::vector<uint32_t>& counts,
                const py::list& attrs) {
  const std::shared_ptr<const TypedOp> typed = op.Find(KeyOf(op, inputs, counts, attrs));
  std::vector<opsrun_known_input> known;
  std::deque<opsrun_array> values;
  std::deque<at::Tensor> kept;
  for (const auto& [type, shape, value, as_shape] : inputs) {
    opsrun_known_input& input = known.emplace_back(opsrun_known_input{Of(shape), nullptr, {-1, 0, nullptr, nullptr}});
    if (value) {
      const at::Tensor& plain = kept.emplace_back(value->contiguous());
      values.push_back(
          {plain.data_ptr(), plain.sizes().data(), nullptr, FindType(type)->opsrun, static_cast<int32_t>(plain.dim())});
      input.value = &values.back();
    } else if (as_shape) {
      input.as_shape = Of(*as_shape);
    }
  }
  const auto found = opsrun_adapter::InferShapes(typed->get(), known, typed->name());
  const opsrun_shapes_info& info = *opsrun_shapes_get(found.get());
  py::list sizes, outputs, equal, out_counts;
  for (uint32_t i = 0; i < info.n_sizes; ++i) {
    const opsrun_size& size = info.sizes[i];
    sizes.append(py::make_tuple(size.kind, size.value, size.a, size.b));
  }
  for (uint32_t i = 0; i < info.n_outputs; ++i) {
    outputs.append(py::make_tuple(typed->out_types()[i]->torch, ListOf(info.outputs[i]), ListOf(info.as_shape[i])));
  }
  for (uint32_t i = 0; i < info.n_equal; ++i) {
    equal.append(py::make_tuple(info.equal[2 * i], info.equal[2 * i + 1]));
  }
  for (uint32_t i = 0; i < typed->info().n_out_args; ++i) out_counts.append(typed->info().out_args[i].count);
  return py::make_tuple(sizes, outputs, equal, out_counts);
}

}  // namespace opsrun_torch
