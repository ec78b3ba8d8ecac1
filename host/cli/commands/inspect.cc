// host/cli/commands/inspect.cc: opsrun inspect. Examines plugin files; opens them only on request.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "host/base/diagnostic.h"
#include "host/base/display_text.h"
#include "host/cli/commands.h"
#include "host/cli/gradient_options.h"
#include "host/cli/named_files.h"
#include "host/cli/open_engine.h"
#include "host/examine/compatibility.h"
#include "host/examine/plugin_note.h"
#include "host/examine/prober.h"
#include "host/show/judged_plugin.h"

namespace opsrun::host {
namespace {

class InspectCommand final : public Command {
 public:
  void AddOptions(Options& options) override {
    options.Arguments(files_, "FILE.so", 1, Options::kAny);
    options.Flag("--json", json_, "print one JSON array with everything about each file");
  }

  int Execute(const CommonOptions& common, Console& console) override {
    const Prober prober(DefaultProbeOptions(!common.no_probe, common.abi_level));
    int worst = kExitOk;
    std::vector<JudgedPlugin> judged;
    for (const std::string& file : files_) worst = std::max(worst, Inspect(file, common, prober, judged, console));
    if (json_) console.Print(JudgedPluginsJson(judged));
    return worst;
  }

 private:
  int Inspect(const std::string& file, const CommonOptions& common, const Prober& prober,
              std::vector<JudgedPlugin>& judged, Console& console) {
    if (!CanRead(file, console)) return kExitPlugins;
    const FileLook look = LookAtFile(file, common.abi_level);
    if (look.kind == FileLook::Kind::kNotOurs || look.kind == FileLook::Kind::kNotLibrary) {
      return console.Report(MakeError(
          "P103", fmt::format("'{}' is not an opsrun plugin: {}", file, look.refusal.reason), look.refusal.remedy));
    }
    judged.push_back({file, look.note, prober.Judge(file, look, search_, cards_), ""});
    JudgedPlugin& plugin = judged.back();
    // A separate process has opened it successfully.
    const bool probed = plugin.Verdict() == std::string_view("ok");
    if (probed) plugin.opened = opened_.emplace_back(OpenPluginOfFile(file, common)).plugin;
    if (!json_) {
      console.Print(
          fmt::format("{}: {}\n{}", Printable(file), plugin.Verdict(), JudgedPluginText(plugin, /*checks=*/true)));
    }
    const std::optional<Refusal> refusal = FirstRefusal(plugin.findings);
    return refusal ? console.Report(RefusedFile(file, *refusal)) : ReportGradients(plugin.opened, console);
  }

  // Reports the errors in gradients that its ops declare.
  int ReportGradients(const Plugin* plugin, Console& console) const {
    int worst = kExitOk;
    if (plugin == nullptr) return worst;
    for (const RegisteredOp& op : plugin->ops) {
      worst = std::max(worst, ReportGradient(*opened_.back().engine, op, console));
    }
    return worst;
  }

  bool json_ = false;
  std::deque<PluginOfFile> opened_;
  const GpuCards cards_ = GpuCardsHere();
  const LibrarySearch search_ = LibrarySearch::OfThisProcess();
  std::vector<std::string> files_;
};

}  // namespace

const CommandType kInspectCommand = {
    .name = "inspect",
    .arguments = "FILE.so...",
    .summary = "show what plugin files contain, and try them in a separate process",
    .about = "Shows what plugin files contain: identity, ops, kernels, and the result of every check.\n",
    .details =
        "If the bytes of a file pass their checks, a separate process opens it and checks its table and the specs of\n"
        "its ops. If that succeeds, opsrun opens it too and checks the gradients of its ops. With --no-probe, only\n"
        "the bytes are checked, and no code of the file runs.\n",
    .notes = "The exit code is 4 if a file is refused or is not a plugin, and 3 if a gradient has an error.\n",
    .examples = "opsrun inspect my_op.so\nopsrun inspect --no-probe my_op.so\nopsrun inspect --json my_op.so\n",
    .make = Make<InspectCommand>,
};

}  // namespace opsrun::host
