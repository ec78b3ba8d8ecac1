// host/cli/commands/inspect.cc: opsrun inspect. Looks into files, and opens them only if it is told to.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/base/display_text.h"
#include "host/base/exit_status.h"
#include "host/cli/commands.h"
#include "host/cli/named_files.h"
#include "host/plugin/judge_plugin.h"
#include "host/plugin/load.h"
#include "host/plugin/read_notes.h"
#include "host/run/host_table.h"
#include "host/show/judged_plugin.h"

namespace opsrun::host {
namespace {

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
    options.Flag("--json", json_, "print one JSON array with everything about each file");
    options.Flag("--load", load_, "also load the files, which runs their code, and check the specs of their ops");
  }

  int Execute(const CommonOptions&, Console& console) override {
    int worst = kExitOk;
    std::vector<JudgedPlugin> judged;
    for (const std::string& file : files_) worst = std::max(worst, Inspect(file, judged, console));
    if (json_) console.Print(JudgedPluginsJson(judged));
    return worst;
  }

 private:
  int Inspect(const std::string& file, std::vector<JudgedPlugin>& judged, Console& console) const {
    if (!CanRead(file, console)) return kExitPlugins;
    const FileLook look = LookAtFile(file);
    if (look.kind == FileLook::Kind::kNotOurs) {
      console.Report(MakeError("P103", fmt::format("'{}' is not an opsrun plugin", file),
                               "a plugin is a shared library built with the opsrun SDK; see: opsrun sdk --help"));
      return kExitPlugins;
    }
    const JudgedPlugin& plugin = judged.emplace_back(Judge(file, look));
    if (!json_) {
      console.Print(
          fmt::format("{}: {}\n{}", Printable(file), plugin.Verdict(), JudgedPluginText(plugin, /*checks=*/true)));
    }
    const std::optional<Refusal> refusal = FirstRefusal(plugin.findings);
    if (!refusal) return kExitOk;
    console.Report(MakeError("P104", fmt::format("'{}' is refused: {}", file, refusal->reason), refusal->remedy));
    return kExitPlugins;
  }

  JudgedPlugin Judge(const std::string& file, const FileLook& look) const {
    JudgedPlugin plugin{file, look.note, JudgePlugin(file, look, search_), "", false};
    if (!load_ || FirstRefusal(plugin.findings)) return plugin;
    plugin.loaded = true;
    const std::optional<Refusal> refusal = RefusalOnceOpen(file);
    plugin.findings.push_back(
        refusal ? Finding{"loading", Finding::State::kRefused, refusal->reason, refusal->remedy}
                : Finding{"loading", Finding::State::kOk, "its table and the specs of its ops are whole", ""});
    return plugin;
  }

  bool load_ = false;
  bool json_ = false;
  const LibrarySearch search_ = LibrarySearch::OfThisProcess();
  std::vector<std::string> files_;
};

}  // namespace

const CommandType kInspectCommand = {
    .name = "inspect",
    .arguments = "FILE.so...",
    .summary = "look into plugin files without running their code",
    .about = "Looks into plugin files without running their code: identity, ops, kernels, and every check.\n",
    .details = "The specs of ops are in the plugin's table, which only its code makes: --load checks them too.\n",
    .notes = "The exit code is 4 if a file is refused or is not a plugin.\n",
    .examples = "opsrun inspect my_op.so\nopsrun inspect --load my_op.so\nopsrun inspect --json my_op.so\n",
    .make = Make<InspectCommand>,
};

}  // namespace opsrun::host
