// adapters/pytorch/native/op.cc
// SPDX-License-Identifier: Apache-2.0
#include "op.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/jit/python/pybind_utils.h>

#include <algorithm>
#include <deque>

#include "call.h"
#include "gradient.h"

namespace opsrun_torch {
namespace {

namespace py = pybind11;

uint32_t CountOf(const c10::IValue& argument) {
  return argument.isTensor() ? 1 : static_cast<uint32_t>(argument.toListRef().size());
}

void CheckPlace(const OpSpec& spec, const at::Tensor& tensor) {
  if (!tensor.defined()) Raise(OPSRUN_INVALID_ARGUMENT, spec.torch_name + ": an input is an undefined tensor");
  if (tensor.dim() > OPSRUN_MAX_RANK) {
    Raise(OPSRUN_INVALID_ARGUMENT, spec.torch_name + ": an input has more than 64 dimensions");
  }
  if (tensor.device().is_cpu() && tensor.layout() == c10::kStrided && !tensor.is_quantized()) return;
  const bool dense = tensor.layout() == c10::kStrided;
  Raise(OPSRUN_UNIMPLEMENTED, spec.torch_name + " runs on dense tensors in CPU memory, but an input is " +
                                  (!dense                  ? "not dense; use .to_dense()"
                                   : tensor.is_quantized() ? "quantized; use .dequantize()"
                                                           : "on " + tensor.device().str() + "; use .cpu()"));
}

// "attr preserve_index, INVALID_ARGUMENT"
std::string BlameOf(const Call& call, int32_t code) {
  return (call.subject.empty() ? "" : opsrun_adapter::Blame(call.subject) + ", ") + CodeName(code);
}

c10::IValue ListOf(Call& call, const opsrun_arg& arg) {
  c10::List<at::Tensor> list;
  for (uint32_t i = arg.first; i < arg.first + arg.count; ++i) list.push_back(call.TakeOutput(i));
  return list;
}

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

bool CallKey::Is(const CallKey& other) const {
  return types == other.types && counts == other.counts && attrs.size() == other.attrs.size() &&
         std::equal(attrs.begin(), attrs.end(), other.attrs.begin(), SameValue);
}

bool CallKey::IsOf(c10::ArrayRef<c10::IValue> inputs, c10::ArrayRef<c10::IValue> given_attrs) const {
  for (size_t i = 0; i < counts.size(); ++i) {
    if (CountOf(inputs[i]) != counts[i]) return false;
  }
  const c10::ScalarType* type = types.begin();
  if (AnyTensor(inputs, [&](const at::Tensor& tensor) { return tensor.scalar_type() != *type++; })) return false;
  return std::equal(attrs.begin(), attrs.end(), given_attrs.begin(), SameValue);
}

TypedOp::TypedOp(const opsrun_adapter::Engine& engine, const OpSpec& spec, CallKey key)
    : key_(std::move(key)), name_(spec.torch_name), gradients_(std::make_unique<Gradients>()) {
  std::vector<opsrun_op_input> inputs;
  for (size_t i = 0; i < spec.inputs.size(); ++i) {
    if (key_.counts[i] == 0) inputs.push_back({Str(spec.inputs[i].name), 0, 0, nullptr, OPSRUN_LIST_EMPTY, 0});
    for (uint32_t k = 0; k < key_.counts[i]; ++k) {
      const c10::ScalarType type = key_.types[in_types_.size()];
      const TypeNumbers* const numbers = FindType(type);
      if (numbers == nullptr) {
        Raise(OPSRUN_INVALID_ARGUMENT, name_ + ": input '" + spec.inputs[i].name + "' is " + c10::toString(type) +
                                           ", which opsrun does not have");
      }
      inputs.push_back(
          {Str(spec.inputs[i].name), numbers->opsrun, 0, nullptr, spec.inputs[i].list ? OPSRUN_LIST_ELEMENT : 0u, 0});
      in_types_.push_back(numbers);
    }
  }
  typed_ = engine.TypeOp(spec.name, inputs, AttrValues(spec.attrs, key_.attrs).all(), name_);
  for (uint32_t i = 0; i < info().n_out; ++i) {
    out_types_.push_back(FindType(info().out_types[i]));
    if (out_types_.back() == nullptr) Raise(OPSRUN_UNIMPLEMENTED, name_ + ": PyTorch has no type for its output");
  }
}

TypedOp::~TypedOp() = default;

const opsrun_kernel_object* TypedOp::kernel() const {
  std::call_once(made_, [&] { kernel_ = opsrun_adapter::MakeKernel(typed_.get(), name_); });
  return kernel_.get();
}

Op::Op(const opsrun_adapter::Engine& engine, OpSpec spec)
    : engine_(engine),
      spec_(std::move(spec)),
      has_tensor_attrs_(std::any_of(spec_.attrs.begin(), spec_.attrs.end(), [](const AttrSpec& attr) {
        return attr.type == "tensor" || attr.type == "list(tensor)";
      })) {}

template <typename Is>
std::shared_ptr<const TypedOp> Op::FindKnown(Is is) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto each = known_.begin(); each != known_.end(); ++each) {
    if (!is((*each)->key())) continue;
    if (each != known_.begin()) known_.splice(known_.begin(), known_, each);
    return known_.front();
  }
  return nullptr;
}

// Two threads may prepare the same call; both results are then kept.
std::shared_ptr<const TypedOp> Op::Find(CallKey key) {
  if (auto known = FindKnown([&](const CallKey& other) { return other.Is(key); })) return known;
  for (c10::IValue& attr : key.attrs) attr = Keep(attr);
  auto made = std::make_shared<const TypedOp>(engine_, spec_, std::move(key));
  const std::lock_guard<std::mutex> lock(mutex_);
  known_.push_front(made);
  if (known_.size() > kKept) known_.pop_back();
  return made;
}

CallKey Op::KeyOf(const torch::jit::Stack& stack) const {
  const c10::ArrayRef<c10::IValue> inputs = InputsOn(stack);
  CallKey key;
  for (const c10::IValue& input : inputs) key.counts.push_back(CountOf(input));
  ForEachTensor(inputs, [&](const at::Tensor& tensor) { key.types.push_back(tensor.scalar_type()); });
  key.attrs = AttrsOn(stack).vec();
  return key;
}

std::shared_ptr<const TypedOp> Op::FindForCall(const torch::jit::Stack& stack) {
  const c10::ArrayRef<c10::IValue> inputs = InputsOn(stack), attrs = AttrsOn(stack);
  if (auto known = FindKnown([&](const CallKey& key) { return key.IsOf(inputs, attrs); })) return known;
  return Find(KeyOf(stack));
}

bool Op::CanReadAttrs(const torch::jit::Stack& stack) const {
  return !has_tensor_attrs_ || !AnyTensor(AttrsOn(stack), [](const at::Tensor& tensor) { return !IsReadable(tensor); });
}

void Op::Compute(torch::jit::Stack& stack) {
  ForEachTensor(InputsOn(stack), [&](const at::Tensor& tensor) { CheckPlace(spec_, tensor); });
  if (!CanReadAttrs(stack)) {
    Raise(OPSRUN_UNIMPLEMENTED, spec_.torch_name +
                                    ": an attr is a tensor that is not dense in CPU memory; use .cpu() or "
                                    ".to_dense()");
  }
  const std::shared_ptr<const TypedOp> op = FindForCall(stack);
  Call call(engine_.table(), op->kernel(), op->out_types(), op->in_types().size());
  size_t input = 0;
  ForEachTensor(InputsOn(stack), [&](const at::Tensor& tensor) { call.AddInput(*op->in_types()[input++], tensor); });
  if (const int32_t code = call.Run(); code != OPSRUN_OK) {
    Raise(code, spec_.torch_name + " (" + BlameOf(call, code) + "): " + call.text);
  }
  stack.resize(stack.size() - n_arguments());
  const opsrun_typed_op_info& info = op->info();
  for (uint32_t i = 0; i < info.n_out_args; ++i) {
    const opsrun_arg& arg = info.out_args[i];
    if ((arg.flags & OPSRUN_ARG_LIST) != 0) {
      stack.emplace_back(ListOf(call, arg));
    } else {
      stack.emplace_back(call.TakeOutput(arg.first));
    }
  }
}

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
