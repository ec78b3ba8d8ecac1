// plugins/cast/cast.cu.cc: Cast on a GPU, for bools and real numbers. Results equal those of the CPU: see
// cast_op.h.
// SPDX-License-Identifier: Apache-2.0
#if GOOGLE_CUDA

#include <algorithm>

#include "cast_op.h"
#include "opsrun/gpu_elements.h"
#include "opsrun/gpu_kernel_helper.h"

namespace cast {
namespace {

#define CAST_CALL_GPU_TYPES(m) TF_CALL_bool(m) TF_CALL_REAL_NUMBER_TYPES(m)

template <typename T>
constexpr bool kFitsFloat = !std::is_integral_v<T> && sizeof(T) <= sizeof(float);

template <typename To, typename From>
__device__ inline To CastOne(From x, int keep) {
  if constexpr (!std::is_integral_v<From> && !std::is_integral_v<To>) {
    if (keep < kAllFractionBits) return Convert<To>(Truncated(static_cast<double>(static_cast<Wide<From>>(x)), keep));
  }
  if constexpr (kFitsFloat<From> && kFitsFloat<To>) {
    return static_cast<To>(static_cast<float>(x));  // rounds once; double arithmetic is slow on many cards
  } else {
    return Convert<To>(static_cast<Wide<From>>(x));
  }
}

// packs: the number of aligned packs of elements.
template <typename From, typename To>
__global__ void __launch_bounds__(kGpuThreads) CastElements(int64 packs, int64 n, int keep, const From* in, To* out) {
  constexpr int kPack = kGpuPackSize<From, To>;
  for (int64 i : GpuGridRangeX(packs)) {
    const GpuPack<From, kPack> x = reinterpret_cast<const GpuPack<From, kPack>*>(in)[i];
    GpuPack<To, kPack> y;
    for (int k = 0; k < kPack; ++k) y.elements[k] = CastOne<To>(x.elements[k], keep);
    reinterpret_cast<GpuPack<To, kPack>*>(out)[i] = y;
  }
  for (int64 i : GpuGridRangeX(n - packs * kPack)) out[packs * kPack + i] = CastOne<To>(in[packs * kPack + i], keep);
}

typedef Status (*Cast)(gpuStream_t stream, int64 n, int keep, const void* in, void* out);

template <typename From, typename To>
Status CastAll(gpuStream_t stream, int64 n, int keep, const void* from, void* to) {
  constexpr int kPack = kGpuPackSize<From, To>;
  const From* const in = static_cast<const From*>(from);
  To* const out = static_cast<To*>(to);
  const int64 packs = IsAlignedFor<From, kPack>(in) && IsAlignedFor<To, kPack>(out) ? n / kPack : 0;
  return GpuLaunchKernel(CastElements<From, To>, GpuBlocks(std::max(packs, n - packs * kPack)), kGpuThreads, 0, stream,
                         packs, n, keep, in, out);
}

template <typename From>
Cast CastTo(DataType to) {
  switch (to) {
#define TO_CASE(To)               \
  case DataTypeToEnum<To>::value: \
    return CastAll<From, To>;
    CAST_CALL_GPU_TYPES(TO_CASE)
#undef TO_CASE
    default:
      return nullptr;
  }
}

Cast CastOf(DataType from, DataType to) {
  switch (from) {
#define FROM_CASE(From)             \
  case DataTypeToEnum<From>::value: \
    return CastTo<From>(to);
    CAST_CALL_GPU_TYPES(FROM_CASE)
#undef FROM_CASE
    default:
      return nullptr;
  }
}

class GpuCaster {
 public:
  GpuCaster() = default;
  GpuCaster(DataType from, DataType to, int keep) : cast_(CastOf(from, to)), keep_(keep) {}

  Status Run(OpKernelContext* context, const Tensor& input, Tensor* output) const {
    return cast_(GetGpuStream(context), input.NumElements(), keep_, input.data(), output->data());
  }

 private:
  Cast cast_ = nullptr;
  int keep_ = kAllFractionBits;
};

#define TYPE_OF(T) DataTypeToEnum<T>::value,
constexpr std::initializer_list<DataType> kTypes = {CAST_CALL_GPU_TYPES(TYPE_OF)};
REGISTER_KERNEL_BUILDER(
    Name("Cast").Device(DEVICE_GPU).TypeConstraint("SrcT", kTypes).TypeConstraint("DstT", kTypes).Capturable(),
    CastOp<GpuCaster>);

}  // namespace
}  // namespace cast

#endif  // GOOGLE_CUDA
