// bench/zero_out_graph.h: a graph text over one plugin file, planned and with a lane.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "host/device/device.h"
#include "host/graph/read_graph.h"
#include "host/plan/build_plan.h"
#include "host/plugin/load.h"
#include "host/run/host_table.h"
#include "host/run/lane.h"

namespace opsrun::host {

// Members that others use come before them.
struct ZeroOutGraph {
  LoadResult loaded;
  Catalog catalog;
  std::unique_ptr<Device> device = OpenCpuDevice();
  std::unique_ptr<const Plan> plan;
  std::unique_ptr<Lane> lane;
};

// Null, after telling why on stderr, if something is wrong. The pool outlives the graph; null: one thread.
inline std::unique_ptr<ZeroOutGraph> PlanZeroOutGraph(const std::string& plugin, std::string text, int threads,
                                                      ThreadPool* pool) {
  auto made = std::make_unique<ZeroOutGraph>();
  made->loaded = LoadFile(plugin, HostTable());
  Diagnostics diagnostics;
  auto source = std::make_shared<const SourceFile>(SourceFile{"bench", std::move(text)});
  std::optional<Graph> graph = ReadGraph(source, diagnostics);
  if (graph) {
    made->plan = BuildPlan({std::make_shared<const Graph>(*std::move(graph)),
                            &made->catalog,
                            &made->loaded,
                            HostTable(),
                            {},
                            nullptr,
                            threads},
                           diagnostics);
  }
  for (const Diagnostic& d : diagnostics.all()) std::fprintf(stderr, "%s %s\n", d.code.c_str(), d.message.c_str());
  if (made->plan == nullptr) return nullptr;
  Result<std::unique_ptr<Lane>> lane = Lane::Create(*made->plan, {made->device.get(), HostTable(), pool});
  if (!lane.ok()) return nullptr;
  made->lane = *std::move(lane);
  return made;
}

}  // namespace opsrun::host
