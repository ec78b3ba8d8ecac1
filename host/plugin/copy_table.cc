// host/plugin/copy_table.cc: ops and kernels, one after the other.
// SPDX-License-Identifier: Apache-2.0
#include "host/plugin/copy_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/plugin/table_reader.h"

namespace opsrun::host {
namespace {

constexpr uint64_t kMaxOps = 65'536;
constexpr uint64_t kMaxKernels = 65'536;
constexpr uint64_t kMaxPerKernel = 1'024;
constexpr uint32_t kWordsPerAlias = 3;

class TableCopier {
 public:
  TableCopier(const FileSegments& file, PluginTable* copy) : file_(file), reader_(file), copy_(copy) {}

  bool Copy(const opsrun_plugin* table);
  const std::string& problem() const { return reader_.problem(); }

 private:
  bool CopyOp(const opsrun_op* from, std::string where);
  bool CopyKernel(const opsrun_kernel* from, std::string where);
  bool CopyConstraint(const opsrun_attr& from, const std::string& where, spec::KernelDef::Constraint* to);
  bool CopyAllowed(const opsrun_attr& from, const std::string& where, spec::AttrValue* to);
  bool CopyAliases(const opsrun_kernel& from, const std::string& where, std::vector<uint32_t>* to);
  bool CheckFunctions(const opsrun_kernel& kernel, const std::string& where);
  bool IsDropped(uint64_t must_understand, const std::string& where);

  const FileSegments& file_;
  TableReader reader_;
  PluginTable* copy_;
};

bool TableCopier::Copy(const opsrun_plugin* table) {
  const std::string where = "the table";
  opsrun_plugin plugin;
  // A table elsewhere is another plugin's: g++ merges static variables of inline functions between libraries.
  if (!file_.Holds(table, sizeof(plugin))) return reader_.Fail(where, "lies outside this file");
  if (!reader_.Struct(table, where, &plugin)) return false;
  if (plugin.min_level > OPSRUN_LEVEL) {
    return reader_.Fail(where,
                        fmt::format("needs level {} of opsrun, this opsrun offers {}", plugin.min_level, OPSRUN_LEVEL));
  }
  if (!reader_.Text(plugin.name, where, "name", &copy_->name)) return false;
  if (!reader_.Text(plugin.version, where, "version", &copy_->version)) return false;
  if (plugin.shutdown != nullptr && !reader_.Code(plugin.shutdown, where, "shutdown")) return false;
  copy_->shutdown = plugin.shutdown;

  std::vector<const opsrun_op*> ops;
  std::vector<const opsrun_kernel*> kernels;
  if (!reader_.Array(plugin.ops, plugin.n_ops, kMaxOps, where, "ops", &ops)) return false;
  if (!reader_.Array(plugin.kernels, plugin.n_kernels, kMaxKernels, where, "kernels", &kernels)) return false;
  for (size_t i = 0; i < ops.size(); ++i) {
    if (!CopyOp(ops[i], fmt::format("ops[{}]", i))) return false;
  }
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (!CopyKernel(kernels[i], fmt::format("kernels[{}]", i))) return false;
  }
  return true;
}

bool TableCopier::IsDropped(uint64_t must_understand, const std::string& where) {
  if (must_understand == 0) return false;  // level 1 defines no bit
  copy_->messages.push_back(
      fmt::format("{} is left out: it needs what this opsrun does not know (bits {:#x}); use a newer opsrun", where,
                  must_understand));
  return true;
}

bool TableCopier::CopyOp(const opsrun_op* from, std::string where) {
  opsrun_op op;
  TableOp to;
  spec::OpStrings& strings = to.strings;
  if (!reader_.Struct(from, where, &op) || !reader_.Name(op.name, where, "name", &strings.name)) return false;
  where += fmt::format(" '{}'", strings.name);
  bool ok =
      reader_.Text(op.doc, where, "doc", &strings.doc) &&
      reader_.Texts(op.inputs, op.n_inputs, where, "inputs", &strings.inputs) &&
      reader_.Texts(op.outputs, op.n_outputs, where, "outputs", &strings.outputs) &&
      reader_.Texts(op.control_outputs, op.n_control_outputs, where, "control_outputs", &strings.control_outputs) &&
      reader_.Texts(op.attrs, op.n_attrs, where, "attrs", &strings.attrs) &&
      reader_.Text(op.deprecated_text, where, "deprecated_text", &strings.deprecated_text) &&
      (op.shape == nullptr || reader_.Code(op.shape, where, "shape"));
  if (!ok) return false;
  if (IsDropped(op.must_understand, fmt::format("op '{}'", strings.name))) {
    copy_->dropped_ops.push_back(strings.name);
    return true;
  }
  strings.flags = op.flags;
  strings.deprecated_version = op.deprecated_version;
  to.shape = op.shape;
  to.shape_ctx = op.shape_ctx;
  copy_->ops.push_back(std::move(to));
  return true;
}

bool TableCopier::CheckFunctions(const opsrun_kernel& kernel, const std::string& where) {
  return reader_.Code(kernel.create, where, "create") && reader_.Code(kernel.compute, where, "compute") &&
         reader_.Code(kernel.destroy, where, "destroy");
}

bool TableCopier::CopyKernel(const opsrun_kernel* from, std::string where) {
  opsrun_kernel kernel;
  RegisteredKernel to;
  spec::KernelDef& def = to.def;
  if (!reader_.Struct(from, where, &kernel) || !reader_.Name(kernel.op, where, "op", &def.op)) return false;
  where += fmt::format(" of op '{}'", def.op);
  if (!reader_.Name(kernel.device, where, "device", &def.device)) return false;
  if (def.device != "CPU" && def.device != "GPU") {
    return reader_.Fail(where, fmt::format("device is '{}', neither CPU nor GPU", def.device));
  }
  std::vector<opsrun_attr> constraints;
  bool ok =
      reader_.Text(kernel.label, where, "label", &def.label) && CheckFunctions(kernel, where) &&
      reader_.Array(kernel.constraints, kernel.n_constraints, kMaxPerKernel, where, "constraints", &constraints) &&
      reader_.Texts(kernel.host_memory, kernel.n_host_memory, where, "host_memory", &def.host_memory) &&
      CopyAliases(kernel, where, &to.aliases);
  if (!ok) return false;
  def.constraints.resize(constraints.size());
  for (size_t i = 0; i < constraints.size(); ++i) {
    if (!CopyConstraint(constraints[i], fmt::format("{}: constraints[{}]", where, i), &def.constraints[i]))
      return false;
  }
  const std::string subject = fmt::format("a {} kernel of op '{}'", def.device, def.op);
  if (IsDropped(kernel.must_understand, subject)) return true;
  if ((kernel.flags & OPSRUN_KERNEL_ASYNC) != 0) {
    copy_->messages.push_back(subject +
                              " is left out: it is asynchronous, which this opsrun does not offer; use a newer opsrun");
    return true;
  }
  def.priority = kernel.priority;
  to.create = kernel.create;
  to.compute = kernel.compute;
  to.destroy = kernel.destroy;
  to.ctx = kernel.ctx;
  to.flags = kernel.flags;
  copy_->kernels.push_back(std::move(to));
  return true;
}

bool TableCopier::CopyConstraint(const opsrun_attr& from, const std::string& where, spec::KernelDef::Constraint* to) {
  return reader_.Name(from.name, where, "name", &to->attr) && CopyAllowed(from, where, &to->allowed);
}

bool TableCopier::CopyAllowed(const opsrun_attr& from, const std::string& where, spec::AttrValue* to) {
  const uint32_t kind = from.kind & ~OPSRUN_ATTR_LIST;
  const bool numbers = kind == OPSRUN_ATTR_TYPE || kind == OPSRUN_ATTR_INT || kind == OPSRUN_ATTR_BOOL;
  if ((from.kind & OPSRUN_ATTR_LIST) == 0 || (!numbers && kind != OPSRUN_ATTR_STRING)) {
    return reader_.Fail(where, fmt::format("kind is {:#x}, not a list of types, ints, bools or strings", from.kind));
  }
  if (from.count > kMaxPerKernel) {
    return reader_.Fail(where, fmt::format("count is {}, opsrun takes {} at most", from.count, kMaxPerKernel));
  }
  to->type = {kind, true};
  if (!numbers) return reader_.Texts(from.v.strs, static_cast<uint32_t>(from.count), where, "strs", &to->strings);
  if (!reader_.Array(from.v.ints, from.count, kMaxPerKernel, where, "ints", &to->ints)) return false;
  for (int64_t value : to->ints) {
    const bool is_type = IsDType(DTypeFromNumber(value));
    if (kind == OPSRUN_ATTR_TYPE && !is_type) return reader_.Fail(where, fmt::format("{} is not a data type", value));
    if (kind == OPSRUN_ATTR_BOOL && value != 0 && value != 1)
      return reader_.Fail(where, fmt::format("{} is not a bool", value));
  }
  return true;
}

bool TableCopier::CopyAliases(const opsrun_kernel& from, const std::string& where, std::vector<uint32_t>* to) {
  if (from.n_aliases > kMaxPerKernel) {
    return reader_.Fail(where, fmt::format("n_aliases is {}, opsrun takes {} at most", from.n_aliases, kMaxPerKernel));
  }
  const uint64_t words = static_cast<uint64_t>(from.n_aliases) * kWordsPerAlias;
  if (!reader_.Array(from.aliases, words, kMaxPerKernel * kWordsPerAlias, where, "aliases", to)) return false;
  for (size_t i = 2; i < to->size(); i += kWordsPerAlias) {
    const uint32_t kind = (*to)[i];
    if (kind == OPSRUN_ALIAS_READ_ONLY || kind == OPSRUN_ALIAS_IN_PLACE) continue;
    return reader_.Fail(
        where, fmt::format("aliases[{}] is of kind {}, neither read-only nor in place", i / kWordsPerAlias, kind));
  }
  return true;
}

}  // namespace

std::optional<Refusal> CopyTable(const opsrun_plugin* table, const FileSegments& file, PluginTable* copy) {
  TableCopier copier(file, copy);
  if (copier.Copy(table)) return std::nullopt;
  return Refusal{copier.problem(), "build it again with the opsrun SDK, or report it to the plugin's author"};
}

}  // namespace opsrun::host
