// host/plan/create_kernel.cc: makes the kernel objects, so that what their constructors refuse is known before anything
// runs.
//
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "host/base/abi_level.h"
#include "host/plan/create_call.h"
#include "host/plan/planning.h"

namespace opsrun::host {

CreateCall::CreateCall(const opsrun_host* host_table, const std::string& node_name, const std::string& op_name,
                       const CallArrays& arrays, const spec::Signature& signature, const PlanDevice& its_device,
                       Resources* shared, const void* the_plugin)
    : opsrun_create{}, on(its_device), resources(shared), plugin(the_plugin) {
  size = SizeAt<opsrun_create>(host_table->level);
  kind = OPSRUN_KIND_CREATE;
  host = host_table;
  node = Str(node_name);
  op = Str(op_name);
  device = on.id;
  attrs = arrays.attrs().data();
  in_args = arrays.in_args().data();
  out_args = arrays.out_args().data();
  for (const DType dtype : signature.in_types) types_.push_back(DTypeNumber(dtype));
  for (const DType dtype : signature.out_types) types_.push_back(DTypeNumber(dtype));
  in_types = types_.data();
  out_types = in_types + signature.in_types.size();
  n_attrs = static_cast<uint32_t>(arrays.attrs().size());
  n_in_args = static_cast<uint32_t>(arrays.in_args().size());
  n_out_args = static_cast<uint32_t>(arrays.out_args().size());
  n_in = static_cast<uint32_t>(signature.in_types.size());
  n_out = static_cast<uint32_t>(signature.out_types.size());
}

Status CreateCall::Run(int32_t (*create)(void*, opsrun_create*, void**), void* ctx, void** object) {
  const int32_t code = create(ctx, this, object);
  if (code == OPSRUN_OK) return OkStatus();
  *object = nullptr;
  if (failure_.ok()) {
    return {KnownCode(code), fmt::format("it could not be made, with {} and no reason", CodeName(code))};
  }
  return {KnownCode(code), failure_.message(), failure_.subject()};
}

int32_t CreateCall::Fail(int32_t code, std::string text, std::string subject) {
  if (code == OPSRUN_OK) code = OPSRUN_UNKNOWN;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (failure_.ok()) failure_ = Status(code, std::move(text), std::move(subject));
  return code;
}

namespace {

// On a device, create may prepare memory on a stream that is its own until it returns. device_status: what the device
// says; then *status is not that of the kernel.
void CreateOn(CreateCall& call, const RegisteredKernel& kernel, void** object, Status* status, Status* device_status) {
  Device* const device = call.on.device;
  const Attached attached(device);
  *device_status = attached.status();
  Result<Stream> stream =
      device == nullptr || !attached.status().ok() ? Result<Stream>(kNoStream) : device->TakeStream();
  if (!stream.ok()) *device_status = stream.status();
  if (!device_status->ok()) return;
  call.stream = *stream;
  *status = call.Run(kernel.create, kernel.ctx, object);
  if (device == nullptr) return;
  *device_status = device->Drain(*stream);
  device->GiveStream(*stream);
}

}  // namespace

bool CreateKernel(Planning& p, NodeWork& work) {
  const spec::OpDef& op = work.op->def;
  const CallArrays arrays(op, work.signature, work.kernel->def.host_memory, p.in.host);
  CreateCall call(p.in.host, work.node->name.value, op.name, arrays, work.signature, p.plan.devices[work.device],
                  p.in.resources, work.kernel->plugin);
  Status status, device_status;
  const auto create = [&] { CreateOn(call, *work.kernel, &work.object, &status, &device_status); };
  if (!CallPlugin(p, work, PluginPhase::kCreate, &call, create)) return false;
  if (!device_status.ok()) {
    p.Error("D201", fmt::format("device '{}' cannot be used: {}", call.on.name, device_status.message()),
            work.node->op.span)
        .help.push_back("see what 'opsrun doctor' says, or run on the CPU" + CpuRemedy(*work.node));
    return false;
  }
  if (status.ok()) return true;
  const Plugin& plugin = *work.kernel->plugin;
  const bool no_memory = status.code() == OPSRUN_RESOURCE_EXHAUSTED;
  const std::string what = no_memory ? fmt::format("node '{}' cannot be created", work.node->name.value)
                                     : fmt::format("op '{}' does not take these attrs", op.name);
  Diagnostic& error = p.Error(no_memory ? Code("D401") : Code("G216"), fmt::format("{}: {}", what, status.message()),
                              BlamedSpan(*work.node, op.inputs, status.subject()));
  if (!no_memory) error.help.push_back(FailureHelp(status, op.name, plugin.name));
  error.notes.push_back(fmt::format("kernel: {}, in {}", spec::KernelText(work.kernel->def), plugin.path));
  return false;
}

}  // namespace opsrun::host
