// plugins/math_ops/scan.cu.cc: Cumsum, Cumprod and LinearRecurrence on a GPU.
//
// One thread scans a line, as on the CPU: of columns, it reads many rows at a time; rows are staged in shared memory,
// so that a warp reads contiguous elements. If there are few, long lines, and their sums may be reassociated, lines are
// split into parts: the first launch computes the total of each part, others scan these to get the state before each
// part, and the last one scans all parts in parallel. How lines are split depends on the shape alone, so results are
// the same on every card.
// SPDX-License-Identifier: Apache-2.0
#if GOOGLE_CUDA

#include "scan.h"

#include "gpu_elementwise.cu.h"

namespace math_ops {
namespace {

// Parts of lines: part p of line l begins at element p * part, counted in scan order. Part i is number i / lines of
// line i % lines.
struct ScanParts {
  int64 lines = 0, rows = 0, width = 0, part = 0, parts = 1;
  bool exclusive = false, reverse = false, is_aligned = false;

  __host__ __device__ int64 count() const { return lines * parts; }
  __device__ int64 RowsOf(int64 i) const {
    const int64 left = rows - i / lines * part;
    return left < part ? left : part;
  }
  // The first element, in scan order.
  __device__ int64 PlaceOf(int64 i) const {
    const int64 line = i % lines, row = i / lines * part;
    return (line / width * rows + (reverse ? rows - 1 - row : row)) * width + line % width;
  }
};

// What is read and written: `totals` gets the state after each part alone, and no output is written then. starts: the
// state before each part; NULL if there is one part. `out` may be an input.
template <typename T, int kInputs>
struct Scanned {
  const T* tensors[kInputs];
  const Wide<T>* starts;
  Wide<T>* totals;
  T* out;
};

// Scans kCount elements of registers in place, in that of the first input; those outside of [begin, end) change
// nothing.
template <typename Step, int kCount, typename T>
__device__ inline void ScanSome(Wide<T>* state, bool exclusive, int64 begin, int64 end, T (&x)[Step::kInputs][kCount]) {
  const T* inputs[Step::kInputs];
  for (int k = 0; k < Step::kInputs; ++k) inputs[k] = x[k];
  const int first = static_cast<int>(std::max<int64>(begin, 0)), last = static_cast<int>(std::min<int64>(end, kCount));
  for (int i = 0; i < kCount; ++i) {
    const Wide<T> next = Step::template Next<T>(*state, inputs, i);
    x[0][i] = static_cast<T>(exclusive ? *state : next);
    if (i >= first && i < last) *state = next;
  }
}

constexpr int kColumnThreads = 32;  // few, so that all multiprocessors have some

// Reads many rows of a column, the next ones while it scans some.
template <typename Step, typename T>
__global__ void __launch_bounds__(kColumnThreads) ScanColumns(ScanParts parts, Scanned<T, Step::kInputs> work) {
  constexpr int kRows = static_cast<int>(std::min(16 * sizeof(T), 128 / sizeof(Wide<T>) / Step::kInputs));
  const int64 step = parts.reverse ? -parts.width : parts.width;
  OPSRUN_GPU_ROLLED
  for (int64 i : GpuGridRangeX(parts.count())) {
    const int64 rows = parts.RowsOf(i), place = parts.PlaceOf(i);
    Wide<T> state = work.starts == nullptr ? Step::template Start<T>() : work.starts[i];
    T x[Step::kInputs][kRows], next[Step::kInputs][kRows] = {};
    OPSRUN_GPU_ROLLED
    for (int64 row = -kRows; row < rows; row += kRows) {
      const int64 at = place + row * step;
      const int left = static_cast<int>(std::min<int64>(rows - row, 2 * kRows));
      for (int k = 0; k < Step::kInputs; ++k) {
        const T* from = work.tensors[k] + at + kRows * step;
        for (int r = 0; r < kRows; ++r, from += step) {
          x[k][r] = next[k][r];
          if (r + kRows < left) next[k][r] = *from;
        }
      }
      if (row < 0) continue;
      ScanSome<Step>(&state, parts.exclusive, 0, left, x);
      T* to = work.out + at;
      for (int r = 0; r < kRows && work.totals == nullptr; ++r, to += step) {
        if (r < left) *to = x[0][r];
      }
    }
    if (work.totals != nullptr) work.totals[i] = state;
  }
}

// Lines whose elements are contiguous. A block scans kLines parts at the same time, a tile of kTile packs of each after
// the other. Packs are those of the tensor, so the first and the last of a part may have elements of others.
constexpr int kLines = 32, kTile = 32, kLinesOfWarp = kLines / (kGpuThreads / 32);

// The elements [begin, end) of a part.
template <int kPack>
struct PackedPart {
  int64 begin = 0, end = 0;
  bool reverse;

  __device__ PackedPart(const ScanParts& parts, int64 i) : reverse(parts.reverse) {
    if (i >= parts.count()) return;
    const int64 rows = parts.RowsOf(i), place = parts.PlaceOf(i);
    begin = reverse ? place + 1 - rows : place;
    end = begin + rows;
  }
  // That of another thread of the warp.
  __device__ PackedPart(const PackedPart& own, int lane)
      : begin(GpuShuffleSync(kGpuWarpAll, own.begin, lane)),
        end(GpuShuffleSync(kGpuWarpAll, own.end, lane)),
        reverse(own.reverse) {}
  // Of pack q, in scan order.
  __device__ int64 PlaceOf(int64 q) const {
    return reverse ? ((end - 1) / kPack - q) * kPack : (begin / kPack + q) * kPack;
  }
  __device__ bool IsWhole(int64 place) const { return place >= begin && place + kPack <= end; }
  __device__ bool Has(int64 place) const { return place >= begin && place < end; }
  // How many elements of pack 0, in scan order, are before the part.
  __device__ int64 Skipped() const { return reverse ? PlaceOf(0) + kPack - end : begin - PlaceOf(0); }
};

template <typename T, int kPack>
__device__ inline void Flip(GpuPack<T, kPack>* pack) {
  for (int k = 0; k < kPack / 2; ++k) {
    const T other = pack->elements[k];
    pack->elements[k] = pack->elements[kPack - 1 - k];
    pack->elements[kPack - 1 - k] = other;
  }
}

// Moves elements of a pack that is not whole, or not aligned: in(place) to the pack, or out(place).
template <typename T, int kPack, typename Move>
__device__ inline void MoveSome(const PackedPart<kPack>& part, int64 place, GpuPack<T, kPack>* pack, const Move& move) {
  OPSRUN_GPU_ROLLED
  for (int k = 0; k < kPack; ++k) {
    if (part.Has(place + k)) move(place + k, &pack->elements[part.reverse ? kPack - 1 - k : k]);
  }
}

template <typename Step, typename T>
__global__ void __launch_bounds__(kGpuThreads) ScanLines(ScanParts parts, Scanned<T, Step::kInputs> work) {
  constexpr int kPack = kGpuPackSize<T, T>, kInputs = Step::kInputs, kSome = std::max(16 / kPack / kInputs, 1);
  typedef GpuPack<T, kPack> Pack;
  __shared__ Pack tiles[kInputs][kLines][kTile];
  // The packs of a line are permuted so that the threads that scan use different banks of memory.
  const auto tile = [](int k, int line, int q) -> Pack& { return tiles[k][line][q ^ (line & 7)]; };
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, first_line = thread / 32 * kLinesOfWarp;
  const int64 first = int64{blockIdx.x} * kLines, scanned = first + lane, packs = parts.part / kPack + 2;
  const PackedPart<kPack> own(parts, scanned);
  static_assert(kLinesOfWarp == 4);
  const PackedPart<kPack> moved[kLinesOfWarp] = {
      {own, first_line}, {own, first_line + 1}, {own, first_line + 2}, {own, first_line + 3}};
  Wide<T> state = Step::template Start<T>();
  if (work.starts != nullptr && scanned < parts.count()) state = work.starts[scanned];
  OPSRUN_GPU_ROLLED
  for (int64 q = -kTile; q < packs; q += kTile) {
    Pack next[kInputs][kLinesOfWarp];  // of the next round: read while this one is scanned
    for (int k = 0; k < kInputs; ++k) {
      for (int l = 0; l < kLinesOfWarp; ++l) {
        const int64 place = moved[l].PlaceOf(q + kTile + lane);
        if (!parts.is_aligned || !moved[l].IsWhole(place)) continue;
        next[k][l] = *reinterpret_cast<const Pack*>(work.tensors[k] + place);
        if (parts.reverse) Flip(&next[k][l]);
      }
    }
    OPSRUN_GPU_ROLLED
    for (int i = q < 0 ? kTile : 0; i < kTile && thread < kLines; i += kSome) {
      T x[kInputs][kSome * kPack];
      for (int k = 0; k < kInputs; ++k) {
        for (int j = 0; j < kSome * kPack; ++j) x[k][j] = tile(k, lane, i + j / kPack).elements[j % kPack];
      }
      const int64 begin = own.Skipped() - (q + i) * kPack;
      ScanSome<Step>(&state, parts.exclusive, begin, begin + own.end - own.begin, x);
      for (int j = 0; j < kSome * kPack; ++j) tile(0, lane, i + j / kPack).elements[j % kPack] = x[0][j];
    }
    __syncthreads();
    for (int l = 0; l < kLinesOfWarp && q >= 0 && work.totals == nullptr; ++l) {
      const int64 place = moved[l].PlaceOf(q + lane);
      Pack* const from = &tile(0, first_line + l, lane);
      if (parts.is_aligned && moved[l].IsWhole(place)) {
        Pack pack = *from;
        if (parts.reverse) Flip(&pack);
        *reinterpret_cast<Pack*>(work.out + place) = pack;
      } else {
        MoveSome(moved[l], place, from, [&](int64 at, const T* x) { work.out[at] = *x; });
      }
    }
    for (int k = 0; k < kInputs; ++k) {
      for (int l = 0; l < kLinesOfWarp; ++l) {
        const int64 place = moved[l].PlaceOf(q + kTile + lane);
        Pack* const to = &tile(k, first_line + l, lane);
        if (parts.is_aligned && moved[l].IsWhole(place)) {
          *to = next[k][l];
        } else {
          MoveSome(moved[l], place, to, [&](int64 at, T* x) { *x = work.tensors[k][at]; });
        }
      }
    }
    __syncthreads();
  }
  if (work.totals != nullptr && thread < kLines && scanned < parts.count()) work.totals[scanned] = state;
}

// As many parts as occupy the card, of at least 256 elements each.
ScanParts CutLines(const ScanShape& shape, ScanAttrs attrs, bool splits) {
  constexpr int64 kThreads = 16384, kEnoughLines = 4096, kLeast = 256;
  ScanParts parts;
  parts.lines = shape.lines();
  parts.rows = parts.part = shape.rows;
  parts.width = shape.width;
  parts.exclusive = attrs.exclusive;
  parts.reverse = attrs.reverse;
  if (!splits || shape.rows <= kLeast || parts.lines >= kEnoughLines) return parts;
  const int64 wanted = std::max<int64>(std::min(kThreads / parts.lines, shape.rows / kLeast), 1);
  parts.part = (shape.rows + wanted - 1) / wanted;
  parts.parts = (shape.rows + parts.part - 1) / parts.part;
  return parts;
}

template <typename Step>
struct GpuScans {
  template <typename T>
  static Status Launch(OpKernelContext* context, ScanParts parts, const Scanned<T, Step::kInputs>& work) {
    constexpr int kPack = kGpuPackSize<T, T>;
    constexpr int64 kShortLine = 32, kMostBlocks = 1 << 20;
    const gpuStream_t stream = GetGpuStream(context);
    if (parts.width > 1 || parts.part <= kShortLine) {
      const int64 blocks = std::min((parts.count() - 1) / kColumnThreads + 1, kMostBlocks);
      return GpuLaunchKernel(ScanColumns<Step, T>, dim3(static_cast<unsigned>(blocks)), kColumnThreads, 0, stream,
                             parts, work);
    }
    parts.is_aligned = work.out == nullptr || IsAlignedFor<T, kPack>(work.out);
    for (const T* input : work.tensors) parts.is_aligned = parts.is_aligned && IsAlignedFor<T, kPack>(input);
    return GpuLaunchKernel(ScanLines<Step, T>, dim3(static_cast<unsigned>((parts.count() - 1) / kLines + 1)),
                           kGpuThreads, 0, stream, parts, work);
  }

  // Computes the state before each part: an exclusive scan of the totals, a matrix with a row for each part.
  template <typename T>
  static Status LaunchStarts(OpKernelContext* context, const ScanParts& parts, Scanned<T, Step::kInputs> work,
                             Wide<T>* starts) {
    work.totals = starts;
    TF_RETURN_IF_ERROR(Launch<T>(context, parts, work));
    const ScanShape totals(TensorShape({parts.parts, parts.lines}), 0);
    const void* const in = starts;
    return Run<Wide<T>>(context, totals, {true, false}, &in, starts);
  }

  template <typename OnCpu>
  static Status Run(OpKernelContext* context, const ScanShape& shape, ScanAttrs attrs, const void* const* ins,
                    void* output) {
    typedef GpuType<OnCpu> T;
    Scanned<T, Step::kInputs> work = {};
    for (int i = 0; i < Step::kInputs; ++i) work.tensors[i] = static_cast<const T*>(ins[i]);
    work.out = static_cast<T*>(output);
    const ScanParts parts = CutLines(shape, attrs, Step::template kSplits<T>);
    Tensor temporary;
    if constexpr (Step::template kSplits<T>) {
      if (parts.parts > 1) {
        const int64 bytes = parts.count() * int64{sizeof(Wide<T>)};
        TF_RETURN_IF_ERROR(context->allocate_temp(DT_UINT8, TensorShape({bytes}), &temporary));
        Wide<T>* const starts = static_cast<Wide<T>*>(temporary.data());
        TF_RETURN_IF_ERROR(LaunchStarts<T>(context, parts, work, starts));
        work.starts = starts;
      }
    }
    return Launch<T>(context, parts, work);
  }
};

#define REGISTER_GPU_SCAN(name, Step, Types) \
  REGISTER_KERNEL_BUILDER(ON_GPU(name, Types).HostMemory("axis").Capturable(), ScanOp<GpuScans<Step>, Types>)
REGISTER_GPU_SCAN("Cumsum", SumStep, Numbers)
REGISTER_GPU_SCAN("Cumprod", ProductStep, Numbers)
REGISTER_GPU_SCAN("LinearRecurrence", RecurrenceStep, FloatsAndComplexes)

}  // namespace
}  // namespace math_ops

#endif  // GOOGLE_CUDA
