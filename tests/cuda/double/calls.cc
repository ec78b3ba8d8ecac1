// tests/cuda/double/calls.cc: the calls of the driver but those for memory, and those that only the tests use.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "host/device/cuda_driver_calls.h"
#include "tests/cuda/double/machine.h"

using namespace cuda_double;
using namespace opsrun::host;

extern "C" {

#define OPSRUN_DOUBLE_DECLARE(call, suffix, version, parameters) int call##suffix parameters;
OPSRUN_CUDA_CALLS(OPSRUN_DOUBLE_DECLARE)
#undef OPSRUN_DOUBLE_DECLARE

int cuInit(unsigned flags) {
  const Call call("cuInit", false);
  return call.error() != 0 ? call.error() : flags != 0 ? kInvalidValue : kSuccess;
}
int cuDriverGetVersion(int* version) {
  return *version = 12040, kSuccess;
}
int cuGetErrorName(int error, const char** name) {
  *name = error == kIllegalAddress ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : error == kOutOfMemory  ? "CUDA_ERROR_OUT_OF_MEMORY"
                                   : "CUDA_ERROR";
  return kSuccess;
}
int cuGetErrorString(int error, const char** text) {
  *text = error == kIllegalAddress ? "an illegal memory access was encountered"
          : error == kOutOfMemory  ? "out of memory"
                                   : "an error of the double";
  return kSuccess;
}

int cuDeviceGetCount(int* count) {
  return *count = Machine::Get().settings().devices, kSuccess;
}
int cuDeviceGet(int* device, int ordinal) {
  return *device = ordinal, IsDevice(ordinal) ? kSuccess : kInvalidValue;
}
int cuDeviceGetName(char* name, int size, int device) {
  std::strncpy(name, "test double", static_cast<size_t>(size));
  return IsDevice(device) ? kSuccess : kInvalidValue;
}
// Blocks are multiples of a page, because uses are tracked per page.
int cuDeviceGetAttribute(int* value, int attribute, int device) {
  switch (attribute) {
    case kCudaTextureAlignment:
      *value = static_cast<int>(kPage);
      break;
    case kCudaMajor:
      *value = 8;
      break;
    case kCudaPoolsSupported:
      *value = Machine::Get().settings().pools ? 1 : 0;
      break;
    default:
      *value = 0;
  }
  return IsDevice(device) ? kSuccess : kInvalidValue;
}
int cuDeviceTotalMem_v2(size_t* bytes, int device) {
  return *bytes = Machine::Get().settings().memory, IsDevice(device) ? kSuccess : kInvalidValue;
}

int cuDeviceCanAccessPeer(int* can, int device, int peer) {
  Call call("cuDeviceCanAccessPeer", false);
  if (call.error() != 0 || !IsDevice(device) || !IsDevice(peer))
    return call.error() != 0 ? call.error() : kInvalidValue;
  return *can = call->settings().peers && device != peer ? 1 : 0, kSuccess;
}
int cuCtxEnablePeerAccess(CudaContext peer, unsigned flags) {
  Call call("cuCtxEnablePeerAccess");
  if (call.error() != 0) return call.error();
  return flags == 0 && call->EnablePeer(peer) ? kSuccess : kInvalidValue;
}
int cuDevicePrimaryCtxRetain(CudaContext* context, int device) {
  Call call("cuDevicePrimaryCtxRetain", false);
  if (call.error() != 0 || !IsDevice(device)) return call.error() != 0 ? call.error() : kInvalidValue;
  return *context = call->RetainContext(device), kSuccess;
}
int cuDevicePrimaryCtxRelease_v2(int device) {
  Call call("cuDevicePrimaryCtxRelease", false);
  return call->ReleaseContext(device);
}
int cuCtxPushCurrent_v2(CudaContext context) {
  Call call("cuCtxPushCurrent", false);
  if (call.error() == 0) call->Push(context);
  return call.error();
}
int cuCtxPopCurrent_v2(CudaContext* context) {
  Call call("cuCtxPopCurrent", false);
  *context = call->Pop();
  return *context == nullptr ? kInvalidContext : kSuccess;
}

int cuStreamCreate(CudaStream* stream, unsigned) {
  Call call("cuStreamCreate");
  if (call.error() == 0) *stream = call->NewStream();
  return call.error();
}
int cuStreamDestroy_v2(CudaStream stream) {
  Call call("cuStreamDestroy");
  return call.error() != 0 ? call.error() : call->EndStream(stream);
}
int cuStreamGetCtx(CudaStream stream, CudaContext* context) {
  Call call("cuStreamGetCtx");
  if (call.error() == 0 && call.Takes(stream)) *context = call->ContextOf(stream->device);
  return call.error();
}
int cuStreamSynchronize(CudaStream stream) {
  Call call("cuStreamSynchronize");
  if (call.error() != 0 || !call.Takes(stream) || !call.IsOutside(stream)) return call.error();
  call->Drain(stream);
  return call.AfterWait();
}
int cuStreamWaitEvent(CudaStream stream, CudaEvent event, unsigned) {
  Call call("cuStreamWaitEvent");
  if (call.error() != 0 || !call.Takes(stream) || !call.Takes(event)) return call.error();
  return call->Follow(stream, event);
}
int cuEventCreate(CudaEvent* event, unsigned) {
  Call call("cuEventCreate");
  if (call.error() == 0) *event = call->NewEvent();
  return call.error();
}
int cuEventDestroy_v2(CudaEvent event) {
  Call call("cuEventDestroy");
  return call.error() != 0 ? call.error() : call->EndEvent(event);
}
int cuEventRecord(CudaEvent event, CudaStream stream) {
  Call call("cuEventRecord");
  if (call.error() != 0 || !call.Takes(stream) || !call.Takes(event)) return call.error();
  call->Record(event, stream);
  return kSuccess;
}
int cuEventQuery(CudaEvent event) {
  Call call("cuEventQuery");
  if (call.error() != 0 || !call.Takes(event) || !call.IsOutside(event)) return call.error();
  if (!call->Query(event)) return kNotReady;
  return call.AfterWait();
}
int cuEventSynchronize(CudaEvent event) {
  Call call("cuEventSynchronize");
  if (call.error() != 0 || !call.Takes(event) || !call.IsOutside(event)) return call.error();
  call->WaitFor(event);
  return call.AfterWait();
}

int cuStreamBeginCapture_v2(CudaStream stream, int mode) {
  Call call("cuStreamBeginCapture");
  if (call.error() != 0 || !call.Takes(stream)) return call.error();
  return mode == kCudaCaptureThreadLocal ? call->BeginCapture(stream) : kNotSupported;
}
int cuStreamEndCapture(CudaStream stream, CudaGraph* graph) {
  Call call("cuStreamEndCapture");
  const int asked = call.error();
  if (!call.Takes(stream)) return call.error();
  const int error = call->EndCapture(stream, graph);
  if (asked == kSuccess) return error;
  delete *graph;  // the capture ends in any case
  *graph = nullptr;
  return asked;
}
int cuGraphInstantiateWithFlags(CudaGraphExec* exec, CudaGraph graph, unsigned long long) {
  Call call("cuGraphInstantiateWithFlags");
  if (call.error() == 0) *exec = call->Instantiate(*graph);
  return call.error();
}
int cuGraphLaunch(CudaGraphExec exec, CudaStream stream) {
  Call call("cuGraphLaunch");
  if (call.error() != 0 || !call.Takes(stream) || !call.IsOutside(stream)) return call.error();
  if (!call->IsGraph(exec)) return kInvalidHandle;
  return call->LaunchGraph(exec, stream), kSuccess;
}
int cuGraphExecDestroy(CudaGraphExec exec) {
  Call call("cuGraphExecDestroy");
  return call->EndGraph(exec);
}
int cuGraphDestroy(CudaGraph graph) {
  delete graph;
  return kSuccess;
}

// Selects the version of a call's signature, as the driver does.
int cuGetProcAddress_v2(const char* name, void** function, int version, uint64_t, int*) {
#define OPSRUN_DOUBLE_FIND(call, suffix, its_version, parameters) \
  if (std::strcmp(name, #call) == 0 && version == its_version) {  \
    *function = reinterpret_cast<void*>(&call##suffix);           \
    return kSuccess;                                              \
  }
  OPSRUN_CUDA_CALLS(OPSRUN_DOUBLE_FIND)
#undef OPSRUN_DOUBLE_FIND
  return 500;
}

// Called by the CUDA runtime of plugins; opsrun itself never calls it.
int cuCtxSynchronize() {
  Call call("cuCtxSynchronize");
  if (call.error() != 0 || !call.IsOutside()) return call.error();
  call->DrainAll();
  return call.AfterWait();
}

// Called by the adapters; opsrun itself knows which streams it captures.
int cuStreamIsCapturing(CudaStream stream, int* status) {
  Call call("cuStreamIsCapturing");
  if (call.error() == 0 && call.Takes(stream)) *status = stream->capture == nullptr ? 0 : 1;
  return call.error();
}

int opsrun_double_launch(void* stream, const char* kernel, KernelFunction run, const void* closure, size_t bytes) {
  Call call("cuLaunchKernel");
  if (call.error() != 0 || !call.Takes(static_cast<CudaStream>(stream))) return call.error();
  return call->Launch(static_cast<CudaStream>(stream), kernel, run, closure, bytes);
}

void opsrun_double_fault(const char* text) {
  KernelProcess::Fault(text);
}
}
