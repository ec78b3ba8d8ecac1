// host/cli/isolated/judge_worker.cc: opsrun-isolated as a process of the judge.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "host/base/child.h"
#include "host/base/futex.h"
#include "host/cli/guard/guard.h"
#include "host/cli/judge/exchange.h"
#include "host/device/shared_memory.h"
#include "host/isolate/sandbox.h"

namespace opsrun::host {
namespace {

// A plan, and views of the tensors of all its calls.
struct Prepared {
  PlanRequest request;
  std::shared_ptr<CallablePlan> plan;
  std::vector<TensorRef> feeds;
  std::vector<CallOutput> outputs;
};

TensorRef ViewOf(const TensorType& type) {
  return {nullptr, type.dtype, static_cast<int32_t>(type.shape.size()), type.shape.data(), nullptr, kNoStream};
}

class JudgeServer {
 public:
  JudgeServer(std::shared_ptr<SharedRegion> exchange, std::shared_ptr<SharedRegion> tensors)
      : exchange_(std::move(exchange)), tensors_(std::move(tensors)) {}

  // Maps all pages before anything is measured.
  void Touch() {
    if (madvise(tensors_->data(), tensors_->size(), MADV_POPULATE_WRITE) == 0) return;
    for (size_t at = 0; at < tensors_->size(); at += 4096)  // Linux before 5.14
      reinterpret_cast<std::atomic<uint8_t>*>(tensors_->data() + at)->fetch_or(0);
  }

  // remark: the text of the first answer if it is no failure.
  [[noreturn]] void Serve(const Result<std::shared_ptr<Engine>>& engine, const std::string& remark) {
    if (engine.ok()) engine_ = *engine;
    Answer(engine.status(), 1, remark);
    for (uint32_t number = 2;; ++number) {
      while (head().order.load() != number) SleepOn(head().order, number - 1);
      Answer(head().is_run != 0 ? Run() : Prepare(), number);
    }
  }

 private:
  ExchangeHead& head() { return *reinterpret_cast<ExchangeHead*>(exchange_->data()); }

  void Answer(const Status& status, uint32_t number, const std::string& remark = {}) {
    const std::string why = (status.ok() ? remark : status.message()).substr(0, kMostText);
    if (!why.empty()) std::memcpy(exchange_->data() + kTextAt, why.data(), why.size());
    head().reply_bytes.store(why.size());
    head().failed.store(status.ok() ? 0 : 1);
    head().done.store(number);
    WakeOne(head().done);
  }

  Status Prepare() {
    plans_.push_back(std::make_unique<Prepared>());
    Prepared& made = *plans_.back();
    std::optional<PlanRequest> request =
        PlanRequest::Read({exchange_->data() + kTextAt, std::min<size_t>(head().text_bytes, kMostText)});
    if (!request || engine_ == nullptr) return Internal("the order of the judge cannot be read");
    made.request = *std::move(request);
    Result<std::shared_ptr<CallablePlan>> plan = MakePlan(*engine_, made.request);
    if (!plan.ok()) return plan.status();
    made.plan = *plan;
    for (uint32_t copy = 0; copy < made.request.copies; ++copy) {
      for (const TensorType& type : made.request.feeds) made.feeds.push_back(ViewOf(type));
      for (const TensorType& type : made.request.outputs) made.outputs.emplace_back().into = ViewOf(type);
    }
    return OkStatus();
  }

  // The outputs' memory is given, so kernels write to it.
  Status Run() {
    if (head().plan >= plans_.size() || plans_[head().plan]->plan == nullptr) return Internal("there is no such plan");
    Prepared& made = *plans_[head().plan];
    const auto* place = reinterpret_cast<const uint64_t*>(exchange_->data() + kPlacesAt);
    for (TensorRef& feed : made.feeds) feed.data = tensors_->data() + *place++;
    for (CallOutput& output : made.outputs) {
      output.into.data = tensors_->data() + *place++;
      output.shape = nullptr;
    }
    const std::optional<RunFailure> failure = made.plan->Run(made.feeds, made.outputs, {});
    return failure ? failure->status : OkStatus();
  }

  const std::shared_ptr<SharedRegion> exchange_, tensors_;
  std::shared_ptr<Engine> engine_;
  std::vector<std::unique_ptr<Prepared>> plans_;
};

// The judge has examined the plugins already.
Result<std::shared_ptr<Engine>> OpenFor(const WorkerOrder& order) {
  EngineOptions options;
  if (order.plugin.empty()) options.plugins = order.folders;
  options.default_plugins = false;
  options.threads = order.threads;
  options.probe = false;
  options.allow_writable = true;
  options.host.level = order.level;
  options.host.log_threshold = OPSRUN_LOG_ERROR;
  Diagnostics diagnostics;
  std::shared_ptr<Engine> engine = Engine::Create(std::move(options), diagnostics);
  if (engine == nullptr) return FailedPrecondition(diagnostics.all().front().message);
  std::string name;
  if (order.plugin.empty()) return engine;
  if (const std::optional<Refusal> refused = engine->AddFile(order.plugin, &name))
    return FailedPrecondition(refused->reason);
  return engine;
}

// *gaps: what the sandbox cannot take away here.
Result<std::shared_ptr<Engine>> OpenIn(const WorkerOrder& order, std::string* gaps) {
  if (!order.sandbox) return OpenFor(order);
  SandboxOptions options;
  options.plugin_folder = std::filesystem::absolute(order.plugin).parent_path().string();
  const Result<std::vector<std::string>> found = EnterSandbox(options);
  if (!found.ok()) return found.status();
  for (const std::string& gap : *found) *gaps += (gaps->empty() ? "" : "; ") + gap;
  return OpenFor(order);
}

}  // namespace

int RunWorker(const WorkerOrder& order) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  const auto exchange = SharedRegion::Attach(kExchangeDescriptor, order.address, kExchangeBytes);
  const auto tensors = SharedRegion::Attach(kJudgedTensorsDescriptor, order.tensors_address, order.tensors_bytes);
  if (!exchange.ok() || !tensors.ok()) return kExitDevice;
  close(kExchangeDescriptor);
  close(kJudgedTensorsDescriptor);
  ReportCrashes();
  SetCrashFormat(ErrorFormat::kJson);
  JudgeServer server(*exchange, *tensors);
  server.Touch();
  std::string gaps;
  const Result<std::shared_ptr<Engine>> engine = OpenIn(order, &gaps);
  server.Serve(engine, gaps);
}

}  // namespace opsrun::host
