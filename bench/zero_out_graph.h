// bench/zero_out_graph.h: a graph with one plugin file, planned and with a lane.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "host/engine/loaded_graph.h"

namespace opsrun::host {

// An engine with one plugin file. If it cannot be used, prints the reason to stderr and returns null.
inline std::shared_ptr<Engine> EngineWith(const std::string& plugin, int threads) {
  EngineOptions options;
  options.default_plugins = false;
  options.threads = threads;
  Diagnostics none;
  std::shared_ptr<Engine> engine = Engine::Create(std::move(options), none);
  std::string name;
  const std::optional<Refusal> refusal = engine->AddFile(plugin, &name);
  if (!refusal) return engine;
  std::fprintf(stderr, "%s: %s\n", plugin.c_str(), refusal->reason.c_str());
  return nullptr;
}

// Members are declared after those that they use.
struct ZeroOutGraph {
  std::shared_ptr<const PlannedGraph> planned;
  std::unique_ptr<Lane> lane;

  const Plan& plan() const { return planned->plan(); }
};

// Prints errors to stderr and returns null.
inline std::unique_ptr<ZeroOutGraph> PlanZeroOutGraph(const std::string& plugin, std::string text, int threads) {
  const std::shared_ptr<Engine> engine = EngineWith(plugin, threads);
  if (engine == nullptr) return nullptr;
  const std::shared_ptr<LoadedGraph> loaded =
      engine->LoadText(std::make_shared<const SourceFile>(SourceFile{"bench", std::move(text)}));
  auto made = std::make_unique<ZeroOutGraph>();
  if (loaded->graph() != nullptr) made->planned = loaded->Plan();
  for (const Diagnostic& d : loaded->diagnostics().all()) {
    std::fprintf(stderr, "%s %s\n", std::string(d.code.text()).c_str(), d.message.c_str());
  }
  if (made->planned == nullptr) return nullptr;
  Result<std::unique_ptr<Lane>> lane = Lane::Create(made->plan(), made->planned->Context(nullptr));
  if (!lane.ok()) return nullptr;
  made->lane = *std::move(lane);
  return made;
}

}  // namespace opsrun::host
