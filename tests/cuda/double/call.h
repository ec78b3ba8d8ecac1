// tests/cuda/double/call.h: a call of the driver by a program.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <string>

#include "host/device/cuda_driver_calls.h"
#include "tests/cuda/double/machine.h"

namespace cuda_double {

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

}  // namespace cuda_double
