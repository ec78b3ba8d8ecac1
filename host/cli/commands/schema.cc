// host/cli/commands/schema.cc: opsrun schema. Opens all plugins.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>

#include "host/base/diagnostic.h"
#include "host/base/display_text.h"
#include "host/cli/commands.h"
#include "host/cli/named_files.h"
#include "host/cli/open_engine.h"
#include "host/show/graph_schema.h"

namespace opsrun::host {
namespace {

class SchemaCommand final : public Command {
 public:
  void AddOptions(Options& options) override {
    options.Text("-o,--output FILE", output_, "write to FILE instead of standard output");
  }

  int Execute(const CommonOptions& common, Console& console) override {
    const std::shared_ptr<Engine> engine = OpenEngine(common, console);
    if (engine == nullptr) return kExitPlugins;
    const std::shared_ptr<const Catalog> catalog = engine->catalog();
    const LoadResult loaded = engine->OpenAll();
    if (const std::string refused = RefusedText(*catalog); !refused.empty()) console.Note(refused);
    const size_t ops = loaded.registry.Ops().size();
    if (ops == 0) console.Note("there are no ops; 'opsrun plugins' shows where plugins are searched for");
    if (!WriteText(GraphSchema(loaded.registry), output_, console)) return kExitFailed;
    if (output_.empty() || output_ == "-") return kExitOk;
    const std::string name = std::filesystem::path(output_).filename().string();
    console.Ok(fmt::format("{}: {}; begin a graph beside it with '# yaml-language-server: $schema={}'", output_,
                           Several(ops, "op"), name));
    return kExitOk;
  }

 private:
  std::string output_;  // a file; empty: standard output
};

}  // namespace

const CommandType kSchemaCommand = {
    .name = "schema",
    .arguments = "",
    .summary = "write a JSON Schema of graphs, for completion and checks in editors",
    .about =
        "Writes a JSON Schema (draft 7) of graph files with the ops of the installed plugins. Loads all of them.\n",
    .details =
        R"(An editor with a YAML language server completes and checks a graph whose first line names the schema, with a path
relative to the graph:
  # yaml-language-server: $schema=graph.schema.json
)",
    .notes = "Write the schema again after you add or change plugins.\n",
    .examples = "opsrun schema -o graph.schema.json\n",
    .make = Make<SchemaCommand>,
};

}  // namespace opsrun::host
