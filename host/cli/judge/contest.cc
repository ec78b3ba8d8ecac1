// SPDX-License-Identifier: Apache-2.0
#include "host/cli/judge/contest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "host/cli/gradcheck/gradcheck.h"
#include "host/cli/judge/compare.h"

namespace opsrun::host {
namespace {

constexpr double kOrderNs = 5e6;  // of a measured order, so that waking a process does not matter
constexpr int kMostRefused = 20;
constexpr size_t kErrorsOfSample = 20'000;  // numbers whose errors are measured, whether they look right or not
constexpr std::chrono::milliseconds kLater{100};

Objection OfReference(const std::string& message) {
  return {"", "the reference failed: " + message, ""};
}

Objection OfCandidate(std::string check, std::string message, const JudgedNode& node) {
  return {std::move(check), std::move(message), node.sample.text};
}

Objection OfWorker(const WorkerFault& fault, const std::string& node) {
  return {fault.check, fault.message, node, fault.crashed};
}

// The last values, with one element of the new ones: whoever looks at a part of them takes them for the last ones.
void KeepOne(Tensor& fresh, const Tensor& last, Draws& draws) {
  if (fresh.num_elements() == 0) return;
  const size_t size = ElementBytes(fresh.dtype());
  const size_t begin = draws.Below(static_cast<uint64_t>(fresh.num_elements())) * size;
  auto* const to = static_cast<char*>(fresh.mutable_data());
  const auto* const from = static_cast<const char*>(last.data());
  std::memcpy(to, from, begin);
  std::memcpy(to + begin + size, from + begin + size, fresh.num_bytes() - begin - size);
}

}  // namespace

Contest::Contest(const Sides& sides, const JudgeOptions& options, Draws& draws, size_t bytes)
    : sides_(sides), options_(options), draws_(draws), bytes_(bytes) {}

std::optional<Objection> Contest::Start(int threads) {
  const Result<std::shared_ptr<SharedRegion>> tensors = SharedRegion::Create("opsrun-judge-tensors", 2 * bytes_);
  if (!tensors.ok()) return OfReference(tensors.status().message());
  WorkerOrder order = options_.order;
  order.threads = threads;
  order.plugin = sides_.graph == nullptr ? sides_.reference_file : "";
  reference_ = std::make_unique<Worker>(order, *tensors, false);
  if (const auto fault = reference_->Start()) return OfReference(fault->message);
  order.plugin = sides_.candidate_file;
  order.sandbox = options_.sandbox;
  candidate_ = std::make_unique<Worker>(order, *tensors, true);
  if (const auto fault = candidate_->Start()) return OfWorker(*fault, "");
  return std::nullopt;
}

std::optional<Objection> Contest::Prepare(const JudgedNode& node, uint32_t calls, uint32_t* plan) {
  PlanRequest mine = node.sample.candidate, theirs = node.sample.reference;
  mine.copies = theirs.copies = calls;
  *plan = candidate_->plans();
  std::string failed;
  if (const auto fault = reference_->Prepare(theirs, &failed)) return OfReference(fault->message);
  if (!failed.empty()) return OfReference(failed);
  if (const auto fault = candidate_->Prepare(mine, &failed)) return OfWorker(*fault, node.sample.text);
  if (failed.empty()) return std::nullopt;
  return OfCandidate("errors", "the reference can be planned, but not the candidate: " + failed, node);
}

Result<Inputs> Contest::MakeInputs(const JudgedNode& node, uint32_t calls, bool almost_same) {
  Inputs inputs;
  for (uint32_t call = 0; call < calls; ++call) {
    for (size_t i = 0; i < node.sample.given.size(); ++i) {
      const Fresh fresh = node.sample.fresh[i];
      Result<Tensor> input = MakeFresh(fresh, node.sample.given[i], Seed());
      if (!input.ok()) return input.status();
      if (almost_same && (fresh == Fresh::kAny || fresh == Fresh::kNear))
        KeepOne(*input, node.last[inputs.size()], draws_);
      inputs.push_back(*std::move(input));
    }
  }
  return inputs;
}

Turn Contest::ReferenceTurn(const JudgedNode& node, const Inputs& inputs, uint32_t calls, size_t begin) {
  return Turn(*reference_, begin, bytes_, node.sample.ForReference(inputs), node.sample.reference.outputs, calls,
              Seed(), Seed());
}

// The candidate comes first: nothing that it could find is computed before. So that being first makes no difference,
// every second measured time of the reference is from before, with earlier inputs.
std::optional<Objection> Contest::TakeTurns(JudgedNode& node, uint32_t calls, uint32_t plan, Turns turns) {
  const bool measures = turns == Turns::kMeasured;
  const bool has_last = node.last.size() == calls * node.sample.given.size();
  Result<Inputs> inputs = MakeInputs(node, calls, turns == Turns::kAlmostSame && has_last);
  if (!inputs.ok()) return OfReference(inputs.status().message());
  SpanTimes times, reference_times, ignored;
  std::string failed, reference_failed;
  const bool is_second = measures && has_last && draws_.Coin();
  if (is_second) {
    Turn before = ReferenceTurn(node, node.last, calls, draws_.Coin() ? bytes_ : 0);
    before.Write(options_.warm);
    if (const auto fault = before.Run(plan, reference_times, &failed)) return OfReference(fault->message);
  }
  // Each has one half of the memory, at random.
  if (measures || turns == Turns::kFresh) {
    node.places = Seed();
    node.half = draws_.Coin() ? bytes_ : 0;
  }
  Turn mine(*candidate_, node.half, bytes_, *inputs, node.sample.candidate.outputs, calls, node.places, Seed());
  mine.Write(options_.warm);
  if (const auto fault = mine.Run(plan, times, &failed)) return OfWorker(*fault, node.sample.text);
  const std::string changed = mine.Changed();
  Turn theirs = ReferenceTurn(node, *inputs, calls, bytes_ - node.half);
  theirs.Write(options_.warm);
  const auto fault = theirs.Run(plan, is_second ? ignored : reference_times, &reference_failed);
  if (fault) return OfReference(fault->message);
  if (!reference_failed.empty())
    return ++refused_ < kMostRefused ? std::nullopt : std::optional(OfReference(reference_failed));
  if (!failed.empty()) return OfCandidate("errors", "it fails where the reference does not: " + failed, node);
  if (!changed.empty()) return OfCandidate("inputs", changed + " was written to", node);
  calls_ += calls;
  if (std::optional<Objection> found = Compare(node, mine, theirs, *inputs, calls, measures)) return found;
  const double of_call = reference_times.wall / calls;
  node.reference_ns = node.reference_ns == 0 ? of_call : std::min(node.reference_ns, of_call);
  if (measures && node.wrong.empty()) Count(node, calls, times, reference_times);
  node.last = *std::move(inputs);
  return std::nullopt;
}

void Contest::Count(JudgedNode& node, uint32_t calls, const SpanTimes& mine, const SpanTimes& theirs) {
  // What threads do after the answer counts as if the answer had come after it.
  const double late = std::max(0.0, mine.late - theirs.late);
  node.candidate.push_back((mine.wall + late) / calls);
  node.reference.push_back(theirs.wall / calls);
  node.ratios.push_back((mine.wall + late) / theirs.wall);
  times_.wall += mine.wall;
  times_.cpu += mine.cpu;
  times_.late += late;
  times_.reference_wall += theirs.wall;
  times_.reference_cpu += theirs.cpu;
}

std::optional<Objection> Contest::Compare(JudgedNode& node, Turn& mine, Turn& theirs, const Inputs& inputs,
                                          uint32_t calls, bool measures) {
  const Sample& sample = node.sample;
  for (uint32_t call = 0; call < calls; ++call) {
    bool is_near = false;
    for (size_t i = 0; i < sample.outputs.size(); ++i) {
      const Tensor expected = theirs.Output(call, i);
      const Likeness likeness = CompareOutputs(mine.Output(call, i), expected, sample.exact != nullptr);
      is_near = is_near || likeness.is == Likeness::kNear;
      if (likeness.is == Likeness::kWrong) return NoteWrong(node, mine, expected, call, i, likeness.place, measures);
    }
    const bool is_sample = sample.exact != nullptr && node.candidate_errors.errors.size() < kErrorsOfSample;
    if (is_near || is_sample) AddErrors(node, mine, theirs, inputs, call);
  }
  Remember(theirs, sample, calls);
  return std::nullopt;
}

std::optional<Objection> Contest::NoteWrong(JudgedNode& node, Turn& mine, const Tensor& expected, uint32_t call,
                                            size_t output, int64_t place, bool measures) {
  const Tensor found = mine.Output(call, output);
  std::string message = DescribeWrong(node.sample.outputs[output], found, expected, place);
  if (mine.IsUnwritten(call, output, place)) {
    message += "; the kernel has not written it";
  } else if (IsEarlier(found)) {
    message += "; it is the result of an earlier call";
  }
  if (const auto fault = mine.LetRun(kLater)) return OfWorker(*fault, node.sample.text);
  if (CompareOutputs(found, expected, node.sample.exact != nullptr).is != Likeness::kWrong) {
    return OfCandidate("late",
                       fmt::format("the kernel returned before its work was done: {}; it was right {} ms later",
                                   message, kLater.count()),
                       node);
  }
  if (measures) return OfCandidate("results", message, node);
  node.wrong = message;
  return std::nullopt;
}

void Contest::AddErrors(JudgedNode& node, const Turn& mine, const Turn& theirs, const Inputs& inputs, uint32_t call) {
  const Sample& sample = node.sample;
  std::vector<Tensor> wide;
  const size_t count = sample.given.size();
  for (size_t i = 0; i < count; ++i) {
    wide.push_back(inputs[call * count + i]);
    if (wide.back().dtype() != sample.narrow) continue;
    const Result<Tensor> wider = FromRealParts(PreciseType(sample.narrow), wide.back().shape(), RealParts(wide.back()));
    if (!wider.ok()) return;
    wide.back() = *wider;
  }
  const Result<std::vector<Tensor>> exact = CallHere(*sample.exact, sample.ForReference(wide));
  if (!exact.ok()) return;
  for (size_t i = 0; i < exact->size(); ++i) {
    const Tensor found = mine.Output(call, i);
    if (found.dtype() != sample.narrow || (*exact)[i].shape() != found.shape()) continue;
    node.candidate_errors.Add(found, (*exact)[i]);
    node.reference_errors.Add(theirs.Output(call, i), (*exact)[i]);
  }
}

void Contest::Remember(const Turn& theirs, const Sample& sample, uint32_t calls) {
  constexpr size_t kMost = 64, kOfTurn = 4;
  constexpr size_t kMostBytes = size_t{1} << 20;
  for (uint32_t call = 0; call < std::min<size_t>(calls, kOfTurn); ++call) {
    for (size_t i = 0; i < sample.outputs.size(); ++i) {
      const Tensor result = theirs.Output(call, i);
      if (result.num_bytes() < 4 || result.num_bytes() > kMostBytes) continue;
      earlier_.emplace_back(static_cast<const char*>(result.data()), result.num_bytes());
      if (earlier_.size() > kMost) earlier_.pop_front();
    }
  }
}

bool Contest::IsEarlier(const Tensor& found) const {
  const std::string_view bytes(static_cast<const char*>(found.data()), found.num_bytes());
  return std::ranges::find(earlier_, bytes) != earlier_.end();
}

uint32_t Contest::CallsFor(const JudgedNode& node) const {
  const Sample& sample = node.sample;
  const size_t tensors = std::max<size_t>(sample.given.size() + sample.outputs.size(), 1);
  const double wanted = std::min({kOrderNs / std::max(node.reference_ns, 1.0), static_cast<double>(kMostCalls),
                                  static_cast<double>(kMostPlaces / tensors),
                                  static_cast<double>(kOrderBytes) / static_cast<double>(sample.bytes() + 1)});
  auto calls = static_cast<uint32_t>(std::max(wanted, 1.0));
  while (calls > 1 && Turn::BytesFor(sample.reference.feeds, sample.reference.outputs, calls) > bytes_) calls /= 2;
  return calls;
}

}  // namespace opsrun::host
