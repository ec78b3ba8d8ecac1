// plugins/math_ops/matrix_products.h: products of matrices, for one instruction set.
//
// Included by isa_set.cc, in whose namespace it is compiled. The rows of a are windows, and b is cut into panels of
// columns that are contiguous in memory. The panels of a part of b stay in the second level of the cache while all rows
// pass by. Each sum is computed in the order of k, so it depends neither on the other rows and columns, nor on how the
// work is divided.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "window_products.h"

namespace math_ops {
namespace {

template <typename T>
constexpr int64_t kPanel = kPanelVectors* kLanes<T>;

// The rows of a that are multiplied with a panel before the next one.
constexpr int64_t kRowsAtOnce = 4 * kWindowsAtOnce;

template <typename T>
void CopyVectors(const T* in, int64_t n, T* out) {
  typedef typename VectorOf<T>::AtAnyAddress AtAnyAddress;
  int64_t i = 0;
  for (; i + kLanes<T> <= n; i += kLanes<T>) {
    *reinterpret_cast<AtAnyAddress*>(out + i) = *reinterpret_cast<const AtAnyAddress*>(in + i);
  }
  for (; i < n; ++i) out[i] = in[i];
}

// The numbers of each pair, exchanged.
template <typename Vector, size_t... kLane>
Vector Exchanged(const Vector& v, std::index_sequence<kLane...>) {
  return __builtin_shufflevector(v, v, (kLane ^ 1)...);
}

// Writes the real form of a part of a complex matrix: [x, y] and [-y, x] for x + iy.
template <typename T>
void CopyComplex(const MatrixView<T>& b, int64_t depth, int64_t width, T* out) {
  typedef typename VectorOf<T>::Type Vector;
  typedef typename VectorOf<T>::AtAnyAddress AtAnyAddress;
  constexpr auto kIndices = std::make_index_sequence<static_cast<size_t>(kLanes<T>)>();
  const T sign = b.elements == Elements::kConjugated ? T(-1) : T(1);
  Vector signs{}, exchanged_signs{};
  for (int64_t i = 0; i < kLanes<T>; i += 2) {
    signs[i] = exchanged_signs[i + 1] = T{1};
    signs[i + 1] = sign;
    exchanged_signs[i] = -sign;
  }
  const int64_t step = b.transposed ? b.stride : 2;
  for (int64_t k = 0; k < depth; k += 2, out += 2 * kPanel<T>) {
    const T* from = b.At(k, 0).data;
    alignas(kVectorBytes) T row[kPanel<T>];
    if (step != 2 || width < kPanel<T>) {
      std::fill(row + width, row + kPanel<T>, T{0});
      for (int64_t j = 0; j < width; j += 2) std::copy_n(from + j / 2 * step, 2, row + j);
      from = row;
    }
    for (int64_t j = 0; j < kPanel<T>; j += kLanes<T>) {
      const Vector pairs = *reinterpret_cast<const AtAnyAddress*>(from + j);
      *reinterpret_cast<AtAnyAddress*>(out + j) = pairs * signs;
      *reinterpret_cast<AtAnyAddress*>(out + kPanel<T> + j) = Exchanged(pairs, kIndices) * exchanged_signs;
    }
  }
}

// Writes `width` <= kPanel columns of b, and to the others what is behind them, or zeros: their sums are not stored,
// but numbers that are not normal would take longer.
template <typename T>
void CopyPanel(const MatrixView<T>& b, int64_t depth, int64_t width, T* out) {
  if constexpr (std::is_floating_point<T>::value) {
    if (b.elements != Elements::kReal) return CopyComplex(b, depth, width, out);
  }
  if (b.transposed) {
    constexpr int64_t kLine = 64 / sizeof(T);
    if (width < kPanel<T>) std::fill_n(out, depth * kPanel<T>, T{0});
    for (int64_t k = 0; k < depth; k += kLine) {
      for (int64_t j = 0; j < width; ++j) {
        for (int64_t i = k; i < std::min(k + kLine, depth); ++i) out[i * kPanel<T> + j] = b.data[j * b.stride + i];
      }
    }
    return;
  }
  // For whole panels, and where the next rows are behind the columns.
  const int64_t behind = (depth - 1) * b.stride + width - kPanel<T>;
  const int64_t whole = width == kPanel<T> ? depth : behind < 0 ? 0 : behind / b.stride + 1;
  for (int64_t k = 0; k < depth; ++k, out += kPanel<T>) {
    const T* const row = b.data + k * b.stride;
    if (k < whole) {
      CopyVectors(row, kPanel<T>, out);
    } else {
      std::fill(std::copy_n(row, width, out), out + kPanel<T>, T{0});
    }
  }
}

template <typename T>
void CopyPanels(const MatrixView<T>& b, int64_t depth, int64_t columns, int64_t panel_depth, T* out) {
  // Some rows at a time, because their panels are next to each other in b.
  constexpr int64_t kRows = 16;
  for (int64_t k = 0; k < depth; k += kRows) {
    for (int64_t j = 0; j < columns; j += kPanel<T>) {
      CopyPanel(b.At(k, j), std::min(kRows, depth - k), std::min(kPanel<T>, columns - j),
                out + j * panel_depth + k * kPanel<T>);
    }
  }
}

// Rows of a, as windows, and those of the product.
template <typename T>
struct Rows {
  const T* first[kRowsAtOnce];
  T* outs[kRowsAtOnce];
  int64_t step;

  Rows(T* out, int64_t out_stride, int64_t rows) {
    for (int64_t i = 0; i < rows; ++i) outs[i] = out + i * out_stride;
  }

  void Show(const MatrixView<T>& a, int64_t rows) {
    for (int64_t i = 0; i < rows; ++i) first[i] = a.At(i, 0).data;
    step = a.transposed ? a.stride : 1;
  }

  // Shows copies, which are next to each other: a processor's caches find rows that are a power of two apart in few
  // places.
  void ShowCopies(const MatrixView<T>& a, int64_t rows, int64_t depth, T* memory, bool are_there) {
    step = a.transposed ? kWindowsAtOnce : 1;
    for (int64_t i = 0; i < rows; ++i) {
      first[i] = memory + (a.transposed ? i / kWindowsAtOnce * kWindowsAtOnce * depth + i % kWindowsAtOnce : i * depth);
      if (!a.transposed && !are_there) CopyVectors(a.data + i * a.stride, depth, memory + i * depth);
    }
    if (are_there) return;
    for (int64_t i = 0; a.transposed && i < rows; i += kWindowsAtOnce, memory += kWindowsAtOnce * depth) {
      const int64_t n = std::min<int64_t>(kWindowsAtOnce, rows - i);
      for (int64_t k = 0; k < depth; ++k) {
        const T* const from = a.data + k * a.stride + i;
        T* const to = memory + k * kWindowsAtOnce;
        n == kWindowsAtOnce ? std::copy_n(from, kWindowsAtOnce, to) : std::copy_n(from, n, to);
      }
    }
  }
};

// Whether it is worth it to copy a: if its rows are far apart, and used often.
template <typename T>
bool CopiesRows(const Product<T>& p) {
  constexpr int64_t kFarBytes = 4096, kFewPanels = 4;
  const bool far = p.a.transposed || p.a.stride * static_cast<int64_t>(sizeof(T)) >= kFarBytes;
  return far && p.columns > kFewPanels * kPanel<T> && p.rows > kWindowsAtOnce;
}

// Where rows of a are copied to.
template <typename T>
struct RowCopies {
  T* memory = nullptr;     // null: they are not copied
  bool all = false;        // of all rows, not only of those that are multiplied next
  bool are_there = false;  // for the columns before these
};

template <typename T>
void MultiplyPanels(const Product<T>& p, const RowCopies<T>& copies) {
  constexpr WindowRun kAll = {0, 0};
  for (int64_t i = 0; i < p.rows; i += kRowsAtOnce) {
    const int64_t rows = std::min(kRowsAtOnce, p.rows - i);
    Rows<T> a(p.out + i * p.out_stride, p.out_stride, rows);
    const MatrixView<T> these = p.a.At(i, 0);
    copies.memory == nullptr
        ? a.Show(these, rows)
        : a.ShowCopies(these, rows, p.depth, copies.memory + (copies.all ? i * p.depth : 0), copies.are_there);
    for (int64_t j = 0; j < p.columns; j += kPanel<T>) {
      AddWindowsToPanel<T>({a.first, a.outs, rows, &kAll, 1, p.depth, p.panels + j * p.depth, kPanel<T>,
                            std::min(kPanel<T>, p.columns - j), j, a.step, p.add});
    }
  }
}

// For few rows, for which copies of b would take longer than the product. Only panels of complex elements are copied,
// and one that ends with b, since there is nothing to read behind it.
template <typename T>
void MultiplyFewRows(const Product<T>& p) {
  constexpr WindowRun kAll = {0, 0};
  constexpr int64_t kDepth = 64;  // few, so that neighboring panels find the pages of b again
  alignas(kVectorBytes) T last[kDepth * kPanel<T>];
  Rows<T> a(p.out, p.out_stride, p.rows);
  for (int64_t k = 0; k < p.depth; k += kDepth) {
    const int64_t depth = std::min(kDepth, p.depth - k);
    a.Show(p.a.At(0, k), p.rows);
    for (int64_t j = 0; j < p.columns; j += kPanel<T>) {
      const MatrixView<T> b = p.b.At(k, j);
      const int64_t width = std::min(kPanel<T>, p.columns - j);
      const bool copied = width % kLanes<T> != 0 || b.elements != Elements::kReal;
      if (copied) CopyPanel(b, depth, width, last);
      AddWindowsToPanel<T>({a.first, a.outs, p.rows, &kAll, 1, depth, copied ? last : b.data,
                            copied ? kPanel<T> : b.stride, width, j, a.step, p.add || k > 0});
    }
  }
}

template <typename T>
void MultiplyMatrices(const Product<T>& p) {
  if (p.depth == 0 && !p.add) {
    for (int64_t i = 0; i < p.rows; ++i) std::fill_n(p.out + i * p.out_stride, p.columns, T{0});
  }
  if (p.rows == 0 || p.depth == 0 || p.columns == 0) return;
  if (p.panels == nullptr && p.rows <= 2 * kWindowsAtOnce && !p.b.transposed) return MultiplyFewRows(p);
  RowCopies<T> copies;
  copies.all = p.columns > kPanelsColumns<T>;
  const int64_t deepest = std::min(kPanelsDepth, p.depth), widest = std::min(kPanelsColumns<T>, p.columns);
  const int64_t copied = !CopiesRows(p) ? 0 : copies.all ? p.rows + kWindowsAtOnce : kRowsAtOnce;
  const AlignedArray<T> rows(copied * deepest);
  if (copied > 0) copies.memory = rows.data();
  if (p.panels != nullptr) return MultiplyPanels(p, copies);
  const AlignedArray<T> panels(deepest * (widest + kPanel<T> - 1));
  for (int64_t k = 0; k < p.depth; k += kPanelsDepth) {
    for (int64_t j = 0; j < p.columns; j += kPanelsColumns<T>) {
      const Product<T> part = p.Part(k, j, panels.data());
      CopyPanels(part.b, part.depth, part.columns, part.depth, panels.data());
      copies.are_there = j > 0;
      MultiplyPanels(part, copies);
    }
  }
}

}  // namespace
}  // namespace math_ops
