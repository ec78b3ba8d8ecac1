// host/cli/judge/exchange.h: the memory that the judge shares with a process that runs one of the two sides, and the
// orders that it carries out: to prepare a plan, and to run one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/base/dtype.h"
#include "host/base/status.h"
#include "host/engine/callable_plan.h"
#include "host/engine/engine.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {

// The beginning of what the judge shares with one process; behind it are the text and the places. The process may write
// anything here at any time.
struct ExchangeHead {
  std::atomic<uint32_t> order{0};        // its number, from 1: the process waits for the next one
  std::atomic<uint32_t> done{0};         // the number of the order that the process says it has carried out
  std::atomic<uint32_t> failed{0};       // 1: the text says why
  std::atomic<uint64_t> reply_bytes{0};  // of that text
  uint32_t is_run = 0;                   // run a plan, with the places of tensors; otherwise the text is a PlanRequest
  uint32_t plan = 0;                     // its number, from 0 in the order of preparation
  uint64_t text_bytes = 0;               // of the order
};
inline constexpr size_t kTextAt = 4096, kMostText = size_t{1} << 20;
inline constexpr size_t kPlacesAt = kTextAt + kMostText, kMostPlaces = size_t{1} << 14;
inline constexpr size_t kExchangeBytes = kPlacesAt + kMostPlaces * sizeof(uint64_t);
inline constexpr int kExchangeDescriptor = 3, kJudgedTensorsDescriptor = 4;

struct TensorType {
  DType dtype = DType::kInvalid;
  Shape shape;
  size_t bytes() const { return static_cast<size_t>(*NumElements(shape)) * ElementBytes(dtype); }
};

// Copies of a graph in one plan, so that one run is many calls.
struct PlanRequest {
  std::string graph;                 // its text
  std::string op;                    // of its only node; empty: as the text says
  std::vector<std::string> results;  // of the graph, as references
  std::vector<TensorType> feeds;     // in the order of the graph
  std::vector<TensorType> outputs;   // of the results; empty: each run allocates them
  uint32_t copies = 1;
  DType narrow = DType::kInvalid, wide = DType::kInvalid;  // what is `narrow` in the graph is made `wide`

  std::string Text() const;
  static std::optional<PlanRequest> Read(const std::string& text);
};

// The plan. Feeds and outputs are those of the first copy, then those of the second one. The status has the first
// error.
Result<std::shared_ptr<CallablePlan>> MakePlan(Engine& engine, const PlanRequest& request);

// What a process is told at its start.
struct WorkerOrder {
  std::string plugin;                // a file; empty: ops are found in the folders
  std::vector<std::string> folders;  // of plugins, for a graph
  uint32_t level = OPSRUN_LEVEL;
  uint64_t address = 0;                             // of the exchange
  uint64_t tensors_address = 0, tensors_bytes = 0;  // of the memory that both processes have
  int threads = 1;
  bool sandbox = false;

  std::string Text() const;
  static std::optional<WorkerOrder> Read(const std::string& text);
};

// The word that comes before the order's text on the command line of opsrun-isolated.
inline constexpr char kJudgeWord[] = "judge";

// The process: carries out orders until it is killed. Returns an exit status if it has no memory to share. In
// opsrun-isolated only.
int RunWorker(const WorkerOrder& order);

}  // namespace opsrun::host
