// plugins/pad/pad_kernel.h: the loop behind Pad, on bytes, independent of data types and tensors.
//
// A padded array consists of runs of the input, with gaps of border around them:
//
// gap run gap run gap ... run gap
//
// All runs have the same length, and the length of a gap depends only on how many axes wrap around after the run before
// it. So a layout has a fixed size for any rank, and any part of the output can be written sequentially.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "moves.h"

namespace pad {

// The positions of the input's runs in the output. Outer axes are those outside of a run, the innermost first.
struct Layout {
  int64_t output_bytes = 0;
  int64_t num_runs = 1;  // an input without elements is one empty run
  int64_t run_bytes = 0;
  int64_t first_gap = 0;
  int outer_rank = 0;
  // For each outer axis: its number of indices, the bytes of output between two of them, and the gap before a run where
  // it advances. The gap at the end follows the last axis.
  int64_t counts[kMaxRank] = {};
  int64_t strides[kMaxRank] = {};
  int64_t gaps[kMaxRank + 1] = {};
};

// Requires: 0 <= rank <= kMaxRank, all sizes are at least 0, and the size of the output in bytes fits int64, multiplied
// from the outermost axis on.
Layout MakeLayout(const Axis* axes, int rank, int64_t element_size);

// Writes the bytes [begin, end) of the output. Calls for disjoint ranges may run concurrently, and the result does not
// depend on the ranges. Requires: 0 <= begin <= end <= output_bytes, both multiples of the element's size; input and
// output do not overlap and are null only if they have no bytes.
void PadBytes(const Layout& layout, const Fill& fill, const void* input, void* output, int64_t begin, int64_t end);

}  // namespace pad

// Two ways to write an output sequentially.
//
// PlainWriter writes through the caches. StreamingWriter collects 2 KiB in the L1 cache and writes whole lines with
// streaming stores, so that the lines of the output are not read before they are overwritten: on large outputs that
// saves a third of all memory traffic. Its destructor writes the rest.

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace pad {

// Streaming pays if the output exceeds the caches near the core, unless its pieces are so short that collecting them
// costs more. `pieces`: the number of runs, each with its gap.
inline bool WorthStreaming(int64_t output_bytes, int64_t pieces) {
  constexpr int64_t kLargeOutput = 8 << 20;
  constexpr int64_t kLongPiece = 256;
  return output_bytes >= kLargeOutput && output_bytes / pieces >= kLongPiece;
}

class PlainWriter {
 public:
  explicit PlainWriter(char* out) : out_(out) {}

  void PutRun(const char* in, int64_t bytes) {
    Copy(out_, in, bytes);
    out_ += bytes;
  }
  void PutGap(const Fill& fill, int64_t bytes) {
    fill.Write(out_, bytes);
    out_ += bytes;
  }

 private:
  char* out_;
};

#ifdef __SSE2__

class StreamingWriter {
 public:
  // The buffer mirrors the output, starting at the cache line that contains `out`.
  explicit StreamingWriter(char* out)
      : begin_(static_cast<int64_t>(reinterpret_cast<uintptr_t>(out) % kLine)), end_(begin_), line_(out - begin_) {}
  StreamingWriter(const StreamingWriter&) = delete;

  ~StreamingWriter() {
    Flush();
    std::memcpy(line_ + begin_, stage_ + begin_, static_cast<size_t>(end_ - begin_));
    _mm_sfence();
  }

  void PutRun(const char* in, int64_t bytes) {
    while (bytes > 0) {
      const int64_t part = std::min(bytes, kStage - end_);
      for (int64_t at = 0; at < part; at += kLine) _mm_prefetch(in + kAhead + at, _MM_HINT_T0);
      Copy(stage_ + end_, in, part);
      in += part;
      bytes -= part;
      Advance(part);
    }
  }

  void PutGap(const Fill& fill, int64_t bytes) {
    while (bytes > 0) {
      const int64_t part = std::min(bytes, kStage - end_);
      fill.Write(stage_ + end_, part);
      bytes -= part;
      Advance(part);
    }
  }

 private:
  static constexpr int64_t kLine = 64;
  static constexpr int64_t kStage = 2048;
  static constexpr int64_t kAhead = 4096;

  void Advance(int64_t bytes) {
    end_ += bytes;
    if (end_ == kStage) Flush();
  }

  // Writes all whole lines; moves the rest to the front of the buffer.
  void Flush() {
    const int64_t whole = end_ / kLine * kLine;
    if (whole == 0) return;
    int64_t at = 0;
    if (begin_ > 0) {  // the first line, whose front belongs to other data
      std::memcpy(line_ + begin_, stage_ + begin_, static_cast<size_t>(kLine - begin_));
      at = kLine;
    }
    for (; at < whole; at += kLine) SendLine(at);
    line_ += whole;
    end_ -= whole;
    begin_ = 0;
    std::memcpy(stage_, stage_ + whole, static_cast<size_t>(end_));
  }

  void SendLine(int64_t at) {
    const auto* from = reinterpret_cast<const __m128i*>(stage_ + at);
    auto* to = reinterpret_cast<__m128i*>(line_ + at);
    const __m128i part[4] = {_mm_load_si128(from), _mm_load_si128(from + 1), _mm_load_si128(from + 2),
                             _mm_load_si128(from + 3)};
    for (int i = 0; i < 4; ++i) _mm_stream_si128(to + i, part[i]);
  }

  int64_t begin_;  // the buffered bytes are [begin_, end_); begin_ is 0 after the first Flush
  int64_t end_;
  char* line_;  // where stage_[0] will be written; aligned to kLine
  alignas(kLine) char stage_[kStage];
};

#else

using StreamingWriter = PlainWriter;

#endif

}  // namespace pad
