// host/cli/judge/turn.h: one order to a process: the tensors of its calls, where they are, and what became of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/cli/judge/judge.h"
#include "host/cli/judge/worker.h"

namespace opsrun::host {

// The inputs of the calls of an order, call by call. Both sides get the same.
using Inputs = std::vector<Tensor>;

// One thread. The worker must outlive it, and carry out no other order meanwhile.
class Turn {
 public:
  // Chooses places for the tensors. begin, size: a part of the memory of tensors. feeds: the inputs, in the order of
  // the plan's feeds. places: their seed; the same one again for the same places. bytes_seed: of what outputs hold
  // before.
  Turn(Worker& worker, size_t begin, size_t size, Inputs feeds, std::span<const TensorType> outputs, uint32_t calls,
       uint64_t places, uint64_t bytes_seed);

  // Bytes that are enough for the tensors of such a turn, with room to move them.
  static size_t BytesFor(std::span<const TensorType> feeds, std::span<const TensorType> outputs, uint32_t calls);

  // Writes the inputs, and random bytes where outputs go and around all tensors; then takes all of it out of the
  // caches, unless they stay warm.
  void Write(bool warm);
  std::optional<WorkerFault> Run(uint32_t plan, SpanTimes& times, std::string* failed) {
    return worker_.Run(plan, places_, times, failed);
  }
  std::optional<WorkerFault> LetRun(std::chrono::milliseconds time) { return worker_.LetRun(time); }

  // "the memory behind output 1 of call 3"; empty: inputs and the memory around tensors are as they were written.
  std::string Changed() const;
  // In the shared memory.
  Tensor Output(uint32_t call, size_t i) const;
  // Whether the element still has the random bytes.
  bool IsUnwritten(uint32_t call, size_t i, int64_t element) const;

 private:
  struct Placed {
    uint64_t offset = 0;
    size_t bytes = 0;
  };
  void FillRandomly(uint64_t offset, size_t bytes) const;
  bool IsRandom(uint64_t offset, size_t bytes) const;

  Worker& worker_;
  const Inputs feeds_;
  const std::span<const TensorType> outputs_;
  const uint32_t calls_;
  const uint64_t seed_;
  std::vector<Placed> placed_;    // as the plan has them: feeds, then outputs, of all calls
  std::vector<uint64_t> places_;  // for the process, from the start of the memory
};

}  // namespace opsrun::host
