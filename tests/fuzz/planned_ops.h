// tests/fuzz/planned_ops.h: ops whose kernels do nothing, and plans of them, for targets that need a plan.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "host/graph/compiled_graph.h"
#include "host/graph/read_graph.h"
#include "host/plan/build_plan.h"
#include "host/spec/parse_op.h"
#include "tests/fuzz/target.h"
#include "tests/host/plan/plan_table.h"

namespace opsrun::fuzz {

using namespace host;  // NOLINT: for tests of it

inline int32_t Create(void*, opsrun_create*, void** kernel) {
  *kernel = nullptr;
  return OPSRUN_OK;
}

inline int32_t ShapeOfFirst(void*, opsrun_shape_call* call) {
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

  const Registry& registry() const { return loaded_.registry; }
  const Catalog& catalog() const { return catalog_; }

  // The plan of a text without errors.
  std::unique_ptr<const Plan> PlanOf(const std::shared_ptr<const SourceFile>& source) const {
    Diagnostics diagnostics;
    std::optional<Graph> graph = ReadGraph(source, diagnostics);
    Require(graph && !diagnostics.has_errors(), "the text is a graph");
    std::unique_ptr<const Plan> plan = MakePlan(*std::move(graph), false, diagnostics);
    Require(plan != nullptr, "the graph is planned");
    return plan;
  }

  std::string Compiled(const std::string& text) const {
    const auto source = std::make_shared<const SourceFile>(SourceFile{"graph.yaml", "opsrun: 1\n" + text});
    const std::unique_ptr<const Plan> plan = PlanOf(source);
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

inline const Ops& AllOps() {
  static const Ops ops;
  return ops;
}

}  // namespace opsrun::fuzz
