// SPDX-License-Identifier: Apache-2.0
#include "host/cli/isolated/server.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <thread>

#include "host/cli/guard/backtrace.h"
#include "host/cli/guard/guard.h"
#include "host/graph/read_graph.h"
#include "host/isolate/report.h"
#include "host/isolate/sandbox.h"
#include "host/plugin/isolated_plugin.h"
#include "host/run/buffer.h"

namespace opsrun::host {
namespace {

Status Refused(const Refusal& refusal) {
  return {refusal.out_of_memory ? OPSRUN_RESOURCE_EXHAUSTED : OPSRUN_FAILED_PRECONDITION, refusal.reason,
          refusal.remedy};
}

// A NUL would end the record, and a separator the field.
std::string Field(std::string_view text) {
  std::string field(text);
  for (char& c : field) {
    if (c == '\0' || c == kReportField) c = ' ';
  }
  return field;
}

// At once: the plugin may crash next.
void WriteLog(const LogLine& line) {
  const std::string record =
      fmt::format("{0}{2}{1}{3}{1}{4}{1}{5}{1}{6}{7}", static_cast<char>(kReportLog), kReportField, line.severity,
                  Field(line.text), Field(line.source), line.source_line, Field(line.node), '\0');
  (void)!write(kReportDescriptor, record.data(), record.size());
}

}  // namespace

void Server::Serve() {
  ChannelHead& head = channel_.head();
  for (;;) {
    (void)channel_.WaitForTurn(false, std::nullopt);
    const auto kind = static_cast<IsolateRequest>(head.kind);
    if (kind == IsolateRequest::kEnd) break;
    WireReader in(std::string_view(channel_.request(), std::min<uint64_t>(head.request_bytes, channel_.most_bytes())));
    std::string body, reply;
    Status status;
    if (const std::optional<Thrown> thrown = CatchThrown([&] { status = Answer(kind, in, body); }))
      status = Status(thrown->code(), "opsrun " + thrown->Sentence());
    WireWriter out(reply);
    WriteStatus(out, status);
    out.Text(body);
    std::memcpy(channel_.reply(), reply.data(), std::min(reply.size(), channel_.most_bytes()));
    head.reply_bytes = reply.size();
    std::fflush(stdout);
    channel_.Pass(false);
  }
  handles_.Clear();
  parts_.clear();
  engine_.reset();
}

Status Server::Answer(IsolateRequest kind, WireReader& in, std::string& body) {
  switch (kind) {
    case IsolateRequest::kOpen:
      return Open(in, body);
    case IsolateRequest::kLoad:
      return Load(in);
    case IsolateRequest::kInfer:
      return Infer(in, body);
    case IsolateRequest::kPlan:
      return Plan(in, body);
    case IsolateRequest::kRun:
      return Run(in, body);
    case IsolateRequest::kDrop:
      parts_.erase(in.Number());
      return OkStatus();
    case IsolateRequest::kEnd:
      break;
  }
  return Damaged();
}

namespace {

// Before the plugin is opened. Returns what cannot be taken away, as lines about the plugin.
Result<std::vector<std::string>> TakeRights(const OpenRequest& request) {
  if (request.sandbox) {
    LeaveStackIn(kStackDescriptor);
    SandboxOptions options;
    options.plugin_folder = std::filesystem::path(request.plugin).parent_path().string();
    options.memory = request.memory;
    Result<std::vector<std::string>> gaps = EnterSandbox(options);
    if (!gaps.ok()) return gaps.status();
    for (std::string& gap : *gaps) gap = "its sandbox has a gap: " + gap;
    return gaps;
  }
  if (Status status = LimitPrivateMemory(request.memory); !status.ok()) return status;
  return std::vector<std::string>();
}

}  // namespace

Status Server::Open(WireReader& in, std::string& body) {
  OpenRequest request;
  Read(in, request);
  if (!in.Ends()) return Damaged();
  if (request.version != OPSRUN_VERSION) {
    return {OPSRUN_FAILED_PRECONDITION,
            fmt::format("opsrun-isolated is of version {}, opsrun of {}", OPSRUN_VERSION, request.version),
            "install opsrun again"};
  }
  EngineOptions options;
  options.default_plugins = false;
  options.threads = static_cast<int>(request.threads);
  options.probe = false;          // the parent has done that
  options.allow_writable = true;  // likewise
  options.host.level = request.level;
  options.host.log = [this](const LogLine& line) {
    WriteLog(line);
    channel_.head().lines.fetch_add(1, std::memory_order_relaxed);
  };
  options.thread_begin = PrepareThread;
  options.run.keep_going = true;
  options.copied = [this, wanted = request.plugin](const std::string& path, const PluginTable& table) {
    if (path == wanted) table_ = TableBytes(table, gaps_);
  };
  Diagnostics diagnostics;
  engine_ = Engine::Create(std::move(options), diagnostics);
  if (engine_ == nullptr) return FailedPrecondition(FirstError(diagnostics)->message);
  Result<std::vector<std::string>> taken = TakeRights(request);
  if (!taken.ok()) return taken.status();
  gaps_ = *std::move(taken);
  std::thread([channel = channel_owner_] { EndByTimeout(channel->WaitForAlarm(), "--node-timeout"); }).detach();
  std::string name;
  if (const std::optional<Refusal> refusal = engine_->AddFile(request.plugin, &name)) return Refused(*refusal);
  body = std::move(table_);
  return body.empty() ? Internal("the plugin was not opened") : OkStatus();
}

Status Server::Load(WireReader& in) {
  const uint64_t id = in.Number();
  std::string text = in.Text();
  const std::vector<std::string> plugins = in.Texts();
  std::vector<TensorFacts> facts;
  Read(in, facts);
  const bool infer_shapes = in.Flag();
  if (!in.Ends() || engine_ == nullptr) return Damaged();
  for (const std::string& path : plugins) {
    std::string name;
    if (const std::optional<Refusal> refusal = engine_->AddFile(path, &name)) return Refused(*refusal);
  }
  parts_.erase(id);
  Part& loaded = parts_[id];
  loaded.facts = std::move(facts);
  loaded.infer_shapes = infer_shapes;
  Runnable& part = loaded.whole;
  Diagnostics diagnostics;
  std::optional<Graph> read =
      ReadGraph(std::make_shared<const SourceFile>(SourceFile{"isolated nodes", std::move(text)}), diagnostics);
  if (read && !diagnostics.has_errors()) {
    size_t next = 0;
    for (Feed& feed : read->feeds) {
      if (feed.source != Feed::Source::kDeclared) continue;
      if (next == loaded.facts.size()) return Damaged();
      feed.dtype->value = loaded.facts[next++].dtype;
    }
    part.graph = engine_->LoadGraph(std::make_shared<const Graph>(*std::move(read)));
    diagnostics = part.graph->diagnostics();
  }
  const Diagnostic* const error = FirstError(diagnostics);
  if (error == nullptr && part.graph != nullptr) {
    const Graph& graph = *part.graph->graph();
    for (size_t i = 0; i < graph.nodes.size(); ++i) part.nodes.push_back(i);
    for (size_t i = 0; i < graph.outputs.size(); ++i) part.outputs.emplace_back(i);
    return OkStatus();
  }
  return Internal(fmt::format("isolated nodes cannot be loaded: {}", error == nullptr ? "no graph" : error->message));
}

Status Server::Plan(WireReader& in, std::string& body) {
  const auto found = parts_.find(in.Number());
  if (!in.Ends() || found == parts_.end()) return Damaged();
  Part& part = found->second;
  std::vector<PartError> errors;
  if (Status status = MakeLane(part.whole, part, errors); !status.ok()) return status;
  WireWriter out(body);
  Write(out, errors);
  return OkStatus();
}

Status Server::SetFeeds(Runnable& part, const RunRequest& request) const {
  const host::Plan& plan = part.planned->plan();
  if (request.feeds.size() != plan.declared_feeds.size()) return Damaged();
  part.handles.resize(request.feeds.size());
  for (size_t i = 0; i < request.feeds.size(); ++i) {
    const RunTensor& feed = request.feeds[i];
    if (feed.dtype != DType::kString) {
      auto* elements = reinterpret_cast<void*>(feed.address);
      if (HasHandles(feed.dtype)) {
        const bool is_whole = NumElements(feed.shape) == static_cast<int64_t>(feed.tokens.size());
        if (!is_whole || !handles_.Find(feed.tokens, part.handles[i])) return Damaged();
        elements = part.handles[i].data();
      }
      part.lane->BindFeed(i, feed.dtype, static_cast<int32_t>(feed.shape.size()), feed.shape.data(), elements);
      continue;
    }
    Result<Tensor> tensor = Tensor::Create(feed.dtype, feed.shape);
    if (!tensor.ok()) return tensor.status();
    for (size_t k = 0; k < feed.strings.size(); ++k) {
      if (Status status = tensor->SetString(static_cast<int64_t>(k), feed.strings[k]); !status.ok()) return status;
    }
    if (Status status = part.lane->SetFeed(plan.declared_feeds[i].name, *tensor); !status.ok()) return status;
  }
  return OkStatus();
}

// left: bytes of the memory for replies that are free; tensors are at its end.
Status Server::Send(const opsrun_tensor& view, size_t& left, RunTensor& to) {
  to.dtype = DTypeFromNumber(view.dtype);
  to.shape.assign(view.shape, view.shape + view.rank);
  const auto count = static_cast<size_t>(NumElements(to.shape).value_or(0));
  if (to.dtype == DType::kString) {
    const auto* const texts = static_cast<const opsrun_str*>(view.data);
    for (size_t k = 0; k < count; ++k) to.strings.emplace_back(SlotText(texts[k]));
    return OkStatus();
  }
  if (HasHandles(to.dtype)) {
    const auto* const handles = static_cast<const opsrun_resource* const*>(view.data);
    for (size_t k = 0; k < count; ++k) to.tokens.push_back(handles_.Add(handles[k]));
    return OkStatus();
  }
  const size_t bytes = count * ElementBytes(to.dtype), whole = (bytes + 63) / 64 * 64;
  if (whole > left / 2) return ResourceExhausted("the results are too large for the memory shared with the process");
  left -= whole;
  if (bytes > 0) std::memcpy(channel_.reply() + left, view.data, bytes);
  to.address = reinterpret_cast<uintptr_t>(channel_.reply() + left);
  return OkStatus();
}

namespace {

bool MayBeAt(const Plan& plan, size_t output, uint64_t bytes) {
  const PlanValue& value = plan.values[plan.outputs[output].value];
  if (!value.rank_known || !IsWhole(value.shape())) return true;  // checked after the run
  return static_cast<uint64_t>(*NumElements(value.shape())) * ElementBytes(value.dtype) == bytes;
}

Status WrongSize(const Plan& plan, size_t output) {
  return Internal(fmt::format("the shape function says something else of output '{}' than before",
                              plan.outputs[output].output->name.value));
}

}  // namespace

Status Server::Run(WireReader& in, std::string& body) {
  const auto found = parts_.find(in.Number());
  RunRequest request;
  Read(in, request);
  if (!in.Ends() || found == parts_.end()) return Damaged();
  handles_.Drop(request.unused);
  Result<Runnable*> chosen = Without(found->second, request.without);
  if (!chosen.ok()) return chosen.status();
  Runnable& part = **chosen;
  if (part.lane == nullptr || request.outputs.size() != part.outputs.size()) return Damaged();
  Lane& lane = *part.lane;
  const host::Plan& plan = part.planned->plan();
  if (Status status = SetFeeds(part, request); !status.ok()) return status;
  std::vector<bool> bound(request.outputs.size());
  for (size_t i = 0; i < request.outputs.size(); ++i) {
    const RunPlace& place = request.outputs[i];
    if (!part.outputs[i]) continue;
    if (place.address != 0 && !MayBeAt(plan, *part.outputs[i], place.bytes)) return WrongSize(plan, *part.outputs[i]);
    bound[i] = lane.BindOutput(*part.outputs[i], reinterpret_cast<void*>(place.address)) && place.address != 0;
  }
  const std::vector<PlanOutput>& whole = found->second.whole.planned->plan().outputs;
  RunReply reply;
  reply.outputs.resize(request.outputs.size());
  const auto add = [&](const RunFailure& failure) {
    reply.errors.push_back({part.nodes[plan.steps[failure.step].node],
                            failure.status.code(),
                            failure.status.message(),
                            failure.status.subject(),
                            {},
                            {},
                            failure.inputs});
  };
  RunTimes times;
  if (const std::optional<RunFailure> failure = request.timed ? lane.RunTimed(times) : lane.Run()) {
    add(*failure);
    std::ranges::for_each(failure->more, add);
  }
  for (size_t s = 0; s < times.steps.size(); ++s) {
    const StepTime& time = times.steps[s];
    if (time.begin == 0) continue;
    reply.times.push_back(
        {part.nodes[plan.steps[s].node], time.begin, time.end, static_cast<uint64_t>(std::max(time.thread, 0))});
  }
  size_t left = channel_.most_bytes() / 64 * 64;
  for (size_t i = 0; i < reply.outputs.size(); ++i) {
    RunTensor& output = reply.outputs[i];
    output.is_there = part.outputs[i] && (reply.errors.empty() || lane.HasOutput(*part.outputs[i]));
    output.dtype = found->second.whole.planned->plan().values[whole[i].value].dtype;
    if (!output.is_there || bound[i]) continue;
    const opsrun_tensor& view = lane.OutputView(*part.outputs[i]);
    const RunPlace& place = request.outputs[i];
    if (place.address == 0) {
      if (Status status = Send(view, left, output); !status.ok()) return status;
      continue;
    }
    // The parent knows the size, but this plan does not.
    if (ViewBytes(view) != place.bytes) return WrongSize(plan, *part.outputs[i]);
    if (place.bytes > 0) std::memcpy(reinterpret_cast<void*>(place.address), view.data, place.bytes);
  }
  WireWriter out(body);
  Write(out, reply);
  return OkStatus();
}

}  // namespace opsrun::host
