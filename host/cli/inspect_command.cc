// host/cli/inspect_command.cc: opsrun inspect. Looks into files and opens none.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "host/cli/commands.h"
#include "host/cli/display_text.h"
#include "host/cli/errno_text.h"
#include "host/cli/exit_code.h"
#include "host/cli/note_text.h"
#include "host/plugin/read_notes.h"

namespace opsrun::host {
namespace {

int Refuse(Console& console, const char* code, std::string message, std::string help) {
  Diagnostic d;
  d.code = code;
  d.message = std::move(message);
  if (!help.empty()) d.help = {std::move(help)};
  console.Report(d);
  return kExitPlugins;
}

int Inspect(const std::string& file, Console& console) {
  if (access(file.c_str(), R_OK) != 0) {
    return Refuse(console, "P102", fmt::format("cannot read '{}': {}", file, ErrnoText(errno)), "");
  }
  const FileLook look = LookAtFile(file);
  if (look.kind == FileLook::Kind::kNotOurs) {
    return Refuse(console, "P103", fmt::format("'{}' is no opsrun plugin", file),
                  "a plugin is a shared library built with the opsrun SDK; see: opsrun sdk --help");
  }
  const bool refused = look.kind == FileLook::Kind::kRefused;
  console.Print(fmt::format("{}: {}\n{}", Printable(file), refused ? "refused" : "ok", NoteText(look.note)));
  if (!refused) return kExitOk;
  return Refuse(console, "P104", fmt::format("'{}' is refused: {}", file, look.refusal.reason), look.refusal.remedy);
}

}  // namespace

int Execute(const InspectCommand& command, const CommonOptions&, Console& console) {
  int worst = kExitOk;
  for (const std::string& file : command.files) worst = std::max(worst, Inspect(file, console));
  return worst;
}

}  // namespace opsrun::host
