// plugins/list_ops/lists.cu.cc: AddN, Pack, Unpack and Split on a GPU.
//
// The addresses of a list are passed as a kernel argument, so a call neither copies nor waits; a longer list takes
// several launches.
// SPDX-License-Identifier: Apache-2.0
#if GOOGLE_CUDA

#include "list_ops.h"
#include "opsrun/gpu_elements.h"
#include "opsrun/gpu_kernel_helper.h"

namespace list_ops {
namespace {

constexpr int kAtOnce = 128;

template <typename Pointer>
struct Addresses {
  int count;
  Pointer at[kAtOnce];

  Addresses(const std::vector<Pointer>& all, size_t first)
      : count(static_cast<int>(std::min<size_t>(all.size() - first, kAtOnce))) {
    std::copy_n(all.begin() + static_cast<ptrdiff_t>(first), count, at);
  }
};

// Adds terms to `before`, if it is not NULL. The result is rounded to `out`, or stored in `after` unrounded.
template <typename T, typename W>
struct Addition {
  Addresses<const T*> terms;
  const W* before;
  W* after;
  T* out;
};

template <typename T, typename W, int kPack>
__device__ inline void AddPack(const Addition<T, W>& work, int64 i) {
  typedef GpuPack<T, kPack> Terms;
  typedef GpuPack<W, kPack> Sums;
  Sums sums = {};
  if (work.before != nullptr) sums = reinterpret_cast<const Sums*>(work.before)[i];
  for (int t = 0; t < work.terms.count; ++t) {
    const Terms terms = reinterpret_cast<const Terms*>(work.terms.at[t])[i];
    for (int k = 0; k < kPack; ++k) {
      const W term = static_cast<W>(terms.elements[k]);
      sums.elements[k] = t == 0 && work.before == nullptr ? term : sums.elements[k] + term;  // -0 stays -0
    }
  }
  if (work.after != nullptr) {
    reinterpret_cast<Sums*>(work.after)[i] = sums;
    return;
  }
  Terms rounded;
  for (int k = 0; k < kPack; ++k) rounded.elements[k] = static_cast<T>(sums.elements[k]);
  reinterpret_cast<Terms*>(work.out)[i] = rounded;
}

// packs: the number of aligned packs of kPack elements.
template <typename T, typename W, int kPack>
__global__ void __launch_bounds__(kGpuThreads) AddTermsOf(int64 packs, int64 n, Addition<T, W> work) {
  for (int64 i : GpuGridRangeX(packs)) AddPack<T, W, kPack>(work, i);
  for (int64 i : GpuGridRangeX(n - packs * kPack)) AddPack<T, W, 1>(work, packs * kPack + i);
}

struct AddOnGpu {
  template <typename T>
  static Status Run(OpKernelContext* context, const std::vector<const T*>& terms, T* out, int64 n) {
    typedef typename Sum<T>::type W;
    constexpr int kPack = kGpuPackSize<T, T>;
    Tensor partial;
    if (terms.size() > kAtOnce) {
      TF_RETURN_IF_ERROR(context->allocate_temp(DataTypeToEnum<W>::value, TensorShape({n}), &partial));
    }
    bool aligned = IsAlignedFor<T, kPack>(out);
    for (const T* term : terms) aligned = aligned && IsAlignedFor<T, kPack>(term);
    const int64 packs = aligned ? n / kPack : 0;
    for (size_t first = 0; first < terms.size(); first += kAtOnce) {
      W* const sums = terms.size() > kAtOnce ? static_cast<W*>(partial.data()) : nullptr;
      const bool is_last = terms.size() - first <= kAtOnce;
      const Addition<T, W> work = {{terms, first}, first == 0 ? nullptr : sums, is_last ? nullptr : sums, out};
      TF_RETURN_IF_ERROR(GpuLaunchKernel(AddTermsOf<T, W, kPack>, GpuBlocks(std::max(packs, n - packs * kPack)),
                                         kGpuThreads, 0, GetGpuStream(context), packs, n, work));
    }
    return Status();
  }
};

// places: operand 0 is the element in a part, operand 1 the part, operand 2 the element in the whole.
template <bool kJoin, typename Part, typename Whole>
__global__ void __launch_bounds__(kGpuThreads)
    MoveElements(int64 n, GpuPlaces<3> places, Addresses<Part*> parts, Whole* whole) {
  for (int64 i : GpuGridRangeX(n)) {
    int64 at[3];
    places.Find(i, at);
    if constexpr (kJoin) {
      whole[at[2]] = parts.at[at[1]][at[0]];
    } else {
      parts.at[at[1]][at[0]] = whole[at[2]];
    }
  }
}

// The places of `count` parts. row: how many elements of a part are contiguous.
GpuPlaces<3> PlacesOfParts(const Rows& rows, int count, int64 row) {
  GpuPlaces<3> places;
  const int64 of_row[] = {row, 0, rows.parts * row}, of_part[] = {0, 1, row}, of_element[] = {1, 0, 1};
  places.AddInside(rows.rows, of_row);
  places.AddInside(count, of_part);
  places.AddInside(row, of_element);
  return places;
}

// The largest element in which rows can be moved.
template <typename Part>
int64 WidestElement(const Rows& rows, const void* whole, const std::vector<Part>& parts) {
  uintptr_t bits = reinterpret_cast<uintptr_t>(whole) | static_cast<uintptr_t>(rows.row_bytes);
  for (const Part part : parts) bits |= reinterpret_cast<uintptr_t>(part);
  int64 bytes = 16;
  while (bits % static_cast<uintptr_t>(bytes) != 0) bytes /= 2;
  return bytes;
}

struct GpuMoves {
  template <bool kJoin>
  static Status Run(OpKernelContext* context, const Rows& rows, WholePointer<kJoin> whole,
                    const std::vector<PartPointer<kJoin>>& parts) {
    return VisitGpuElement(WidestElement(rows, whole, parts), [&](auto element) {
      typedef decltype(element) E;
      typedef std::conditional_t<kJoin, const E, E> Part;
      typedef std::conditional_t<kJoin, E, const E> Whole;
      const int64 row = rows.row_bytes / static_cast<int64>(sizeof(E));
      std::vector<Part*> in_elements;
      for (const PartPointer<kJoin> part : parts) in_elements.push_back(reinterpret_cast<Part*>(part));
      for (size_t first = 0; first < parts.size(); first += kAtOnce) {
        const Addresses<Part*> some(in_elements, first);
        const GpuPlaces<3> places = PlacesOfParts(rows, some.count, row);
        Whole* const to = reinterpret_cast<Whole*>(whole) + static_cast<int64>(first) * row;
        TF_RETURN_IF_ERROR(GpuLaunchKernel(MoveElements<kJoin, Part, Whole>, GpuBlocks(places.count()), kGpuThreads, 0,
                                           GetGpuStream(context), places.count(), places, some, to));
      }
      return Status();
    });
  }
};

#define GPU_KERNEL(name) Name(name).Device(DEVICE_GPU).Capturable()
#define REGISTER_ADD_N(T) REGISTER_KERNEL_BUILDER(GPU_KERNEL("AddN").TypeConstraint<T>("T"), AddNOp<T, AddOnGpu>);
TF_CALL_REAL_NUMBER_TYPES(REGISTER_ADD_N)

REGISTER_KERNEL_BUILDER(GPU_KERNEL("Pack").TypeConstraint("T", kFixedSize), PackOp<GpuMoves>);
REGISTER_KERNEL_BUILDER(GPU_KERNEL("Unpack").TypeConstraint("T", kFixedSize), CutOp<GpuMoves, FindUnpacked>);
REGISTER_KERNEL_BUILDER(GPU_KERNEL("Split").TypeConstraint("T", kFixedSize).HostMemory("split_dim"),
                        CutOp<GpuMoves, FindSplit>);

}  // namespace
}  // namespace list_ops

#endif  // GOOGLE_CUDA
