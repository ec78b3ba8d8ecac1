// opsrun/internal/eigen_is_in.h: the parts of the SDK that depend on Eigen: element types, maps and devices.
//
// Each part is defined once, as soon as both Eigen's Tensor header and the header of the SDK that it completes are
// included: types.h, tensor_map.h and device_base.h include this file at their end, and so does the header that
// includes Eigen.
// SPDX-License-Identifier: Apache-2.0
#ifndef OPSRUN_EIGEN_IS_IN
#define OPSRUN_EIGEN_IS_IN
#endif

// Makes Eigen's 16-bit floats element types, and the SDK's 8-bit and 16-bit floats scalars of Eigen.
#if defined(OPSRUN_MATCH_TYPE) && !defined(OPSRUN_EIGEN_TYPES)
#define OPSRUN_EIGEN_TYPES

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

OPSRUN_MATCH_TYPE(Eigen::half, DT_HALF)
OPSRUN_MATCH_TYPE(Eigen::bfloat16, DT_BFLOAT16)

}  // namespace OPSRUN_HIDDEN

template <typename Format>
struct Eigen::NumTraits<OPSRUN_NAMESPACE::internal::Float8<Format>>
    : Eigen::GenericNumTraits<OPSRUN_NAMESPACE::internal::Float8<Format>> {
  enum { RequireInitialization = 0 };
};

template <>
struct Eigen::NumTraits<OPSRUN_NAMESPACE::internal::Half> : Eigen::GenericNumTraits<OPSRUN_NAMESPACE::internal::Half> {
  enum { RequireInitialization = 0 };
};
template <>
struct Eigen::NumTraits<OPSRUN_NAMESPACE::internal::BFloat16>
    : Eigen::GenericNumTraits<OPSRUN_NAMESPACE::internal::BFloat16> {
  enum { RequireInitialization = 0 };
};

#ifdef OPSRUN_EIGEN_ASKED_FOR
#undef OPSRUN_HALF
#undef OPSRUN_BFLOAT16
#define OPSRUN_HALF ::Eigen::half
#define OPSRUN_BFLOAT16 ::Eigen::bfloat16
#endif
#endif  // OPSRUN_EIGEN_TYPES

// Eigen's maps, which replace the light maps. They do not assume alignment, because a host may pass a slice. On aligned
// data, an unaligned load costs nothing.
#if defined(OPSRUN_ALWAYS_INLINE) && !defined(OPSRUN_EIGEN_MAPS)
#define OPSRUN_EIGEN_MAPS

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

template <typename T, int N>
struct MapOf<T, N, void> {
  typedef Eigen::TensorMap<Eigen::Tensor<T, N, Eigen::RowMajor, ptrdiff_t>> type;
  static OPSRUN_ALWAYS_INLINE type Make(T* data, const std::array<ptrdiff_t, N>& dimensions) {
    Eigen::DSizes<ptrdiff_t, N> sizes;
    for (int i = 0; i < N; ++i) sizes[i] = dimensions[static_cast<size_t>(i)];
    return type(data, sizes);
  }
};

}  // namespace internal
}  // namespace OPSRUN_HIDDEN

#endif  // OPSRUN_EIGEN_MAPS

#if defined(OPSRUN_DEVICES_DECLARED) && !defined(OPSRUN_EIGEN_DEVICES)
#define OPSRUN_EIGEN_DEVICES

#include <functional>
#include <memory>
#include <utility>

// Eigen::ThreadPoolDevice is on the threads of the host. Eigen waits for the tasks that it creates. So a task is
// scheduled only if the host guarantees that it runs without waiting for a blocked task; otherwise the caller runs it
// immediately.

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

class EigenThreads final : public Eigen::ThreadPoolInterface {
 public:
  explicit EigenThreads(const thread::ThreadPool* pool) : pool_(pool) {}

  void Schedule(std::function<void()> fn) override { pool_->Schedule(std::move(fn)); }
  int NumThreads() const override { return pool_->NumThreads(); }
  int CurrentThreadId() const override { return pool_->CurrentThreadId(); }

 private:
  const thread::ThreadPool* pool_;
};

// A template, because the context is complete only where a device is used.
template <>
struct DeviceOf<Eigen::ThreadPoolDevice> {
  template <typename Context>
  explicit DeviceOf(Context* context)
      : pool_(context->call(), context), device_(pool_.AsEigenThreadPool(), pool_.NumThreads()) {}
  const Eigen::ThreadPoolDevice& device() const { return device_; }

 private:
  thread::ThreadPool pool_;
  Eigen::ThreadPoolDevice device_;
};

}  // namespace internal

// Constructed again by each call, with the same contents. It owns nothing, so it is never destroyed.
inline Eigen::ThreadPoolInterface* thread::ThreadPool::AsEigenThreadPool() {
  static_assert(sizeof(internal::EigenThreads) <= sizeof(eigen_), "the pool has room for it");
  return new (eigen_) internal::EigenThreads(this);
}

}  // namespace OPSRUN_HIDDEN

// Eigen::GpuDevice on the stream of a call. EIGEN_USE_GPU must be defined before Eigen's Tensor header is included.
#if defined(EIGEN_USE_GPU) && (defined(GOOGLE_CUDA) || defined(__CUDACC__) || defined(OPSRUN_CUDA_EMULATION))
#include "opsrun/internal/gpu_runtime.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// The parts of a stream that Eigen uses. Eigen's own class would sleep for a second if two threads used their first
// device at the same time, and would allocate memory in ways that wait for the card.
class CallStream final : public Eigen::StreamInterface {
 public:
  explicit CallStream(opsrun_call* call) : call_(call), stream_(static_cast<cudaStream_t>(call->stream)) {}
  CallStream(const CallStream&) = delete;
  CallStream& operator=(const CallStream&) = delete;
  ~CallStream() override {
    while (temporaries_ != nullptr) Release(&temporaries_);
  }

  const cudaStream_t& stream() const override { return stream_; }

  // Only the fields that GpuDevice reads; the runtime takes a thousand times as long to return all of them.
  const cudaDeviceProp& deviceProperties() const override {
    if (properties_ == nullptr) {
      properties_ = std::make_unique<cudaDeviceProp>();
      properties_->multiProcessorCount = Ask(cudaDevAttrMultiProcessorCount);
      properties_->maxThreadsPerBlock = Ask(cudaDevAttrMaxThreadsPerBlock);
      properties_->maxThreadsPerMultiProcessor = Ask(cudaDevAttrMaxThreadsPerMultiProcessor);
      properties_->sharedMemPerBlock = static_cast<size_t>(Ask(cudaDevAttrMaxSharedMemoryPerBlock));
      properties_->major = Ask(cudaDevAttrComputeCapabilityMajor);
      properties_->minor = Ask(cudaDevAttrComputeCapabilityMinor);
      properties_->warpSize = Ask(cudaDevAttrWarpSize);
    }
    return *properties_;
  }

  // Temporaries of the host, which are freed in stream order, at the latest when the call returns.
  void* allocate(size_t bytes) const override {
    const opsrun_tensor* view = nullptr;
    const int64_t dims[] = {static_cast<int64_t>(bytes)};
    const int32_t code = call_->host->allocate_temp(call_, OPSRUN_DT_UINT8, 1, dims, 0, &view);
    if (code != OPSRUN_OK) {
      Fail(Error(static_cast<error::Code>(code), "The host cannot allocate %zu bytes on the device", bytes));
    }
    temporaries_ = new Temporary{view, temporaries_};
    return view->data;
  }
  void deallocate(void* memory) const override {
    Temporary** link = &temporaries_;
    while (*link != nullptr && (*link)->view->data != memory) link = &(*link)->next;
    if (*link != nullptr) Release(link);
  }

  void* scratchpad() const override {
    if (scratch_ == nullptr) scratch_ = static_cast<char*>(allocate(Eigen::kGpuScratchSize + sizeof(unsigned)));
    return scratch_;
  }
  unsigned* semaphore() const override {
    if (semaphore_ == nullptr) {
      auto* place = reinterpret_cast<unsigned*>(static_cast<char*>(scratchpad()) + Eigen::kGpuScratchSize);
      Check(cudaMemsetAsync(place, 0, sizeof(unsigned), stream_));
      semaphore_ = place;
    }
    return semaphore_;
  }

 private:
  struct Temporary {
    const opsrun_tensor* view;
    Temporary* next;
  };

  static void Release(Temporary** link) {
    Temporary* released = *link;
    *link = released->next;
    released->view->host->release(released->view);
    delete released;
  }
  static void Check(cudaError_t error) {
    if (error == cudaSuccess) return;
    cudaGetLastError();
    Fail(GpuError(error, "A CUDA call for Eigen's device failed"));
  }
  int Ask(cudaDeviceAttr attribute) const {
    int value = 0;
    Check(cudaDeviceGetAttribute(&value, attribute, call_->device.id));
    return value;
  }

  opsrun_call* call_;
  cudaStream_t stream_;
  mutable std::unique_ptr<cudaDeviceProp> properties_;
  mutable Temporary* temporaries_ = nullptr;
  mutable char* scratch_ = nullptr;
  mutable unsigned* semaphore_ = nullptr;
};

template <>
struct DeviceOf<Eigen::GpuDevice> {
  template <typename Context>
  explicit DeviceOf(Context* context) : stream_(context->call()), device_(&stream_) {}
  const Eigen::GpuDevice& device() const { return device_; }

 private:
  CallStream stream_;
  Eigen::GpuDevice device_;
};

}  // namespace internal
}  // namespace OPSRUN_HIDDEN
#endif  // EIGEN_USE_GPU

#endif  // OPSRUN_EIGEN_DEVICES
