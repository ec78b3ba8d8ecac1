// host/cli/run_many.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/run_many.h"

#include <algorithm>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "host/cli/guard/crash_report.h"
#include "host/threads/start_thread.h"

namespace opsrun::host {
namespace {

// What the callers share.
class Runs {
 public:
  Runs(uint32_t count, StopSignal& stop, const OneRun& run_once, std::atomic<uint32_t>& done)
      : count_(count), stop_(stop), run_once_(run_once), done_(done) {}

  void Call(Lane& lane, uint32_t caller) {
    for (uint32_t run = caller == 0 ? 0 : next_++; run < count_; run = next_++) {
      lane.Rest(/*arena=*/false);  // what the last run needed, all lanes may have
      if (std::optional<RunFailure> of_run = run_once_(lane, run, caller)) return Fail(*std::move(of_run));
      ++done_;
    }
  }

  std::optional<RunFailure> failure;

 private:
  // The first failure is the answer; the others are most likely told to stop because of it.
  void Fail(RunFailure of_run) {
    stop_.Stop();
    next_ = count_;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!failure) failure = std::move(of_run);
  }

  const uint32_t count_;
  StopSignal& stop_;
  const OneRun& run_once_;
  std::atomic<uint32_t>& done_;
  std::atomic<uint32_t> next_{1};
  std::mutex mutex_;  // guards failure
};

}  // namespace

ManyRuns RunMany(LanePool& lanes, uint32_t count, StopSignal& stop, const OneRun& run_once,
                 std::atomic<uint32_t>& done) {
  Runs runs(count, stop, run_once, done);
  const LanePool::Lease first = lanes.Borrow();  // lane 0, before the others come
  const auto callers = static_cast<uint32_t>(std::min<size_t>(lanes.lanes().size(), count));
  std::vector<std::thread> threads;
  for (uint32_t caller = 1; caller < callers; ++caller) {
    std::thread thread = StartThread([&, caller] {
      PrepareThread();
      runs.Call(*lanes.Borrow(), caller);
    });
    if (!thread.joinable()) break;
    threads.push_back(std::move(thread));
  }
  runs.Call(*first, 0);
  for (std::thread& thread : threads) thread.join();
  return {runs.failure, static_cast<uint32_t>(threads.size()) + 1, callers};
}

}  // namespace opsrun::host
