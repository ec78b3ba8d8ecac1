// SPDX-License-Identifier: Apache-2.0
#include "host/run/thread_choice.h"

#include <algorithm>

namespace opsrun::host {
namespace {

constexpr int64_t kMillisecond = 1'000'000;
// Of medians, in percent: more than that, and a way gets no other turn; at most that, and it is as good.
constexpr int64_t kClearlySlower = 150, kAsGood = 103;
// One run on several threads that takes less of the median on one thread is worth a trial.
constexpr int64_t kMuchFaster = 75;
// One run on one thread that takes so many times the best median is enough. A short one may have been interrupted.
constexpr int64_t kFarSlower = 3;
// If so many of a number of runs are slower than one thread was, it is time for a trial.
constexpr uint32_t kNoted = 16, kMostSlow = 12;

bool IsSlower(int64_t median, int64_t best, int64_t percent) {
  return median > best + best * (percent - 100) / 100;
}

}  // namespace

void ThreadChoice::BeginTrial() {
  ways_ = {};
  at_ = most_;
  warm_ = 0;
  counted_ = round_ = runs_ = rest_ = 0;
}

void ThreadChoice::NoteTried(int64_t time) {
  Way& way = Of(at_);
  ++runs_;
  const int64_t best = BestMedian();
  way.is_out = way.count == 0 && best > 0 && time > kMillisecond && time / kFarSlower > best;
  if (warm_ < kWarm) {
    warm_ += time;
  } else {
    way.times[way.count++] = time;
    ++counted_;
  }
  if (counted_ == kCounted || way.is_out) EndTurn();
}

void ThreadChoice::EndTurn() {
  Way& way = Of(at_);
  if (way.count > 0) {
    std::array<int64_t, kTurns* kCounted> sorted = way.times;
    std::nth_element(sorted.begin(), sorted.begin() + way.count / 2, sorted.begin() + way.count);
    way.median = sorted[way.count / 2];
    if (way.median < kTiny) return Choose(Sharing::kNone);
    if (at_ == most_ && way.median > kLong / threads_) return Choose(most_);
  }
  warm_ = 0;
  counted_ = 0;
  do {
    if (at_ == Sharing::kNone) return EndRound();
    at_ = static_cast<Sharing>(static_cast<uint8_t>(at_) - 1);
  } while (Of(at_).is_out);
}

void ThreadChoice::EndRound() {
  const int64_t best = BestMedian();
  int left = 0;
  Sharing good = most_;
  for (size_t i = ways_.size(); i-- > 0;) {
    Way& way = ways_[i];
    way.is_out = way.is_out || way.median == 0 || IsSlower(way.median, best, kClearlySlower);
    left += way.is_out ? 0 : 1;
    if (!way.is_out && !IsSlower(way.median, best, kAsGood)) good = static_cast<Sharing>(i);
  }
  if (++round_ == kTurns || left == 1) return Choose(good);
  at_ = Sharing::kNone;
  for (size_t i = 0; i < ways_.size(); ++i) {
    if (!ways_[i].is_out) at_ = static_cast<Sharing>(i);
  }
}

// 0 if none has one.
int64_t ThreadChoice::BestMedian() const {
  int64_t best = 0;
  for (const Way& way : ways_) {
    if (way.median > 0 && (best == 0 || way.median < best)) best = way.median;
  }
  return best;
}

void ThreadChoice::Choose(Sharing way) {
  factor_ = way == chosen_ ? std::min(2 * factor_, kLate) : kSoon;
  chosen_ = way;
  rest_ = factor_ * runs_;
  since_ = noted_ = slow_ = 0;
}

void ThreadChoice::NoteChosen(int64_t time) {
  const int64_t alone = Of(Sharing::kNone).median;
  const bool is_surprise = is_probe() && !IsSlower(time, alone, kMuchFaster);
  ++since_;
  if (--rest_ == 0 || is_surprise) return BeginTrial();
  if (chosen_ == Sharing::kNone || alone == 0) return;
  slow_ += time > alone ? 1 : 0;
  if (++noted_ < kNoted) return;
  const bool is_slow = slow_ >= kMostSlow;
  noted_ = slow_ = 0;
  if (is_slow && since_ >= kSoon * runs_) BeginTrial();
}

}  // namespace opsrun::host
