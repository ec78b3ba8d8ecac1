// tests/fuzz/compiled_target.cc: compiled graphs: reads one, and plans it.
// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <memory>

#include "host/graph/compiled_graph.h"
#include "host/graph/read_graph.h"
#include "host/plan/build_plan.h"
#include "host/spec/parse_op.h"
#include "tests/fuzz/target.h"
#include "tests/host/plan/plan_table.h"

namespace opsrun::fuzz {
namespace {

using namespace host;  // NOLINT: a test of it

int32_t Create(void*, opsrun_create*, void** kernel) {
  *kernel = nullptr;
  return OPSRUN_OK;
}

int32_t ShapeOfFirst(void*, opsrun_shape_call* call) {
  return call->host->set_output_shape(call, 0, call->in[0]);
}

// Ops whose kernels do nothing, and graphs of them.
class Ops {
 public:
  Ops() {
    Add({.name = "Same", .inputs = {"x: T"}, .outputs = {"y: T"}, .attrs = {"T: type", "k: int = 1"}});
    Add({.name = "Join", .inputs = {"first: T", "xs: N * T"}, .outputs = {"y: T"}, .attrs = {"T: type", "N: int"}});
    CatalogEntry entry;
    entry.path = plugin_->path = "test.so";
    entry.note.name = plugin_->name = "test";
    for (const RegisteredOp& op : plugin_->ops) entry.note.ops.push_back(op.def.name);
    catalog_.entries.push_back(entry);
    RegistryBuilder builder(catalog_);
    builder.Add(0, plugin_);
    loaded_.registry = builder.Finish();
  }

  std::unique_ptr<const Plan> MakePlan(Graph graph, bool for_runs, Diagnostics& diagnostics) const {
    PlanInputs inputs;
    inputs.graph = std::make_shared<const Graph>(std::move(graph));
    inputs.catalog = &catalog_;
    inputs.loaded = &loaded_;
    inputs.host = PlanTable();
    inputs.threads = 2;
    inputs.for_runs = for_runs;
    return BuildPlan(inputs, diagnostics);
  }

  std::string Compiled(const std::string& text) const {
    const auto source = std::make_shared<const SourceFile>(SourceFile{"graph.yaml", "opsrun: 1\n" + text});
    Diagnostics diagnostics;
    std::optional<Graph> graph = ReadGraph(source, diagnostics);
    Require(graph && !diagnostics.has_errors(), "the text is a graph");
    const std::unique_ptr<const Plan> plan = MakePlan(*std::move(graph), false, diagnostics);
    Require(plan != nullptr, "the graph is planned");
    std::string bytes;
    const ByteSink write = [&](const void* piece, size_t count) {
      return bytes.append(static_cast<const char*>(piece), count), OkStatus();
    };
    Require(WriteCompiledGraph(*CompileGraph(*plan, *source), write).ok(), "the graph compiles");
    return bytes;
  }

 private:
  void Add(const spec::OpStrings& strings) {
    RegisteredOp& op = plugin_->ops.emplace_back();
    op.plugin = plugin_.get();
    Require(spec::ParseOp(strings, &op.def).empty(), "the op is declared well");
    op.shape = ShapeOfFirst;
    RegisteredKernel& kernel = plugin_->kernels.emplace_back();
    kernel.plugin = plugin_.get();
    kernel.def.op = strings.name;
    kernel.def.device = "CPU";
    kernel.create = Create;
    kernel.flags = OPSRUN_KERNEL_ELEMENTWISE;
  }

  const std::shared_ptr<Plugin> plugin_ = std::make_shared<Plugin>();
  Catalog catalog_;
  LoadResult loaded_;
};

const Ops& AllOps() {
  static const Ops ops;
  return ops;
}

// The header has the size of the file, and where its arrays begin: with others, nothing else would be read.
void Eat(std::string_view bytes) {
  constexpr size_t kData = 24, kSize = 32, kHeader = 184;
  if (bytes.size() < kHeader) return;
  std::string file(bytes);
  uint64_t data = 0;
  std::memcpy(&data, file.data() + kData, sizeof(data));
  const uint64_t size = file.size();
  std::memcpy(file.data() + kSize, &size, sizeof(size));
  if (data > size) return;
  std::string front = file.substr(0, data);
  SealCompiledGraph(front);
  file.replace(0, data, front);
  Diagnostics diagnostics;
  std::optional<Graph> graph = ParseCompiledGraph("graph.opsplan", file, diagnostics);
  Require(graph.has_value() != diagnostics.has_errors(), "there is a graph or an error");
  if (!graph) return;
  const std::unique_ptr<const Plan> plan = AllOps().MakePlan(*std::move(graph), true, diagnostics);
  Require(plan != nullptr || diagnostics.has_errors(), "there is a plan or an error");
  for (const Step& step : plan != nullptr ? plan->steps : std::vector<Step>())
    Require(!plan->NodeName(step).empty() && plan->NodeOf(step).name.value == plan->NodeName(step), "nodes have names");
}

std::vector<std::string> Seeds() {
  const std::string feeds =
      "feeds:\n  x: {value: [1, 2], dtype: int32}\n  d: {dtype: float32, shape: [-1, 3]}\n"
      "  s: {value: [a, b], dtype: string}\n  b: {value: [true, false]}\n";
  return {AllOps().Compiled(feeds + "nodes:\n  a: {op: Same, in: x}\n  b2: {op: Same, in: a, after: a}\n"
                                    "outputs: [b2, s]\nchecks:\n  - {from: a, value: [1, 2]}\n"),
          AllOps().Compiled(feeds + "nodes:\n  j: {op: Join, in: {first: d, xs: [d, e, d]}}\n"
                                    "  e: {op: Same, in: d, attrs: {k: 7}}\n  f: {op: Same, in: s}\n"
                                    "outputs:\n  out: {from: j, npy: out.npy}\n  f: f\n"),
          AllOps().Compiled("feeds:\n  x: {fill: 1, shape: [300], dtype: float64}\noutputs: [x]\n")};
}

std::vector<std::string> Words() {
  return {std::string("\1\0\0\0", 4), std::string("\0\0\0\0", 4), "\xff\xff\xff\xff", std::string("\2\0\0\0", 4),
          std::string("\0\1\0\0\0\0\0\0", 8)};
}

}  // namespace

const Target kCompiled = {"compiled", Eat, Seeds, Words};

}  // namespace opsrun::fuzz
