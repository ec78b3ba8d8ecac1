// host/plan/build_plan.h: a graph and the plugins to a plan. Read this first.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/plan/plan.h"
#include "host/plan/resolution.h"
#include "host/plan/run_ahead.h"
#include "host/plugin/load.h"
#include "host/resources/resources.h"

namespace opsrun::host {

// What a declared feed will hold in the runs of a plan.
struct FeedType {
  DType dtype = DType::kInvalid;
  Shape shape;
};

// What a plan is made from. All outlives the plan.
struct PlanInputs {
  std::shared_ptr<const Graph> graph;
  const Catalog* catalog = nullptr;  // names ops and refused files in messages
  const LoadResult* loaded = nullptr;
  const opsrun_host* host = nullptr;      // handed to kernels
  std::map<std::string, FeedType> feeds;  // declared feeds that are known already: their shapes are planned for
  Resources* resources = nullptr;       // what kernels share; null: nothing
  int threads = 1;     // so many will run it: with more than one, tasks are planned, at the price of some memory
  RunAhead* run_ahead = nullptr;  // null: values that shape functions ask for are not known before the run
  Resolution* resolution = nullptr;  // filled, whether or not there are mistakes; null: nobody wants to know
  // Ops whose nodes are left out, sorted: that they are not there was told already.
  std::vector<std::string> held_back;
};

// The plan, or null and at least one error in `diagnostics`: all mistakes that do not follow from another one. Runs
// shape functions and makes kernels; runs nothing but what it gives to run_ahead.
std::unique_ptr<const Plan> BuildPlan(const PlanInputs& inputs, Diagnostics& diagnostics);

// The op names that a graph asks for, as it writes them, sorted: what to load.
std::vector<std::string> OpNames(const Graph& graph);

}  // namespace opsrun::host
