// plugins/pad/writers.h: two ways to write an output from its first byte to its last.
//
// PlainWriter writes through the caches. StreamingWriter collects 2 KiB in the first-level cache and sends whole lines
// past the caches, which saves reading every line of the output before it is overwritten: on large outputs that is a
// third of all traffic. What it has not sent yet, its destructor writes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "copy.h"
#include "fill.h"

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
