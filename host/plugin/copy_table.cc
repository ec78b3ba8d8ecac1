// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "host/base/plugin_code.h"
#include "host/plugin/load.h"

namespace opsrun::host {
namespace {

constexpr uint64_t kMaxOps = 65'536;
constexpr uint64_t kMaxKernels = 65'536;
constexpr uint64_t kMaxPerKernel = 1'024;
constexpr uint64_t kMaxText = 1 << 20;
constexpr uint64_t kMaxTexts = 1'024;

constexpr uint32_t kOpFlags = OPSRUN_OP_STATEFUL | OPSRUN_OP_COMMUTATIVE | OPSRUN_OP_AGGREGATE |
                              OPSRUN_OP_UNINITIALIZED_INPUT | OPSRUN_OP_NOT_DIFFERENTIABLE | OPSRUN_OP_BROADCASTS;
constexpr uint32_t kKernelFlags = OPSRUN_KERNEL_ASYNC | OPSRUN_KERNEL_CAPTURABLE | OPSRUN_KERNEL_HOST_OUTPUT_ON_STREAM |
                                  OPSRUN_KERNEL_WAITS | OPSRUN_KERNEL_ELEMENTWISE | OPSRUN_KERNEL_TILED |
                                  OPSRUN_KERNEL_FUSES;
constexpr std::string_view kDevices[] = {"CPU", "GPU", "DEFAULT"};

// Copies the parts of a plugin's table, all of which are untrusted.
//
// Functions return false for an invalid pointer, an excessive count or an unprintable text; problem() then describes
// it. Callers pass the position in the table as text: "ops[2] 'ZeroOut'".
class TableReader {
 public:
  // file must outlive this object. level: of the contract between this host and the plugin.
  TableReader(const FileSegments& file, uint32_t level) : file_(file), level_(level) {}

  // The first error, as a sentence; empty if there is none.
  const std::string& problem() const { return problem_; }

  // Records an error and returns false.
  bool Fail(const std::string& where, std::string_view what) {
    if (problem_.empty()) problem_ = fmt::format("{}: {}", where, what);
    return false;
  }

  // A growing struct: reads its size, then the part that `level` has. Members that a smaller struct lacks become zero.
  template <typename T>
  bool Struct(const T* from, const std::string& where, T* to) {
    static_assert(offsetof(T, size) == 0);
    *to = {};
    if (from == nullptr) return Fail(where, "is NULL");
    uint32_t size = 0;
    if (!CheckedRead(from, sizeof(size), &size)) return FailUnreadable(where, "");
    if (size < kLevel1Size<T>) return Fail(where, fmt::format("size is {}, level 1 has {}", size, kLevel1Size<T>));
    if (!Spend(sizeof(T), where)) return false;
    return CheckedRead(from, std::min(size, SizeAt<T>(level_)), to) || FailUnreadable(where, "");
  }

  // An array of n elements. `field` is the name of the pointer, and "n_" + field that of the count.
  template <typename T>
  bool Array(const T* from, uint64_t n, uint64_t most, const std::string& where, std::string_view field,
             std::vector<T>* to) {
    if (n == 0) return true;
    if (n > most) return Fail(where, fmt::format("n_{} is {}, opsrun accepts at most {}", field, n, most));
    if (from == nullptr) return Fail(where, fmt::format("{} is NULL but n_{} is {}", field, field, n));
    if (!Spend(n * sizeof(T), where)) return false;
    to->resize(n);
    return CheckedRead(from, n * sizeof(T), to->data()) || FailUnreadable(where, field);
  }

  // May contain any bytes.
  bool Bytes(const opsrun_str& from, const std::string& where, std::string_view field, std::string* to) {
    if (from.size == 0) return true;
    if (from.data == nullptr) return Fail(where, fmt::format("{} is NULL but has size {}", field, from.size));
    if (from.size > kMaxText)
      return Fail(where, fmt::format("{} has {} bytes, opsrun accepts at most {}", field, from.size, kMaxText));
    if (!Spend(from.size, where)) return false;
    to->resize(from.size);
    return CheckedRead(from.data, from.size, to->data()) || FailUnreadable(where, field);
  }

  bool Text(const opsrun_str& from, const std::string& where, std::string_view field, std::string* to) {
    if (!Bytes(from, where, field, to)) return false;
    return IsPlainText(*to) || Fail(where, fmt::format("{} is not UTF-8 text without control characters", field));
  }

  // A nonempty text on one line.
  bool Name(const opsrun_str& from, const std::string& where, std::string_view field, std::string* to) {
    if (from.size == 0) return Fail(where, fmt::format("{} is empty", field));
    if (!Text(from, where, field, to)) return false;
    return IsPlainName(*to) || Fail(where, fmt::format("{} is not one line", field));
  }

  bool Texts(const opsrun_str* from, uint32_t n, const std::string& where, std::string_view field,
             std::vector<std::string>* to) {
    std::vector<opsrun_str> slots;
    if (!Array(from, n, kMaxTexts, where, field, &slots)) return false;
    to->resize(slots.size());
    for (size_t i = 0; i < slots.size(); ++i) {
      if (!Text(slots[i], where, fmt::format("{}[{}]", field, i), &(*to)[i])) return false;
    }
    return true;
  }

  // A function, which must be in this file.
  template <typename F>
  bool Code(F* function, const std::string& where, std::string_view field) {
    if (function == nullptr) return Fail(where, fmt::format("{} is NULL", field));
    return file_.HoldsCode(reinterpret_cast<uintptr_t>(function)) ||
           Fail(where, fmt::format("{} is not a function of this file", field));
  }

 private:
  // field: empty for the struct itself.
  bool FailUnreadable(const std::string& where, std::string_view field) {
    return Fail(where, fmt::format("{}{}points to memory that cannot be read", field, field.empty() ? "" : " "));
  }

  // Subtracts n bytes from the total limit for copies.
  bool Spend(uint64_t n, const std::string& where) {
    if (n > budget_) return Fail(where, "the table is larger than 64 MiB up to here");
    budget_ -= n;
    return true;
  }

  const FileSegments& file_;
  const uint32_t level_;
  uint64_t budget_ = 64 << 20;
  std::string problem_;
};

class TableCopier {
 public:
  TableCopier(const FileSegments& file, uint32_t host_level, uint32_t header_level, PluginTable* copy)
      : file_(file),
        host_level_(host_level),
        of_later_level_(header_level > host_level),
        reader_(file, std::min(host_level, header_level)),
        copy_(copy) {}

  bool Copy(const opsrun_plugin* table) {
    const std::string where = "the table";
    opsrun_plugin plugin;
    // A table elsewhere belongs to another plugin: g++ merges static variables of inline functions between libraries.
    if (!file_.Holds(table, kLevel1Size<opsrun_plugin>)) return reader_.Fail(where, "lies outside this file");
    if (!reader_.Struct(table, where, &plugin) || !CheckFlags(plugin.flags, kBuildFlags, where)) return false;
    if (!reader_.Text(plugin.name, where, "name", &copy_->name)) return false;
    if (!reader_.Text(plugin.version, where, "version", &copy_->version)) return false;
    if (plugin.shutdown != nullptr && !reader_.Code(plugin.shutdown, where, "shutdown")) return false;
    if (plugin.query != nullptr && !reader_.Code(plugin.query, where, "query")) return false;
    copy_->shutdown = plugin.shutdown;
    copy_->query = plugin.query;
    copy_->identity = table;

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

  const std::string& problem() const { return reader_.problem(); }

 private:
  void LeaveOut(const std::string& what, const std::string& why) {
    copy_->messages.push_back(
        fmt::format("{} is left out: it {}, which this opsrun does not support; use a newer opsrun", what, why));
  }

  // Records the first feature of the current kernel that this host does not know.
  void Unknown(std::string what) {
    if (unknown_.empty()) unknown_ = std::move(what);
  }

  bool CheckFlags(uint32_t flags, uint32_t known, const std::string& where) {
    if (of_later_level_ || (flags & ~known) == 0) return true;
    return reader_.Fail(where, fmt::format("unknown flags {:#x} (level {})", flags & ~known, host_level_));
  }

  bool CheckReserved(uint64_t word, const std::string& where) {
    if (of_later_level_ || word == 0) return true;
    return reader_.Fail(where, fmt::format("reserved must be 0, found {}", word));
  }

  bool CopyOp(const opsrun_op* from, std::string where) {
    opsrun_op op;
    TableOp to;
    spec::OpStrings& strings = to.strings;
    if (!reader_.Struct(from, where, &op) || !reader_.Name(op.name, where, "name", &strings.name)) return false;
    where += fmt::format(" '{}'", strings.name);
    if (op.must_understand != 0) {  // no bit is defined in level 1; the rest may have another meaning
      LeaveOut(fmt::format("op '{}'", strings.name), fmt::format("needs features {:#x}", op.must_understand));
      copy_->dropped_ops.push_back(strings.name);
      return true;
    }
    bool ok =
        CheckFlags(op.flags, kOpFlags, where) && reader_.Text(op.doc, where, "doc", &strings.doc) &&
        reader_.Texts(op.inputs, op.n_inputs, where, "inputs", &strings.inputs) &&
        reader_.Texts(op.outputs, op.n_outputs, where, "outputs", &strings.outputs) &&
        reader_.Texts(op.control_outputs, op.n_control_outputs, where, "control_outputs", &strings.control_outputs) &&
        reader_.Texts(op.attrs, op.n_attrs, where, "attrs", &strings.attrs) &&
        reader_.Text(op.deprecated_text, where, "deprecated_text", &strings.deprecated_text) &&
        reader_.Text(op.batch, where, "batch", &strings.batch) &&
        // Validated only when the gradient is requested.
        reader_.Bytes(op.gradient, where, "gradient", &to.op.gradient) &&
        (op.shape == nullptr || reader_.Code(op.shape, where, "shape"));
    if (!ok) return false;
    strings.flags = op.flags & kOpFlags;
    strings.deprecated_version = op.deprecated_version;
    to.op.gradient_line = op.gradient_line;
    to.op.shape = op.shape;
    to.op.shape_ctx = op.shape_ctx;
    copy_->ops.push_back(std::move(to));
    return true;
  }

  bool CheckFunctions(const opsrun_kernel& kernel, const std::string& where) {
    return reader_.Code(kernel.create, where, "create") && reader_.Code(kernel.compute, where, "compute") &&
           reader_.Code(kernel.destroy, where, "destroy") &&
           (kernel.workspace == nullptr || reader_.Code(kernel.workspace, where, "workspace"));
  }

  bool CopyKernel(const opsrun_kernel* from, std::string where) {
    opsrun_kernel kernel;
    RegisteredKernel to;
    spec::KernelDef& def = to.def;
    if (!reader_.Struct(from, where, &kernel) || !reader_.Name(kernel.op, where, "op", &def.op)) return false;
    where += fmt::format(" of op '{}'", def.op);
    if (!reader_.Name(kernel.device, where, "device", &def.device)) return false;
    const std::string subject = fmt::format("a {} kernel of op '{}'", def.device, def.op);
    if (kernel.must_understand != 0) {
      LeaveOut(subject, fmt::format("needs features {:#x}", kernel.must_understand));
      return true;
    }
    unknown_.clear();
    if (std::find(std::begin(kDevices), std::end(kDevices), def.device) == std::end(kDevices)) {
      Unknown(fmt::format("runs on device '{}'", def.device));
    }
    bool ok = CheckFlags(kernel.flags, kKernelFlags, where) && reader_.Text(kernel.label, where, "label", &def.label) &&
              CheckFunctions(kernel, where) && CopyConstraints(kernel, where, &def.constraints) &&
              reader_.Texts(kernel.host_memory, kernel.n_host_memory, where, "host_memory", &def.host_memory) &&
              CopyAliases(kernel, where, &to.aliases);
    if (!ok) return false;
    if ((kernel.flags & OPSRUN_KERNEL_ASYNC) != 0) Unknown("is asynchronous");
    if (!unknown_.empty()) {
      LeaveOut(subject, unknown_);
      return true;
    }
    def.priority = kernel.priority;
    to.create = kernel.create;
    to.compute = kernel.compute;
    to.destroy = kernel.destroy;
    to.ctx = kernel.ctx;
    to.flags = kernel.flags & kKernelFlags;
    to.workspace = kernel.workspace;
#if OPSRUN_LEVEL >= 2
    to.most_threads = kernel.most_threads;
#endif
    copy_->kernels.push_back(std::move(to));
    return true;
  }

  bool CopyConstraints(const opsrun_kernel& from, const std::string& where,
                       std::vector<spec::KernelDef::Constraint>* to) {
    std::vector<opsrun_attr> constraints;
    if (!reader_.Array(from.constraints, from.n_constraints, kMaxPerKernel, where, "constraints", &constraints))
      return false;
    for (size_t i = 0; i < constraints.size(); ++i) {
      const std::string here = fmt::format("{}: constraints[{}]", where, i);
      spec::KernelDef::Constraint constraint;
      if (!CopyConstraint(constraints[i], here, &constraint)) return false;
      const auto same_attr = [&](const spec::KernelDef::Constraint& each) { return each.attr == constraint.attr; };
      if (std::any_of(to->begin(), to->end(), same_attr))
        return reader_.Fail(here, fmt::format("duplicate constraint on attr '{}'", constraint.attr));
      to->push_back(std::move(constraint));
    }
    return true;
  }

  bool CopyConstraint(const opsrun_attr& from, const std::string& where, spec::KernelDef::Constraint* to) {
    return reader_.Name(from.name, where, "name", &to->attr) && CheckReserved(from.reserved, where) &&
           CopyAllowed(from, where, &to->allowed);
  }

  // Values of an unknown kind are not read: only a later level defines where they are.
  bool CopyAllowed(const opsrun_attr& from, const std::string& where, spec::AttrValue* to) {
    const uint32_t kind = from.kind & ~OPSRUN_ATTR_LIST;
    const bool numbers = kind == OPSRUN_ATTR_TYPE || kind == OPSRUN_ATTR_INT || kind == OPSRUN_ATTR_BOOL;
    if ((from.kind & OPSRUN_ATTR_LIST) == 0 || (!numbers && kind != OPSRUN_ATTR_STRING)) {
      Unknown(fmt::format("constrains an attr by a value of kind {:#x}", from.kind));
      return true;
    }
    if (from.count == 0) return reader_.Fail(where, "the list of allowed values is empty");
    if (from.count > kMaxPerKernel) {
      return reader_.Fail(where, fmt::format("count is {}, opsrun accepts at most {}", from.count, kMaxPerKernel));
    }
    to->type = {kind, true};
    if (!numbers) return reader_.Texts(from.v.strs, static_cast<uint32_t>(from.count), where, "strs", &to->strings);
    if (!reader_.Array(from.v.ints, from.count, kMaxPerKernel, where, "ints", &to->ints)) return false;
    const auto unknown = [&](int64_t value) { return kind == OPSRUN_ATTR_TYPE && !IsDType(DTypeFromNumber(value)); };
    const bool all_unknown = std::all_of(to->ints.begin(), to->ints.end(), unknown);
    if (of_later_level_ && !all_unknown) std::erase_if(to->ints, unknown);
    for (int64_t value : to->ints) {
      if (unknown(value)) Unknown(fmt::format("takes data type {}", value));
      if (kind == OPSRUN_ATTR_BOOL && value != 0 && value != 1)
        return reader_.Fail(where, fmt::format("{} is not a bool", value));
    }
    return true;
  }

  bool CopyAliases(const opsrun_kernel& from, const std::string& where, std::vector<KernelAlias>* to) {
    std::vector<opsrun_alias> aliases;
    if (!reader_.Array(from.aliases, from.n_aliases, kMaxPerKernel, where, "aliases", &aliases)) return false;
    for (size_t i = 0; i < aliases.size(); ++i) {
      const std::string here = fmt::format("{}: aliases[{}]", where, i);
      KernelAlias& alias = to->emplace_back();
      if (!reader_.Name(aliases[i].output, here, "output", &alias.output) ||
          !reader_.Name(aliases[i].input, here, "input", &alias.input) || !CheckReserved(aliases[i].reserved, here))
        return false;
      alias.kind = aliases[i].kind;
      if (alias.kind < OPSRUN_ALIAS_READ_ONLY || alias.kind > OPSRUN_ALIAS_ROWS)
        Unknown(fmt::format("has an alias of kind {}", aliases[i].kind));
    }
    return true;
  }

  const FileSegments& file_;
  const uint32_t host_level_;
  const bool of_later_level_;
  TableReader reader_;
  PluginTable* copy_;
  std::string unknown_;
};

}  // namespace

std::optional<Refusal> CopyTable(const opsrun_plugin* table, const FileSegments& file, uint32_t host_level,
                                 uint32_t header_level, PluginTable* copy) {
  TableCopier copier(file, host_level, header_level, copy);
  if (copier.Copy(table)) return std::nullopt;
  return Refusal{copier.problem(), "build it again with the opsrun SDK, or report it to the plugin's author"};
}

}  // namespace opsrun::host
