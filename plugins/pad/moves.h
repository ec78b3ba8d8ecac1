// plugins/pad/moves.h: how blocks of a tensor are copied, filled and reversed, and how an output is written.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace pad {

inline constexpr int kMaxRank = 8;

// `size` elements of the input, with `before` and `after` elements of border around them.
struct Axis {
  int64_t size = 0;
  int64_t before = 0;
  int64_t after = 0;

  constexpr bool HasBorder() const { return before != 0 || after != 0; }
  constexpr int64_t padded() const { return before + size + after; }
};

// For lengths that are known only at run time and often small, where a call of memcpy costs more than the copy.

// Copies both ends, which overlap in the middle. Requires: Size <= bytes <= 2 * Size.
template <size_t Size>
void CopyEnds(char* to, const char* from, int64_t bytes) {
  char front[Size], back[Size];
  std::memcpy(front, from, Size);
  std::memcpy(back, from + bytes - Size, Size);
  std::memcpy(to, front, Size);
  std::memcpy(to + bytes - Size, back, Size);
}

// Requires: 0 <= bytes <= 16.
inline void CopyFew(char* to, const char* from, int64_t bytes) {
  if (bytes >= 8) return CopyEnds<8>(to, from, bytes);
  if (bytes >= 4) return CopyEnds<4>(to, from, bytes);
  if (bytes >= 2) return CopyEnds<2>(to, from, bytes);
  if (bytes == 1) *to = *from;
}

// Requires: bytes >= 0; the pointers may be null if it is 0.
inline void Copy(char* to, const char* from, int64_t bytes) {
  if (bytes <= 16) return CopyFew(to, from, bytes);
  std::memcpy(to, from, static_cast<size_t>(bytes));
}

// Fills a border with copies of one element.

class Fill {
 public:
  // Copies the element. Requires: element_size is 1, 2, 4, 8 or 16.
  Fill(const void* element, size_t element_size) {
    std::memcpy(block_, element, element_size);
    for (size_t filled = element_size; filled < sizeof(block_); filled *= 2) {
      std::memcpy(block_ + filled, block_, filled);
    }
  }

  // Requires: bytes is a multiple of the element's size.
  void Write(char* out, int64_t bytes) const {
    for (; bytes >= kBlock; out += kBlock, bytes -= kBlock) std::memcpy(out, block_, kBlock);
    if (bytes > 32) return CopyEnds<32>(out, block_, bytes);
    if (bytes > 16) return CopyEnds<16>(out, block_, bytes);
    CopyFew(out, block_, bytes);
  }

 private:
  static constexpr int64_t kBlock = 64;
  alignas(kBlock) char block_[kBlock];
};

// Reverses the units of Size bytes in a word.
template <int64_t Size>
uint64_t ReverseWord(uint64_t word) {
  if constexpr (Size == 1) return __builtin_bswap64(word);
  word = word << 32 | word >> 32;
  if constexpr (Size == 4) return word;
  constexpr uint64_t kLow = 0x0000FFFF0000FFFF;
  return (word & kLow) << 16 | (word >> 16 & kLow);
}

// Writes as many units as fill whole words; returns their number. `end`: the end of the last unit.
template <int64_t Size>
int64_t ReverseWords(const char* end, int64_t count, char* out) {
  constexpr int64_t kWord = sizeof(uint64_t);
  const int64_t words = count * Size / kWord;
  for (int64_t i = 0; i < words; ++i) {
    uint64_t word;
    std::memcpy(&word, end - (i + 1) * kWord, kWord);
    word = ReverseWord<Size>(word);
    std::memcpy(out + i * kWord, &word, kWord);
  }
  return words * kWord / Size;
}

// Size 0: known only at run time.
template <int64_t Size>
void ReverseUnits(const char* in, int64_t count, int64_t unit_bytes, char* out) {
  const int64_t size = Size != 0 ? Size : unit_bytes;
  int64_t done = 0;
  if constexpr (Size == 1 || Size == 2 || Size == 4) done = ReverseWords<Size>(in + count * size, count, out);
  for (int64_t i = done; i < count; ++i) {
    std::memcpy(out + i * size, in + (count - 1 - i) * size, static_cast<size_t>(size));
  }
}

// Specialized for some sizes.
template <int64_t... kSizes>
void ReverseUnits(const char* in, int64_t count, int64_t unit_bytes, char* out,
                  std::integer_sequence<int64_t, kSizes...>) {
  const bool done = ((unit_bytes == kSizes && (ReverseUnits<kSizes>(in, count, unit_bytes, out), true)) || ...);
  if (!done) ReverseUnits<0>(in, count, unit_bytes, out);
}

// Those of data types, and of pixels with three channels.
inline void ReverseUnits(const char* in, int64_t count, int64_t unit_bytes, char* out) {
  ReverseUnits(in, count, unit_bytes, out, std::integer_sequence<int64_t, 1, 2, 3, 4, 8, 12, 16>());
}

// PlainWriter writes through the caches. StreamingWriter collects 2 KiB and writes whole lines with streaming stores,
// which do not read them first: a third less memory traffic for large outputs. Its destructor writes the rest.

// Whether streaming pays: on Intel's processors, for outputs larger than the caches, unless their `pieces`, runs and
// gaps, are short. On AMD's Zen 4, plain stores are faster even where the output is twice as large as the last cache.
inline bool WorthStreaming([[maybe_unused]] int64_t output_bytes, [[maybe_unused]] int64_t pieces) {
#ifdef __SSE2__
  constexpr int64_t kLargeOutput = 8 << 20;
  constexpr int64_t kLongPiece = 256;
  return output_bytes >= kLargeOutput && output_bytes / pieces >= kLongPiece && __builtin_cpu_is("intel");
#else
  return false;
#endif
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
