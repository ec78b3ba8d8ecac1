// host/cli/judge/worker.h: a process of the judge that runs the candidate or the reference, seen from the judge.
//
// It is stopped (SIGSTOP) except while it carries out an order. So nothing of it runs while the judge writes inputs or
// reads results, and what its threads do after an order is only what they do until they have stopped, which is counted.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/base/file.h"
#include "host/cli/judge/exchange.h"
#include "host/device/shared_memory.h"

namespace opsrun::host {

// What went wrong with a side, and which check of the judge that is.
struct WorkerFault {
  std::string check;
  std::string message;
  bool crashed = false;
};

// Of one order, in nanoseconds.
struct SpanTimes {
  double wall = 0;  // until the process said that it was done, and what its threads worked on after that
  double cpu = 0;   // of all its threads
  double late = 0;  // the part of `cpu` after its word
};

// One thread.
class Worker {
 public:
  // tensors: the memory that both sides have, so that none is faster for the place of its pages.
  // is_last: this process starts no other one later.
  Worker(WorkerOrder order, std::shared_ptr<SharedRegion> tensors, bool is_last);
  Worker(const Worker&) = delete;
  ~Worker();  // kills it, and what it has started

  std::optional<WorkerFault> Start();
  // Adds a plan. *failed: why it cannot be made; then there is no fault.
  std::optional<WorkerFault> Prepare(const PlanRequest& request, std::string* failed);
  // Runs a plan. places: of the feeds and outputs of all its calls, in tensors().
  std::optional<WorkerFault> Run(uint32_t plan, std::span<const uint64_t> places, SpanTimes& times,
                                 std::string* failed);
  // Lets it run without an order.
  std::optional<WorkerFault> LetRun(std::chrono::milliseconds time);

  // What the process says when it has opened its plugin: the gaps of its sandbox. May be empty.
  const std::string& remark() const { return remark_; }

  char* tensors() const { return tensors_->data(); }
  uint32_t plans() const { return plans_; }

 private:
  ExchangeHead& head() const { return *reinterpret_cast<ExchangeHead*>(region_->data()); }
  std::string Reply() const;
  std::optional<WorkerFault> Carry(SpanTimes& times, std::string* failed);
  std::optional<WorkerFault> Wait(uint32_t number);
  std::optional<WorkerFault> Stop();
  std::optional<WorkerFault> Others();
  WorkerFault Ended(int status);
  double CpuNs() const;

  WorkerOrder order_;
  const std::shared_ptr<SharedRegion> tensors_;
  const bool is_last_;
  std::shared_ptr<SharedRegion> region_;
  Descriptor said_;
  std::string remark_;
  pid_t pid_ = -1;
  bool ended_ = false;
  std::vector<pid_t> known_;                 // the judge's other children
  uint64_t faults_of_ended_ = ~uint64_t{0};  // of processes that it started for itself
  clockid_t clock_ = {};
  uint32_t number_ = 1;  // of the last order; the first is to open the plugin
  uint32_t plans_ = 0;
};

}  // namespace opsrun::host
