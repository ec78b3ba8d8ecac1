// host/cli/judge/contest.h: the two processes of a judge, and turns in which both get the same inputs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/cli/judge/judge.h"
#include "host/cli/judge/turn.h"
#include "host/cli/judge/worker.h"
#include "host/device/shared_memory.h"

namespace opsrun::host {

// Of the tensors of an order, unless one call has more.
inline constexpr size_t kOrderBytes = size_t{32} << 20;
// Of an order.
inline constexpr uint32_t kMostCalls = 1000;

// A sample, its plans in both processes, and what was measured.
struct JudgedNode {
  Sample sample;
  uint32_t calls = 1;
  uint32_t plan = 0;        // of so many calls
  double reference_ns = 0;  // of a call, at first
  std::vector<double> candidate, reference, ratios;
  ErrorSpread candidate_errors, reference_errors;
  std::string wrong;    // the first wrong result
  Inputs last;          // of the last order
  uint64_t places = 0;  // the seed of the candidate's last places
  size_t half = 0;      // where they begin
};

// What an order has in common with the one before.
enum class Turns {
  kFresh,       // nothing
  kSamePlaces,  // the candidate's tensors are where they were, with other values
  kAlmostSame,  // and the values are the same, but for one element of each
  kMeasured,    // nothing, and its times count
};

// Why judging cannot go on.
struct Objection {
  std::string check;  // that failed; empty: the reference failed, so there is no verdict
  std::string message;
  std::string node;  // about which; may be empty
  bool crashed = false;
};

// Sums of measured turns, in nanoseconds.
struct ContestTimes {
  double wall = 0, cpu = 0, late = 0;  // of the candidate
  double reference_wall = 0, reference_cpu = 0;
};

// One thread. What it draws follows from the seed.
class Contest {
 public:
  // bytes: for the tensors of a side. The objects must outlive it.
  Contest(const Sides& sides, const JudgeOptions& options, Draws& draws, size_t bytes);

  std::optional<Objection> Start(int threads);
  // Plans that many calls of the node in both processes. *plan: its number there.
  std::optional<Objection> Prepare(const JudgedNode& node, uint32_t calls, uint32_t* plan);
  // Makes both compute that many calls, and compares everything. A wrong result is a finding if times count; otherwise
  // it is JudgedNode::wrong.
  std::optional<Objection> TakeTurns(JudgedNode& node, uint32_t calls, uint32_t plan, Turns turns);
  // How many calls fill the time of an order, as far as the memory has room for them.
  uint32_t CallsFor(const JudgedNode& node) const;

  // What the sandbox of the candidate cannot take away.
  const std::string& gaps() const { return candidate_->remark(); }
  uint64_t calls() const { return calls_; }  // that were compared
  const ContestTimes& times() const { return times_; }

 private:
  std::optional<Objection> Compare(JudgedNode& node, Turn& mine, Turn& theirs, const Inputs& inputs, uint32_t calls,
                                   bool measures);
  std::optional<Objection> NoteWrong(JudgedNode& node, Turn& mine, const Tensor& expected, uint32_t call, size_t output,
                                     int64_t place, bool measures);
  void AddErrors(JudgedNode& node, const Turn& mine, const Turn& theirs, const Inputs& inputs, uint32_t call);
  void Count(JudgedNode& node, uint32_t calls, const SpanTimes& mine, const SpanTimes& theirs);
  void Remember(const Turn& theirs, const Sample& sample, uint32_t calls);
  bool IsEarlier(const Tensor& found) const;
  Result<Inputs> MakeInputs(const JudgedNode& node, uint32_t calls, bool almost_same);
  uint64_t Seed() { return draws_.Below(~uint64_t{0}); }
  Turn ReferenceTurn(const JudgedNode& node, const Inputs& inputs, uint32_t calls, size_t begin);

  const Sides& sides_;
  const JudgeOptions& options_;
  Draws& draws_;
  const size_t bytes_;
  std::unique_ptr<Worker> reference_, candidate_;
  std::deque<std::string> earlier_;  // results of the reference, as bytes
  int refused_ = 0;                  // turns whose inputs the reference did not accept
  uint64_t calls_ = 0;
  ContestTimes times_;
};

}  // namespace opsrun::host
