// host/cli/commands/inspect.cc: opsrun inspect. Looks into files, and opens them only if it is told to.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/base/display_text.h"
#include "host/base/exit_status.h"
#include "host/cli/commands.h"
#include "host/cli/named_files.h"
#include "host/plugin/load.h"
#include "host/plugin/read_notes.h"
#include "host/run/host_table.h"
#include "host/show/kernel_rows.h"
#include "opsrun/c_api.h"

namespace opsrun::host {
namespace {

using WordSet = std::set<std::string>;

// Nothing about what is not there.
std::string Line(const char* what, WordSet words) {
  words.erase("");
  return words.empty() ? "" : fmt::format("  {:10}{}\n", what, fmt::join(words, ", "));
}

std::string LevelText(const std::vector<UnitNote>& units) {
  if (units.empty()) return {};
  uint32_t least = 0, header = 0;
  for (const UnitNote& unit : units) {
    least = std::max(least, unit.min_level);
    header = std::max(header, unit.header_level);
  }
  return fmt::format("needs {}, built with {} (this opsrun: {})", least, header, OPSRUN_LEVEL);
}

std::string UnitsText(const std::vector<UnitNote>& units) {
  constexpr std::pair<uint32_t, const char*> kBuilds[] = {
      {OPSRUN_BUILD_ASAN, "address sanitizer"},
      {OPSRUN_BUILD_TSAN, "thread sanitizer"},
      {OPSRUN_BUILD_MSAN, "memory sanitizer"},
      {OPSRUN_BUILD_DEBUG_LIBRARY, "debug mode of the C++ library"}};
  WordSet sdks, compilers, builds;
  for (const UnitNote& unit : units) {
    sdks.insert(unit.sdk_version);
    compilers.insert(unit.compiler);
    for (const auto& [flag, words] : kBuilds) {
      if ((unit.flags & flag) != 0) builds.insert(words);
    }
  }
  return Line("level", {LevelText(units)}) + Line("sdk", sdks) + Line("compiler", compilers) +
         Line("built for", builds);
}

std::string KernelsText(const PluginNote& note, const std::string& op) {
  std::vector<KernelRow> rows;
  for (const KernelNote& kernel : note.kernels) {
    if (kernel.op == op) rows.push_back(RowOf(kernel));
  }
  std::string text;
  for (const KernelRow& row : MergeRows(std::move(rows))) text += fmt::format("    {}\n", RowText(row));
  return text;
}

// Ops of the file, then ops of other plugins that it has kernels for.
std::string OpsText(const PluginNote& note) {
  const WordSet ops(note.ops.begin(), note.ops.end());
  WordSet foreign;
  for (const KernelNote& kernel : note.kernels) {
    if (ops.count(kernel.op) == 0) foreign.insert(kernel.op);
  }
  std::string text;
  for (const std::string& op : ops) text += fmt::format("  op {}\n{}", op, KernelsText(note, op));
  for (const std::string& op : foreign) text += fmt::format("  kernels for {}\n{}", op, KernelsText(note, op));
  if (note.more()) text += "  more ops or kernels, named while it is loaded\n";
  return text;
}

std::string NoteText(const PluginNote& note) {
  const std::string version = note.version.empty() ? "" : " " + note.version;
  return Printable(fmt::format("  {:10}{}{}\n", "plugin", note.name, version) + UnitsText(note.units) +
                   Line("cuda", {note.cuda.begin(), note.cuda.end()}) +
                   Line("needs", {note.needed.begin(), note.needed.end()}) + OpsText(note));
}

// Why the file is refused once it is opened: what only its table says, such as the specs of its ops.
std::optional<Refusal> RefusalOnceOpen(const std::string& file) {
  const std::shared_ptr<opsrun_host> host = MakeHostTable(OpenCpuDevice());
  LoadResult loaded = LoadFile(file, host.get());
  if (loaded.refused.empty()) return std::nullopt;
  return std::move(loaded.refused.front().refusal);
}

class InspectCommand final : public Command {
 public:
  void AddOptions(Options& options) override {
    options.Arguments(files_, "FILE.so", 1, Options::kAny);
    options.Flag("--load", load_, "also load the files, which runs their code, and check the specs of their ops");
  }

  int Execute(const CommonOptions&, Console& console) override {
    int worst = kExitOk;
    for (const std::string& file : files_) worst = std::max(worst, Inspect(file, console));
    return worst;
  }

 private:
  int Inspect(const std::string& file, Console& console) const {
    if (!CanRead(file, console)) return kExitPlugins;
    const FileLook look = LookAtFile(file);
    if (look.kind == FileLook::Kind::kNotOurs) {
      console.Report(MakeError("P103", fmt::format("'{}' is not an opsrun plugin", file),
                               "a plugin is a shared library built with the opsrun SDK; see: opsrun sdk --help"));
      return kExitPlugins;
    }
    std::optional<Refusal> refusal;
    if (look.kind == FileLook::Kind::kRefused) {
      refusal = look.refusal;
    } else if (load_) {
      refusal = RefusalOnceOpen(file);
    }
    const char* verdict = refusal ? "refused" : load_ ? "ok" : "compatible";
    console.Print(fmt::format("{}: {}\n{}", Printable(file), verdict, NoteText(look.note)));
    if (!refusal) return kExitOk;
    console.Report(MakeError("P104", fmt::format("'{}' is refused: {}", file, refusal->reason), refusal->remedy));
    return kExitPlugins;
  }

  bool load_ = false;
  std::vector<std::string> files_;
};

}  // namespace

const CommandType kInspectCommand = {
    .name = "inspect",
    .arguments = "FILE.so...",
    .summary = "look into plugin files without running their code",
    .about = "Looks into plugin files without running their code: identity, ops, kernels, compatible or refused.\n",
    .details = "The specs of ops are in the plugin's table, which only its code makes: --load checks them too.\n",
    .notes = "The exit code is 4 if a file is refused or is not a plugin.\n",
    .examples = "opsrun inspect my_op.so\nopsrun inspect --load my_op.so\n",
    .make = Make<InspectCommand>,
};

}  // namespace opsrun::host
