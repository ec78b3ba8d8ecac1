// plugins/math_ops/gpu_reduction.cu.h: how a reduction is divided among the threads of a GPU.
//
// A unit of work is a result whose elements are contiguous, or a pack of neighboring results. Several threads, its
// lanes, compute it. If there are few units, each is computed in parts. How the work is divided depends on the shape
// alone, so a result is the same on every card, and at every address.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu_elementwise.cu.h"
#include "reduce.h"

namespace math_ops {

// The elements of a result are `pieces` of lines: of contiguous elements, or of elements `stride` apart.
struct GpuReduction {
  GpuPlaces<2> kept;     // the first element of a unit, and its first result
  GpuPlaces<2> reduced;  // the distance of a piece from there, and its place in the line
  int64 units = 0, results = 0, depth = 0, pieces = 0;
  int64 line = 1, piece = 1, stride = 1;
  int64 width = 1;                // of a row of results
  int64 part = 0, parts = 1;      // the pieces of a part
  int lanes = 1, line_lanes = 1;  // of a unit, and of a piece: powers of two, kGpuThreads at most
  bool is_line = false;           // contiguous elements make a result
  bool is_aligned = false;        // packs are

  int units_of_block() const { return kGpuThreads / lanes; }
};

// The smallest power of two that is at least n, but at most kGpuThreads.
inline int LanesFor(int64 n) {
  int lanes = 1;
  while (lanes < n && lanes < kGpuThreads) lanes *= 2;
  return lanes;
}

constexpr int64 RoundedUp(int64 n, int64 unit) {
  return (n + unit - 1) / unit * unit;
}

// Divides the work among lanes and parts. steps: the packs, or rows, of a line; lines: of each result.
inline void DivideWork(GpuReduction* work, int64 lines, int64 steps, int pack) {
  constexpr int64 kEnoughBlocks = 2048, kStepsOfLane = 8, kMostOfPiece = 1 << 30;
  const auto lanes_for = [](int64 n) { return LanesFor((n + kStepsOfLane - 1) / kStepsOfLane); };
  // Of rows, 32 neighboring packs are read at a time, if there are as many.
  const int most = work->is_line ? kGpuThreads : kGpuThreads / std::min(LanesFor(work->units), 32);
  work->lanes = std::min(lanes_for(lines * steps), most);
  work->line_lanes = std::min(lanes_for(steps), work->lanes);
  const int64 blocks = (work->units - 1) / work->units_of_block() + 1;
  const int64 worthwhile = lines * steps / (work->lanes * kStepsOfLane);
  const int64 parts = std::max<int64>(std::min(kEnoughBlocks / blocks, worthwhile), 1);
  const int64 cuts = lines == 0 ? 1 : (parts - 1) / lines + 1;  // of each line
  work->piece = std::min(std::max<int64>(RoundedUp((work->line - 1) / cuts + 1, pack), 1), kMostOfPiece);
  const int64 pieces_of_line = (work->line + work->piece - 1) / work->piece;
  if (pieces_of_line > 1) {
    const int64 steps_of_piece[] = {work->piece * work->stride, work->piece};
    work->reduced.AddInside(pieces_of_line, steps_of_piece);
  }
  work->pieces = lines * pieces_of_line;
  work->part = cuts > 1 ? 1 : (work->pieces + parts - 1) / parts;
  work->parts = work->part == 0 ? 1 : (work->pieces + work->part - 1) / work->part;
}

// Requires: there is at least one result.
inline GpuReduction PlanReduction(const TensorShape& shape, const bool* reduced, int pack) {
  const Layout layout(shape, reduced);
  GpuReduction work;
  work.is_line = layout.width == 1;
  work.width = layout.width;
  work.line = layout.line;
  work.stride = layout.line_stride;
  work.results = layout.kept.Count() * layout.width;
  for (int64 d = 0, results = work.results; d < layout.kept.rank; ++d) {
    results /= layout.kept.sizes[d];
    const int64 steps[] = {layout.kept.strides[d], results};
    work.kept.AddInside(layout.kept.sizes[d], steps);
  }
  if (!work.is_line) {
    const int64 steps[] = {pack, pack};
    work.kept.AddInside((layout.width - 1) / pack + 1, steps);
  }
  work.units = work.kept.count();
  const int64 lines = layout.line == 0 ? 0 : layout.reduced.Count();
  work.depth = lines * layout.line;
  for (int d = 0; d < layout.reduced.rank && lines > 0; ++d) {
    const int64 steps[] = {layout.reduced.strides[d], 0};
    work.reduced.AddInside(layout.reduced.sizes[d], steps);
  }
  DivideWork(&work, lines, work.is_line ? (work.line + pack - 1) / pack : work.line, pack);
  return work;
}

}  // namespace math_ops
