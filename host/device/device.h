// host/device/device.h: the interface between opsrun and every kind of device: memory, streams, events, copies.
//
// A device works asynchronously: work is enqueued on a stream and done in the stream's order while the caller
// continues. Events order streams relative to each other and let the CPU wait. The CPU is also a device. Its work is
// done when a call returns, so it has no streams and no events, and functions for them do nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "host/base/status.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

class SharedRegion;

// The device type of CPU kernels, and the CPU's name in graphs.
inline constexpr char kCpuKind[] = "CPU";
inline constexpr char kCpuName[] = "cpu";

// A queue of work on a device, passed to kernels as opsrun_call::stream. Owned by its device.
using Stream = void*;
inline constexpr Stream kNoStream = nullptr;

// A point in a stream. Owned by its device.
using Event = void*;

// Captured work that can be enqueued repeatedly as a whole: in CUDA, an executable graph. Owned by its device.
using CapturedWork = void*;

// Lanes release blocks of this size or more between runs. Keeping smaller ones costs less than allocating them again.
inline constexpr size_t kLargeBlock = size_t{64} << 10;

// Keeps memory for later use that it can give up. Thread-safe.
class MemoryKeeper {
 public:
  virtual ~MemoryKeeper() = default;
  // Returns false if there is nothing to give up.
  virtual bool GiveUpMemory() = 0;
};

// Thread-safe. The message of a Status that is not OK is from the device. Any call may return errors of work that was
// enqueued earlier. What is not overridden is as on the CPU.
class Device {
 public:
  virtual ~Device() = default;

  virtual const std::string& name() const;  // as in graph files: "cpu", "gpu:0"
  virtual const std::string& kind() const;  // the device type of kernel registrations: "CPU", "GPU"
  virtual opsrun_device id() const { return {OPSRUN_DEVICE_CPU, 0}; }
  // Alignment of tensors within a block; a multiple of 64.
  virtual size_t alignment() const { return 64; }
  // True if the CPU can read and write what Allocate returns.
  virtual bool is_cpu_memory() const { return true; }
  // CPU memory for fast copies to and from this device.
  virtual Device& staging() { return *this; }

  // 64-byte aligned memory with undefined contents, for work enqueued on `stream` from now on; null if memory runs out.
  // 0 bytes is treated as 1 byte.
  virtual void* Allocate(size_t bytes, Stream stream) = 0;
  // Frees memory when the work that is now on `stream` is done. Null does nothing.
  virtual void Free(void* memory, Stream stream) = 0;

  // A large block for a run, for work on any stream. Like Allocate, but may return an idle block of up to `most` bytes,
  // preferably the one at `wish`.
  virtual void* TakeBlock(size_t bytes, size_t /*most*/, const void* /*wish*/, Stream stream) {
    return Allocate(bytes, stream);
  }
  // True for memory of OpenGuardedCpuDevice, which is not reused.
  virtual bool is_guarded() const { return false; }
  // True if users of blocks may keep data of their own in front of a tensor.
  bool takes_headers() const { return is_cpu_memory() && !is_guarded() && !is_shared(); }
  // From now on, memory is allocated in this region, where other processes see it and may change it. False if the
  // device cannot do that. Only once.
  virtual bool AllocateIn(std::shared_ptr<SharedRegion> /*region*/) { return false; }
  virtual bool is_shared() const { return false; }
  // Memory for anything but numbers of tensors, which other processes do not see; otherwise as Allocate and Free.
  virtual void* AllocatePrivate(size_t bytes) { return Allocate(bytes, kNoStream); }
  virtual void FreePrivate(void* memory) { Free(memory, kNoStream); }
  // Where something was written next to a block of Allocate, "past the end"; empty if nothing was or is known. For
  // null, that of a block that was freed since the last question.
  virtual std::string Damage(const void* /*memory*/) { return {}; }

  // Returns a block that no work uses any longer. Null does nothing.
  virtual void GiveBlock(void* block) { Free(block, kNoStream); }
  // Turns a block into memory of Allocate, to be released with Free.
  virtual void DisownBlock(void* /*block*/) {}
  // Frees memory kept for later; false if there is none. A device does this itself when it runs out of memory.
  virtual bool Trim() { return false; }

  // Counts CPU memory outside blocks of Allocate (the bytes of strings) against a limit; false if the limit is reached.
  virtual bool Reserve(size_t /*bytes*/) { return true; }
  virtual void GiveBack(size_t /*bytes*/) {}

  // Makes the device current on this thread, as kernels for it expect, until Detach. Calls can be nested.
  virtual Status Attach() { return OkStatus(); }
  virtual void Detach() {}

  // A stream, borrowed until it is given back; its work must then be done.
  virtual Result<Stream> TakeStream() { return kNoStream; }
  virtual void GiveStream(Stream /*stream*/) {}
  // A stream for programs that have none; always the same, until the device ends.
  virtual Result<Stream> StreamForPrograms() { return kNoStream; }
  // An event that was never recorded, borrowed until it is given back.
  virtual Result<Event> TakeEvent() { return Event{}; }
  virtual void GiveEvent(Event /*event*/) {}

  // The event is reached when the work that is now on `stream` is done.
  virtual Status Record(Event /*event*/, Stream /*stream*/) { return OkStatus(); }
  // Work enqueued on `stream` from now on waits for the event as last recorded.
  virtual Status Follow(Stream /*stream*/, Event /*event*/) { return OkStatus(); }
  // Wait until the event is reached, or until all work on `stream` is done.
  virtual Status WaitFor(Event /*event*/) { return OkStatus(); }
  virtual Status Drain(Stream /*stream*/) { return OkStatus(); }

  // Enqueues a copy between CPU memory and memory of this device, or within either. CPU memory must stay valid until
  // the copy is done.
  enum class Direction { kIn, kOut, kWithin };
  virtual Status Copy(Direction direction, void* to, const void* from, size_t bytes, Stream stream);
  // Whether this device copies from the memory of another one without the CPU; prepares that. CopyFrom enqueues it.
  virtual bool TakesFrom(Device& /*other*/) { return false; }
  virtual Status CopyFrom(Device& /*other*/, void* /*to*/, const void* /*from*/, size_t /*bytes*/, Stream /*stream*/) {
    return OkStatus();
  }
  // Whether copies to and from this CPU memory are fast: it is page-locked, or the device is the CPU.
  virtual bool CopiesDirectly(const void* /*cpu_memory*/) const { return true; }

  // For memory and streams of callers. INVALID_ARGUMENT, saying why, unless the memory is this device's, and unless the
  // stream is one of this device, in the context that it uses.
  virtual Status CheckMemory(const void* /*memory*/) const { return OkStatus(); }
  virtual Status CheckStream(Stream /*stream*/) const { return OkStatus(); }

  // From now on, what this thread enqueues on `stream` is captured instead of executed. Until EndCapture, do not wait
  // for the stream, and do not allocate or free memory on it.
  virtual bool can_capture() const { return false; }
  virtual Status BeginCapture(Stream /*stream*/) { return OkStatus(); }
  // The work enqueued since BeginCapture; an error if some of it cannot be captured.
  virtual Result<CapturedWork> EndCapture(Stream /*stream*/) { return CapturedWork{}; }
  // Enqueues captured work.
  virtual Status Launch(CapturedWork /*work*/, Stream /*stream*/) { return OkStatus(); }
  // Destroys captured work, which must be done or never have been launched.
  virtual void Discard(CapturedWork /*work*/) {}

  // Writes `value` to a word of staging memory when the work that is now on `stream` is done. False if unsupported.
  virtual bool Mark(uint32_t* /*word*/, uint32_t /*value*/, Stream /*stream*/) { return false; }
};

// A stream that nothing else uses until this object is gone.
struct OwnStream {
  explicit OwnStream(Device& its_device, bool wanted = true) : device(its_device) {
    if (!wanted) return;
    const Result<Stream> taken = device.TakeStream();
    status = taken.status();
    if (taken.ok()) stream = *taken;
  }
  OwnStream(const OwnStream&) = delete;
  ~OwnStream() {
    if (stream != kNoStream) device.GiveStream(stream);
  }
  Device& device;
  Stream stream = kNoStream;
  Status status;  // why there is no stream
};

// Makes the device current on this thread for the lifetime of this object.
class Attached {
 public:
  // Null: the CPU.
  explicit Attached(Device* device) : device_(device) {
    if (device_ != nullptr) status_ = device_->Attach();
  }
  Attached(const Attached&) = delete;
  ~Attached() {
    if (device_ != nullptr && status_.ok()) device_->Detach();
  }
  const Status& status() const { return status_; }

 private:
  Device* const device_;
  Status status_;
};

// Work enqueued on stream `then` from now on waits for the work that is now on `first`.
Status Order(Device& device, Stream first, Stream then);

std::unique_ptr<Device> OpenCpuDevice();

// CPU memory that shows accesses outside of its blocks: reads and writes far outside crash, others can be asked for.
std::unique_ptr<Device> OpenGuardedCpuDevice();

// Counts memory against a limit. Thread-safe.
class MemoryLimit {
 public:
  explicit MemoryLimit(size_t bytes) : limit_(bytes) {}

  // Bytes outside of allocations. False if the limit is reached.
  bool Reserve(size_t bytes);
  void GiveBack(size_t bytes);
  // What get() returns, which is called only below the limit; null otherwise.
  template <typename Get>
  void* Allocate(size_t bytes, Get get) {
    return Reserve(bytes) ? Keep(get(), bytes) : nullptr;
  }
  // Call before memory of Allocate is freed.
  void Forget(void* memory);

 private:
  void* Keep(void* memory, size_t bytes);

  const size_t limit_;
  std::mutex mutex_;  // guards the members below
  size_t used_ = 0;
  std::unordered_map<void*, size_t> sizes_;  // kept separately, because the memory may not be this machine's
};

// The size up to which an idle block is reused where memory is limited: other work may need the rest.
inline size_t MostUnderLimit(size_t bytes) {
  return bytes + bytes / 8;
}

// Limits the total of memory allocated from a CPU device; allocations above the limit return null.
std::unique_ptr<Device> LimitMemory(std::unique_ptr<Device> cpu, size_t bytes);

// A CPU device that keeps blocks for later (see BlockCache). When memory runs out, it frees those, then asks `keeper`.
// exact: since memory is limited, idle blocks are reused only if they are little larger than needed.
std::unique_ptr<Device> KeepBlocks(std::unique_ptr<Device> cpu, bool exact, std::weak_ptr<MemoryKeeper> keeper);

// The devices that the graphs of an engine may use, by name. Thread-safe, except for AddKind.
class Devices {
 public:
  // Opens device `number` of its kind. On failure, the message says what is missing, and the subject, which ends with
  // "run on the CPU", what to do.
  using Opener = std::function<Result<std::unique_ptr<Device>>(int number)>;

  explicit Devices(std::unique_ptr<Device> cpu);
  Devices(const Devices&) = delete;

  // Adds a kind of device, such as "gpu". Call before the first Find.
  void AddKind(const std::string& kind, Opener open);

  Device& cpu() { return *cpu_; }
  // Whether this is the name of a device, which may not exist on this machine.
  bool IsName(std::string_view name) const;
  // "cpu", "gpu" (the first one), "gpu:1". Opens the device at the first request, which may take a second; failures are
  // kept too. INVALID_ARGUMENT if this is not the name of a device; other codes if it cannot be opened.
  Result<Device*> Find(std::string_view name);
  // The same for a device of DLPack; page-locked memory is the CPU's.
  Result<Device*> Find(const opsrun_device& device);
  // Calls Device::Trim of all open devices.
  void Trim();
  // "cpu, gpu, gpu:N"
  std::string Names() const;

 private:
  struct Kind {
    Opener open;
    std::map<int, Result<std::unique_ptr<Device>>> opened;  // by number
  };

  const std::unique_ptr<Device> cpu_;
  std::mutex mutex_;  // guards kinds_; held while a device is opened
  std::map<std::string, Kind, std::less<>> kinds_;
};

// Keeps large blocks of a device's memory from one run to the next.
//
// An idle lane keeps no large memory: it returns its blocks to the cache of their device, and the next run of any plan
// takes them from there. So all plans share idle blocks, and a repeated call finds the same block again.
//
// All blocks together, in use or idle, are at most an eighth larger than the peak of what was requested at the same
// time within the last 256 to 512 blocks taken. When a larger block is needed, idle ones that are too small are freed
// first.
//
// Thread-safe. The device must outlive it. Before it ends, every block must be given back or disowned.
class BlockCache {
 public:
  explicit BlockCache(Device& device) : device_(device) {}
  BlockCache(const BlockCache&) = delete;
  ~BlockCache() { Trim(); }

  // See Device::TakeBlock.
  void* Take(size_t bytes, size_t most, const void* wish, Stream stream);
  void Give(void* memory);
  void Disown(void* memory);
  // Frees all idle blocks; returns false if there are none.
  bool Trim();

  size_t idle_bytes();

 private:
  using Sizes = std::multimap<size_t, void*>;
  struct Block {
    size_t size = 0;
    size_t asked = 0;                  // bytes of it that its user requested; 0: it is idle
    std::list<void*>::iterator age{};  // of an idle block: its place in ages_
    Sizes::iterator by_size{};
  };

  void* TakeIdle(size_t bytes, size_t most, const void* wish);
  void* Make(size_t bytes, Stream stream);
  void Count(Block& taken, size_t bytes);
  void EndIdle(Block& block);
  std::vector<void*> TakeOut(size_t bytes_to_come);
  void FreeAll(const std::vector<void*>& blocks);

  Device& device_;
  std::mutex mutex_;  // guards the members below
  std::unordered_map<void*, Block> blocks_;
  Sizes idle_;
  std::list<void*> ages_;                        // idle blocks; the one that was given back first comes first
  size_t total_ = 0;                             // sizes of all blocks
  size_t used_ = 0;                              // bytes requested of blocks in use
  size_t most_used_ = 0, most_used_before_ = 0;  // peaks in this window and in the one before
  uint32_t taken_ = 0;                           // blocks taken in this window
};

// Returns what get() returns, a pointer or a bool. If that is null or false for lack of memory, tries again after the
// device has freed idle blocks, and again while the keeper gives up memory. The keeper is last, because idle lanes take
// longer to make again.
template <typename Get>
auto GetOrTrim(Device& device, const std::weak_ptr<MemoryKeeper>& keeper, Get get) {
  auto got = get();
  if (!got && device.Trim()) got = get();
  if (got) return got;
  const std::shared_ptr<MemoryKeeper> keeps = keeper.lock();
  while (!got && keeps != nullptr && keeps->GiveUpMemory()) {
    device.Trim();
    got = get();
  }
  return got;
}

}  // namespace opsrun::host
