// host/cli/commands/dev.cc: opsrun dev, which builds and runs again after each change.
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/dev/dev.h"

#include "host/cli/commands.h"

namespace opsrun::host {
namespace {

class DevCommand final : public Command {
 public:
  void AddOptions(Options& options) override {
    options.Argument(options_.graph.graph, "GRAPH", true);
    options.Text("--build COMMAND", options_.build,
                 "the command of a shell that builds the plugins; it runs first, and after each change of a source");
    options.Each(
        "--watch DIR",
        [this](const std::string& folder) {
          options_.folders.push_back(folder);
          return std::nullopt;
        },
        "also watch the sources in DIR and below; may be repeated. The folder of the graph is watched");
    AddFeeds(options, options_.graph.feeds);
    AddThreads(options, options_.graph.threads);
    AddPlacement(options, options_.graph);
    AddLimits(options, options_.graph);
  }

  int Execute(const CommonOptions& common, Console& console) override {
    if (options_.graph.graph == "-") {
      return console.Report(MakeError("U005", "dev needs the file of a graph, since standard input does not change",
                                      "for example: opsrun dev graph.yaml --build 'cmake --build build'"));
    }
    options_.common = common;
    return RunDev(options_, console);
  }

 private:
  DevOptions options_;
};

}  // namespace

const CommandType kDevCommand = {
    .name = "dev",
    .arguments = "GRAPH",
    .summary = "build and run again after each change, and show what changed",
    .about = "Runs a graph whenever it, its arrays or its plugins change, and shows what changed in its results.\n",
    .details =
        R"(With --build, sources are watched, too, and built before the next run. Each run is a program of its own, so a crash
does not end this. Results and times are compared with the last run that succeeded.
)",
    .notes =
        "Ctrl-C ends it, with what it has started. Sources in hidden folders and in those of builds are ignored.\n",
    .examples = R"(opsrun dev graph.yaml --build "cmake --build build" --plugins build
opsrun dev graph.yaml --build "make -s" --watch ../src --feed x=x.npy
)",
    .make = Make<DevCommand>,
};

}  // namespace opsrun::host
