// plugins/math_ops/segments.cu.cc: reductions of segments on a GPU.
//
// Ids are checked as on the CPU, so these ops wait for the GPU. Floats are not added with atomics: rows are first
// sorted by id (stable), and then folded in an order that depends on the shape and the ids alone. So a result is the
// same in every run and on every card.
// SPDX-License-Identifier: Apache-2.0
#if GOOGLE_CUDA

#include "segments.h"

#include "gpu_reduce.cu.h"
#include "gpu_segments.cu.h"

namespace math_ops {
namespace {

// Lowers *first to the position of the first invalid id.
template <typename Id>
__global__ void __launch_bounds__(kGpuThreads) FindUnsorted(int64 n, const Id* ids, uint64* first) {
  for (int64 i : GpuGridRangeX(n)) {
    if (ids[i] < 0 || (i > 0 && ids[i] < ids[i - 1])) GpuAtomicMin(first, static_cast<uint64>(i));
  }
}
template <typename Id>
__global__ void __launch_bounds__(kGpuThreads) FindTooLarge(int64 n, int64 segments, const Id* ids, uint64* first) {
  for (int64 i : GpuGridRangeX(n)) {
    if (static_cast<int64>(ids[i]) >= segments) GpuAtomicMin(first, static_cast<uint64>(i));
  }
}

// How results are divided: `lanes` threads compute each one, see gpu_reduce.cu.h.
struct SegmentFold {
  int64 rows, width, results;
  int lanes;
  bool is_line, is_mean, has_empty;
};

// Whether sums may be divided, for a mean: those of integers only in a type that is wide enough.
template <typename Fold, typename T>
constexpr bool kHasMeans = !std::is_integral_v<T> || !std::is_same_v<typename Fold::template Acc<T>, T>;

template <typename Fold, typename T>
__global__ void __launch_bounds__(kGpuThreads)
    FoldSegments(SegmentFold work, const GpuKeyedRow* rows, const T* in, T empty, T* out) {
  typedef typename Fold::template Acc<T> Acc;
  const int results_of_block = kGpuThreads / work.lanes, thread = static_cast<int>(threadIdx.x);
  const int lane = work.is_line ? thread % work.lanes : thread / results_of_block;
  const int own = work.is_line ? thread / work.lanes : thread % results_of_block;
  for (int64 first = int64{blockIdx.x} * results_of_block; first < work.results;
       first += int64{gridDim.x} * results_of_block) {
    const int64 result = first + own, segment = result / work.width, column = result % work.width;
    int64 begin = 0, end = 0;
    Acc acc = Fold::template Start<T>();
    if (result < work.results) {
      begin = GpuFirstNotBelow(rows, 0, work.rows, segment);
      end = GpuFirstNotBelow(rows, begin, work.rows, segment + 1);
      for (int64 i = begin + lane; i < end; i += work.lanes) {
        acc = Fold::Combine(acc, static_cast<Acc>(in[rows[i].row * work.width + column]));
      }
    }
    acc = CombineLanes<Fold>(acc, work.lanes, work.is_line);
    if (lane != 0 || result >= work.results) continue;
    if constexpr (kHasMeans<Fold, T>) {
      if (work.is_mean && begin < end) acc = MeanOf(acc, end - begin);
    }
    out[result] = begin == end && work.has_empty ? empty : static_cast<T>(acc);
  }
}

// Copies rows of `bytes` bytes, in elements of a type whose size divides `bytes`.
template <typename Id, typename E>
__global__ void __launch_bounds__(kGpuThreads) CopyRows(int64 n, int64 width, const Id* ids, const E* from, E* to) {
  for (int64 i : GpuGridRangeX(n)) {
    const int64 id = static_cast<int64>(ids[i / width]);
    to[i] = id < 0 ? E() : from[id * width + i % width];
  }
}

Status Await(cudaStream_t stream, cudaError_t enqueued) {
  const cudaError_t error = enqueued != cudaSuccess ? enqueued : cudaStreamSynchronize(stream);
  return error == cudaSuccess ? Status() : errors::Internal("Ids cannot be read: ", cudaGetErrorString(error));
}

template <typename T>
Status Read(cudaStream_t stream, const T* from, int64 n, T* to) {
  return Await(stream, cudaMemcpyAsync(to, from, static_cast<size_t>(n) * sizeof(T), cudaMemcpyDeviceToHost, stream));
}

// See Ids in segments.h.
class GpuSegmentIds {
 public:
  Status Check(OpKernelContext* context, bool sorted, int64* segments) {
    const Tensor& ids = context->input(1);
    if (ids.NumElements() == 0) return Status();
    return VisitIds(ids, [&](auto* data) {
      return sorted ? CheckSorted(context, data, ids.NumElements(), segments)
                    : CheckBelow(context, data, ids.shape(), *segments);
    });
  }

  Status GatherRows(OpKernelContext* context, const Tensor& grad, int64 rows, int64 bytes, Tensor* output) const {
    const uintptr_t bits = reinterpret_cast<uintptr_t>(grad.data()) | reinterpret_cast<uintptr_t>(output->data()) |
                           static_cast<uintptr_t>(bytes);
    int64 wide = 16;
    while (bits % static_cast<uintptr_t>(wide) != 0) wide /= 2;
    return VisitIds(context->input(1), [&](auto* ids) {
      return VisitGpuElement(wide, [&](auto element) {
        typedef decltype(element) E;
        typedef std::remove_const_t<std::remove_pointer_t<decltype(ids)>> Id;
        const int64 width = bytes / wide;
        return GpuLaunchKernel(CopyRows<Id, E>, GpuBlocks(rows * width), kGpuThreads, 0, GetGpuStream(context),
                               rows * width, width, ids, static_cast<const E*>(grad.data()),
                               static_cast<E*>(output->data()));
      });
    });
  }

 private:
  // Sets *at to the result of the kernel that `find` enqueues: the position of the first invalid id, or n.
  template <typename Find>
  static Status FindWrong(OpKernelContext* context, int64 n, const Find& find, int64* at) {
    const cudaStream_t stream = GetGpuStream(context);
    Tensor found;
    TF_RETURN_IF_ERROR(context->allocate_temp(DT_UINT64, {}, &found));
    uint64* const first = static_cast<uint64*>(found.data());
    uint64 place = static_cast<uint64>(n);
    TF_RETURN_IF_ERROR(GpuLaunchKernel(SetToValue<uint64>, 1, 1, 0, stream, 1, first, place));
    TF_RETURN_IF_ERROR(find(stream, first));
    TF_RETURN_IF_ERROR(Read(stream, static_cast<const uint64*>(first), 1, &place));
    *at = static_cast<int64>(place);
    return Status();
  }

  template <typename Id>
  static Status CheckSorted(OpKernelContext* context, const Id* ids, int64 n, int64* segments) {
    const auto find = [&](cudaStream_t stream, uint64* first) {
      return GpuLaunchKernel(FindUnsorted<Id>, GpuBlocks(n), kGpuThreads, 0, stream, n, ids, first);
    };
    int64 at = n;
    TF_RETURN_IF_ERROR(FindWrong(context, n, find, &at));
    const int64 shown = std::min(at, n - 1), first = std::max<int64>(shown - 1, 0);
    Id read[2];
    TF_RETURN_IF_ERROR(Read(GetGpuStream(context), ids + first, shown - first + 1, read));
    const int64 id = read[shown - first];
    if (at < n) return WrongSortedId(at, read[0], id);
    if (id == kint64max) return NoSuchSize(shown, id);
    *segments = id + 1;
    return Status();
  }

  template <typename Id>
  static Status CheckBelow(OpKernelContext* context, const Id* ids, const TensorShape& shape, int64 segments) {
    const int64 n = shape.num_elements();
    const auto find = [&](cudaStream_t stream, uint64* first) {
      return GpuLaunchKernel(FindTooLarge<Id>, GpuBlocks(n), kGpuThreads, 0, stream, n, segments, ids, first);
    };
    int64 at = n;
    TF_RETURN_IF_ERROR(FindWrong(context, n, find, &at));
    if (at == n) return Status();
    Id id;
    TF_RETURN_IF_ERROR(Read(GetGpuStream(context), ids + at, 1, &id));
    return TooLargeId(shape, at, id, segments);
  }
};

typedef Status (*GpuSegmentFold)(OpKernelContext* context, const SegmentFold& work, const GpuKeyedRow* rows,
                                 const EmptyValue& empty, const void* in, void* out);

template <typename Fold>
struct GpuSegmentFolds {
  template <typename OnCpu>
  static Status Run(OpKernelContext* context, const SegmentFold& work, const GpuKeyedRow* rows, const EmptyValue& empty,
                    const void* in, void* out) {
    typedef GpuType<OnCpu> T;
    T value;
    std::memcpy(&value, empty.bytes, sizeof value);
    const int64 results_of_block = kGpuThreads / work.lanes;
    const int64 blocks = std::min<int64>((work.results - 1) / results_of_block + 1, INT32_MAX);
    return GpuLaunchKernel(FoldSegments<Fold, T>, static_cast<unsigned>(blocks), kGpuThreads, 0, GetGpuStream(context),
                           work, rows, static_cast<const T*>(in), value, static_cast<T*>(out));
  }
};

template <typename Fold, typename Types, EmptySegment kEmpty = EmptySegment::kOfFold, bool kMean = false>
class SegmentOp : public SegmentKernel<GpuSegmentIds> {
 public:
  explicit SegmentOp(OpKernelConstruction* context)
      : SegmentKernel(context),
        fold_(LoopFor<GpuSegmentFolds<Fold>>(context->input_type(0), Types())),
        empty_(LoopFor<EmptyValues<kEmpty>>(context->input_type(0), Types())()) {}

 protected:
  Status Run(OpKernelContext* context, const GpuSegmentIds&, const SegmentSizes& sizes, Tensor* output) const override {
    Tensor one, other;
    const GpuKeyedRow* rows = nullptr;
    TF_RETURN_IF_ERROR(SortRows(context, context->input(1), context->num_inputs() == 2, &one, &other, &rows));
    return fold_(context, Divide(sizes), rows, empty_, context->input(0).data(), output->data());
  }

 private:
  // As many lanes as a segment has rows on average. Neighboring threads read neighboring columns if there are enough,
  // otherwise neighboring rows.
  SegmentFold Divide(const SegmentSizes& sizes) const {
    SegmentFold work = {sizes.rows, sizes.width,  sizes.segments * sizes.width, 1, sizes.width < 32,
                        kMean,      empty_.is_set};
    const int most = work.is_line ? kGpuThreads : kGpuThreads / 32;
    work.lanes = std::min(LanesFor((sizes.rows - 1) / sizes.segments + 1), most);
    return work;
  }

  const GpuSegmentFold fold_;
  const EmptyValue empty_;
};

#define REGISTER_SORTED(name, Types, ...) REGISTER_KERNEL_BUILDER(ON_GPU(name, Types).Waits(), __VA_ARGS__)
REGISTER_SORTED("SegmentSum", Numbers, SegmentOp<SumFold, Numbers>)
REGISTER_SORTED("SegmentProd", Numbers, SegmentOp<ProdFold, Numbers>)
REGISTER_SORTED("SegmentMean", FloatsAndComplexes,
                SegmentOp<SumFold, FloatsAndComplexes, EmptySegment::kZero, /*kMean=*/true>)
REGISTER_SORTED("SegmentMean", Integers, SegmentOp<MeanFold, Integers, EmptySegment::kZero, /*kMean=*/true>)
REGISTER_SORTED("SegmentMax", RealNumbers, SegmentOp<MaxFold, RealNumbers, EmptySegment::kZero>)
REGISTER_SORTED("SegmentMin", RealNumbers, SegmentOp<MinFold, RealNumbers, EmptySegment::kZero>)
REGISTER_SORTED("UnsortedSegmentSumGrad", Numbers, SegmentGradKernel<GpuSegmentIds>)
#define REGISTER_UNSORTED(name, Types, ...) \
  REGISTER_KERNEL_BUILDER(ON_GPU(name, Types).Waits().HostMemory("num_segments"), SegmentOp<__VA_ARGS__>)
REGISTER_UNSORTED("UnsortedSegmentSum", Numbers, SumFold, Numbers)
REGISTER_UNSORTED("UnsortedSegmentProd", Numbers, ProdFold, Numbers)
REGISTER_UNSORTED("UnsortedSegmentMax", RealNumbers, MaxFold, RealNumbers, EmptySegment::kLowest)
REGISTER_UNSORTED("UnsortedSegmentMin", RealNumbers, MinFold, RealNumbers, EmptySegment::kHighest)

}  // namespace
}  // namespace math_ops

#endif  // GOOGLE_CUDA
