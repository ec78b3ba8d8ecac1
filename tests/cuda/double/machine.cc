// tests/cuda/double/machine.cc
// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda/double/machine.h"

#include <signal.h>

#include <cstdlib>
#include <memory>
#include <utility>

namespace cuda_double {
namespace {

thread_local std::vector<CUctx_st*> contexts_of_thread;

struct sigaction before;

// What the CPU touches of a device is named before the process ends as it would have ended anyway.
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

// Never destroyed: programs call the driver until their very end.
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
  return kSuccess;
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

// What is enqueued knows all that the CPU knows, and all that came before it on the stream.
Moment Machine::Enqueue(CUstream_st* stream, const char* what, Work work) {
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
  const char* const name = names_.insert(kernel).first->c_str();  // reports may name it until the end
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
  cpu_.Tick(kCpuClock);
  stream->clock.Join(cpu_);
  event->stream = stream;
  event->position = stream->enqueued;
  event->clock = stream->clock;
}

void Machine::Follow(CUstream_st* stream, CUevent_st* event) {
  if (event->stream == nullptr) {
    reports_.Add("event", "cuStreamWaitEvent waits for an event that was never recorded");
    return;
  }
  stream->clock.Join(event->clock);
  CUstream_st* const other = event->stream;
  const uint64_t position = event->position;
  Enqueue(stream, "cuStreamWaitEvent", [this, other, position](const Moment&, const Clock&) {
    if (IsStream(other)) Advance(*other, position);
  });
}

// After an error nothing more is done.
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
