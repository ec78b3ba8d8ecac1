// plugins/math_ops/isa_kernels.h: loops that are compiled for several instruction sets.
//
// Each set has one table of functions, which code outside of the sets gets from BestKernels().
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

namespace math_ops {

// Transcendental functions of arrays. unary_loops_impl.h implements them in a namespace that its includer chooses, so
// that it can be compiled several times, with different flags. Callers use Loops().

// out[i] = f(in[i]) for i in [0, n). `out` may be `in`; otherwise they must not overlap. Any n, any alignment.
template <typename T>
using UnaryRun = void (*)(const T* in, T* out, int64_t n);
// out[i] = f(x[i], y[i]). `out` may be x or y.
template <typename T>
using BinaryRun = void (*)(const T* x, const T* y, T* out, int64_t n);

// One function, for both types.
template <template <typename> class Run>
struct ForFloats {
  Run<float> f32;
  Run<double> f64;

  template <typename T>
  Run<T> For() const {
    if constexpr (sizeof(T) == sizeof(float)) {
      return f32;
    } else {
      return f64;
    }
  }
};
typedef ForFloats<UnaryRun> UnaryFunction;
typedef ForFloats<BinaryRun> BinaryFunction;

struct TranscendentalLoops {
  UnaryFunction exp, expm1, log, log1p, sqrt, rsqrt, sin, cos, tan, tanh, sigmoid, softplus, erf;
  BinaryFunction pow, atan2;
  UnaryFunction softmax, log_softmax;  // of a row
};

struct SimpleLoops;

// A complex matrix as a real one: each element x + iy is [[x, y], [-y, x]], and each conjugated one [[x, -y], [y, x]].
enum class Elements { kReal, kComplex, kConjugated };

// A matrix in memory: element (i, j) is at data[i * stride + j], or at data[j * stride + i] if it is transposed. If the
// elements in memory are complex, they are pairs of numbers, i and j are even, and the element at (i / 2, j / 2) is
// there instead.
template <typename T>
struct MatrixView {
  const T* data;
  int64_t stride;
  bool transposed;
  Elements elements = Elements::kReal;

  // The submatrix that begins at (i, j).
  MatrixView At(int64_t i, int64_t j) const {
    const int64_t row = transposed ? j : i, column = transposed ? i : j;
    return {data + row / (elements == Elements::kReal ? 1 : 2) * stride + column, stride, transposed, elements};
  }
};

// A part of the right factor, of 1 MiB, whose panels fit the second level of a cache.
constexpr int64_t kPanelsDepth = 512;
template <typename T>
constexpr int64_t kPanelsColumns = 2048 / static_cast<int64_t>(sizeof(T));

// out = a b, or out += a b if `add`. a is [rows, depth], and its elements are real; b is [depth, columns]. Element (i,
// j) of the result is at out[i * out_stride + j], and the sum of its products in their order. Integers wrap, so they
// are unsigned. Any size may be 0.
template <typename T>
struct Product {
  int64_t rows, depth, columns;
  MatrixView<T> a, b;
  T* out;
  int64_t out_stride;
  bool add = false;
  const T* panels = nullptr;  // a copy of b that several products share; otherwise a product makes its own

  // What kPanelsDepth rows and kPanelsColumns columns of b, or fewer at its end, from (k, j) contribute.
  Product Part(int64_t k, int64_t j, const T* part_panels) const {
    const int64_t part_depth = depth - k < kPanelsDepth ? depth - k : kPanelsDepth;
    const int64_t part_columns = columns - j < kPanelsColumns<T> ? columns - j : kPanelsColumns<T>;
    return {rows, part_depth, part_columns, a.At(0, k), b.At(k, j), out + j, out_stride, add || k > 0, part_panels};
  }
};

template <typename T>
using Multiply = void (*)(const Product<T>& product);

// Copies `depth` rows of a matrix to panels of Kernels::panel_bytes of columns, one after another; the last one may
// have more columns than b. Panels have panel_depth rows, each following the one before; `panels` is the first one to
// write.
template <typename T>
using CopyToPanels = void (*)(const MatrixView<T>& b, int64_t depth, int64_t columns, int64_t panel_depth, T* panels);

// Memory that vectors do not cross the lines of.
template <typename T>
class AlignedArray {
 public:
  explicit AlignedArray(int64_t n)
      : memory_(new T[static_cast<size_t>(n) + kLine / sizeof(T)]),
        data_(reinterpret_cast<T*>((reinterpret_cast<uintptr_t>(memory_.get()) + kLine - 1) / kLine * kLine)) {}

  T* data() const { return data_; }

 private:
  static constexpr size_t kLine = 64;

  std::unique_ptr<T[]> memory_;
  T* data_;
};

// Where a run of values begins, from the first value of a window, and the row of its weights.
struct WindowRun {
  int64_t at, weights;
};

// What becomes of sums s before they are stored: s + bias[column + j], then s + added[..] at their place in `out`, then
// Relu of s; a null pointer adds nothing.
template <typename T>
struct AfterSums {
  const T* bias = nullptr;
  const T* added = nullptr;
  const T* out = nullptr;
  bool relu = false;
};

// The products of n windows, of images for example, with a panel of weights: outs[i][column + j] is the sum, over the
// runs r and k in [0, run_length), of windows[i][r.at + k * step] * weights[(r.weights + k) * weights_stride + j],
// added to what is there if `add`, and changed as `after` says. Sums are in this order. n > 0.
template <typename T>
struct WindowProducts {
  const T* const* windows;
  T* const* outs;
  int64_t n;
  const WindowRun* runs;
  int64_t n_runs, run_length;
  // Rows are readable up to a multiple of Kernels::vector_bytes.
  const T* weights;
  int64_t weights_stride, columns;  // at most Kernels::panel_bytes of columns
  int64_t column;
  int64_t step = 1;
  bool add = false;
  AfterSums<T> after = {};
};

template <typename T>
using AddWindowProducts = void (*)(const WindowProducts<T>& products);

struct ImageWindows;

// The largest pixels of the windows of row y of an image: out[window * channels + channel].
template <typename T>
using MaxPool = void (*)(const ImageWindows& images, const T* image, long long y, T* out);

// The name is "x86_64_v3" for -march=x86-64-v3, and "plain" for a set without options.
struct Kernels {
  const char* name;
  std::tuple<Multiply<float>, Multiply<double>, Multiply<uint32_t>, Multiply<uint64_t>> multiply;
  std::tuple<CopyToPanels<float>, CopyToPanels<double>, CopyToPanels<uint32_t>, CopyToPanels<uint64_t>> copy_to_panels;
  std::tuple<AddWindowProducts<float>, AddWindowProducts<double>, AddWindowProducts<uint32_t>> window_products;
  int64_t vector_bytes, panel_bytes;
  int64_t rows_at_once;  // of products: units of work are a multiple of it
  std::tuple<MaxPool<float>, MaxPool<double>> max_pool;
  const TranscendentalLoops* transcendental;
  const SimpleLoops* simple;
};

// The tables of all compiled sets that this processor can run, the fastest last. Empty if the processor is older than
// all of them.
std::vector<const Kernels*> SupportedKernels();

// The last one of SupportedKernels(), or NULL.
const Kernels* BestKernels();

// The transcendental functions for this processor; also for one that is older than all sets.
const TranscendentalLoops& Loops();

// What the processor and the operating system report; all zero on other processors than x86-64.
struct CpuFacts {
  uint32_t leaf1_ecx = 0, leaf7_ebx = 0, extended1_ecx = 0;  // from the instruction CPUID
  uint64_t saved_state = 0;                                  // XCR0: the registers that the system saves
};

// For tests: the highest N up to 4 such that code compiled for x86-64-vN runs; 1 if unknown. A level requires all of
// its instructions, and an operating system that saves its registers.
int LevelOf(const CpuFacts& facts);

}  // namespace math_ops
