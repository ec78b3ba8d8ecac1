// host/cli/commands/compile.cc: opsrun compile. Checks a graph and writes it as a file that loads fast.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>

#include "host/base/display_text.h"
#include "host/cli/commands.h"
#include "host/cli/session.h"
#include "host/graph/compiled_graph.h"

namespace opsrun::host {
namespace {

class CompileCommand final : public Command {
 public:
  void AddOptions(Options& options) override {
    options.Argument(graph_.graph, "GRAPH", true);
    options.Text("-o,--output FILE", output_,
                 "write to FILE; without it, to the name of the graph file with the ending .opsplan");
    AddLoading(options, graph_);
  }

  int Execute(const CommonOptions& common, Console& console) override {
    const std::shared_ptr<Engine> engine = OpenEngine(common, console, graph_);
    if (engine == nullptr) return kExitPlugins;
    const std::shared_ptr<LoadedGraph> loaded = engine->LoadFile(graph_.graph, LoadOptionsOf(graph_));
    const std::shared_ptr<const PlannedGraph> planned =
        loaded->graph() == nullptr ? nullptr : loaded->Plan({.threads = 1, .for_runs = false});
    if (planned == nullptr) return console.Report(loaded->diagnostics(), loaded->source());
    const int exit_code = Write(*planned, console);
    return exit_code != kExitOk ? exit_code : console.Report(loaded->diagnostics(), loaded->source());
  }

 private:
  // A compiled graph that is compiled again may take its own place: its arrays are read from the old file.
  int Write(const PlannedGraph& planned, Console& console) const {
    std::filesystem::path target = output_.empty() ? graph_.graph : output_;
    if (output_.empty()) target.replace_extension(".opsplan");
    std::vector<GraphFile> in_use = FilesInUse(&planned.plan().graph(), {});
    if (IsCompiledGraph(graph_.graph)) in_use.clear();
    const std::string path = graph_.graph == "-" && output_.empty() ? "graph.opsplan" : target.string();
    if (const auto refused = RefuseFileInUse("-o", path, in_use)) return console.Report(*refused);
    Result<CompiledParts> parts = CompileGraph(planned.plan(), *planned.loaded().source());
    Status status = parts.ok() ? OkStatus() : parts.status();
    if (status.ok()) status = WriteTo(path, *parts);
    if (!status.ok()) return console.Report(MakeError("R504", status.message(), "use a writable path"));
    console.Ok(fmt::format("wrote {} to {}", Several(parts->nodes.size(), "node"), path));
    return kExitOk;
  }

  static Status WriteTo(const std::string& path, const CompiledParts& parts) {
    Result<AtomicFile> file = AtomicFile::Create(path);
    if (!file.ok()) return file.status();
    Status status =
        WriteCompiledGraph(parts, [&](const void* bytes, size_t count) { return file->Write(bytes, count); });
    return status.ok() ? file->Commit() : status;
  }

  GraphOptions graph_;
  std::string output_;
};

}  // namespace

const CommandType kCompileCommand = {
    .name = "compile",
    .arguments = "GRAPH",
    .summary = "write a graph as one file that loads fast, with its arrays",
    .about =
        "Checks a graph, and writes it as one file: read, with its names resolved, and with the arrays of its feeds. "
        "All commands take that file in place of the graph; run, batch and bench load it in a third of the time.\n",
    .details =
        "The file runs wherever its ops are: types, shapes, kernels and memory are found when it is loaded, for the "
        "plugins, the devices and the threads that are there. It also has the text of the graph, so messages name a "
        "line and a column. Arrays of 1 MiB and more are not read: their bytes stay in the file until they are used.\n",
    .examples = R"(opsrun compile graph.yaml
opsrun graph.opsplan
opsrun compile graph.yaml -o /srv/models/graph.opsplan
)",
    .make = Make<CompileCommand>,
};

}  // namespace opsrun::host
