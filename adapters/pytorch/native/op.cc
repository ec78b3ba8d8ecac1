// adapters/pytorch/native/op.cc
// SPDX-License-Identifier: Apache-2.0
#include "op.h"

#include <algorithm>
#include <utility>

#include "call.h"
#include "errors.h"
#include "gradients.h"

namespace opsrun_torch {
namespace {

// Calls fn(tensor) for each tensor of the first n arguments.
template <typename Fn>
void ForEachTensor(c10::ArrayRef<c10::IValue> arguments, size_t n, Fn fn) {
  for (size_t i = 0; i < n; ++i) {
    if (arguments[i].isTensor()) {
      fn(arguments[i].toTensor());
      continue;
    }
    for (const c10::IValue& each : arguments[i].toListRef()) fn(each.toTensor());
  }
}

uint32_t CountOf(const c10::IValue& argument) {
  return argument.isTensor() ? 1 : static_cast<uint32_t>(argument.toListRef().size());
}

void CheckPlace(const OpSpec& spec, const at::Tensor& tensor) {
  if (!tensor.defined()) Raise(OPSRUN_INVALID_ARGUMENT, spec.torch_name + ": an input is an undefined tensor");
  if (tensor.dim() > OPSRUN_MAX_RANK) {
    Raise(OPSRUN_INVALID_ARGUMENT, spec.torch_name + ": an input has more than 32 dimensions");
  }
  if (tensor.device().is_cpu() && tensor.layout() == c10::kStrided && !tensor.is_quantized()) return;
  Raise(OPSRUN_UNIMPLEMENTED, spec.torch_name + " runs on dense tensors in CPU memory, but an input is on " +
                                  tensor.device().str() + (tensor.layout() == c10::kStrided ? "" : ", not dense") +
                                  "; use .cpu() or .to_dense()");
}

// "input 'x' (INVALID_ARGUMENT)"
std::string Blame(const std::string& subject, int32_t code) {
  std::string who = subject;
  std::replace(who.begin(), who.end(), ':', ' ');
  return (who.empty() ? "" : who + ", ") + CodeName(code);
}

c10::IValue ListOf(Call& call, const opsrun_arg& arg) {
  c10::List<at::Tensor> list;
  for (uint32_t i = arg.first; i < arg.first + arg.count; ++i) list.push_back(call.TakeOutput(i));
  return list;
}

}  // namespace

bool CallKey::Is(const CallKey& other) const {
  return types == other.types && counts == other.counts && attrs.size() == other.attrs.size() &&
         std::equal(attrs.begin(), attrs.end(), other.attrs.begin(), SameValue);
}

bool CallKey::IsOf(c10::ArrayRef<c10::IValue> arguments) const {
  size_t next = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (CountOf(arguments[i]) != counts[i]) return false;
  }
  bool same = true;
  ForEachTensor(arguments, counts.size(), [&](const at::Tensor& tensor) {
    same = same && tensor.scalar_type() == types[next];
    ++next;
  });
  return same && std::equal(attrs.begin(), attrs.end(), arguments.begin() + counts.size(), SameValue);
}

TypedOp::TypedOp(const Host& host, const OpSpec& spec, CallKey key)
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
  const AttrValues attrs(spec.attrs, key_.attrs);
  opsrun_report* report = nullptr;
  const int32_t code =
      opsrun_engine_type_op(host.engine, Str(spec.name), inputs.data(), static_cast<uint32_t>(inputs.size()),
                            attrs.all().data(), static_cast<uint32_t>(attrs.all().size()), &typed_, &report);
  Check(code, report, name_);
  for (uint32_t i = 0; i < info().n_out; ++i) {
    out_types_.push_back(FindType(info().out_types[i]));
    if (out_types_.back() == nullptr) Raise(OPSRUN_UNIMPLEMENTED, name_ + ": PyTorch has no type for its output");
  }
}

TypedOp::~TypedOp() {
  opsrun_kernel_object_destroy(kernel_);
  opsrun_typed_op_destroy(typed_);
}

const opsrun_kernel_object* TypedOp::kernel() const {
  std::call_once(made_, [&] {
    opsrun_report* report = nullptr;
    const int32_t code = opsrun_typed_op_make_kernel(typed_, {"cpu", 3}, &kernel_, &report);
    Check(code, report, name_);
  });
  return kernel_;
}

Op::Op(const Host& host, OpSpec spec)
    : host_(host),
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

// Two threads may prepare the same call; the second one's is kept besides.
std::shared_ptr<const TypedOp> Op::Find(CallKey key) {
  if (auto known = FindKnown([&](const CallKey& other) { return other.Is(key); })) return known;
  for (c10::IValue& attr : key.attrs) attr = Keep(attr);
  auto made = std::make_shared<const TypedOp>(host_, spec_, std::move(key));
  const std::lock_guard<std::mutex> lock(mutex_);
  known_.push_front(made);
  if (known_.size() > kKept) known_.pop_back();
  return made;
}

CallKey Op::KeyOf(c10::ArrayRef<c10::IValue> arguments) const {
  CallKey key;
  for (size_t i = 0; i < spec_.inputs.size(); ++i) key.counts.push_back(CountOf(arguments[i]));
  ForEachTensor(arguments, spec_.inputs.size(),
                [&](const at::Tensor& tensor) { key.types.push_back(tensor.scalar_type()); });
  for (const c10::IValue& attr : arguments.slice(spec_.inputs.size())) key.attrs.push_back(attr);
  return key;
}

std::shared_ptr<const TypedOp> Op::FindForCall(const torch::jit::Stack& stack) {
  const c10::ArrayRef<c10::IValue> arguments = ArgumentsOn(stack);
  if (auto known = FindKnown([&](const CallKey& key) { return key.IsOf(arguments); })) return known;
  return Find(KeyOf(arguments));
}

bool Op::CanReadAttrs(const torch::jit::Stack& stack) const {
  if (!has_tensor_attrs_) return true;
  const c10::ArrayRef<c10::IValue> attrs = ArgumentsOn(stack).slice(spec_.inputs.size());
  return std::none_of(attrs.begin(), attrs.end(), [](const c10::IValue& attr) {
    return AnyTensorOf(attr, [](const at::Tensor& tensor) { return !IsReadable(tensor); });
  });
}

void Op::Compute(torch::jit::Stack& stack) {
  const c10::ArrayRef<c10::IValue> arguments = ArgumentsOn(stack);
  const auto check = [&](const at::Tensor& tensor) { CheckPlace(spec_, tensor); };
  ForEachTensor(arguments, spec_.inputs.size(), check);
  if (has_tensor_attrs_ && !CanReadAttrs(stack)) {
    Raise(OPSRUN_UNIMPLEMENTED, spec_.torch_name +
                                    ": an attr is a tensor that is not dense in CPU memory; use .cpu() or "
                                    ".to_dense()");
  }
  const std::shared_ptr<const TypedOp> op = FindForCall(stack);
  Call call(host_.table, op->kernel(), op->out_types(), op->in_types().size());
  size_t input = 0;
  const auto add = [&](const at::Tensor& tensor) { call.AddInput(*op->in_types()[input++], tensor); };
  ForEachTensor(arguments, spec_.inputs.size(), add);
  if (const int32_t code = call.Run(); code != OPSRUN_OK) {
    Raise(code, spec_.torch_name + " (" + Blame(call.subject, code) + "): " + call.text);
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

}  // namespace opsrun_torch
