// SPDX-License-Identifier: Apache-2.0
#include "host/run/staged_copy.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>

namespace opsrun::host {
namespace {

constexpr size_t kLeastBytes = size_t{1} << 20;  // below this, locking and waiting costs more than it saves
constexpr size_t kLeastPiece = size_t{256} << 10, kMostPiece = size_t{2} << 20;
constexpr int64_t kMostThreads = 8;  // as fast as the fastest links

// A copy of which threads take pieces, until none is left.
struct StagedCopy {
  ThreadPool* const pool;
  Device& device;
  const Device::Direction direction;
  char* const to;
  const char* const from;
  const size_t bytes;
  const Stream stream;
  const size_t piece_bytes = std::clamp(bytes / 16, kLeastPiece, kMostPiece);
  std::atomic<size_t> next{0};  // the beginning of the first piece that no thread has taken
  std::mutex mutex;             // guards status
  Status status;                // the first error

  Status Run();
  Status TakePieces();
};

// Page-locked memory for a piece on its way.
class Slot {
 public:
  explicit Slot(StagedCopy& copy) : copy_(copy) {
    const Result<Event> done = copy.device.TakeEvent();
    if (!done.ok()) return;
    done_ = *done;
    memory_ = static_cast<char*>(copy.device.staging().Allocate(copy.piece_bytes, copy.stream));
  }
  Slot(const Slot&) = delete;
  ~Slot() {
    copy_.device.staging().Free(memory_, copy_.stream);
    if (done_ != nullptr) copy_.device.GiveEvent(done_);
  }

  // Without page-locked memory, the driver copies the piece.
  Status Begin(size_t at) {
    const size_t bytes = std::min(copy_.piece_bytes, copy_.bytes - at);
    char* const to = copy_.to + at;
    const char* const from = copy_.from + at;
    if (memory_ == nullptr) return copy_.device.Copy(copy_.direction, to, from, bytes, copy_.stream);
    const bool in = copy_.direction == Device::Direction::kIn;
    if (in) std::memcpy(memory_, from, bytes);
    Status status = copy_.device.Copy(copy_.direction, in ? to : memory_, in ? memory_ : from, bytes, copy_.stream);
    if (status.ok()) status = copy_.device.Record(done_, copy_.stream);
    if (!status.ok()) return status;
    under_way_ = true;
    arrives_at_ = in ? nullptr : to;
    arriving_ = bytes;
    return status;
  }

  Status Finish() {
    if (!std::exchange(under_way_, false)) return OkStatus();
    if (Status status = copy_.device.WaitFor(done_); !status.ok()) return status;
    if (arrives_at_ != nullptr) std::memcpy(arrives_at_, memory_, arriving_);
    return OkStatus();
  }

 private:
  StagedCopy& copy_;
  Event done_ = nullptr;
  char* memory_ = nullptr;
  bool under_way_ = false;
  char* arrives_at_ = nullptr;  // where the piece belongs in CPU memory; null: it is on its way to the card
  size_t arriving_ = 0;
};

// While one slot's piece is being transferred, the other is filled or emptied.
Status StagedCopy::TakePieces() {
  Slot first(*this), second(*this);
  Slot *slot = &first, *other = &second;
  Status done;
  for (size_t at = next.fetch_add(piece_bytes); at < bytes && done.ok(); at = next.fetch_add(piece_bytes)) {
    done = slot->Finish();
    if (done.ok()) done = slot->Begin(at);
    std::swap(slot, other);
  }
  if (direction == Device::Direction::kIn) return done;  // the memory is kept until its pieces have been transferred
  for (Slot* const last : {slot, other}) {
    if (done.ok()) done = last->Finish();
  }
  return done;
}

Status StagedCopy::Run() {
  const auto take = [](void* self, int64_t, int64_t) -> int32_t {
    auto& copy = *static_cast<StagedCopy*>(self);
    Status taken = copy.TakePieces();
    if (taken.ok()) return 0;
    const std::lock_guard<std::mutex> lock(copy.mutex);
    if (copy.status.ok()) copy.status = std::move(taken);
    return 1;
  };
  constexpr int64_t kLong = 1'000'000;  // nanoseconds, worth a thread
  const int64_t threads = pool == nullptr ? 1 : std::min<int64_t>(pool->threads(), kMostThreads);
  if (threads == 1) {
    (void)take(this, 0, 1);
  } else {
    (void)ParallelFor(*pool, threads, kLong, take, this);
  }
  return status;
}

}  // namespace

Status CopyStaged(ThreadPool* pool, Device& device, Device::Direction direction, void* to, const void* from,
                  size_t bytes, Stream stream) {
  const void* const on_cpu = direction == Device::Direction::kIn ? from : to;
  if (bytes < kLeastBytes || device.CopiesDirectly(on_cpu)) return device.Copy(direction, to, from, bytes, stream);
  StagedCopy copy{pool, device, direction, static_cast<char*>(to), static_cast<const char*>(from), bytes, stream};
  return copy.Run();
}

}  // namespace opsrun::host
