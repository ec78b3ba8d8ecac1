// tests/cuda/double/machine.h: streams, events and the work that is enqueued on them; and a call of the driver by a
// program.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "host/device/cuda_driver_calls.h"
#include "tests/cuda/double/capture.h"
#include "tests/cuda/double/clocks.h"
#include "tests/cuda/double/kernel_process.h"
#include "tests/cuda/double/memory.h"
#include "tests/cuda/double/settings.h"

// The types behind the handles of cuda.h.
struct CUctx_st {
  int device = 0;
  int references = 0;
  std::set<int> peers;  // devices whose memory it may use
};
struct CUstream_st {
  size_t clock_number = 0;
  int device = 0;
  cuda_double::Clock clock;
  uint64_t enqueued = 0, done = 0;
  std::deque<std::function<void()>> work;
  std::shared_ptr<cuda_double::Capture> capture;  // null: work is executed, not captured
};
struct CUevent_st {
  CUstream_st* stream = nullptr;  // null: never recorded
  uint64_t position = 0;
  cuda_double::Clock clock;
  std::shared_ptr<cuda_double::Capture> capture;  // the capture in which it was last recorded
};
struct CUgraph_st {
  std::shared_ptr<cuda_double::Capture> captured;
};
struct CUgraphExec_st {
  std::shared_ptr<cuda_double::Capture> captured;
  int device = 0;
  cuda_double::StandIns own;
};
struct CUmemPoolHandle_st {
  int device = 0;
  std::set<int> users;  // other devices that may use its memory
};

namespace cuda_double {

inline constexpr int kSuccess = 0, kInvalidValue = 1, kOutOfMemory = 2, kInvalidContext = 201, kInvalidHandle = 400,
                     kNotReady = 600, kIllegalAddress = 700, kNotSupported = 801, kNotCapturable = 900,
                     kCaptureInvalid = 901, kCaptureUnjoined = 904, kCaptureOfAnother = 905;

// The state of the driver. Every method requires mutex().
class Machine {
 public:
  static Machine& Get();
  Machine(const Machine&) = delete;

  std::recursive_mutex& mutex() { return mutex_; }
  const Settings& settings() const { return settings_; }
  Reports& reports() { return reports_; }
  Memory& memory() { return memory_; }

  // Ends the process of the kernels.
  void EndKernels() { kernels_.Stop(); }

  // The result of a call of that name before it does anything: an error that the settings request, a sticky error, or a
  // missing context. needs_context: the call requires one.
  int Begin(const char* name, bool needs_context);

  // The contexts of this thread.
  CUctx_st* RetainContext(int device);
  int ReleaseContext(int device);
  CUctx_st* ContextOf(int device) { return &contexts_[device]; }
  CUctx_st* current() const;
  void Push(CUctx_st* context);
  CUctx_st* Pop();

  CUstream_st* NewStream();
  int EndStream(CUstream_st* stream);
  CUevent_st* NewEvent();
  int EndEvent(CUevent_st* event);
  // Valid as long as the process.
  CUmemPoolHandle_st* NewPool(int device) { return &pools_.emplace_back(CUmemPoolHandle_st{device, {}}); }
  // Lets the current context use another one's memory, except that of pools. False if it may not.
  bool EnablePeer(const CUctx_st* other);
  // Whether the context may use all memory of the other one, that of its pools too.
  bool MayUse(const CUctx_st* context, const CUctx_st* other) const;
  bool IsStream(const CUstream_st* stream) const { return streams_.count(const_cast<CUstream_st*>(stream)) > 0; }
  bool IsEvent(const CUevent_st* event) const { return events_.count(const_cast<CUevent_st*>(event)) > 0; }

  // Work on a stream; it gets the moment and the clock of the operation.
  using Work = std::function<void(const Moment&, const Clock&)>;
  Moment Enqueue(CUstream_st* stream, const char* what, Work work);
  int Launch(CUstream_st* stream, const char* kernel, KernelFunction run, const void* closure, size_t bytes);
  void Record(CUevent_st* event, CUstream_st* stream);
  int Follow(CUstream_st* stream, CUevent_st* event);

  int BeginCapture(CUstream_st* stream);
  int EndCapture(CUstream_st* stream, CUgraph_st** graph);
  CUgraphExec_st* Instantiate(const CUgraph_st& graph);
  void LaunchGraph(CUgraphExec_st* exec, CUstream_st* stream);
  int EndGraph(CUgraphExec_st* exec);
  bool IsGraph(const CUgraphExec_st* exec) const { return graphs_.count(const_cast<CUgraphExec_st*>(exec)) > 0; }
  // For a call that cannot be captured: reports it if `capture` is not null, and returns the error.
  int Refuse(Capture* capture, const char* call);
  // The capture that this thread began and has not ended, or NULL.
  Capture* CaptureOfThread() const;

  // Executes everything up to the event, on this thread; after that the CPU's clock includes it.
  void WaitFor(CUevent_st* event);
  void Drain(CUstream_st* stream);
  void DrainAll();
  // Whether the event is reached. Executes one more step of its work, so that polling ends.
  bool Query(CUevent_st* event);

  // The moment of an action of the CPU.
  Moment OnCpu(const char* what) { return {kCpuClock, cpu_.Tick(kCpuClock), what}; }
  const Clock& cpu() const { return cpu_; }
  int sticky() const { return sticky_; }

 private:
  Machine();
  void Advance(CUstream_st& stream, uint64_t position);
  void RunKernel(const char* kernel, KernelFunction run, const std::string& closure, const Moment& moment,
                 const Clock& clock);

  std::recursive_mutex mutex_;
  const Settings settings_;
  Reports reports_{settings_};
  Memory memory_{reports_};
  KernelProcess kernels_{memory_, settings_.kernel_seconds};
  std::map<std::string, int> calls_;
  std::map<int, CUctx_st> contexts_;
  std::set<CUstream_st*> streams_;
  std::set<CUevent_st*> events_;
  std::set<CUgraphExec_st*> graphs_;
  std::deque<CUmemPoolHandle_st> pools_;
  size_t clocks_ = 1;
  Clock cpu_;
  std::set<std::string> names_;  // of kernels
  uint64_t launched_ = 0;
  int sticky_ = kSuccess;
};

// The locked machine, and the result of a call before it does anything.
class Call {
 public:
  explicit Call(const char* name, bool needs_context = true)
      : machine_(Machine::Get()), lock_(machine_.mutex()), error_(machine_.Begin(name, needs_context)), name_(name) {}

  int error() const { return error_; }
  Machine* operator->() { return &machine_; }

  // False, and an invalid handle is the result of the call, unless the program created the stream.
  bool Takes(opsrun::host::CudaStream stream) {
    if (stream == nullptr) machine_.reports().Add("default stream", std::string(name_) + " uses the default stream");
    if (machine_.IsStream(stream)) return true;
    error_ = 400;
    return false;
  }
  bool Takes(opsrun::host::CudaEvent event) {
    if (machine_.IsEvent(event)) return true;
    error_ = 400;
    return false;
  }
  // For calls that cannot be part of a graph: the stream, the event or this thread must not be capturing.
  bool IsOutside(const CUstream_st* stream) { return (error_ = machine_.Refuse(stream->capture.get(), name_)) == 0; }
  bool IsOutside(const CUevent_st* event) {
    Capture* const capture = event->capture != nullptr && !event->capture->is_over ? event->capture.get() : nullptr;
    return (error_ = machine_.Refuse(capture, name_)) == 0;
  }
  bool IsOutside() { return (error_ = machine_.Refuse(machine_.CaptureOfThread(), name_)) == 0; }
  // Waits return errors of earlier work.
  int AfterWait() const { return machine_.sticky(); }

 private:
  Machine& machine_;
  const std::lock_guard<std::recursive_mutex> lock_;
  int error_;
  const char* const name_;
};

inline bool IsDevice(int device) {
  return device >= 0 && device < Machine::Get().settings().devices;
}

}  // namespace cuda_double
