// host/cli/commands/compat.cc: opsrun compat, which compares versions of a plugin.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <system_error>

#include "host/base/display_text.h"
#include "host/cli/commands.h"
#include "host/cli/session.h"
#include "host/plugin/load.h"
#include "host/run/host_table.h"
#include "host/show/json_text.h"
#include "host/show/op_text.h"
#include "host/spec/op_def.h"

namespace opsrun::host {
namespace {

using spec::OpChange;
using spec::OpDef;

// The files to compare. Each is opened once even if it is named several times.
class Versions {
 public:
  Versions(const CommonOptions& common, Console& console)
      : common_(common), console_(console), host_(MakeHostTable(OpenCpuDevice(), {.level = common.look.level})) {}

  // False after an error.
  bool Open(const std::string& file) {
    if (!CanRead(file, console_)) return false;
    for (size_t i = 0; i < files_.size(); ++i) {
      std::error_code error;
      if (!std::filesystem::equivalent(files_[i], file, error)) continue;
      which_.push_back(i);
      return true;
    }
    which_.push_back(files_.size());
    files_.push_back(file);
    return Take(file, LoadFile(file, host_.get(), common_.look));
  }

  size_t size() const { return which_.size(); }
  const Registry& operator[](size_t i) const { return loaded_[which_[i]].registry; }

 private:
  bool Take(const std::string& file, LoadResult loaded) {
    for (const std::string& message : loaded.messages) console_.Note(message);
    for (const LoadRefusal& refused : loaded.refused) console_.Report(RefusedFile(file, refused.refusal));
    loaded_.push_back(std::move(loaded));
    return loaded_.back().refused.empty();
  }

  const CommonOptions& common_;
  Console& console_;
  const std::shared_ptr<const opsrun_host> host_;
  std::vector<std::string> files_;
  std::vector<LoadResult> loaded_;
  std::vector<size_t> which_;
};

std::set<std::string> OpsOf(const Versions& versions) {
  std::set<std::string> names;
  for (size_t i = 0; i < versions.size(); ++i) {
    for (const RegisteredOp* op : versions[i].Ops()) names.insert(op->def.name);
  }
  return names;
}

const OpDef* Find(const Registry* registry, const std::string& name) {
  const RegisteredOp* op = registry == nullptr ? nullptr : registry->FindOp(name);
  return op == nullptr ? nullptr : &op->def;
}

std::vector<OpChange> Compare(const OpDef* old_op, const OpDef* mid_op, const OpDef* new_op) {
  if (old_op == nullptr) old_op = std::exchange(mid_op, nullptr);
  if (old_op == nullptr) return {{true, "op_added", "the op is new"}};
  if (new_op == nullptr) return {{false, "op_removed", "the op was removed"}};
  std::vector<OpChange> changes = CompareVersions(*old_op, *new_op);
  if (mid_op == nullptr) return changes;
  std::vector<OpChange> added = CompareAddedDefaults(*old_op, *mid_op, *new_op);
  changes.insert(changes.end(), added.begin(), added.end());
  return changes;
}

class CompatCommand final : public Command {
 public:
  void AddOptions(Options& options) override {
    options.Arguments(files_, "OLD.so [MID.so] NEW.so", 2, 3);
    options.Flag("--json", json_, "print one JSON array with an object for each difference");
  }

  int Execute(const CommonOptions& common, Console& console) override {
    Versions versions(common, console);
    for (const std::string& file : files_) {
      if (!versions.Open(file)) return kExitPlugins;
    }
    const size_t last = versions.size() - 1;
    const Registry* mid = last == 2 ? &versions[1] : nullptr;
    size_t equal = 0, safe = 0, unsafe = 0;
    Json differences = Json::array();
    for (const std::string& op : OpsOf(versions)) {
      const std::vector<OpChange> changes = Compare(Find(&versions[0], op), Find(mid, op), Find(&versions[last], op));
      if (changes.empty()) ++equal;
      for (const OpChange& change : changes) {
        ++(change.safe ? safe : unsafe);
        differences.push_back({{"op", op}, {"safe", change.safe}, {"rule", change.rule}, {"message", change.message}});
      }
      if (!json_) console.Print(DifferencesText(op, changes));
    }
    console.Print(json_ ? JsonDocument(differences)
                        : fmt::format("{} equal, {} safe, {} unsafe\n", Several(equal, "op"),
                                      Several(safe, "difference"), unsafe));
    return unsafe == 0 ? kExitOk : kExitFailed;
  }

 private:
  std::vector<std::string> files_;  // old and new, or old, mid and new
  bool json_ = false;
};

}  // namespace

const CommandType kCompatCommand = {
    .name = "compat",
    .arguments = "OLD [MID] NEW",
    .summary = "check whether graphs for one version of a plugin run with another",
    .about =
        R"(Compares two versions of a plugin, op by op, and reports which differences are safe for graphs made for the
old one. Loads both.
)",
    .details =
        R"(The rules are TensorFlow's: what a graph leaves out must keep its meaning, and tensors are matched by position.
MID is a version between the two: attrs that it added must keep their defaults.
)",
    .notes = "The exit code is 1 if a difference is unsafe, 4 if a file is refused.\n",
    .examples = R"(opsrun compat my_op-1.0.so my_op.so
opsrun compat my_op-1.0.so my_op-1.1.so my_op.so
opsrun compat my_op-1.0.so my_op.so --json
)",
    .make = Make<CompatCommand>,
};

}  // namespace opsrun::host
