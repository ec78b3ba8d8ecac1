// host/device/cuda_driver_calls.h: the functions of the CUDA driver that opsrun uses, declared without the CUDA
// toolkit.
//
// Types are those of cuda.h with the same handles; enums and CUresult are int. Where the toolkit is installed, a test
// compares every line with cuda.h. Source: CUDA Driver API.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

struct CUctx_st;
struct CUstream_st;
struct CUevent_st;
struct CUmemPoolHandle_st;
struct CUgraph_st;
struct CUgraphExec_st;

namespace opsrun::host {

using CudaContext = CUctx_st*;
using CudaStream = CUstream_st*;
using CudaEvent = CUevent_st*;
using CudaPool = CUmemPoolHandle_st*;
using CudaGraph = CUgraph_st*;
using CudaGraphExec = CUgraphExec_st*;   // an executable graph
using CudaAddress = unsigned long long;  // CUdeviceptr

// CUmemPoolProps: the memory of a pool.
struct CudaPoolProperties {
  int allocation_type;  // 1: pinned, the only type
  int handle_types;     // 0: not shared with other processes
  int location_type;    // 1: a device
  int location_id;
  void* security;
  size_t most_bytes;  // 0: chosen by the driver
  unsigned short usage;
  unsigned char reserved[54];
};

// CUmemAccessDesc: who may use the memory of a pool.
struct CudaPoolAccess {
  int location_type;  // as in CudaPoolProperties
  int location_id;
  int flags;  // 3: reads and writes
};

inline constexpr int kCudaSuccess = 0, kCudaOutOfMemory = 2, kCudaStub = 34, kCudaNoDevice = 100;
inline constexpr int kCudaTextureAlignment = 14, kCudaMajor = 75, kCudaMinor = 76, kCudaPoolsSupported = 115;
inline constexpr unsigned kCudaNonBlocking = 1;              // stream: does not wait for the default stream
inline constexpr unsigned kCudaNoTiming = 2;                 // event: records no time
inline constexpr int kCudaMemoryType = 2, kCudaOrdinal = 9;  // of a pointer; memory types: 1 the CPU's, 2 a card's
inline constexpr int kCudaCardMemory = 2;
inline constexpr int kCudaReleaseThreshold = 4;    // pool: bytes that it keeps when the device is idle
inline constexpr int kCudaCaptureThreadLocal = 1;  // not affected by other threads
// X(name, suffix of the symbol, version of the signature, parameters). All drivers from 11.4 on have these functions.
#define OPSRUN_CUDA_CALLS(X)                                                                                    \
  X(cuInit, , 2000, (unsigned flags))                                                                           \
  X(cuDriverGetVersion, , 2020, (int* version))                                                                 \
  X(cuGetErrorName, , 6000, (int error, const char** name))                                                     \
  X(cuGetErrorString, , 6000, (int error, const char** text))                                                   \
  X(cuDeviceGetCount, , 2000, (int* count))                                                                     \
  X(cuDeviceGet, , 2000, (int* device, int ordinal))                                                            \
  X(cuDeviceGetName, , 2000, (char* name, int size, int device))                                                \
  X(cuDeviceGetAttribute, , 2000, (int* value, int attribute, int device))                                      \
  X(cuDeviceTotalMem, _v2, 3020, (size_t * bytes, int device))                                                  \
  X(cuDeviceCanAccessPeer, , 4000, (int* can, int device, int peer))                                            \
  X(cuDevicePrimaryCtxRetain, , 7000, (CudaContext * context, int device))                                      \
  X(cuDevicePrimaryCtxRelease, _v2, 11000, (int device))                                                        \
  X(cuCtxPushCurrent, _v2, 4000, (CudaContext context))                                                         \
  X(cuCtxPopCurrent, _v2, 4000, (CudaContext * context))                                                        \
  X(cuCtxEnablePeerAccess, , 4000, (CudaContext peer, unsigned flags))                                          \
  X(cuStreamCreate, , 2000, (CudaStream * stream, unsigned flags))                                              \
  X(cuStreamDestroy, _v2, 4000, (CudaStream stream))                                                            \
  X(cuStreamSynchronize, , 2000, (CudaStream stream))                                                           \
  X(cuStreamGetCtx, , 9020, (CudaStream stream, CudaContext * context))                                         \
  X(cuStreamWaitEvent, , 3020, (CudaStream stream, CudaEvent event, unsigned flags))                            \
  X(cuStreamWriteValue32, _v2, 11070, (CudaStream stream, CudaAddress address, uint32_t value, unsigned flags)) \
  X(cuEventCreate, , 2000, (CudaEvent * event, unsigned flags))                                                 \
  X(cuEventDestroy, _v2, 4000, (CudaEvent event))                                                               \
  X(cuEventRecord, , 2000, (CudaEvent event, CudaStream stream))                                                \
  X(cuEventQuery, , 2000, (CudaEvent event))                                                                    \
  X(cuEventSynchronize, , 2000, (CudaEvent event))                                                              \
  X(cuMemPoolCreate, , 11020, (CudaPool * pool, const CudaPoolProperties* properties))                          \
  X(cuMemPoolDestroy, , 11020, (CudaPool pool))                                                                 \
  X(cuMemPoolSetAttribute, , 11020, (CudaPool pool, int attribute, void* value))                                \
  X(cuMemPoolSetAccess, , 11020, (CudaPool pool, const CudaPoolAccess* access, size_t count))                   \
  X(cuMemPoolTrimTo, , 11020, (CudaPool pool, size_t bytes_to_keep))                                            \
  X(cuMemAllocFromPoolAsync, , 11020, (CudaAddress * address, size_t bytes, CudaPool pool, CudaStream stream))  \
  X(cuMemFreeAsync, , 11020, (CudaAddress address, CudaStream stream))                                          \
  X(cuMemAlloc, _v2, 3020, (CudaAddress * address, size_t bytes))                                               \
  X(cuMemFree, _v2, 3020, (CudaAddress address))                                                                \
  X(cuMemAllocHost, _v2, 3020, (void** memory, size_t bytes))                                                   \
  X(cuMemFreeHost, , 2000, (void* memory))                                                                      \
  X(cuPointerGetAttribute, , 4000, (void* value, int attribute, CudaAddress address))                           \
  X(cuMemcpyHtoDAsync, _v2, 3020, (CudaAddress to, const void* from, size_t bytes, CudaStream stream))          \
  X(cuMemcpyDtoHAsync, _v2, 3020, (void* to, CudaAddress from, size_t bytes, CudaStream stream))                \
  X(cuMemcpyDtoDAsync, _v2, 3020, (CudaAddress to, CudaAddress from, size_t bytes, CudaStream stream))          \
  X(cuMemcpyPeerAsync, , 4000,                                                                                  \
    (CudaAddress to, CudaContext to_context, CudaAddress from, CudaContext from_context, size_t bytes,          \
     CudaStream stream))                                                                                        \
  X(cuStreamBeginCapture, _v2, 10010, (CudaStream stream, int mode))                                            \
  X(cuStreamEndCapture, , 10000, (CudaStream stream, CudaGraph * graph))                                        \
  X(cuGraphInstantiateWithFlags, , 11040, (CudaGraphExec * exec, CudaGraph graph, unsigned long long flags))    \
  X(cuGraphLaunch, , 10000, (CudaGraphExec exec, CudaStream stream))                                            \
  X(cuGraphExecDestroy, , 10000, (CudaGraphExec exec))                                                          \
  X(cuGraphDestroy, , 10000, (CudaGraph graph))

}  // namespace opsrun::host
