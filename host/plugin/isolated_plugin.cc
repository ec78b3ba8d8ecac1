// SPDX-License-Identifier: Apache-2.0
#include "host/plugin/isolated_plugin.h"

#include <algorithm>
#include <utility>

#include "host/base/wire.h"

namespace opsrun::host {
namespace {

constexpr char kElsewhere[] = "the plugin is isolated: its code runs in another process";

int32_t ShapeInChild(void*, opsrun_shape_call* call) {
  return call->host->fail(call->host, call, OPSRUN_UNIMPLEMENTED, {kElsewhere, sizeof(kElsewhere) - 1}, {"", 0});
}
int32_t CreateInChild(void*, opsrun_create* create, void**) {
  return create->host->fail(create->host, create, OPSRUN_UNIMPLEMENTED, {kElsewhere, sizeof(kElsewhere) - 1}, {"", 0});
}
int32_t ComputeInChild(void*, opsrun_call* call) {
  return call->host->fail(call->host, call, OPSRUN_UNIMPLEMENTED, {kElsewhere, sizeof(kElsewhere) - 1}, {"", 0});
}
void DestroyInChild(void*) {}

void WriteOp(WireWriter& out, const TableOp& op) {
  const spec::OpStrings& strings = op.strings;
  out.Text(strings.name);
  out.Texts(strings.inputs);
  out.Texts(strings.outputs);
  out.Texts(strings.control_outputs);
  out.Texts(strings.attrs);
  out.Text(strings.doc);
  out.Text(strings.batch);
  out.Number(strings.flags);
  out.Number(strings.deprecated_version);
  out.Text(strings.deprecated_text);
  out.Text(op.op.gradient);
  out.Number(op.op.gradient_line);
  out.Number(op.op.shape != nullptr);
}

void ReadOp(WireReader& in, TableOp& op) {
  op.strings.name = in.Text();
  op.strings.inputs = in.Texts();
  op.strings.outputs = in.Texts();
  op.strings.control_outputs = in.Texts();
  op.strings.attrs = in.Texts();
  op.strings.doc = in.Text();
  op.strings.batch = in.Text();
  op.strings.flags = in.Number<uint32_t>();
  op.strings.deprecated_version = in.Number<uint32_t>();
  op.strings.deprecated_text = in.Text();
  op.op.gradient = in.Text();
  op.op.gradient_line = in.Number<uint32_t>();
  op.op.shape = in.Flag() ? ShapeInChild : nullptr;
}

void WriteKernel(WireWriter& out, const RegisteredKernel& kernel) {
  out.Text(kernel.def.op);
  out.Text(kernel.def.device);
  out.Text(kernel.def.label);
  out.Number(kernel.def.priority);
  out.Each(kernel.def.constraints, [&](const spec::KernelDef::Constraint& constraint) {
    out.Text(constraint.attr);
    out.Number(constraint.allowed.type.kind);
    out.Each(constraint.allowed.ints, [&](int64_t value) { out.Number(value); });
    out.Texts(constraint.allowed.strings);
  });
  out.Texts(kernel.def.host_memory);
  out.Number(kernel.flags);
}

// As CopyTable accepts it.
bool IsConstraint(const spec::AttrValue& allowed) {
  const auto is_type = [](int64_t value) { return IsDType(DTypeFromNumber(value)); };
  switch (allowed.type.kind) {
    case OPSRUN_ATTR_TYPE:
      return !allowed.ints.empty() && allowed.strings.empty() && std::ranges::all_of(allowed.ints, is_type);
    case OPSRUN_ATTR_INT:
    case OPSRUN_ATTR_BOOL:
      return !allowed.ints.empty() && allowed.strings.empty();
    case OPSRUN_ATTR_STRING:
      return !allowed.strings.empty() && allowed.ints.empty();
    default:
      return false;
  }
}

// What a kernel promises about the memory of its arguments and about tiles is used in its own process alone.
void ReadKernel(WireReader& in, RegisteredKernel& kernel) {
  kernel.def.op = in.Text();
  kernel.def.device = in.Text();
  kernel.def.label = in.Text();
  kernel.def.priority = in.Number<int32_t>();
  in.Each([&] {
    spec::KernelDef::Constraint& constraint = kernel.def.constraints.emplace_back();
    constraint.attr = in.Text();
    constraint.allowed.type = {in.Number<uint32_t>(), true};
    in.Each([&] { constraint.allowed.ints.push_back(in.Number<int64_t>()); });
    constraint.allowed.strings = in.Texts();
    if (!IsConstraint(constraint.allowed)) in.Fail();
  });
  kernel.def.host_memory = in.Texts();
  kernel.flags = in.Number<uint32_t>() & OPSRUN_KERNEL_WAITS;
  kernel.create = CreateInChild;
  kernel.compute = ComputeInChild;
  kernel.destroy = DestroyInChild;
}

}  // namespace

bool IsInChild(int32_t (*shape)(void*, opsrun_shape_call*)) {
  return shape == ShapeInChild;
}

std::string TableBytes(const PluginTable& table, const std::vector<std::string>& more) {
  std::string bytes;
  WireWriter out(bytes);
  out.Text(table.name);
  out.Text(table.version);
  out.Each(table.ops, [&](const TableOp& op) { WriteOp(out, op); });
  out.Each(table.kernels, [&](const RegisteredKernel& kernel) { WriteKernel(out, kernel); });
  out.Texts(table.dropped_ops);
  std::vector<std::string> messages = table.messages;
  messages.insert(messages.end(), more.begin(), more.end());
  out.Texts(messages);
  return bytes;
}

bool ReadTableBytes(std::string_view bytes, PluginTable* table) {
  WireReader in(bytes);
  table->name = in.Text();
  table->version = in.Text();
  in.Each([&] { ReadOp(in, table->ops.emplace_back()); });
  in.Each([&] { ReadKernel(in, table->kernels.emplace_back()); });
  table->dropped_ops = in.Texts();
  table->messages = in.Texts();
  return in.Ends();
}

std::optional<Refusal> OpenIsolatedPlugin(const std::string& path, const PluginNote& note, const opsrun_host* host,
                                          std::shared_ptr<Child> child, std::shared_ptr<Plugin>* opened) {
  const Child::Answer answer = child->Table();
  if (!answer.status.ok()) {
    Refusal refusal{answer.status.message(), "report it to the plugin's author"};
    if (answer.end != nullptr && !answer.end->help.empty()) refusal.remedy = answer.end->help.front();
    if (answer.end == nullptr && !answer.status.subject().empty()) refusal.remedy = answer.status.subject();
    return refusal;
  }
  PluginTable table;
  if (!ReadTableBytes(answer.body, &table))
    return Refusal{"what its process says of its ops is damaged", "report it to the plugin's author"};
  auto plugin = std::make_shared<Plugin>();
  plugin->path = path;
  plugin->host = host;
  plugin->child = std::move(child);
  if (auto refusal = TakeTable(std::move(table), note, host, plugin.get())) return refusal;
  *opened = std::move(plugin);
  return std::nullopt;
}

}  // namespace opsrun::host
