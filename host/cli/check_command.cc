// host/cli/check_command.cc: opsrun check. Everything but running.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "host/cli/commands.h"
#include "host/cli/exit_code.h"
#include "host/cli/graph_file.h"
#include "host/cli/installed_plugins.h"
#include "host/run/host_table.h"
#include "host/show/shapes_text.h"
#include "host/threads/available_cpus.h"

namespace opsrun::host {
namespace {

// The op names of all graphs: plugins are opened once.
std::vector<std::string> OpNamesOf(const std::vector<GraphFile>& files) {
  std::vector<std::string> names;
  for (const GraphFile& file : files) {
    if (!file.graph) continue;
    std::vector<std::string> more = OpsToOpen(file);
    names.insert(names.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

GraphFile ReadGraphToCheck(const std::string& path, bool strict, const Catalog& catalog) {
  GraphFile file = ReadGraphFile(path, AvailableCpus(), strict);
  if (file.graph) CheckRequirements(file, catalog);
  return file;
}

int CheckOne(GraphFile& file, bool shapes, const Catalog& catalog, const LoadResult& loaded, Console& console) {
  Resources resources;
  Resolution resolution;
  if (file.graph) {
    PlanGraph(file, {&catalog, &loaded, HostTable(), &resources, 1, shapes ? &resolution : nullptr}, {});
    if (shapes) console.Print(ShapesText(resolution, *file.graph));
  }
  console.Report(file.diagnostics, file.source.get());
  if (file.diagnostics.has_errors()) return ExitCode(file.diagnostics);
  console.Ok(fmt::format("{}: {}", file.path, SizeText(*file.graph)));
  return kExitOk;
}

}  // namespace

int Execute(const CheckCommand& command, const CommonOptions& common, Console& console) {
  const std::optional<Catalog> catalog = FindPlugins(common, console);
  if (!catalog) return kExitPlugins;
  std::vector<GraphFile> files;
  for (const std::string& path : command.graphs) files.push_back(ReadGraphToCheck(path, command.strict, *catalog));
  const LoadResult loaded = OpenPlugins(*catalog, OpNamesOf(files), HostTable(), common, console);
  int worst = kExitOk;
  for (GraphFile& file : files) worst = std::max(worst, CheckOne(file, command.shapes, *catalog, loaded, console));
  return worst;
}

}  // namespace opsrun::host
