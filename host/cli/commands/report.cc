// host/cli/commands/report.cc: opsrun report. Plans and measures a graph, and writes a page about it.
// SPDX-License-Identifier: Apache-2.0
#include "host/show/report.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <ctime>

#include "host/base/display_text.h"
#include "host/cli/commands.h"
#include "host/cli/graphviz.h"
#include "host/cli/measure/measure_graph.h"

namespace opsrun::host {
namespace {

constexpr size_t kMostDrawn = 400;                   // nodes; Graphviz takes minutes for thousands
constexpr size_t kLargestPicture = size_t{4} << 20;  // bytes

std::string SystemText() {
  utsname name{};
  return uname(&name) == 0 ? fmt::format("{} {} {}", name.sysname, name.release, name.machine) : "unknown";
}

// Fills in the picture, or why there is none.
void Draw(const Graph& graph, ReportFacts& facts) {
  const std::string how = "; opsrun graph --profile -o FILE.svg draws it";
  if (graph.nodes.size() > kMostDrawn) {
    facts.no_picture =
        fmt::format("The picture is left out, because the graph has more than {} nodes{}.", kMostDrawn, how);
    return;
  }
  const Result<std::string> picture = PictureOf(GraphDot(graph, facts.plan.resolution, {}, &facts.times), "svg");
  if (!picture.ok()) {
    facts.no_picture =
        fmt::format("There is no picture: {}. Install Graphviz (apt-get install graphviz), and write the report again.",
                    picture.status().message());
  } else if (picture->size() > kLargestPicture) {
    facts.no_picture = fmt::format("The picture is left out, because it is too large{}.", how);
  } else {
    facts.picture = *picture;
  }
}

ReportFacts FactsOn(const GraphSession& session, const Resolution& resolution, const BenchReport& bench) {
  const Summary& run = bench.run;
  const Plan& plan = session.plan();
  std::vector<std::string> devices;
  for (const PlanDevice& device : plan.devices) devices.push_back(device.name);
  ReportFacts facts{.plan = {plan, resolution, session.registry()},
                    .graph = bench.graph,
                    .threads = bench.threads,
                    .min = run.min,
                    .median = run.median,
                    .p90 = run.p90,
                    .p99 = run.p99,
                    .max = run.max,
                    .stable = bench.stable,
                    .batch = bench.batch,
                    .clock = bench.clock_ns,
                    .steps = bench.step_ns,
                    .isolated = bench.isolated_ns,
                    .times = TimesOfNodes(plan, bench.step_ns, bench.isolated_ns, run.median)};
  const std::string batches = bench.batch == 1 ? "" : fmt::format(" in batches of {}", bench.batch);
  facts.setup = {{"measured", Several(run.samples * bench.batch, "run") + batches},
                 {"opsrun", bench.version},
                 {"processor", bench.cpu},
                 {"system", SystemText()},
                 {"threads", std::to_string(bench.threads)},
                 {"devices", fmt::format("{}", fmt::join(devices, ", "))},
                 {"memory of a lane", BytesText(static_cast<double>(bench.memory_bytes))},
                 {"written", fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(std::time(nullptr)))}};
  Draw(plan.graph(), facts);
  return facts;
}

class ReportCommand final : public Command {
 public:
  void AddOptions(Options& options) override {
    options.Argument(graph_.graph, "GRAPH", true);
    options.Text("-o,--output FILE", output_, "write the page to FILE; without it, to standard output");
    AddFeeds(options, graph_.feeds);
    AddThreads(options, graph_.threads);
    AddPlacement(options, graph_);
    AddCudaGraphs(options, graph_);
    AddSeconds(options, measure_ms_);
    AddLimits(options, graph_);
    AddLoading(options, graph_);
  }

  int Execute(const CommonOptions& common, Console& console) override {
    GraphSession session(graph_, common, 1, console);
    Resolution resolution;
    if (!session.MakePlan(&resolution, /*runs=*/true)) return session.Report();
    const std::vector<GraphFile> in_use = FilesInUse(&session.plan().graph(), graph_.feeds);
    if (const auto refused = RefuseFileInUse("-o", output_, in_use)) return console.Report(*refused);
    if (!session.MakeLanes()) return session.Report();
    BenchReport bench;
    const int measured = MeasureRuns(session, measure_ms_, bench);
    if (measured != kExitOk) return measured;
    const ReportFacts facts = FactsOn(session, resolution, bench);
    if (facts.picture.empty()) console.Note(facts.no_picture);
    if (!WriteText(ReportPage(facts), output_, console)) return kExitFailed;
    if (!output_.empty() && output_ != "-") console.Ok("wrote the report to " + output_);
    return session.Report();
  }

 private:
  GraphOptions graph_;
  std::string output_;  // a file; empty: standard output
  uint64_t measure_ms_ = kMeasureMs;
};

}  // namespace

const CommandType kReportCommand = {
    .name = "report",
    .arguments = "GRAPH",
    .summary = "write a page about a graph: picture, time, memory, advice",
    .about =
        "Measures a graph, and writes an HTML page about it: what to look at, a picture with times, the time by op and "
        "by node, memory over time, the plan, and what was run.\n",
    .details =
        "The page is one file without scripts that needs no network. Graphviz draws its picture; without it, the "
        "page has none. Writes no outputs.\n",
    .examples = R"(opsrun report graph.yaml -o report.html
opsrun report picture.yaml --feed image=photo.npy --threads 4 -o report.html
)",
    .make = Make<ReportCommand>,
};

}  // namespace opsrun::host
