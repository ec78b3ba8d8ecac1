// host/isolate/part.h: nodes of one plugin that follow each other in a plan, which its process runs in one go.
//
// The process gets them as a graph of its own, and makes a plan for it. Its kernels read and write the tensors of this
// process in place where those are in shared memory; others are copied.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "host/isolate/child.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// An input that is a resource or a variant.
struct PartHandle {
  uint32_t input = 0;
  std::string maker;              // the node that makes it, in another part
  std::vector<uint32_t> readers;  // nodes of this part
};

// A graph file, whose declared feeds are the inputs of the part, and whose outputs are its outputs.
struct PartText {
  std::string yaml;
  std::vector<uint32_t> lines;       // where each node begins
  std::vector<std::string> plugins;  // paths of those that have ops of it, without the plugin whose kernels run
  std::vector<TensorFacts> feeds;    // what is known of the inputs
  std::vector<PartHandle> handles;   // those of them whose objects are in the process
  std::vector<PlacedNode> nodes;     // for lines of the log
  bool infer_shapes = true;          // false: kernels are created and run without shape functions
};

// A failure of one of its nodes.
struct PartFailure {
  uint32_t node = 0;  // an index
  Status status;
  std::shared_ptr<const ChildEnd> end;   // what more there is to tell
  std::vector<std::string> inputs = {};  // see RunFailure

  // The process has ended because of it.
  bool has_ended() const { return end != nullptr && !end->message.empty(); }
};

struct PartOutcome {
  std::vector<PartFailure> failures;
  std::vector<bool> made;  // by output; empty: none
};

// Any thread may call any method.
class ChildPart {
 public:
  ChildPart(std::shared_ptr<Child> child, PartText text);
  ChildPart(const ChildPart&) = delete;
  ~ChildPart();

  // Runs the shape function of the only node. The failure if it fails, or the process does.
  std::optional<PartFailure> Infer(const InferRequest& request, InferReply* reply);
  // Creates the kernels. All that cannot be created.
  std::vector<PartFailure> Create();

  // A kernel's compute, whose object is a ChildPart.
  static int32_t Compute(void* part, opsrun_call* call);
  // What has become of the last Compute for this call, which has failed. Forgets it. All
  // that does not depend on a failed node is there: if the process has ended, another one has computed it again.
  PartOutcome TakeOutcome(const opsrun_call* call);

  // The next Compute for this call also asks when each node runs.
  void Measure(const opsrun_call* call);
  // After that Compute: the nodes that ran, each once, and within it. Not to be asked twice.
  std::vector<RunNodeTime> TakeTimes(const opsrun_call* call);

 private:
  struct Failed {
    const opsrun_call* call = nullptr;
    PartOutcome outcome;
  };
  struct Measured {
    const opsrun_call* call = nullptr;
    std::vector<RunNodeTime> times;
  };

  PartFailure Failure(Child::Answer answer) const;
  std::optional<PartFailure> PlaceHandles(const opsrun_call& call, const UnusedTokens& process,
                                          const std::vector<uint64_t>& without, RunRequest& request) const;
  std::optional<PartFailure> Load(Child::Turn& turn, bool plan);
  int32_t Run(opsrun_call* call);
  std::optional<PartFailure> RunOnce(opsrun_call* call, const std::vector<uint64_t>& without, PartOutcome& outcome);
  int32_t Fail(opsrun_call* call, PartOutcome outcome);
  void KeepTimes(const opsrun_call* call, std::vector<RunNodeTime> times);

  const std::shared_ptr<Child> child_;
  const uint64_t id_;
  const PartText text_;
  // By the turn of the child.
  uint64_t loaded_in_ = 0, planned_in_ = 0;  // numbers of processes
  std::vector<PartFailure> not_created_;
  std::string message_;
  std::atomic<size_t> measures_{0};  // size of measured_
  std::mutex mutex_;                 // guards the members below
  std::vector<Failed> failed_;
  std::vector<Measured> measured_;
};

}  // namespace opsrun::host
