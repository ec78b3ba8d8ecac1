// host/plan/choose_kernel.cc: the kernel of each node, and its object. A kernel may decline a node.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "host/plan/call_arrays.h"
#include "host/plan/explain/explain.h"
#include "host/plan/planning.h"
#include "host/spec/infer_attrs.h"

namespace opsrun::host {
namespace {

// On a device, create may prepare memory on a stream that it owns until it returns. device_status: an error of the
// device; *status is then unset.
void CreateOn(CreateCall& call, const RegisteredKernel& kernel, void** object, Status* status, Status* device_status) {
  Device* const device = call.on.device;
  if (device == nullptr) {
    *status = call.Run(kernel.create, kernel.ctx, object);
    return;
  }
  const Attached attached(device);
  *device_status = attached.status();
  if (!device_status->ok()) return;
  const Result<Stream> stream = device->TakeStream();
  if (!stream.ok()) *device_status = stream.status();
  if (!device_status->ok()) return;
  call.stream = *stream;
  *status = call.Run(kernel.create, kernel.ctx, object);
  *device_status = device->Drain(*stream);
  device->GiveStream(*stream);
  if (!device_status->ok() && status->ok()) kernel.destroy(*object);
}

}  // namespace

// Chooses the kernel of a node.

namespace {

using Kernels = std::vector<const RegisteredKernel*>;

void ReportAmbiguous(Planning& p, const NodeWork& work, const Kernels& kernels, const spec::KernelChoice& choice) {
  Diagnostic& error = p.Error("K302", choice.message, work.node->op.span);
  const Plugin* first = kernels[static_cast<size_t>(choice.tied.front())]->plugin;
  const bool one_file = std::all_of(choice.tied.begin(), choice.tied.end(),
                                    [&](int tied) { return kernels[static_cast<size_t>(tied)]->plugin == first; });
  for (const int tied : choice.tied) {
    const RegisteredKernel& kernel = *kernels[static_cast<size_t>(tied)];
    error.notes.push_back(fmt::format("{}: {}", kernel.plugin->path, spec::KernelText(kernel.def)));
  }
  error.help.push_back(one_file ? "one of them needs a higher Priority(), or a Label() of its own; tell the plugin's "
                                  "author"
                                : "remove one of the plugins, or give one kernel a higher Priority()");
}

using Outcome = spec::KernelChoice::Outcome;

// For strict placement, also if the node sets the device itself.
void ReportOtherDevice(Planning& p, const NodeWork& work, const Device& device) {
  const Span where = work.node->device ? work.node->device->span : work.node->op.span;
  Diagnostic& error = p.Error("K304",
                              fmt::format("'{}' has no {} kernel for this node, which should run on {}",
                                          work.op->def.name, device.kind(), device.name()),
                              where);
  error.help.push_back("write device: cpu, or turn off strict placement to let it run on the CPU, with copies");
}

bool IsFound(const spec::KernelChoice& choice) {
  return choice.outcome != Outcome::kNotFound;
}

// Those of the op that have not declined the node.
Kernels KernelsFor(const Planning& p, const NodeWork& work) {
  Kernels kernels = p.in.loaded->registry.KernelsFor(*work.op);
  std::erase_if(kernels, [&](const RegisteredKernel* kernel) {
    return std::find(work.declined.begin(), work.declined.end(), kernel) != work.declined.end();
  });
  return kernels;
}

// Of the kernels for *device, or of those for the CPU if there is none for it: *device is then null.
spec::KernelChoice Choose(const NodeWork& work, const Kernels& kernels, Device** device) {
  std::vector<const spec::KernelDef*> defs;
  for (const RegisteredKernel* kernel : kernels) defs.push_back(&kernel->def);
  const std::string label = work.node->label ? work.node->label->value : "";
  while (true) {
    spec::KernelChoice choice = spec::ChooseKernel(work.op->def, *work.signature, defs,
                                                   *device == nullptr ? kCpuKind : (*device)->kind(), label);
    if (IsFound(choice) || *device == nullptr) return choice;
    *device = nullptr;
  }
}

bool IsFewIntegers(const PlanValue& value) {
  constexpr int64_t kFew = 64;
  const bool is_integer = value.dtype == DType::kInt32 || value.dtype == DType::kInt64 || value.dtype == DType::kBool;
  return is_integer && value.rank_known && IsWhole(value.shape()) &&
         NumElements(value.shape()).value_or(kFew + 1) <= kFew;
}

bool Waits(const Kernels& kernels, const spec::KernelChoice& choice) {
  return choice.outcome == Outcome::kChosen &&
         (kernels[static_cast<size_t>(choice.chosen)]->flags & OPSRUN_KERNEL_WAITS) != 0;
}

// Sizes, and what is computed from them, are in CPU memory, where kernels on a device read them. Computing with them on
// the device would copy them there and back, and the CPU would wait. So a node that only has such inputs stays on the
// CPU, unless the graph says where it runs; TensorFlow's placer does the same with small tensors of int32. If its
// kernel for the device waits, all inputs may be constants, such as a permutation that is inverted.
bool IsOfHostNumbers(const Planning& p, const NodeWork& work, bool waits) {
  const auto is_host = [&](uint32_t value) { return p.host_numbers.contains(value); };
  const auto is_on_cpu = [&](uint32_t value) {
    return is_host(value) || p.plan.values[value].memory == PlanValue::Memory::kConstant;
  };
  const auto is_few = [&](const spec::ArgRange& range) {
    const auto first = p.plan.values.begin() + p.nodes[work.index].first_value + range.first;
    return std::all_of(first, first + range.count, IsFewIntegers);
  };
  return !work.node->device && !work.op->def.stateful() && (waits || std::ranges::any_of(work.inputs, is_host)) &&
         std::ranges::all_of(work.inputs, is_on_cpu) && std::ranges::all_of(work.signature->out_args, is_few);
}

}  // namespace

void NoteHostNumbers(Planning& p, const Step& step, bool of_host_numbers) {
  for (const uint32_t output : step.outputs) {
    const PlanValue& value = p.plan.values[output];
    if (value.device == kCpu && (step.device != kCpu || of_host_numbers) && IsFewIntegers(value))
      p.host_numbers.insert(output);
  }
}

bool PlanKernel(Planning& p, NodeWork& work) {
  std::optional<Device*> wanted = FindDevice(p, *work.node);
  if (!wanted) return false;
  const bool plain = *wanted == nullptr && !work.node->label && work.declined.empty();
  if (plain && work.known->plain_kernel != nullptr) {
    work.kernel = work.known->plain_kernel;
    return true;
  }
  const Kernels kernels = KernelsFor(p, work);
  Device* device = *wanted;
  spec::KernelChoice choice = Choose(work, kernels, &device);
  if (*wanted != nullptr && IsOfHostNumbers(p, work, Waits(kernels, choice))) {
    Device* cpu = nullptr;
    spec::KernelChoice on_cpu = Choose(work, kernels, &cpu);
    work.of_host_numbers = on_cpu.outcome == Outcome::kChosen;
    if (work.of_host_numbers) {
      wanted = device = nullptr;
      choice = std::move(on_cpu);
    }
  }
  if (IsFound(choice) && device != *wanted && p.in.strict_placement) {
    ReportOtherDevice(p, work, **wanted);
    return false;
  }
  work.device = IndexOfDevice(p.plan, device);
  switch (choice.outcome) {
    case Outcome::kChosen:
      work.kernel = kernels[static_cast<size_t>(choice.chosen)];
      if (plain) work.known->plain_kernel = work.kernel;
      return true;
    case Outcome::kNotFound:
      ReportNoKernel(p, work, kernels);
      return false;
    case Outcome::kAmbiguous:
      ReportAmbiguous(p, work, kernels, choice);
      return false;
    default:
      return p.Refuse("K303", choice.message, work.node->op.span,
                      "this is a bug in the plugin; report it to its author");
  }
}

// Creates it.

namespace {

// All aliases name single tensors of the op: the registry drops other kernels. The only output of an element-wise
// kernel may be over any input of its type and shape. (If there were several, one of them could be over what another
// reads.) Inputs that cannot be forwarded are left out.
std::vector<StepAlias> AliasesOf(const NodeWork& work) {
  std::vector<StepAlias> aliases;
  for (const KernelAlias& alias : work.kernel->aliases) {
    const uint32_t input = spec::FindNamed(work.signature->in_args, alias.input)->first;
    if (alias.kind != OPSRUN_ALIAS_ROWS && input < kMostForwarded)
      aliases.push_back({spec::FindNamed(work.signature->out_args, alias.output)->first, input});
  }
  const spec::Signature& types = *work.signature;
  if ((work.kernel->flags & OPSRUN_KERNEL_ELEMENTWISE) == 0 || types.out_types.size() != 1) return aliases;
  for (uint32_t in = 0; in < std::min<size_t>(types.in_types.size(), kMostForwarded); ++in) {
    const bool known = std::ranges::any_of(aliases, [&](const StepAlias& alias) { return alias.input == in; });
    if (types.in_types[in] == types.out_types[0] && !known) aliases.push_back({0, in, true});
  }
  return aliases;
}

// The inputs whose rows are those of the output, as bits.
uint64_t RowInputsOf(const NodeWork& work) {
  uint64_t inputs = 0;
  for (const KernelAlias& alias : work.kernel->aliases) {
    const uint32_t input = spec::FindNamed(work.signature->in_args, alias.input)->first;
    if (alias.kind == OPSRUN_ALIAS_ROWS && input < 64) inputs |= uint64_t{1} << input;
  }
  return inputs;
}

KnownKind& KindOf(Planning& p, const NodeWork& work) {
  std::vector<KnownKind>& kinds = work.known->kinds;
  for (KnownKind& known : kinds) {
    if (known.kind->kernel == work.kernel) return known;
  }
  auto arrays =
      std::make_unique<const CallArrays>(work.op->def, *work.signature, work.kernel->def.host_memory, p.in.host);
  p.plan.kinds.push_back({work.op, work.kernel, work.signature, arrays->args(), AliasesOf(work), RowInputsOf(work)});
  return kinds.emplace_back(KnownKind{&p.plan.kinds.back(), std::move(arrays)});
}

// False after an error; otherwise *status is the result.
bool TryKernel(Planning& p, NodeWork& work, Status* status) {
  const KnownKind& known = KindOf(p, work);
  work.kind = known.kind;
  if (work.as_before) return true;
  CreateCall call(p.in.host, work.node->name.value, work.op->def.name, *known.arrays, *work.signature,
                  p.plan.devices[work.device], p.in.resources, work.kernel->plugin->identity());
  Status device_status;
  const auto create = [&] { CreateOn(call, *work.kernel, &work.object, status, &device_status); };
  if (!CallPlugin(p, work, PluginPhase::kCreate, &call, create)) return false;
  if (!device_status.ok()) {
    return p.Refuse("D201", fmt::format("device '{}' cannot be used: {}", call.on.name, device_status.message()),
                    work.node->op.span, "see what 'opsrun doctor' says, or run on the CPU" + CpuRemedy(*work.node));
  }
  return true;
}

// Whether another kernel can take the place of one that has declined the node.
bool HasNext(Planning& p, NodeWork& work) {
  const std::optional<Device*> wanted = FindDevice(p, *work.node);
  Device* device = wanted.value_or(nullptr);
  const spec::KernelChoice choice = Choose(work, KernelsFor(p, work), &device);
  return wanted && choice.outcome == Outcome::kChosen && (device == *wanted || !p.in.strict_placement);
}

}  // namespace

bool CreateKernel(Planning& p, NodeWork& work) {
  const spec::OpDef& op = work.op->def;
  const auto created = [&] { return std::tuple(work.signature, work.kernel, work.device); };
  if (RefuseIsolation(p, work)) return false;
  const bool is_isolated = work.kernel->plugin->child != nullptr;  // see PlanIsolated
  work.as_before = is_isolated || (!p.in.for_runs && work.declined.empty() && p.can_create.contains(created()));
  Status status;
  if (!TryKernel(p, work, &status)) return false;
  if (status.code() == OPSRUN_UNIMPLEMENTED) {
    work.declined.push_back(work.kernel);
    if (HasNext(p, work)) return PlanKernel(p, work) && CreateKernel(p, work);
  }
  if (status.ok()) {
    if (!p.in.for_runs && work.declined.empty() && !op.stateful()) p.can_create.insert(created());
    return true;
  }
  const Plugin& plugin = *work.kernel->plugin;
  const bool no_memory = status.code() == OPSRUN_RESOURCE_EXHAUSTED;
  const bool of_attrs =
      !no_memory && !IsOfPlugin(status) && (status.code() == OPSRUN_INVALID_ARGUMENT || !status.subject().empty());
  const std::string what = of_attrs ? fmt::format("op '{}' does not accept these attrs", op.name)
                                    : fmt::format("node '{}' cannot be created", work.node->name.value);
  Diagnostic& error = p.Error(no_memory ? Code("D401") : Code("G216"), fmt::format("{}: {}", what, status.message()),
                              BlamedSpan(*work.node, op.inputs, status.subject()));
  if (!no_memory) error.help.push_back(FailureHelp(status, op.name, plugin.name));
  error.notes.push_back(fmt::format("kernel: {}, in {}", spec::KernelText(work.kernel->def), plugin.path));
  for (const RegisteredKernel* kernel : work.declined) {
    if (kernel != work.kernel)
      error.notes.push_back(fmt::format("before it, this kernel declined the node: {}", spec::KernelText(kernel->def)));
  }
  return false;
}

// A kernel that cannot say gets none: it then allocates when it runs, as it does where shapes are not known.
void AskForWorkspace(Planning& p, const NodeWork& work, Step& step) {
  if (work.kernel->workspace == nullptr || p.in.own_memory || work.as_before) return;
  std::vector<opsrun_partial> shapes;
  for (const uint32_t input : step.inputs) {
    const PlanValue& value = p.plan.values[input];
    if (!value.rank_known || !IsWhole(value.shape())) return;
    shapes.push_back({static_cast<int32_t>(value.shape().size()), 0, value.shape().data()});
  }
  constexpr uint64_t kMost = uint64_t{1} << 47;  // more than any address space
  uint64_t bytes = 0;
  int32_t code = OPSRUN_UNKNOWN;
  const auto ask = [&] {
    code = work.kernel->workspace(work.object, static_cast<uint32_t>(shapes.size()), shapes.data(), &bytes);
  };
  const bool told = CallPlugin(p, work, PluginPhase::kWorkspace, nullptr, ask) && code == OPSRUN_OK;
  if (told && bytes > 0 && bytes <= kMost) p.plan.More(step).workspace_bytes = bytes;
}

}  // namespace opsrun::host
