// host/cli/schema_command.cc: opsrun schema. Opens all plugins.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "host/cli/commands.h"
#include "host/cli/exit_code.h"
#include "host/cli/open_engine.h"
#include "host/cli/write_text.h"
#include "host/schema/graph_schema.h"

namespace opsrun::host {

int Execute(const SchemaCommand& command, const CommonOptions& common, Console& console) {
  const std::shared_ptr<Engine> engine = OpenEngine(common, console);
  if (engine == nullptr) return kExitPlugins;
  const std::shared_ptr<const Catalog> catalog = engine->catalog();
  const LoadResult loaded = engine->OpenAll();
  if (const std::string refused = RefusedText(*catalog); !refused.empty()) console.Note(refused);
  const size_t ops = loaded.registry.Ops().size();
  if (ops == 0) console.Note("there are no ops; 'opsrun plugins' says where plugins are searched for");
  if (!WriteText(GraphSchema(loaded.registry), command.output, console)) return kExitFailed;
  if (command.output.empty() || command.output == "-") return kExitOk;
  const std::string name = std::filesystem::path(command.output).filename().string();
  console.Ok(fmt::format("{}: {} op{}; a graph beside it says '# yaml-language-server: $schema={}'", command.output,
                         ops, ops == 1 ? "" : "s", name));
  return kExitOk;
}

}  // namespace opsrun::host
