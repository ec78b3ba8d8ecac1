// plugins/pad/pad_kernel.h: the loop behind Pad, on bytes. It knows no data type, no tensor and no opsrun.
//
// A padded array is its input cut into runs, with gaps of border around them:
//
// gap run gap run gap ... run gap
//
// All runs have one length, and the length of a gap depends only on how many axes turn over with the run before it.
// So a layout is a handful of numbers whatever the rank, and padding writes the output once, from its first byte to
// its last, or any part of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "moves.h"

namespace pad {

// Where the runs of an input lie in the output. Outer axes are those outside of a run, the innermost first.
struct Layout {
  int64_t output_bytes = 0;
  int64_t num_runs = 1;  // an input without elements is one run of no bytes
  int64_t run_bytes = 0;
  int64_t first_gap = 0;
  int outer_rank = 0;
  // Of an outer axis: how many indices it has, how many bytes of output lie between two of them, and the gap before a
  // run with which it steps. Behind the last axis stands the gap at the end.
  int64_t counts[kMaxRank] = {};
  int64_t strides[kMaxRank] = {};
  int64_t gaps[kMaxRank + 1] = {};
};

// Requires: 0 <= rank <= kMaxRank, nothing negative, and an output whose bytes fit int64, counted from the outermost
// axis on.
Layout MakeLayout(const Axis* axes, int rank, int64_t element_size);

// Writes the bytes [begin, end) of the output. Calls for disjoint ranges may run at once, and however the output is
// cut, its bytes are the same. Requires: 0 <= begin <= end <= output_bytes, both multiples of the element's size; input
// and output do not overlap and may be null only where they have no bytes.
void PadBytes(const Layout& layout, const Fill& fill, const void* input, void* output, int64_t begin, int64_t end);

}  // namespace pad

// Two ways to write an output from its first byte to its last.
//
// PlainWriter writes through the caches. StreamingWriter collects 2 KiB in the first-level cache and sends whole lines
// past the caches, which saves reading every line of the output before it is overwritten: on large outputs that is a
// third of all traffic. What it has not sent yet, its destructor writes.

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace pad {

// An output that no cache near the core would keep is better written around them, unless its pieces are so short that
// collecting them costs more than that saves. `pieces`: how many runs are written, each with its gap.
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
  // The staging area mirrors the output from the start of the cache line that `out` lies in.
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

  // Sends all whole lines; what is left of the last one moves to the front.
  void Flush() {
    const int64_t whole = end_ / kLine * kLine;
    if (whole == 0) return;
    int64_t at = 0;
    if (begin_ > 0) {  // the first line of all, which someone else owns the front of
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

  int64_t begin_;  // the staged bytes are [begin_, end_); begin_ is 0 but before the first Flush
  int64_t end_;
  char* line_;  // where stage_[0] goes; aligned to kLine
  alignas(kLine) char stage_[kStage];
};

#else

using StreamingWriter = PlainWriter;

#endif

}  // namespace pad
