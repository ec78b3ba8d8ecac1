// host/run/thread_choice.h: whether the next run of a lane uses one thread or several. Private to this room.
//
// Waking a thread, and passing tensors to it, may take longer than what it saves, and nobody knows what a kernel takes
// before it has run. So all ways to run are tried in turns, a few runs at a time, and the one with the lowest median is
// kept. They are tried again after more and more runs, and soon if runs on several threads become slower than one
// thread was, or the other way round.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace opsrun::host {

// What several threads share.
enum class Sharing : uint8_t {
  kNone,   // nothing: all is done on the calling thread
  kLoops,  // loops inside kernels; the steps run in order
  kTasks,  // tasks, and loops
};

// One thread at a time. Times are in nanoseconds.
class ThreadChoice {
 public:
  // If a run might take longer on one thread, all is shared; if runs take less, nothing is.
  static constexpr int64_t kLong = 1'000'000'000, kTiny = 2'000;
  // In a trial, each way has so many turns, and in each so many runs are counted: those after other runs that take so
  // long, in which threads wake up and tensors get to their processors.
  static constexpr uint32_t kTurns = 4, kCounted = 3;
  static constexpr int64_t kWarm = 200'000;
  // A trial is followed by so many times as many runs as it had: at first, and at most.
  static constexpr uint32_t kSoon = 8, kLate = 256;
  // While nothing is shared, and runs take so long that a thread has time to wake up, one run shares all after as
  // many others as the trial had, and then after more and more: what disturbed the trial may be over.
  static constexpr int64_t kProbed = 100'000;

  // most: the most that can be shared, among so many threads.
  ThreadChoice(Sharing most, int threads) : most_(most), threads_(threads), chosen_(most) { BeginTrial(); }

  // How the next run shares its work.
  Sharing way() const { return is_trial() ? at_ : is_probe() ? most_ : chosen_; }
  // Whether Note needs the time of that run; otherwise 0 will do.
  bool is_timed() const { return is_trial() || is_probe() || chosen_ != Sharing::kNone; }
  // After each run that has not failed.
  void Note(int64_t time) { is_trial() ? NoteTried(time) : NoteChosen(time); }

 private:
  struct Way {
    std::array<int64_t, kTurns * kCounted> times{};
    uint32_t count = 0;
    int64_t median = 0;   // 0 before the end of its first turn
    bool is_out = false;  // too slow for another turn
  };

  bool is_trial() const { return rest_ == 0; }
  bool is_probe() const {
    return chosen_ == Sharing::kNone && ways_[0].median >= kProbed && since_ >= runs_ && std::has_single_bit(since_);
  }
  Way& Of(Sharing way) { return ways_[static_cast<size_t>(way)]; }
  void BeginTrial();
  void NoteTried(int64_t time);
  void NoteChosen(int64_t time);
  void EndTurn();
  void EndRound();
  int64_t BestMedian() const;
  void Choose(Sharing way);

  const Sharing most_;
  const int threads_;
  Sharing chosen_;
  uint32_t factor_ = kSoon / 2;    // see kSoon
  uint32_t rest_ = 0, since_ = 0;  // runs until the next trial, and since the last one
  uint32_t noted_ = 0, slow_ = 0;  // of the last few runs: how many were slower than one thread

  // Of the trial.
  std::array<Way, 3> ways_{};
  Sharing at_ = Sharing::kNone;
  int64_t warm_ = 0;  // the time of the runs of this turn that are not counted
  uint32_t counted_ = 0, round_ = 0, runs_ = 0;
};

}  // namespace opsrun::host
