// host/cli/commands/inspect.cc: opsrun inspect. Looks into files and loads none.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "host/base/exit_status.h"
#include "host/cli/commands.h"
#include "host/cli/refused_file.h"
#include "host/plugin/read_notes.h"
#include "host/show/display_text.h"
#include "host/show/note_text.h"

namespace opsrun::host {
namespace {

int InspectFile(const std::string& file, Console& console) {
  if (!CanRead(file, console)) return kExitPlugins;
  const FileLook look = LookAtFile(file);
  if (look.kind == FileLook::Kind::kNotOurs) {
    RefuseFile(console, "P103", fmt::format("'{}' is no opsrun plugin", file),
               "a plugin is a shared library built with the opsrun SDK; see: opsrun sdk --help");
    return kExitPlugins;
  }
  const bool refused = look.kind == FileLook::Kind::kRefused;
  console.Print(fmt::format("{}: {}\n{}", Printable(file), refused ? "refused" : "ok", NoteText(look.note)));
  if (!refused) return kExitOk;
  RefuseFile(console, "P104", fmt::format("'{}' is refused: {}", file, look.refusal.reason), look.refusal.remedy);
  return kExitPlugins;
}

class InspectCommand final : public Command {
 public:
  void AddOptions(Options& options) override { options.Arguments(files_, "FILE.so", 1, Options::kAny); }

  int Execute(const CommonOptions&, Console& console) override {
    int worst = kExitOk;
    for (const std::string& file : files_) worst = std::max(worst, InspectFile(file, console));
    return worst;
  }

 private:
  std::vector<std::string> files_;
};

}  // namespace

const CommandType kInspectCommand = {
    .name = "inspect",
    .arguments = "FILE.so...",
    .summary = "look into plugin files without running their code",
    .about = "Looks into plugin files without running their code: identity, ops, kernels, accepted or not.\n",
    .notes = "The exit code is 4 if a file is refused or is not a plugin.\n",
    .examples = "opsrun inspect my_op.so\n",
    .make = Make<InspectCommand>,
};

}  // namespace opsrun::host
