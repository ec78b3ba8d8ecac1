// host/plan/build_plan.h: makes a plan from a graph and plugins. Read this first.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/device/device.h"
#include "host/plan/constants.h"
#include "host/plan/fold.h"
#include "host/plan/plan.h"
#include "host/plan/resolution.h"
#include "host/plugin/load.h"
#include "host/tensor/resources.h"

namespace opsrun::host {

// What a declared feed will hold in the runs of a plan.
struct FeedType {
  DType dtype = DType::kInvalid;
  Shape shape;
};

// The inputs of planning. All of them must outlive the plan.
struct PlanInputs {
  std::shared_ptr<const Graph> graph;
  const Catalog* catalog = nullptr;  // names ops and refused files in messages
  const LoadResult* loaded = nullptr;
  const opsrun_host* host = nullptr;      // passed to kernels
  std::map<std::string, FeedType> feeds;  // declared feeds of known type: the plan is made for their shapes
  Resources* resources = nullptr;         // objects that kernels share; null: none
  GraphConstants* constants = nullptr;    // what plans of this graph share; null: nothing
  Devices* devices = nullptr;             // those that a node may run on; null: the CPU alone
  std::string device = kCpuName;          // where nodes run that do not say it
  bool strict_placement = false;          // refuse a node whose op has no kernel for its device
  int threads = 1;                   // that will run it; with more than one, tasks are planned, which costs some memory
  RunAhead* run_ahead = nullptr;     // null: values that shape functions ask for are not known before the run
  Resolution* resolution = nullptr;  // filled, with or without errors; null: not needed
  bool infer_shapes = true;          // false: no shape function runs, and nothing is known about outputs
  // Ops whose nodes are left out, sorted: it was already reported that they are missing.
  std::vector<std::string> held_back;
};

// The plan, or null and at least one error in `diagnostics`: all errors that do not follow from another one. Calls
// shape functions and creates kernels, but runs only what it passes to run_ahead.
std::unique_ptr<const Plan> BuildPlan(const PlanInputs& inputs, Diagnostics& diagnostics);

// The ops that the graph uses, as they are written in it, sorted: the ops to load.
std::vector<std::string> OpNames(const Graph& graph);

}  // namespace opsrun::host
