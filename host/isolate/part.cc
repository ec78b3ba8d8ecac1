// SPDX-License-Identifier: Apache-2.0
#include "host/isolate/part.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "host/isolate/transfer.h"

namespace opsrun::host {
namespace {

uint64_t NextId() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

int64_t Now() {
  return Channel::Clock::now().time_since_epoch().count();
}

opsrun_str Str(std::string_view text) {
  return {text.data(), text.size()};
}

}  // namespace

ChildPart::ChildPart(std::shared_ptr<Child> child, PartText text)
    : child_(std::move(child)), id_(NextId()), text_(std::move(text)) {}

ChildPart::~ChildPart() {
  Child::Turn turn(*child_, text_.nodes);
  if (loaded_in_ == 0 || turn.Running() != loaded_in_) return;
  std::string message;
  WireWriter(message).Number(id_);
  child_->Warn(turn.Ask(IsolateRequest::kDrop, message));
}

// That of the node whose code ran, as the report says, or of the first one.
PartFailure ChildPart::Failure(Child::Answer answer) const {
  PartFailure failure{0, std::move(answer.status), std::move(answer.end)};
  if (failure.end == nullptr) return failure;
  for (uint32_t i = 0; i < text_.lines.size() && text_.lines[i] <= failure.end->line; ++i) failure.node = i;
  return failure;
}

std::optional<PartFailure> ChildPart::Load(Child::Turn& turn, bool plan) {
  Child::Answer answer;
  const uint64_t process = turn.Process(&answer);
  if (process == 0) return Failure(std::move(answer));
  if (loaded_in_ != process) {
    message_.clear();
    WireWriter out(message_);
    out.Number(id_);
    out.Text(text_.yaml);
    out.Texts(text_.plugins);
    Write(out, text_.feeds);
    out.Number(text_.infer_shapes);
    answer = turn.Ask(IsolateRequest::kLoad, message_);
    if (!answer.status.ok()) return Failure(std::move(answer));
    loaded_in_ = process;
  }
  if (!plan || planned_in_ == process) return std::nullopt;
  message_.clear();
  WireWriter out(message_);
  out.Number(id_);
  answer = turn.Ask(IsolateRequest::kPlan, message_);
  if (!answer.status.ok()) return Failure(std::move(answer));
  WireReader in(answer.body);
  std::vector<PartError> errors;
  Read(in, errors);
  not_created_.clear();
  for (PartError& error : errors) {
    auto end = std::make_shared<ChildEnd>();
    end->help = std::move(error.help);
    end->notes = std::move(error.notes);
    const auto node = static_cast<uint32_t>(std::min<uint64_t>(error.node, text_.lines.size() - 1));
    not_created_.push_back(
        {node, Status(error.code, std::move(error.message), std::move(error.subject)), std::move(end)});
  }
  planned_in_ = process;
  return std::nullopt;
}

std::optional<PartFailure> ChildPart::Infer(const InferRequest& request, InferReply* reply) {
  Child::Turn turn(*child_, text_.nodes);
  if (std::optional<PartFailure> failure = Load(turn, false)) return failure;
  message_.clear();
  WireWriter out(message_);
  out.Number(id_);
  Write(out, request);
  Child::Answer answer = turn.Ask(IsolateRequest::kInfer, message_);
  if (!answer.status.ok()) return Failure(std::move(answer));
  WireReader in(answer.body);
  Read(in, *reply);
  if (in.Ends()) return std::nullopt;
  return PartFailure{0, Internal("the reply of the isolated process is damaged"), nullptr};
}

std::vector<PartFailure> ChildPart::Create() {
  Child::Turn turn(*child_, text_.nodes);
  if (std::optional<PartFailure> failure = Load(turn, true)) return {*std::move(failure)};
  return not_created_;
}

int32_t ChildPart::Compute(void* part, opsrun_call* call) {
  return static_cast<ChildPart*>(part)->Run(call);
}

int32_t ChildPart::Run(opsrun_call* call) {
  PartOutcome outcome;
  std::vector<uint64_t> without;  // nodes that ended the process
  for (;;) {
    const size_t before = outcome.failures.size();
    const std::optional<PartFailure> failure = RunOnce(call, without, outcome);
    if (!failure) break;
    outcome.failures.resize(before);
    outcome.made.clear();
    outcome.failures.push_back(*failure);
    const bool is_new = std::ranges::find(without, failure->node) == without.end();
    if (!failure->has_ended() || !is_new) break;
    without.push_back(failure->node);
  }
  return outcome.failures.empty() ? OPSRUN_OK : Fail(call, std::move(outcome));
}

// The failure if nothing is made.
std::optional<PartFailure> ChildPart::RunOnce(opsrun_call* call, const std::vector<uint64_t>& without,
                                              PartOutcome& outcome) {
  const auto fail = [](Status status) { return PartFailure{0, std::move(status), nullptr}; };
  const auto damaged = [&] { return fail(Internal("the reply of the isolated process is damaged")); };
  Child::Turn turn(*child_, text_.nodes);
  if (std::optional<PartFailure> failure = Load(turn, true)) return failure;
  if (!not_created_.empty()) return not_created_.front();
  const std::shared_ptr<Channel> channel = turn.channel();
  Stage stage(*channel, child_->tensors());
  RunRequest request;
  request.without = without;
  for (uint32_t i = 0; i < call->n_in; ++i) {
    if (!PlaceInput(*call->in[i], stage, request.feeds.emplace_back()))
      return fail(ResourceExhausted("the inputs are too large for the memory shared with the process"));
  }
  const std::shared_ptr<UnusedTokens> unused = turn.unused();
  if (std::optional<PartFailure> failure = PlaceHandles(*call, *unused, without, request)) return failure;
  for (uint32_t i = 0; i < call->n_out; ++i) {
    if (!PlaceOutput(*call->out[i], stage, request.outputs.emplace_back()))
      return fail(ResourceExhausted("the outputs are too large for the memory shared with the process"));
  }
  request.timed = measures_.load(std::memory_order_relaxed) > 0;
  const int64_t begin = request.timed ? Now() : 0;
  request.unused = unused->Take();
  message_.clear();
  WireWriter out(message_);
  out.Number(id_);
  Write(out, request);
  Child::Answer answer = turn.Ask(IsolateRequest::kRun, message_, [&] { return call->host->cancelled(call) != 0; });
  if (!answer.status.ok()) {
    unused->Add(request.unused);  // perhaps nobody has read the request
    return Failure(std::move(answer));
  }
  RunReply reply;
  WireReader in(answer.body);
  Read(in, reply);
  if (!in.Ends() || reply.outputs.size() != call->n_out) return damaged();
  if (request.timed) {
    if (!CanBeTimes(reply.times, text_.lines.size(), begin, Now())) return damaged();
    KeepTimes(call, std::move(reply.times));
  }
  for (PartError& error : reply.errors) {
    const auto node = static_cast<uint32_t>(std::min<uint64_t>(error.node, text_.lines.size() - 1));
    outcome.failures.push_back({node, Status(error.code, std::move(error.message), std::move(error.subject)), nullptr,
                                std::move(error.inputs)});
  }
  outcome.made.resize(call->n_out);
  for (uint32_t i = 0; i < call->n_out; ++i) {
    outcome.made[i] = reply.outputs[i].is_there;
    if (!outcome.made[i]) continue;
    const RunTensor& output = reply.outputs[i];
    const Status status = HasHandles(output.dtype)
                              ? TakeHandles(call, i, output, unused)
                              : TakeOutput(call, i, output, request.outputs[i], channel->memory());
    if (status.ok()) continue;
    for (; i < call->n_out; ++i) unused->Add(reply.outputs[i].tokens);
    return fail(status);
  }
  return std::nullopt;
}

// If an object was in a process that has ended, the failure of a node that would read it and is not left out.
std::optional<PartFailure> ChildPart::PlaceHandles(const opsrun_call& call, const UnusedTokens& process,
                                                   const std::vector<uint64_t>& without, RunRequest& request) const {
  for (const PartHandle& handle : text_.handles) {
    const opsrun_tensor& in = *call.in[handle.input];
    const auto* const elements = static_cast<const opsrun_resource* const*>(in.data);
    bool is_lost = false;
    for (size_t k = 0; k < BytesOf(in) / sizeof(opsrun_resource*); ++k) {
      const std::optional<uint64_t> token = TokenOf(elements[k], process);
      is_lost = is_lost || !token;
      request.feeds[handle.input].tokens.push_back(token.value_or(0));
    }
    const auto is_left = [&](uint32_t node) { return std::ranges::find(without, node) == without.end(); };
    const auto reader = std::ranges::find_if(handle.readers, is_left);
    if (!is_lost || reader == handle.readers.end()) continue;
    auto end = std::make_shared<ChildEnd>();
    end->message = fmt::format("the {} of node '{}' is lost: the process of isolated plugin '{}' has ended since then",
                               DTypeName(DTypeFromNumber(in.dtype)), handle.maker, child_->name());
    end->help = {"find out why the process ended; the next run makes the object again"};
    return PartFailure{*reader, Status(OPSRUN_ABORTED, end->message), end};
  }
  return std::nullopt;
}

void ChildPart::Measure(const opsrun_call* call) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::erase_if(measured_, [&](const Measured& each) { return each.call == call; });
  measured_.push_back({call, {}});
  measures_.store(measured_.size(), std::memory_order_relaxed);
}

void ChildPart::KeepTimes(const opsrun_call* call, std::vector<RunNodeTime> times) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto measured = std::ranges::find(measured_, call, &Measured::call);
  if (measured != measured_.end()) measured->times = std::move(times);
}

std::vector<RunNodeTime> ChildPart::TakeTimes(const opsrun_call* call) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = std::ranges::find(measured_, call, &Measured::call);
  if (found == measured_.end()) return {};
  std::vector<RunNodeTime> times = std::move(found->times);
  measured_.erase(found);
  measures_.store(measured_.size(), std::memory_order_relaxed);
  return times;
}

int32_t ChildPart::Fail(opsrun_call* call, PartOutcome outcome) {
  const Status status = outcome.failures.front().status;
  const int32_t code = call->host->fail(call->host, call, status.code(), Str(status.message()), Str(status.subject()));
  const std::lock_guard<std::mutex> lock(mutex_);
  std::erase_if(failed_, [&](const Failed& each) { return each.call == call; });
  failed_.push_back({call, std::move(outcome)});
  return code;
}

PartOutcome ChildPart::TakeOutcome(const opsrun_call* call) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = std::ranges::find(failed_, call, &Failed::call);
  if (found == failed_.end()) return {};
  PartOutcome outcome = std::move(found->outcome);
  failed_.erase(found);
  return outcome;
}

}  // namespace opsrun::host
