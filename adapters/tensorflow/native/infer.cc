// adapters/tensorflow/native/infer.cc
// SPDX-License-Identifier: Apache-2.0
#include "infer.h"

#include <deque>
#include <limits>

#include "arrays.h"
#include "node.h"

namespace opsrun_tf {
namespace {

namespace py = pybind11;

opsrun_known_sizes Of(const Sizes& sizes) {
  if (!sizes) return {-1, 0, nullptr, nullptr};
  return {static_cast<int32_t>(sizes->size()), 0, sizes->data(), nullptr};
}

using Inputs = std::vector<std::pair<Sizes, Sizes>>;

// A size as in opsrun_known_sizes. The shape function may compute an element that is not a valid size.
int64_t NumberOf(const opsrun_size& size, const Inputs& inputs) {
  if (size.kind == OPSRUN_SIZE_UNKNOWN) return std::numeric_limits<int64_t>::min();
  if (size.kind == OPSRUN_SIZE_ELEMENT) return inputs[size.a].second->at(size.b);
  return size.kind != OPSRUN_SIZE_KNOWN || size.value >= 0 ? size.value : size.value - 1;
}

Sizes SizesOf(const opsrun_size_list& list, const opsrun_shapes_info& info, const Inputs& inputs) {
  if (list.rank < 0) return std::nullopt;
  Sizes sizes = std::vector<int64_t>();
  for (int32_t i = 0; i < list.rank; ++i) sizes->push_back(NumberOf(info.sizes[list.sizes[i]], inputs));
  return sizes;
}

// Values that Python provides.
class Values {
 public:
  // Null if the value is unknown, or of a type that opsrun does not have.
  const opsrun_array* Read(const py::object& serialized, int32_t dtype) {
    tensorflow::TensorProto proto;
    if (serialized.is_none() || !proto.ParseFromString(serialized.cast<std::string>())) return nullptr;
    tensorflow::Tensor& tensor = tensors_.emplace_back();
    return tensor.FromProto(proto) && tensor.dtype() == dtype ? arrays_.Add(tensor, dtype) : nullptr;
  }

 private:
  std::deque<tensorflow::Tensor> tensors_;
  Arrays arrays_;
};

}  // namespace

std::vector<std::pair<Sizes, Sizes>> InferOutputs(const Op& op, const std::string& node_def,
                                                  const std::vector<std::pair<Sizes, Sizes>>& inputs,
                                                  const py::function& value_of) {
  const TypedOp typed = TypeNode(op, node_def);
  std::vector<opsrun_known_input> known;
  for (const auto& [shape, elements] : inputs) known.push_back({Of(shape), nullptr, Of(elements)});
  opsrun_adapter::OwnedShapes shapes = opsrun_adapter::InferShapes(typed.get(), known, op.name);
  const opsrun_shapes_info* info = opsrun_shapes_get(shapes.get());
  Values values;
  bool more = false;
  for (uint32_t i = 0; i < info->n_wanted; ++i) {
    const uint32_t input = info->wanted[i];
    known[input].value = values.Read(value_of(input), typed.info().in_types[input]);
    more |= known[input].value != nullptr;
  }
  if (more) shapes = opsrun_adapter::InferShapes(typed.get(), known, op.name);
  info = opsrun_shapes_get(shapes.get());
  std::vector<std::pair<Sizes, Sizes>> outputs;
  for (uint32_t i = 0; i < info->n_outputs; ++i) {
    outputs.emplace_back(SizesOf(info->outputs[i], *info, inputs), SizesOf(info->as_shape[i], *info, inputs));
  }
  return outputs;
}

}  // namespace opsrun_tf
