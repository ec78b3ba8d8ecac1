// plugins/math_ops/scan_loops.h: the kernels of scans on the CPU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "opsrun/shard.h"
#include "scan.h"
#include "scan_steps.h"

namespace math_ops {

// Some of the lines of a tensor: element k of line j is at first + j * line_step + k * step, for k in [0, rows).
struct ScanLines {
  int64 first, line_step, step, rows, count;
  bool exclusive;
};

// `out` may be an input. Requires: at most kScanChunk lines.
typedef void (*ScanLoop)(const ScanLines& lines, const void* const* inputs, void* out);
constexpr int64 kScanChunk = 512;
constexpr int64 kScannedTogether = 8;  // of lines whose elements are next to each other

template <typename Step>
struct ScanLoops {
  // Several lines at a time, since each of them waits for its last sum.
  template <typename T, int64 kCount>
  static void Together(const ScanLines& lines, int64 first, const T* const* inputs, T* out) {
    Wide<T> states[kCount];
    for (auto& state : states) state = Step::template Start<T>();
    for (int64 k = 0, row = first; k < lines.rows; ++k, row += lines.step) {
      for (int64 j = 0; j < kCount; ++j) {
        const int64 at = row + j * lines.line_step;
        const Wide<T> next = Step::template Next<T>(states[j], inputs, at);
        out[at] = static_cast<T>(lines.exclusive ? states[j] : next);
        states[j] = next;
      }
    }
  }

  // Lines whose elements are next to each other are gone along side by side, so that memory is read in order.
  template <typename T>
  static void Rows(const ScanLines& lines, const T* const* inputs, T* out) {
    Wide<T> states[kScanChunk];
    for (int64 j = 0; j < lines.count; ++j) states[j] = Step::template Start<T>();
    for (int64 k = 0, row = lines.first; k < lines.rows; ++k, row += lines.step) {
      MATH_OPS_INDEPENDENT
      for (int64 j = 0; j < lines.count; ++j) {
        const Wide<T> next = Step::template Next<T>(states[j], inputs, row + j);
        out[row + j] = static_cast<T>(lines.exclusive ? states[j] : next);
        states[j] = next;
      }
    }
  }

  template <typename T>
  static void Run(const ScanLines& lines, const void* const* ins, void* outs) {
    const T* inputs[Step::kInputs];
    for (int i = 0; i < Step::kInputs; ++i) inputs[i] = static_cast<const T*>(ins[i]);
    T* const out = static_cast<T*>(outs);
    if (lines.line_step == 1 && lines.count > 1) return Rows(lines, inputs, out);
    constexpr int64 kCount = kScannedTogether;
    int64 j = 0;
    for (; j + kCount <= lines.count; j += kCount) {
      Together<T, kCount>(lines, lines.first + j * lines.line_step, inputs, out);
    }
    for (; j < lines.count; ++j) Together<T, 1>(lines, lines.first + j * lines.line_step, inputs, out);
  }

  template <typename T>
  static ScanLoop For() {
    return &Run<LoopType<Step, T>>;
  }
};

// Divides the lines among the host's threads.
opsrun::Status RunScan(opsrun::OpKernelContext* context, const ScanShape& shape, ScanAttrs attrs, ScanLoop loop,
                       const void* const* inputs, void* output);

template <typename Step, typename Types>
class ScanOp : public ScanKernel {
 public:
  explicit ScanOp(opsrun::OpKernelConstruction* context)
      : ScanKernel(context), loop_(LoopFor<ScanLoops<Step>>(context->input_type(0), Types())) {}

 protected:
  opsrun::Status Scan(opsrun::OpKernelContext* context, const ScanShape& shape, ScanAttrs attrs,
                      const void* const* inputs, void* output) const override {
    return RunScan(context, shape, attrs, loop_, inputs, output);
  }

 private:
  const ScanLoop loop_;
};

}  // namespace math_ops
