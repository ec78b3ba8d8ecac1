// plugins/math_ops/fold_loops.h: the loops of a reduction, generated from a fold.
//
// A fold is a struct with, for elements of type T,
// template <typename T> using Acc     the type of accumulators
// Start<T>()                          the accumulator of no elements
// Combine(Acc, Acc)                   the accumulator of both together
// Finish<T>(Acc, count)               the result of `count` elements
// and, optionally,
// OfElement<T>(Wide<T>)               the accumulator of one element; by default, the element
// Like<T>                             a fold that differs only in Finish
// kDecided                            an accumulator that further elements cannot change
// FloatBlock(const T* in, n)          the accumulator of n elements of float or double
// IsBetter(Acc, Acc)                  whether the first would be chosen even if the second came before it
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types.h"

namespace math_ops {

// The accumulator of one element.

// Whether the fold defines OfElement.
template <typename Fold, typename T, typename = void>
constexpr bool kMapsElements = false;
template <typename Fold, typename T>
constexpr bool kMapsElements<Fold, T, std::void_t<decltype(Fold::template OfElement<T>(Wide<T>()))>> = true;

template <typename Fold, typename T>
constexpr typename Fold::template Acc<T> AccOf(T element) {
  const auto x = static_cast<Wide<T>>(element);
  if constexpr (kMapsElements<Fold, T>) {
    return Fold::template OfElement<T>(x);
  } else {
    return static_cast<typename Fold::template Acc<T>>(x);
  }
}

// The loops of one reduction for one element type. `acc` points to accumulators.
struct FoldLoops {
  int64 acc_bytes;  // at most 16
  // Sets acc[j] to the accumulator of no elements, for j in [0, width).
  void (*start)(void* acc, int64 width);
  // Adds the elements in[0] to in[n - 1] to acc[0].
  void (*fold)(void* acc, const void* in, int64 n);
  // Adds the elements in[i * stride + j] to acc[j], for i in [0, rows) and j in [0, width).
  void (*fold_rows)(void* acc, const void* in, int64 rows, int64 stride, int64 width);
  // Adds from[j] to acc[j], for j in [0, width).
  void (*merge)(void* acc, const void* from, int64 width);
  // out[j] = the result of acc[j], to which `count` elements were added, for j in [0, width).
  void (*finish)(const void* acc, void* out, int64 count, int64 width);
  // out[i] = the index of the best of the elements in[i * n] to in[i * n + n - 1], the first of equal ones, for i in
  // [0, lines). NULL unless the fold selects one of its elements.
  void (*find)(const void* in, int64 lines, int64 n, int64* out);
};

template <typename Fold, typename = void>
constexpr bool kDecides = false;
template <typename Fold>
constexpr bool kDecides<Fold, std::void_t<decltype(Fold::kDecided)>> = true;

template <typename Fold, typename = void>
constexpr bool kHasFloatBlock = false;
template <typename Fold>
constexpr bool kHasFloatBlock<Fold, std::void_t<decltype(&Fold::template FloatBlock<float>)>> = true;

template <typename Fold, typename = void>
constexpr bool kChooses = false;
template <typename Fold>
constexpr bool kChooses<Fold, std::void_t<decltype(&Fold::template IsBetter<float>)>> = true;

// The fold with the same accumulators, which has the loops already: Fold::Like<T>, or the fold itself.
template <typename Fold, typename T, typename = void>
struct LikeOf {
  typedef Fold type;
};
template <typename Fold, typename T>
struct LikeOf<Fold, T, std::void_t<typename Fold::template Like<T>>> {
  typedef typename Fold::template Like<T> type;
};
template <typename Fold, typename T>
using FoldedLike = typename LikeOf<Fold, T>::type;

template <typename Fold, typename T>
struct FoldLoopsOf {
  typedef typename Fold::template Acc<T> Acc;
  static_assert(sizeof(Acc) <= 16);

  static void Start(void* acc, int64 width) {
    for (int64 j = 0; j < width; ++j) static_cast<Acc*>(acc)[j] = Fold::template Start<T>();
  }

  static Acc Read(const T* in) { return AccOf<Fold>(*in); }

  // How many bytes are prefetched: lines are short for hardware prefetchers, which stop at the end of a page
  // (measured).
  static constexpr int64 kAhead = 2048;

  // Several accumulators, so that the processor adds many elements in parallel.
  static Acc FoldBlock(const T* in, int64 n) {
    if constexpr (kHasFloatBlock<Fold> && std::is_floating_point_v<T>) return Fold::FloatBlock(in, n);
    constexpr int kLanes = sizeof(Acc) == 1 ? 64 : std::is_integral_v<Acc> || sizeof(Acc) <= 8 ? 32 : 16;
    Acc lanes[kLanes];
    int64 i = 0;
    for (int64 k = 0; k < kLanes; ++k) lanes[k] = Fold::template Start<T>();
    for (; i + kLanes <= n; i += kLanes) {
      for (size_t line = 0; line < kLanes * sizeof(T); line += 64) {
        __builtin_prefetch(reinterpret_cast<const char*>(in + i) + kAhead + line);
      }
      for (int k = 0; k < kLanes; ++k) lanes[k] = Fold::Combine(lanes[k], Read(in + i + k));
    }
    if (n < kLanes) {
      for (int64 k = 0; k < n; ++k) lanes[k] = Fold::Combine(lanes[k], Read(in + k));
    } else if (i < n) {  // once more all lanes, of which the first ones get no elements
      const int first = kLanes - static_cast<int>(n - i);
      for (int k = 0; k < kLanes; ++k) {
        const Acc last = Read(in + n - kLanes + k);
        lanes[k] = Fold::Combine(lanes[k], k >= first ? last : Fold::template Start<T>());
      }
    }
    return CombineAll<kLanes>(lanes);
  }

  // All sizes are constants, so that each step is one of a few vectors.
  template <int kCount>
  static Acc CombineAll(Acc* lanes) {
    if constexpr (kCount == 1) {
      return lanes[0];
    } else {
      constexpr int kHalf = kCount / 2;
      for (int k = 0; k < kHalf; ++k) lanes[k] = Fold::Combine(lanes[k], lanes[k + kHalf]);
      return CombineAll<kHalf>(lanes);
    }
  }

  // Whether further elements cannot change it.
  static bool IsDecided([[maybe_unused]] Acc acc) {
    if constexpr (kDecides<Fold>) return acc == Fold::kDecided;
    return false;
  }

  // Pairwise, so that rounding errors grow with the logarithm of n.
  __attribute__((noinline)) static Acc FoldTree(const T* in, int64 n) {
    constexpr int64 kBlock = std::is_integral_v<Acc> || kHasFloatBlock<Fold> ? 8192 : 1024;  // exact folds need no tree
    if (n <= kBlock) return FoldBlock(in, n);
    const int64 half = (n / 2 + kBlock - 1) / kBlock * kBlock;
    const Acc first = FoldTree(in, half);
    return IsDecided(first) ? first : Fold::Combine(first, FoldTree(in + half, n - half));
  }

  static void FoldLine(void* acc, const void* in, int64 n) {
    Acc* const to = static_cast<Acc*>(acc);
    const T* const from = static_cast<const T*>(in);
    if (IsDecided(*to)) return;
    if (n >= 8) {
      *to = Fold::Combine(*to, FoldTree(from, n));
    } else {
      for (int64 i = 0; i < n; ++i) *to = Fold::Combine(*to, Read(from + i));
    }
  }

  static void FoldRows(void* acc, const void* in, int64 rows, int64 stride, int64 width) {
    Acc* const to = static_cast<Acc*>(acc);
    const T* from = static_cast<const T*>(in);
    int64 i = 0;
    // Four rows at a time, so that the accumulators are read and written less often. Rows of medium size are read one
    // after the other, which hardware prefetchers handle better (measured).
    const bool is_medium = width * int64{sizeof(T)} > 256 && width * int64{sizeof(T)} < 4096;
    for (; !is_medium && i + 4 <= rows; i += 4, from += 4 * stride) {
      MATH_OPS_INDEPENDENT
      for (int64 j = 0; j < width; ++j) {
        const Acc a = Fold::Combine(Read(from + j), Read(from + stride + j));
        const Acc b = Fold::Combine(Read(from + 2 * stride + j), Read(from + 3 * stride + j));
        to[j] = Fold::Combine(to[j], Fold::Combine(a, b));
      }
    }
    for (; i < rows; ++i, from += stride) {
      MATH_OPS_INDEPENDENT
      for (int64 j = 0; j < width; ++j) to[j] = Fold::Combine(to[j], Read(from + j));
    }
  }

  static void Merge(void* acc, const void* from, int64 width) {
    Acc* const to = static_cast<Acc*>(acc);
    for (int64 j = 0; j < width; ++j) to[j] = Fold::Combine(to[j], static_cast<const Acc*>(from)[j]);
  }

  static void Finish(const void* acc, void* out, int64 count, int64 width) {
    T* const to = static_cast<T*>(out);
    for (int64 j = 0; j < width; ++j) to[j] = Fold::template Finish<T>(static_cast<const Acc*>(acc)[j], count);
  }

  static int64 FindInFew(const T* in, int64 n) {
    Acc best = Read(in);
    int64 at = 0;
    for (int64 i = 1; i < n; ++i) {
      const Acc x = Read(in + i);
      const bool better = Fold::IsBetter(x, best);
      best = better ? x : best;
      at = better ? i : at;
    }
    return at;
  }

  // The index of the first element for which is_it(element) is true. Tests several vectors at a time. Requires: there
  // is one.
  template <typename Predicate>
  static int64 FindFirst(const T* in, int64 n, const Predicate& is_it) {
    int64 at = 0;
    if constexpr (std::is_same_v<T, Acc>) {
#ifdef __AVX2__
      constexpr int kBytes = 32;
#else
      constexpr int kBytes = 16;
#endif
      typedef T V __attribute__((vector_size(kBytes)));
      typedef long long Bits __attribute__((vector_size(kBytes)));
      constexpr int64 kLanes = kBytes / sizeof(T), kVectors = 128 / kBytes;
      for (; at + kVectors * kLanes <= n; at += kVectors * kLanes) {
        Bits found = {};
        for (int64 k = 0; k < kVectors; ++k) {
          V x;
          __builtin_memcpy(&x, in + at + k * kLanes, sizeof(x));
          found |= (Bits)is_it(x);
        }
        long long any = 0;
        for (size_t k = 0; k < kBytes / sizeof(any); ++k) any |= found[k];
        if (any != 0) break;
      }
    }
    while (!is_it(Read(in + at))) ++at;
    return at;
  }

  // Finds the best value of each block first, and then searches only the block of the overall best for its index.
  static int64 FindInLine(const T* in, int64 n) {
    constexpr int64 kBlock = 4096 / sizeof(T);
    Acc best = FoldBlock(in, n < kBlock ? n : kBlock);
    int64 begin = 0;
    for (int64 i = kBlock; i < n && best == best; i += kBlock) {
      const Acc block = FoldBlock(in + i, n - i < kBlock ? n - i : kBlock);
      if (!Fold::IsBetter(block, best)) continue;
      best = block;
      begin = i;
    }
    const int64 rest = n - begin < kBlock ? n - begin : kBlock;
    if (best != best) return begin + FindFirst(in + begin, rest, [](auto x) { return x != x; });
    return begin + FindFirst(in + begin, rest, [best](auto x) { return x == best; });
  }

  static void Find(const void* in, int64 lines, int64 n, int64* out) {
    const T* const from = static_cast<const T*>(in);
    if (n <= 16) {
      for (int64 i = 0; i < lines; ++i) out[i] = FindInFew(from + i * n, n);
    } else {
      for (int64 i = 0; i < lines; ++i) out[i] = FindInLine(from + i * n, n);
    }
  }

  static constexpr auto Finder() -> void (*)(const void*, int64, int64, int64*) {
    if constexpr (kChooses<Fold>) return &Find;
    return nullptr;
  }

  typedef FoldLoopsOf<FoldedLike<Fold, T>, T> Folded;
  static constexpr FoldLoops kLoops = {sizeof(Acc),    &Folded::Start, &Folded::FoldLine, &Folded::FoldRows,
                                       &Folded::Merge, &Finish,        Finder()};
};

// For LoopFor: the loops for one type.
template <typename Fold>
struct FoldLoopsFor {
  template <typename T>
  static const FoldLoops* For() {
    return &FoldLoopsOf<Fold, LoopType<Fold, T>>::kLoops;
  }
};

}  // namespace math_ops
