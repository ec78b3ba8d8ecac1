// adapters/jax/native/op.cc
// SPDX-License-Identifier: Apache-2.0
#include "op.h"

#include <deque>
#include <unordered_map>
#include <utility>

#include "adapters/common/call.h"
#include "call.h"

namespace opsrun_jax {
namespace {

using opsrun_adapter::Failure;
using opsrun_adapter::Text;

void Collect(const std::string& op, const int32_t* dtypes, uint32_t n, std::vector<const TypeNumbers*>& types) {
  for (uint32_t i = 0; i < n; ++i) {
    types.push_back(FindType(dtypes[i]));
    if (types.back() != nullptr) continue;
    throw Failure(OPSRUN_UNIMPLEMENTED, op + ": JAX has no arrays of strings or handles, which this op needs");
  }
}

Expected Expect(const TypeNumbers& type, uint32_t flags) {
  Expected expected{type.xla, {}};
  opsrun_adapter::Expect(expected.view, nullptr, type.opsrun, type.dl, flags);
  return expected;
}

std::optional<Shape> ShapeOf(const opsrun_shapes_info& info, const opsrun_size_list& sizes) {
  if (sizes.rank < 0) return std::nullopt;
  Shape shape;
  for (int32_t i = 0; i < sizes.rank; ++i) {
    const opsrun_size& size = info.sizes[sizes.sizes[i]];
    shape.push_back(size.kind == OPSRUN_SIZE_KNOWN ? size.value : -1);
  }
  return shape;
}

Operand OperandOf(const opsrun_operand& operand) {
  return {operand.kind, operand.index, operand.output};
}

Constant ConstantOf(const opsrun_array& array) {
  const TypeNumbers* const type = FindType(array.dtype);
  size_t bytes = 0;
  if (type == nullptr || !CountBytes(*type, array.rank, array.shape, bytes)) {
    throw opsrun_adapter::Failure(OPSRUN_UNIMPLEMENTED, "a gradient has a constant of a type that JAX does not have");
  }
  return {array.dtype, Shape(array.shape, array.shape + array.rank), nanobind::bytes(array.data, bytes)};
}

GradientCall CallOf(const opsrun_op_call& call) {
  const opsrun_typed_op_info& info = *opsrun_typed_op_get(call.op);
  std::vector<Operand> inputs;
  std::vector<std::optional<Shape>> out_shapes(info.n_out);
  for (uint32_t i = 0; i < info.n_in; ++i) inputs.push_back(OperandOf(call.inputs[i]));
  for (uint32_t i = 0; i < info.n_out; ++i) {
    const opsrun_tensor_info& output = call.outputs[i];
    if (output.rank >= 0) out_shapes[i].emplace(output.shape, output.shape + output.rank);
  }
  return {TypedOp::NameOf(info), opsrun_adapter::ToYaml(call.op), inputs, out_shapes};
}

}  // namespace

const opsrun_adapter::Engine& TheEngine(const std::vector<std::string>& directories) {
  static const opsrun_adapter::Engine engine(directories, opsrun_adapter::HostTable<Call>::Make);
  return engine;
}

std::shared_ptr<const TypedOp> TypedOp::Find(const std::string& call, const std::string& what) {
  static auto* const mutex = new std::mutex;  // guards known
  static auto* const known = new std::unordered_map<std::string, std::weak_ptr<const TypedOp>>;
  {
    const std::lock_guard<std::mutex> lock(*mutex);
    const auto found = known->find(call);
    if (found != known->end()) {
      if (std::shared_ptr<const TypedOp> op = found->second.lock()) return op;
    }
  }
  auto made = std::make_shared<const TypedOp>(TheEngine().ReadOp(call, what));  // may open plugins
  const std::lock_guard<std::mutex> lock(*mutex);
  std::erase_if(*known, [](const auto& each) { return each.second.expired(); });
  std::weak_ptr<const TypedOp>& kept = (*known)[call];
  if (std::shared_ptr<const TypedOp> other = kept.lock()) return other;
  kept = made;
  return made;
}

std::string TypedOp::NameOf(const opsrun_typed_op_info& info) {
  return Text(info.plugin) + "." + Text(info.name);
}

TypedOp::TypedOp(opsrun_adapter::OwnedTypedOp typed)
    : typed_(std::move(typed)), name_(NameOf(info())), table_(TheEngine().table()) {
  Collect(name_, info().in_types, info().n_in, in_types_);
  Collect(name_, info().out_types, info().n_out, out_types_);
  for (const TypeNumbers* const type : in_types_) expected_.push_back(Expect(*type, OPSRUN_TENSOR_CONST));
  for (const TypeNumbers* const type : out_types_) expected_.push_back(Expect(*type, OPSRUN_TENSOR_PLANNED));
}

const opsrun_kernel_object* TypedOp::kernel() const {
  const std::lock_guard<std::mutex> lock(changing_);
  if (kernel_ == nullptr) kernel_ = opsrun_adapter::MakeKernel(get(), name_);
  return kernel_.get();
}

const opsrun_kernel_object* TypedOp::kernel_on(int32_t card) const {
  const std::lock_guard<std::mutex> lock(changing_);
  opsrun_adapter::OwnedKernel& made = kernels_on_cards_[card];
  if (made == nullptr) made = opsrun_adapter::MakeKernel(get(), name_, "gpu:" + std::to_string(card));
  return made.get();
}

void TypedOp::CheckKernel() const {
  try {
    kernel();
  } catch (const Failure& failure) {
    if (failure.code != OPSRUN_UNIMPLEMENTED) throw;
    try {
      kernel_on(0);
    } catch (const Failure& on_card) {
      if (on_card.code != OPSRUN_UNIMPLEMENTED && on_card.code != OPSRUN_UNAVAILABLE) throw;
      throw failure;
    }
  }
}

void TypedOp::Hold() const {
  const std::lock_guard<std::mutex> lock(changing_);
  if (holders_++ == 0) held_ = shared_from_this();
}

void TypedOp::Drop() const {
  std::shared_ptr<const TypedOp> last;  // destroyed after the lock
  const std::lock_guard<std::mutex> lock(changing_);
  if (--holders_ == 0) last.swap(held_);
}

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

Gradient Differentiate(const TypedOp& op, const std::vector<Shape>& shapes) {
  std::vector<opsrun_known_sizes> sizes;
  for (const Shape& shape : shapes) sizes.push_back({static_cast<int32_t>(shape.size()), 0, shape.data(), nullptr});
  const auto found = [&] {
    const nanobind::gil_scoped_release unlocked;  // may open plugins
    return opsrun_adapter::Differentiate(op.get(), sizes, op.name() + " cannot be differentiated");
  }();
  const opsrun_gradient_info& info = *opsrun_gradient_get(found.get());
  Gradient gradient;
  auto& [calls, constants, of_inputs] = gradient;
  for (uint32_t i = 0; i < info.n_calls; ++i) calls.push_back(CallOf(info.calls[i]));
  for (uint32_t i = 0; i < info.n_constants; ++i) constants.push_back(ConstantOf(info.constants[i]));
  for (uint32_t i = 0; i < info.n_inputs; ++i) of_inputs.push_back(OperandOf(info.of_inputs[i]));
  return gradient;
}

}  // namespace opsrun_jax
