// tests/cuda/double/machine.cc
// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda/double/machine.h"

#include <signal.h>

#include <cstdlib>
#include <utility>

namespace cuda_double {
namespace {

thread_local std::vector<CUctx_st*> contexts_of_thread;

struct sigaction before;

// Reports an access of the CPU to device memory; then the process ends as it would have otherwise.
void OnCpuFault(int signal, siginfo_t* info, void* context) {
  Machine& machine = Machine::Get();
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  if (machine.memory().Has(address))
    machine.reports().Add("CPU touch", "the CPU touches " + machine.memory().BlockText(address));
  if ((before.sa_flags & SA_SIGINFO) != 0 && before.sa_sigaction != nullptr) {
    before.sa_sigaction(signal, info, context);
  } else {
    sigaction(SIGSEGV, &before, nullptr);
  }
}

void AtEnd() {
  Machine::Get().EndKernels();
  Machine::Get().reports().End();
}

}  // namespace

// Never destroyed: programs call the driver until they end.
Machine& Machine::Get() {
  static Machine* const machine = new Machine;
  return *machine;
}

Machine::Machine() {
  struct sigaction action {};
  action.sa_sigaction = OnCpuFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigaction(SIGSEGV, &action, &before);
  std::atexit(AtEnd);
}

int Machine::Begin(const char* name, bool needs_context) {
  const std::string prefix = std::string(name) + ":";
  if (settings_.fail.rfind(prefix, 0) == 0) {
    char* rest = nullptr;
    const long number = std::strtol(settings_.fail.c_str() + prefix.size(), &rest, 10);
    if (++calls_[name] == number) return *rest == ':' ? std::atoi(rest + 1) : kOutOfMemory;
  }
  if (!needs_context) return kSuccess;
  if (current() == nullptr) {
    reports_.Add("no context", std::string(name) + " is called on a thread without a current context");
    return kInvalidContext;
  }
  return sticky_;
}

CUctx_st* Machine::RetainContext(int device) {
  CUctx_st& context = contexts_[device];
  context.device = device;
  ++context.references;
  return &context;
}

int Machine::ReleaseContext(int device) {
  const auto context = contexts_.find(device);
  if (context == contexts_.end() || context->second.references == 0) return kInvalidContext;
  if (--context->second.references > 0 || sticky_ != kSuccess) return kSuccess;
  memory_.ReportLeaks(device);
  for (const CUstream_st* stream : streams_) {
    if (stream->device == device) reports_.Add("leak", "a stream was not destroyed");
  }
  for (const CUgraphExec_st* graph : graphs_) {
    if (graph->device == device) reports_.Add("leak", "a graph was not destroyed");
  }
  return kSuccess;
}

bool Machine::EnablePeer(const CUctx_st* other) {
  CUctx_st* const mine = current();
  return settings_.peers && mine != nullptr && mine->device != other->device &&
         mine->peers.insert(other->device).second;
}

bool Machine::MayUse(const CUctx_st* context, const CUctx_st* other) const {
  const auto allows = [&](const CUmemPoolHandle_st& pool) {
    return pool.device != other->device || pool.users.count(context->device) > 0;
  };
  return context->peers.count(other->device) > 0 && std::all_of(pools_.begin(), pools_.end(), allows);
}

CUctx_st* Machine::current() const {
  return contexts_of_thread.empty() ? nullptr : contexts_of_thread.back();
}

void Machine::Push(CUctx_st* context) {
  contexts_of_thread.push_back(context);
}

CUctx_st* Machine::Pop() {
  if (contexts_of_thread.empty()) return nullptr;
  CUctx_st* const context = contexts_of_thread.back();
  contexts_of_thread.pop_back();
  return context;
}

CUstream_st* Machine::NewStream() {
  auto* const stream = new CUstream_st;
  stream->clock_number = clocks_++;
  stream->device = current()->device;
  streams_.insert(stream);
  return stream;
}

int Machine::EndStream(CUstream_st* stream) {
  if (!IsStream(stream)) return kInvalidHandle;
  Drain(stream);
  streams_.erase(stream);
  delete stream;
  return kSuccess;
}

CUevent_st* Machine::NewEvent() {
  return *events_.insert(new CUevent_st).first;
}

int Machine::EndEvent(CUevent_st* event) {
  if (events_.erase(event) == 0) return kInvalidHandle;
  delete event;
  return kSuccess;
}

// An enqueued operation happens after everything that the CPU knows, and after earlier work on the stream.
Moment Machine::Enqueue(CUstream_st* stream, const char* what, Work work) {
  if (stream->capture != nullptr) {
    stream->capture->Add(stream,
                         [this, stream, what, work](StandIns& own) { Enqueue(own.streams.at(stream), what, work); });
    return {};
  }
  cpu_.Tick(kCpuClock);
  stream->clock.Join(cpu_);
  const Moment moment{stream->clock_number, stream->clock.Tick(stream->clock_number), what};
  stream->work.push_back([work = std::move(work), moment, clock = stream->clock] { work(moment, clock); });
  ++stream->enqueued;
  if (!settings_.lazy) Advance(*stream, stream->enqueued);
  return moment;
}

int Machine::Launch(CUstream_st* stream, const char* kernel, KernelFunction run, const void* closure, size_t bytes) {
  if (bytes > KernelProcess::kMostClosure) return kInvalidValue;
  const char* const name = names_.insert(kernel).first->c_str();  // reports may use it until the end
  std::string copy(static_cast<const char*>(closure), bytes);
  Enqueue(stream, name, [this, name, run, copy](const Moment& moment, const Clock& clock) {
    RunKernel(name, run, copy, moment, clock);
  });
  return kSuccess;
}

void Machine::RunKernel(const char* kernel, KernelFunction run, const std::string& closure, const Moment& moment,
                        const Clock& clock) {
  if (++launched_ == settings_.late) {
    sticky_ = kIllegalAddress;
    return;
  }
  std::vector<Touch> touches;
  std::string why;
  const bool ended = kernels_.Run(run, closure.data(), closure.size(), &touches, &why);
  if (!why.empty()) reports_.Add("kernel", std::string(kernel) + ": " + why);
  if (!ended) {
    sticky_ = kIllegalAddress;
    return;
  }
  for (const Touch& touch : touches)
    memory_.Use(memory_.begin() + touch.first * kPage, touch.count * kPage, touch.wrote, moment, clock);
}

void Machine::Record(CUevent_st* event, CUstream_st* stream) {
  event->capture = stream->capture;
  if (stream->capture != nullptr) {
    stream->capture->Record(event, stream, [this, event, stream](StandIns& own) {
      std::unique_ptr<CUevent_st>& mine = own.events[event];
      mine = std::make_unique<CUevent_st>();
      Record(mine.get(), own.streams.at(stream));
    });
    return;
  }
  cpu_.Tick(kCpuClock);
  stream->clock.Join(cpu_);
  event->stream = stream;
  event->position = stream->enqueued;
  event->clock = stream->clock;
}

int Machine::Follow(CUstream_st* stream, CUevent_st* event) {
  if (event->stream == nullptr && event->capture == nullptr) {
    reports_.Add("event", "cuStreamWaitEvent waits for an event that was never recorded");
    return kSuccess;
  }
  if (stream->capture != event->capture && (stream->capture != nullptr || event->capture->is_over)) {
    Capture* const capture = (stream->capture != nullptr ? stream->capture : event->capture).get();
    Refuse(capture, "cuStreamWaitEvent for an event of elsewhere");
    return kCaptureOfAnother;
  }
  if (event->capture != nullptr) {
    stream->capture = event->capture;
    stream->capture->Follow(stream, event, [this, stream, event](StandIns& own) {
      CUstream_st*& mine = own.streams[stream];
      if (mine == nullptr) mine = NewStream();
      Follow(mine, own.events.at(event).get());
    });
    return kSuccess;
  }
  stream->clock.Join(event->clock);
  CUstream_st* const other = event->stream;
  const uint64_t position = event->position;
  Enqueue(stream, "cuStreamWaitEvent", [this, other, position](const Moment&, const Clock&) {
    if (IsStream(other)) Advance(*other, position);
  });
  return kSuccess;
}

int Machine::BeginCapture(CUstream_st* stream) {
  if (stream->capture != nullptr) return Refuse(stream->capture.get(), "cuStreamBeginCapture");
  stream->capture = std::make_shared<Capture>(stream);
  return kSuccess;
}

int Machine::EndCapture(CUstream_st* stream, CUgraph_st** graph) {
  *graph = nullptr;
  const std::shared_ptr<Capture> capture = stream->capture;
  if (capture == nullptr || capture->origin() != stream || !capture->IsOfThisThread()) return kInvalidValue;
  capture->is_over = true;
  for (CUstream_st* each : streams_) {
    if (each->capture == capture) each->capture = nullptr;
  }
  if (!capture->is_valid) return kCaptureInvalid;
  if (!capture->IsJoined()) {
    reports_.Add("capture", "a stream of the capture does not come back to the one that began it");
    return kCaptureUnjoined;
  }
  *graph = new CUgraph_st{capture};
  return kSuccess;
}

CUgraphExec_st* Machine::Instantiate(const CUgraph_st& graph) {
  return *graphs_.insert(new CUgraphExec_st{graph.captured, current()->device, {}}).first;
}

void Machine::LaunchGraph(CUgraphExec_st* exec, CUstream_st* stream) {
  exec->own.streams[exec->captured->origin()] = stream;
  for (const Capture::Call& call : exec->captured->calls()) call(exec->own);
}

int Machine::EndGraph(CUgraphExec_st* exec) {
  if (graphs_.erase(exec) == 0) return kInvalidHandle;
  for (const auto& [captured, stream] : exec->own.streams) {
    if (captured != exec->captured->origin()) EndStream(stream);
  }
  delete exec;
  return kSuccess;
}

int Machine::Refuse(Capture* capture, const char* call) {
  if (capture == nullptr) return kSuccess;
  capture->is_valid = false;
  reports_.Add("capture", std::string(call) + " does not go into a graph");
  return kNotCapturable;
}

Capture* Machine::CaptureOfThread() const {
  for (const CUstream_st* stream : streams_) {
    if (stream->capture != nullptr && stream->capture->IsOfThisThread()) return stream->capture.get();
  }
  return nullptr;
}

// After an error, the remaining work is skipped.
void Machine::Advance(CUstream_st& stream, uint64_t position) {
  while (stream.done < position) {
    const std::function<void()> work = std::move(stream.work.front());
    stream.work.pop_front();
    ++stream.done;
    if (sticky_ == kSuccess) work();
  }
}

void Machine::WaitFor(CUevent_st* event) {
  if (event->stream == nullptr) return;
  if (IsStream(event->stream)) Advance(*event->stream, event->position);
  cpu_.Join(event->clock);
}

void Machine::Drain(CUstream_st* stream) {
  Advance(*stream, stream->enqueued);
  cpu_.Join(stream->clock);
}

void Machine::DrainAll() {
  for (CUstream_st* stream : streams_) Drain(stream);
}

bool Machine::Query(CUevent_st* event) {
  if (event->stream == nullptr) return true;
  CUstream_st& stream = *event->stream;
  if (IsStream(&stream) && stream.done < event->position) Advance(stream, stream.done + 1);
  if (IsStream(&stream) && stream.done < event->position) return false;
  cpu_.Join(event->clock);
  return true;
}

}  // namespace cuda_double
