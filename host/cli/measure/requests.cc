// host/cli/measure/requests.cc: the times of many requests, in bounded memory.
// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "host/cli/measure/measure.h"

namespace opsrun::host {
namespace {

void Thin(std::vector<double>& samples, uint64_t step) {
  size_t kept = 0;
  for (size_t i = 0; i < samples.size(); i += step) samples[kept++] = samples[i];
  samples.resize(kept);
}

}  // namespace

void Requests::Add(int64_t begin, int64_t end) {
  const auto ns = static_cast<double>(end - begin);
  max_ = std::max(max_, ns);
  if (count_ == 0) begin_ = begin;
  end_ = end;
  if (count_++ % every_ != 0) return;
  samples_.push_back(ns);
  if (samples_.size() < kMostSamples) return;
  Thin(samples_, 2);
  every_ *= 2;
}

// A caller that kept more of its times than another one must not count more.
LoadRow Requests::Merge(const std::vector<Requests>& callers) {
  uint64_t every = 1;
  for (const Requests& caller : callers) every = std::max(every, caller.every_);
  LoadRow row{0, 0, 0, {}};
  std::vector<double> all;
  int64_t begin = std::numeric_limits<int64_t>::max(), end = 0;
  double max = 0;
  for (const Requests& caller : callers) {
    if (caller.count_ == 0) continue;
    std::vector<double> samples = caller.samples_;
    Thin(samples, every / caller.every_);
    all.insert(all.end(), samples.begin(), samples.end());
    begin = std::min(begin, caller.begin_);
    end = std::max(end, caller.end_);
    max = std::max(max, caller.max_);
    ++row.concurrency;
    row.requests += caller.count_;
  }
  if (end > begin) row.per_second = static_cast<double>(row.requests) * 1e9 / static_cast<double>(end - begin);
  row.latency = Summarize(std::move(all));
  row.latency.max = max;
  return row;
}

}  // namespace opsrun::host
