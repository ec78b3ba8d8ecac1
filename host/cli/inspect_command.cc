// host/cli/inspect_command.cc: opsrun inspect. Looks into files and opens none.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "host/cli/commands.h"
#include "host/cli/exit_code.h"
#include "host/cli/refused_file.h"
#include "host/plugin/read_notes.h"
#include "host/show/display_text.h"
#include "host/show/note_text.h"

namespace opsrun::host {
namespace {

int Inspect(const std::string& file, Console& console) {
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

}  // namespace

int Execute(const InspectCommand& command, const CommonOptions&, Console& console) {
  int worst = kExitOk;
  for (const std::string& file : command.files) worst = std::max(worst, Inspect(file, console));
  return worst;
}

}  // namespace opsrun::host
