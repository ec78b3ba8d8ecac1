// SPDX-License-Identifier: Apache-2.0
#include "host/plugin/ops_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "host/base/display_text.h"
#include "host/base/file.h"
#include "host/examine/signature.h"
#include "host/examine/writers.h"
#include "host/spec/parse_op.h"

namespace opsrun::host {
namespace {

constexpr size_t kMaxBytes = 4 << 20;
constexpr char kFormHelp[] = "begin with 'opsrun_ops: 1', followed by ops: {OP: {gradient: .., shape: .., doc: ..}}";
constexpr char kBatchHelp[] = "name the dimensions that the op works on, as in \"(m,k),(k,n)->(m,n)\" or \"()->()\"";
const std::vector<std::string> kParts = {"gradient", "shape", "doc", "broadcasts", "batches"};
constexpr char kDocHelp[] = "write a summary, and lines 'NAME: ..' for inputs, outputs and attrs, as in .Doc(...)";

class OpsReader {
 public:
  OpsReader(const std::shared_ptr<const SourceFile>& source, Plugin& plugin, Diagnostics& diagnostics)
      : source_(source), plugin_(plugin), reporter_(*source, diagnostics) {}

  void Read(const Value& root) {
    if (!CheckMap(root, "the file", kFormHelp) || !CheckFormat(root)) return;
    CheckKeys(root, "the file", {"opsrun_ops", "ops"});
    const Value* const ops = root.Find("ops");
    if (ops == nullptr) {
      reporter_.Refuse("P109", root.entries[0].key_span, "the file has no 'ops'", kFormHelp);
    } else if (CheckMap(*ops, "'ops'", kFormHelp)) {
      for (const Value::Entry& entry : ops->entries) ReadOp(entry);
    }
  }

 private:
  bool CheckMap(const Value& value, const std::string& what, const char* help) {
    return value.kind == Value::Kind::kMap ||
           reporter_.Refuse("P109", value.span, fmt::format("{} must be a map, found {}", what, FoundWithKind(value)),
                            help);
  }

  void CheckKeys(const Value& map, const std::string& owner, const std::vector<std::string>& allowed) {
    for (const Value::Entry& entry : map.entries) {
      if (std::ranges::find(allowed, entry.key) != allowed.end()) continue;
      Diagnostic& error =
          reporter_.Error("P109", entry.key_span, fmt::format("unknown key {} in {}", Quote(entry.key), owner));
      SuggestName(error, entry.key, allowed, owner + " takes");
    }
  }

  bool CheckFormat(const Value& root) {
    const Value* const format = root.Find("opsrun_ops");
    if (format != nullptr && AsInt(*format) == 1) return true;
    if (format != nullptr) {
      return reporter_.Refuse("P109", format->span,
                              fmt::format("this opsrun reads 'opsrun_ops: 1', found {}", FoundText(*format)),
                              "write opsrun_ops: 1, or use a newer opsrun");
    }
    return reporter_.Refuse("P109", root.entries.empty() ? root.span : root.entries[0].key_span,
                            "the file has no 'opsrun_ops'", kFormHelp);
  }

  void ReadOp(const Value::Entry& entry) {
    // A message has already said that this opsrun leaves the op out.
    if (std::ranges::find(plugin_.dropped_ops, entry.key) != plugin_.dropped_ops.end()) return;
    const auto found = std::ranges::find_if(plugin_.ops, [&](const auto& op) { return op.def.name == entry.key; });
    if (found == plugin_.ops.end()) {
      std::vector<std::string> names;
      for (const RegisteredOp& op : plugin_.ops) names.push_back(op.def.name);
      Diagnostic& error = reporter_.Error("P109", entry.key_span,
                                          fmt::format("plugin '{}' has no op {}", plugin_.name, Quote(entry.key)));
      return SuggestName(error, entry.key, names, "its ops");
    }
    const std::string owner = fmt::format("op '{}'", entry.key);
    if (!CheckMap(entry.value, owner, "write OP: {gradient: .., shape: .., doc: ..}")) return;
    std::vector<std::string> keys = kParts;
    keys.push_back("replace");
    CheckKeys(entry.value, owner, keys);
    ReadReplace(entry.value, owner);
    const bool both = entry.value.Find("broadcasts") != nullptr && entry.value.Find("batches") != nullptr;
    if (both) {
      reporter_.Refuse("P109", entry.key_span, fmt::format("{} has both 'broadcasts' and 'batches'", owner),
                       "keep the one that is true");
    }
    found->beside.file = source_;
    for (const Value::Entry& part : entry.value.entries) {
      if (part.key == "gradient") ReadGradient(part, *found);
      if (part.key == "shape") ReadShape(part, *found);
      if (part.key == "doc") ReadDoc(part, *found);
      if (!both && (part.key == "broadcasts" || part.key == "batches")) ReadBatch(part, *found);
    }
  }

  void ReadReplace(const Value& op, const std::string& owner) {
    constexpr char kHelp[] =
        "write replace: [gradient], with those of gradient, shape, doc, broadcasts and batches that are below";
    replace_.clear();
    const Value* const replace = op.Find("replace");
    if (replace == nullptr) return;
    if (replace->kind != Value::Kind::kList) {
      reporter_.Refuse("P109", replace->span,
                       fmt::format("'replace' of {} must be a list, found {}", owner, FoundWithKind(*replace)), kHelp);
      return;
    }
    for (const Value& part : replace->items) {
      const bool known = std::ranges::find(kParts, part.text) != kParts.end();
      replace_.push_back(part.text);
      if (known && op.Find(part.text) != nullptr) continue;
      reporter_.Refuse("P109", part.span,
                       fmt::format("'replace' names {}, which {} does not have here", FoundText(part), owner), kHelp);
    }
  }

  // False, with an error, if the plugin has the part itself, and the file does not say that it replaces it.
  bool MaySet(const Value::Entry& part, const RegisteredOp& op, bool has_own, const char* what) {
    if (!has_own || std::ranges::find(replace_, part.key) != replace_.end()) return true;
    return reporter_.Refuse(
        "P109", part.key_span, fmt::format("op '{}' already {} in the plugin", op.def.name, what),
        fmt::format("remove it here, or write replace: [{}] beside it to use this one instead", part.key));
  }

  void ReadGradient(const Value::Entry& part, RegisteredOp& op) {
    const bool not_needed = (op.def.flags & OPSRUN_OP_NOT_DIFFERENTIABLE) != 0;
    if (!MaySet(part, op, not_needed || !op.gradient.empty(),
                not_needed ? "has no gradient on purpose" : "has a gradient"))
      return;
    op.def.flags &= ~OPSRUN_OP_NOT_DIFFERENTIABLE;
    op.gradient.clear();
    op.beside.gradient_line = part.key_span.begin.line;
    if (part.value.kind == Value::Kind::kScalar && part.value.text == "none") {
      op.def.flags |= OPSRUN_OP_NOT_DIFFERENTIABLE;
    } else if (CheckMap(part.value, "'gradient'",
                        "write nodes and outputs below 'gradient:', without '|'; or 'none' if none is needed")) {
      op.gradient = WriteYaml(part.value);
      op.gradient_line = op.beside.gradient_line;
      op.beside.gradient = std::make_shared<const Value>(part.value);
    }
  }

  void ReadShape(const Value::Entry& part, RegisteredOp& op) {
    if (!MaySet(part, op, op.shape != nullptr, "has a shape function")) return;
    op.beside.shape = ShapeRule::Read(part.value, op.def, reporter_);
    if (op.beside.shape == nullptr) return;
    op.beside.shape_line = part.key_span.begin.line;
    op.shape = ShapeRule::Infer;
    op.shape_ctx = const_cast<ShapeRule*>(op.beside.shape.get());
  }

  void ReadDoc(const Value::Entry& part, RegisteredOp& op) {
    if (!MaySet(part, op, HasDoc(op.def), "has a doc")) return;
    op.beside.doc_line = part.key_span.begin.line;
    const std::optional<std::string> text = AsString(part.value);
    if (!text) {
      reporter_.Refuse("P109", part.value.span,
                       fmt::format("'doc' must be a string, found {}", FoundWithKind(part.value)), kDocHelp);
      return;
    }
    op.def.summary.clear();
    op.def.description.clear();
    for (spec::ArgDef& arg : op.def.inputs) arg.doc.clear();
    for (spec::ArgDef& arg : op.def.outputs) arg.doc.clear();
    for (spec::AttrDef& attr : op.def.attrs) attr.doc.clear();
    if (const std::optional<spec::SpecError> error = spec::ParseDoc(*text, &op.def))
      reporter_.Refuse("P109", part.key_span, fmt::format("op '{}': {}", op.def.name, error->message), kDocHelp);
  }

  void ReadBatch(const Value::Entry& part, RegisteredOp& op) {
    if (!MaySet(part, op, op.def.batch.has_value(), "has a batch rule")) return;
    op.beside.batch_line = part.key_span.begin.line;
    const std::optional<std::string> text = AsString(part.value);
    if (!text) {
      reporter_.Refuse("P109", part.value.span,
                       fmt::format("'{}' must be a string, found {}", part.key, FoundWithKind(part.value)), kBatchHelp);
      return;
    }
    op.def.flags &= ~OPSRUN_OP_BROADCASTS;
    if (part.key == "broadcasts") op.def.flags |= OPSRUN_OP_BROADCASTS;
    if (const std::optional<spec::SpecError> error = spec::ParseBatch(*text, &op.def))
      reporter_.Refuse("P109", part.value.span, fmt::format("op '{}': {}", op.def.name, error->message), kBatchHelp);
  }

  static bool HasDoc(const spec::OpDef& op) {
    const auto has = [](const auto& each) { return !each.doc.empty(); };
    return !op.summary.empty() || std::ranges::any_of(op.inputs, has) || std::ranges::any_of(op.outputs, has) ||
           std::ranges::any_of(op.attrs, has);
  }

  const std::shared_ptr<const SourceFile> source_;
  Plugin& plugin_;
  Reporter reporter_;
  std::vector<std::string> replace_;  // of the op that is being read
};

}  // namespace

std::string OpsFileOf(const std::string& plugin) {
  return std::filesystem::path(plugin).replace_extension(".opsrun.yaml").string();
}

void AddOps(const std::shared_ptr<const SourceFile>& source, Plugin& plugin, Diagnostics& diagnostics) {
  const std::optional<Value> root = ReadYaml(*source, diagnostics);
  if (root && !diagnostics.has_errors()) OpsReader(source, plugin, diagnostics).Read(*root);
}

std::optional<Refusal> AddOpsFile(const std::string& path, const LookOptions& look, Plugin& plugin) {
  std::optional<Refusal> refused;
  const auto judge = [&](const Descriptor& file) {
    if (!look.accepts_writable()) refused = RefuseWritablePlugin(file, path);
    return refused ? FailedPrecondition(refused->reason) : OkStatus();
  };
  Result<std::string> text = ReadFile(path, kMaxBytes, judge);
  if (text.ok() && !look.keys.empty()) refused = FirstRefusal({JudgeSignature(FileBytes(*text), path, look.keys)});
  if (refused) return Refusal{fmt::format("{}: {}", path, refused->reason), refused->remedy};
  if (!text.ok()) return Refusal{text.status().message(), "correct or remove that file"};
  const auto source = std::make_shared<const SourceFile>(SourceFile{path, *std::move(text)});
  const std::vector<RegisteredOp> before = plugin.ops;
  Diagnostics diagnostics;
  AddOps(source, plugin, diagnostics);
  if (!diagnostics.has_errors()) return std::nullopt;
  plugin.ops = before;
  diagnostics.Sort();
  const Diagnostic& first = diagnostics.all().front();
  const size_t more = diagnostics.all().size() - 1;
  Refusal refusal{fmt::format("{}:{}:{}: {}{}", path, first.where.begin.line, first.where.begin.column, first.message,
                              more == 0 ? "" : fmt::format(" (and {})", Several(more, "more error"))),
                  first.help.empty() ? "correct the file" : first.help[0]};
  refusal.errors = std::make_shared<const FileErrors>(FileErrors{*source, std::move(diagnostics)});
  return refusal;
}

}  // namespace opsrun::host
