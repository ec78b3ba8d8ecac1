// adapters/pytorch/native/op.cc
// SPDX-License-Identifier: Apache-2.0
#include "op.h"

#include <array>
#include <atomic>
#include <utility>

#include "call.h"
#include "device_call.h"
#include "kept.h"
#include "plain.h"

namespace opsrun_torch {
namespace {

// A kernel of PyTorch's stable ABI is a function without a context, so each operator has functions of its own, which
// know its number.
using Kernel = void (*)(StableIValue* stack, uint64_t n_inputs, uint64_t n_outputs);
constexpr size_t kMostOps = 4096;
Op* ops[kMostOps];

// The last calls of this thread, which are found without a lock and without counting references. One that runs is not
// here.
struct Recent {
  const Op* op;
  std::shared_ptr<const TypedOp> typed;
};
thread_local std::array<Recent, 16> recent_calls{};

template <size_t number>
void ComputeOf(StableIValue* stack, uint64_t, uint64_t) {
  ops[number]->Compute(stack);
}
template <size_t number>
void AutogradOf(StableIValue* stack, uint64_t, uint64_t) {
  ops[number]->Autograd(stack);
}

struct Kernels {
  Kernel compute, autograd;
};
template <size_t... numbers>
constexpr std::array<Kernels, kMostOps> AllKernels(std::index_sequence<numbers...>) {
  return {Kernels{ComputeOf<numbers>, AutogradOf<numbers>}...};
}
constexpr std::array<Kernels, kMostOps> kKernels = AllKernels(std::make_index_sequence<kMostOps>());

void Implement(const std::string& torch_name, const char* key, Kernel kernel) {
  const size_t colon = torch_name.find("::");
  // The registration lives as long as the process.
  TorchLibraryHandle library = nullptr;
  if (aoti_torch_library_init_impl(torch_name.substr(0, colon).c_str(), key, __FILE__, __LINE__, &library) != 0 ||
      torch_library_impl(library, torch_name.c_str() + colon + 2, kernel, TORCH_TARGET_VERSION) != 0) {
    Raise(OPSRUN_INTERNAL, "PyTorch refuses a kernel of " + torch_name);
  }
}

// "opsrun_zero_out::_ZeroOut_autograd"
std::string AutogradName(const std::string& torch_name) {
  const size_t begin = torch_name.find("::") + 2;
  return torch_name.substr(0, begin) + "_" + torch_name.substr(begin) + "_autograd";
}

// "attr preserve_index, INVALID_ARGUMENT"
std::string BlameOf(const Call& call, int32_t code) {
  return (call.subject().empty() ? "" : opsrun_adapter::Blame(call.subject()) + ", ") + CodeName(code);
}

StableIValue ListOf(Call& call, const opsrun_arg& arg) {
  const auto list = Get<StableListHandle>(torch_new_list_reserve_size, arg.count);
  for (uint32_t i = arg.first; i < arg.first + arg.count; ++i) {
    Must(torch_list_push_back(list, reinterpret_cast<StableIValue>(call.TakeOutput(i).release())));
  }
  return reinterpret_cast<StableIValue>(list);
}

// Takes over the list.
StableIValue OnlyItem(StableListHandle list) {
  const auto item = Get<StableIValue>(torch_list_get_item, list, size_t{0});
  torch_delete_list(list);
  return item;
}

}  // namespace

TypedOp::TypedOp(const opsrun_adapter::Engine& engine, const OpSpec& spec, Key key)
    : key_(std::move(key)), name_(spec.torch_name) {
  KeyReader reader(key_);
  const std::vector<opsrun_op_input> inputs = ReadInputs(spec, reader);
  typed_ = engine.TypeOp(spec.name, inputs, AttrValues(spec.attrs, reader).all(), name_);
  for (uint32_t i = 0; i < info().n_out; ++i) {
    out_types_.push_back(FindType(info().out_types[i]));
    if (out_types_.back() == nullptr) Raise(OPSRUN_UNIMPLEMENTED, name_ + ": PyTorch has no type for its output");
  }
}

std::vector<opsrun_op_input> TypedOp::ReadInputs(const OpSpec& spec, KeyReader& key) {
  std::vector<opsrun_op_input> inputs;
  for (const ArgSpec& input : spec.inputs) {
    const int64_t n = input.list ? key.Next() : 1;
    if (n == 0) inputs.push_back({Str(input.name), 0, 0, nullptr, OPSRUN_LIST_EMPTY, 0});
    for (int64_t i = 0; i < n; ++i) {
      const auto number = static_cast<int32_t>(key.Next());
      in_types_.push_back(FindTorchType(number));
      if (in_types_.back() == nullptr) {
        Raise(OPSRUN_INVALID_ARGUMENT,
              name_ + ": input '" + input.name + "' is " + TypeName(number) + ", which opsrun does not have");
      }
      inputs.push_back(
          {Str(input.name), in_types_.back()->opsrun, 0, nullptr, input.list ? OPSRUN_LIST_ELEMENT : 0u, 0});
    }
  }
  return inputs;
}

const opsrun_kernel_object* TypedOp::kernel() const {
  if (const opsrun_kernel_object* const made = made_.load(std::memory_order_acquire)) return made;
  const std::lock_guard<std::mutex> lock(making_);
  if (kernel_ == nullptr) kernel_ = opsrun_adapter::MakeKernel(typed_.get(), name_);
  made_.store(kernel_.get(), std::memory_order_release);
  return kernel_.get();
}

const opsrun_kernel_object* TypedOp::kernel_on(int32_t card) const {
  const std::lock_guard<std::mutex> lock(making_);
  opsrun_adapter::OwnedKernel& made = kernels_on_cards_[card];
  if (made == nullptr) made = opsrun_adapter::MakeKernel(typed_.get(), name_, "gpu:" + std::to_string(card));
  return made.get();
}

TypedOp::~TypedOp() {
  for (const auto& [card, kernel] : kernels_on_cards_) {
    if (kernel != nullptr) opsrun_adapter::Card::Get(card).WaitForAll();
  }
}

Op::Op(const opsrun_adapter::Engine& engine, OpSpec spec)
    : engine_(engine), spec_(std::move(spec)), autograd_name_(AutogradName(spec_.torch_name)) {}

Op& Op::Register(const opsrun_adapter::Engine& engine, OpSpec spec) {
  static std::atomic<size_t> n_ops{0};
  const size_t number = n_ops++;
  if (number >= kMostOps) {
    Raise(OPSRUN_RESOURCE_EXHAUSTED, spec.torch_name + ": a process can have at most " + std::to_string(kMostOps) +
                                         " ops of plugins in PyTorch; load fewer plugins");
  }
  Op& op = *(ops[number] = new Op(engine, std::move(spec)));
  // Registered for all devices and layouts, so that tensors that are not dense or not on the CPU get an error message.
  Implement(op.spec_.torch_name, "CompositeExplicitAutograd", kKernels[number].compute);
  Implement(op.spec_.torch_name, "Autograd", kKernels[number].autograd);
  return op;
}

// Two threads may prepare the same call; both results are then kept.
std::shared_ptr<const TypedOp> Op::Find(const Key& key) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (auto each = known_.begin(); each != known_.end(); ++each) {
      if ((*each)->key() != key) continue;
      if (each != known_.begin()) known_.splice(known_.begin(), known_, each);
      return known_.front();
    }
  }
  auto made = std::make_shared<const TypedOp>(engine_, spec_, key);
  const std::lock_guard<std::mutex> lock(mutex_);
  known_.push_front(made);
  if (known_.size() > kKept) known_.pop_back();
  return made;
}

void Op::Compute(StableIValue* stack, bool are_dense) {
  Arguments arguments(spec_, stack);
  const int32_t card = are_dense ? Arguments::kNoCard : arguments.Card();
  const Key& key = arguments.ToKey();
  Recent& recent = recent_calls[reinterpret_cast<uintptr_t>(this) / sizeof(Op) % recent_calls.size()];
  const bool is_recent = recent.op == this && recent.typed != nullptr && recent.typed->key() == key;
  std::shared_ptr<const TypedOp> op = is_recent ? std::move(recent.typed) : Find(key);
  if (card == Arguments::kNoCard) {
    Call call(engine_.table(), op->kernel(), op->out_types(), op->in_types().size());
    Run(call, *op, arguments, stack);
  } else {
    static const opsrun_host* const table = engine_.MakeTable(opsrun_adapter::HostTable<DeviceCall>::Make);
    const Place place{card, CurrentStream(card)};  // first: on a PyTorch without CUDA, this says so
    DeviceCall call(table, op, op->kernel_on(card), place);
    Run(call, *op, arguments, stack);
  }
  recent = {this, std::move(op)};
}

template <typename AnyCall>
void Op::Run(AnyCall& call, const TypedOp& op, Arguments& arguments, StableIValue* stack) const {
  size_t input = 0;
  arguments.ForEachInput([&](AtenTensorHandle tensor) {
    const int32_t rank = RankOf(tensor);
    if (rank > OPSRUN_MAX_RANK) {
      Raise(OPSRUN_INVALID_ARGUMENT, spec_.torch_name + ": an input has more than 64 dimensions");
    }
    call.AddInput(*op.in_types()[input++], tensor, rank);
  });
  if (const int32_t code = call.Run(); code != OPSRUN_OK) {
    Raise(code, spec_.torch_name + " (" + BlameOf(call, code) + "): " + call.text());
  }
  arguments.Free();
  const opsrun_typed_op_info& info = op.info();
  for (uint32_t i = 0; i < info.n_out_args; ++i) {
    const opsrun_arg& arg = info.out_args[i];
    const bool list = (arg.flags & OPSRUN_ARG_LIST) != 0;
    stack[i] = list ? ListOf(call, arg) : reinterpret_cast<StableIValue>(call.TakeOutput(arg.first).release());
  }
}

bool Op::NeedsOnlyCompute(const StableIValue* stack) const {
  const PlainCheck check;
  if (!check.thread_is_plain()) return false;
  const auto is_plain = [&](AtenTensorHandle tensor) { return check.IsPlain(tensor); };
  if (!AllTensors(spec_.inputs, stack, is_plain)) return false;
  const StableIValue* value = stack + spec_.inputs.size();
  for (const AttrSpec& attr : spec_.attrs) {
    const StableIValue* const given = GivenAttr(attr, value++);
    if (given == nullptr || (attr.kind & ~OPSRUN_ATTR_LIST) != OPSRUN_ATTR_TENSOR) continue;
    if (!AllTensors({"", (attr.kind & OPSRUN_ATTR_LIST) != 0}, *given, is_plain)) return false;
  }
  return true;
}

void Op::Autograd(StableIValue* stack) {
  if (NeedsOnlyCompute(stack)) return Compute(stack, true);
  if (torch_call_dispatcher(autograd_name_.c_str(), "", stack, TORCH_TARGET_VERSION) != 0) {
    Raise(OPSRUN_INTERNAL, spec_.torch_name + ": PyTorch cannot call " + autograd_name_);
  }
  if (HasKept()) {
    for (size_t i = 0; i < spec_.outputs.size(); ++i) torch_delete_list(reinterpret_cast<StableListHandle>(stack[i]));
    RaiseKept();
  }
  for (size_t i = 0; i < spec_.outputs.size(); ++i) {
    if (!spec_.outputs[i].list) stack[i] = OnlyItem(reinterpret_cast<StableListHandle>(stack[i]));
  }
}

}  // namespace opsrun_torch
